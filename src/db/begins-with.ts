import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'

/**
 * Whether a text begins with what was typed, as a range that an index on the expression can serve; `LIKE` would scan.
 * @param text a lowercase expression, exactly as its index has it
 * @param typed lowercase; '' matches everything
 */
export function beginsWith(text: SQLWrapper, typed: string): SQL {
  return sql`${text} >= ${typed} AND ${text} < ${`${typed}\u{10ffff}`}`
}
