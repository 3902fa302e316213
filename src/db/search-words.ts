import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { chunk } from '../lib/collections.ts'
import { parameter } from './query.ts'

/*
 * Texts as searches compare them: lowercase and without the diacritics of Latin letters, so that "ecole" finds "École".
 * SQLite's `lower()` handles only A to Z and nothing in it removes diacritics, so each such letter is a `replace()`.
 */

/** Letters with diacritics of Europe, of long vowels as in Hawaii, and of Vietnam: frequent ones first. */
const small =
  'àáâãäåçèéêëìíîïñòóôõöøùúûüýÿāăąćčďđēėęěğģīįķĺľłńņňōőŕřśşšșťţțūůűųźżžıĩũơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ'
/** Letters that Unicode does not decompose. */
const unmarked: Readonly<Record<string, string>> = { ø: 'o', đ: 'd', ł: 'l', ı: 'i' }
const plainOf = new Map([
  ['İ', 'i'],
  ...Array.from(small).flatMap((letter) => {
    const plain = unmarked[letter] ?? letter.normalize('NFD').charAt(0)
    return [letter, letter.toUpperCase()].filter((one) => one > '\u007f').map((one): [string, string] => [one, plain])
  }),
])
/** D1 allows an expression 100 levels, and counts those of the expression around a subquery once more. */
const STAGE_SIZE = 30
const stages = chunk([...plainOf], STAGE_SIZE)

/** The typed text as {@link foldedText} returns it, except for the case of other letters. */
export function foldedWord(typed: string): string {
  return Array.from(typed.normalize('NFC'), (letter) => plainOf.get(letter) ?? letter).join('')
}

/** In lowercase and without diacritics; other scripts keep their case. @param text may be computed again */
export function foldedText(text: SQLWrapper): SQL {
  const first = sql`SELECT lower(${text}) AS folded LIMIT 1`
  return sql`CASE WHEN ${isPlain(text)} THEN lower(${text}) ELSE (${stages.reduce(foldedStage, first)}) END`
}

/** Whether each character is one byte, as in nearly every text, so that the rest can be skipped. */
const isPlain = (text: SQLWrapper): SQL => sql`octet_length(${text}) = length(${text})`

/** LIMIT keeps SQLite from merging the stages into one expression. */
function foldedStage(text: SQL, stage: [letter: string, plain: string][]): SQL {
  const replaced = stage.reduce((inner, [letter, plain]) => `replace(${inner}, '${letter}', '${plain}')`, 'folded')
  return sql`SELECT CASE WHEN ${isPlain(sql`folded`)} THEN folded ELSE ${sql.raw(replaced)} END AS folded
    FROM (${text}) LIMIT 1`
}

/**
 * The spellings of a text in the result of SQLite's `lower()`, which handles only A to Z: other letters in lowercase,
 * uppercase, and capitalized at the beginning or in every word. A text of A to Z has one spelling.
 */
export function spellingsOf(text: string): string[] {
  const lower = text.toLowerCase()
  const capitalized = (word: string): string => word.replace(/^./u, (letter) => letter.toUpperCase())
  const everyWord = lower.split(' ').map(capitalized).join(' ')
  return [...new Set([lower, lower.toUpperCase(), capitalized(lower), everyWord].map(lowerAsciiOnly))]
}

/** The distinct words of a search, each as spellings of which one must occur in the result of {@link foldedText}. */
export function searchWords(search: string): string[][] {
  const words = new Set(
    foldedWord(search)
      .toLowerCase()
      .split(' ')
      .filter((word) => word !== ''),
  )
  return Array.from(words, spellingsOf)
}

/** A table of the {@link searchWords} in the parameter `words` (JSON): the place of each word, with its spellings. */
export const wordTable = sql`word AS MATERIALIZED (
  SELECT words.key AS place, spellings.value AS spelling
  FROM json_each(${parameter('words')}) words, json_each(words.value) spellings)`

function lowerAsciiOnly(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** Ranges that an index on exactly this lowercase expression serves, where `LIKE` would scan; '' matches everything. */
export function beginsWith(text: SQLWrapper, typed: string): SQL {
  const ranges = spellingsOf(typed).map(
    (spelling) => sql`${text} >= ${spelling} AND ${text} < ${`${spelling}\u{10ffff}`}`,
  )
  return sql`(${sql.join(ranges, sql` OR `)})`
}

/** How many of the newest names with letters beyond ASCII one search looks at. */
export const MAX_BEYOND_ASCII = 1000

/** Whether a text begins with the typed text, ignoring diacritics: checked row by row. */
export function beginsFolded(text: SQLWrapper, typed: string): SQL {
  const folded = foldedText(text)
  const found = spellingsOf(foldedWord(typed)).map((spelling) => sql`instr(${folded}, ${spelling}) = 1`)
  return sql`(${sql.join(found, sql` OR `)})`
}
