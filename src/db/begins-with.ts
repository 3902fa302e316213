import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { foldedText, foldedWord } from './folded-text.ts'
import { spellingsOf } from './search-words.ts'

/**
 * Whether a text begins with the typed text, in any spelling, as ranges that an index on the expression can serve;
 * `LIKE` would scan.
 * @param text a lowercase expression, exactly as in its index
 * @param typed '' matches everything
 */
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
