import type { AdminAsker, AdminKey, AdminRow, AdminTable } from '../../web/admin-table.ts'
import { auditRows } from '../../web/audit-rows.ts'
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
  const chosen = `t.${column} IN (SELECT value FROM json_each(?)) AND (${differs})`
  const state = (of: (name: string) => string) =>
    `json_object(${names.map((name) => `'${name}', ${of(name)}`).join(', ')})`
  const list = JSON.stringify(keys)
  return [
    auditRows(
      db,
      actor,
      { act: 'changed', area: 'admin', table: table.table },
      {
        sql: `SELECT t.${column} AS row_key, coalesce(${table.title}, '') AS title, ${state((name) => `t.${name}`)} AS before,
                ${state(() => '?')} AS after FROM ${rowsOf(table)} t ${table.join ?? ''} WHERE ${chosen}`,
        values: [...values, list, ...values],
      },
      now,
    ),
    db
      .prepare(`UPDATE ${table.table} AS t SET ${names.map((name) => `${name} = ?`).join(', ')} WHERE ${chosen}`)
      .bind(...values, list, ...values),
  ]
}
