import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'

/**
 * Whether a text begins with what was typed, by a range that an index over the expression finds; `LIKE` would read them all.
 * @param text an expression in small letters, as its index has it
 * @param typed in small letters; '' matches everything
 */
export function beginsWith(text: SQLWrapper, typed: string): SQL {
  return sql`${text} >= ${typed} AND ${text} < ${`${typed}\u{10ffff}`}`
}
