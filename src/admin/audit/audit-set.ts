import type { AdminAsker, AdminKey, AdminRow, AdminTable } from '../../web/admin-table.ts'
import { keyOf, rowsOf } from '../table-parts.ts'

/** Sets columns of rows, and writes each row that differs into the audit: two statements for one batch. */
export function auditedSet(
  db: D1Database,
  table: AdminTable,
  keys: readonly AdminKey[],
  set: AdminRow,
  { actor, now }: AdminAsker,
): [D1PreparedStatement, D1PreparedStatement] {
  const { column } = keyOf(table)
  const names = Object.keys(set)
  const values = Object.values(set)
  const differs = names.map((name) => `t.${name} IS NOT ?`).join(' OR ')
  const chosen = `${column} IN (SELECT value FROM json_each(?))`
  const state = (of: (name: string) => string) =>
    `json_object(${names.map((name) => `'${name}', ${of(name)}`).join(', ')})`
  const list = JSON.stringify(keys)
  return [
    db
      .prepare(
        `INSERT INTO audit (at, user_id, who, ip_address, country, act, area, table_name, row_key, title, before, after)
         SELECT ?, ?, ?, ?, ?, 'changed', 'admin', ?, t.${column}, substr(coalesce(${table.title}, ''), 1, 200),
           ${state((name) => `t.${name}`)}, ${state(() => '?')}
         FROM ${rowsOf(table)} t ${table.join ?? ''} WHERE t.${chosen} AND (${differs})`,
      )
      .bind(now, actor.userId, actor.who, actor.ipAddress, actor.country, table.table, ...values, list, ...values),
    db
      .prepare(
        `UPDATE ${table.table} AS t SET ${names.map((name) => `${name} = ?`).join(', ')}
         WHERE t.${chosen} AND (${differs})`,
      )
      .bind(...values, list, ...values),
  ]
}
