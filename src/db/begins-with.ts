import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { foldedText, foldedWord } from './folded-text.ts'
import { spellingsOf } from './search-words.ts'

/**
 * Whether a text begins with what was typed, in any spelling, as ranges that an index on the expression can serve; `LIKE` would
 * scan.
 * @param text a lowercase expression, exactly as its index has it
 * @param typed '' matches everything
 */
export function beginsWith(text: SQLWrapper, typed: string): SQL {
  const ranges = spellingsOf(typed).map(
    (spelling) => sql`${text} >= ${spelling} AND ${text} < ${`${spelling}\u{10ffff}`}`,
  )
  return sql`(${sql.join(ranges, sql` OR `)})`
}

/** Names with letters beyond ASCII that one search looks at, the newest. */
export const MAX_BEYOND_ASCII = 1000

/** Whether a text begins with what was typed, marks of letters aside: looked at row by row. */
export function beginsFolded(text: SQLWrapper, typed: string): SQL {
  const folded = foldedText(text)
  const found = spellingsOf(foldedWord(typed)).map((spelling) => sql`instr(${folded}, ${spelling}) = 1`)
  return sql`(${sql.join(found, sql` OR `)})`
}
