import { type SQL, sql } from 'drizzle-orm'
import { names, type Query, statement } from '../../db/query.ts'
import { delivery } from '../../db/schema/index.ts'

/**
 * Ends the claims of untried messages that a runner has just claimed: it does not send them, and they are due again.
 * @param ids a SELECT of deliveries' ids @param now ms since epoch
 */
export function endClaims(ids: SQL, now: number): Query {
  const { id, state, dueAt, body, batchKey } = delivery
  return statement(sql`UPDATE ${delivery} SET ${names(state)} = 'queued', ${names(dueAt)} = ${now}, ${names(batchKey)} = NULL
    WHERE ${state} = 'sending' AND ${body} IS NULL AND ${id} IN (${ids})`)
}
