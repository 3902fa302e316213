import { is, SQL } from 'drizzle-orm'
import { statement, textOf } from '../db/query.ts'
import type { Actor, AuditEntry } from './audit.ts'

/**
 * Writes down an act on rows that only the database knows: one entry a row of `rows`, a SELECT of `row_key`, `title`, `before`
 * and `after` (the last two as JSON or NULL). Behind a write, `changes()` in it tells whether that did anything.
 */
export function auditRows(
  db: D1Database,
  actor: Actor,
  { act, area, table }: Pick<AuditEntry, 'act' | 'area' | 'table'>,
  rows: SQL | { sql: string; values: readonly unknown[] },
  at: number,
): D1PreparedStatement {
  const { text, params } = is(rows, SQL) ? textOf(statement(rows)) : { text: rows.sql, params: rows.values }
  return db
    .prepare(
      `INSERT INTO audit (at, user_id, who, ip_address, country, act, area, table_name, row_key, title, before, after)
       SELECT ?, ?, ?, ?, ?, ?, ?, ?, r.row_key, substr(r.title, 1, 200), r.before, r.after FROM (${text}) r`,
    )
    .bind(at, actor.userId, actor.who, actor.ipAddress, actor.country, act, area, table, ...params)
}
