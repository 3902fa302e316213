import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'

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
const A_STAGE = 30
const letters = [...plainOf]
const stages = letters.flatMap((_, at) => (at % A_STAGE === 0 ? [letters.slice(at, at + A_STAGE)] : []))

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
function foldedStage(text: SQL, stage: typeof letters): SQL {
  const replaced = stage.reduce((inner, [letter, plain]) => `replace(${inner}, '${letter}', '${plain}')`, 'folded')
  return sql`SELECT CASE WHEN ${isPlain(sql`folded`)} THEN folded ELSE ${sql.raw(replaced)} END AS folded
    FROM (${text}) LIMIT 1`
}
