import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
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
