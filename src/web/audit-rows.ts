import { type SQL, sql } from 'drizzle-orm'
import { into, statement, type Template } from '../db/query.ts'
import { audit } from '../db/schema/index.ts'
import { auditColumns, type Actor, type AuditEntry } from './audit.ts'

/**
 * Audits an act on rows that only the database knows: one entry per row of `rows`, a SELECT of `row_key`, `title`,
 * `before` and `after` (the last two as JSON or NULL). After a write, the SELECT can use `changes()` to check whether
 * it changed anything.
 */
export function auditRows(
  { userId, who, ipAddress, country }: Actor,
  { act, area, table }: Pick<AuditEntry, 'act' | 'area' | 'table'>,
  rows: SQL,
  at: number,
): Template<never> {
  return statement(sql`INSERT INTO ${into(audit, ...auditColumns)}
    SELECT ${at}, ${userId}, ${who}, ${ipAddress}, ${country}, ${act}, ${area}, ${table}, r.row_key, substr(r.title, 1, 200),
      r.before, r.after FROM (${rows}) r`)
}
