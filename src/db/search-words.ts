import { type SQL, sql, type SQLWrapper } from 'drizzle-orm'
import { foldedText, foldedWord } from './folded-text.ts'

/**
 * The spellings of a text in the result of SQLite's `lower()`, which handles only A to Z: other letters in lowercase,
 * uppercase, and capitalized at the beginning or in every word. A text of A to Z has one spelling.
 */
export function spellingsOf(text: string): string[] {
  const small = text.toLowerCase()
  const capitalized = (word: string): string => word.replace(/^./u, (letter) => letter.toUpperCase())
  const everyWord = small.split(' ').map(capitalized).join(' ')
  return [...new Set([small, small.toUpperCase(), capitalized(small), everyWord].map(lowerAsciiOnly))]
}

/** The distinct words of a search, each as spellings of which one must occur in the result of `foldedText`. */
export function searchWords(search: string): string[][] {
  const words = new Set(
    foldedWord(search)
      .toLowerCase()
      .split(' ')
      .filter((word) => word !== ''),
  )
  return Array.from(words, spellingsOf)
}

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
