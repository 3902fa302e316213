import { type SQL, sql } from 'drizzle-orm'
import { type Query, statement } from '../../db/query.ts'
import type { AdminAsker, AdminKey } from '../../web/admin-change.ts'
import { auditRows } from '../../web/audit-rows.ts'
import { type Action, keyOf, listOf, rowsOf, type Table } from '../table.ts'

/** Sets columns of rows, and writes each row that differs into the audit: two statements for one batch. */
export function auditedSet(
  db: D1Database,
  table: Table,
  keys: readonly AdminKey[],
  set: Extract<Action, { set: unknown }>['set'],
  { actor, now }: AdminAsker,
): [Query, Query] {
  const key = keyOf(table)
  const column = (name: string) => sql`${sql.identifier(table.table)}.${sql.identifier(name)}`
  const differs = sql.join(
    set.map(({ name, value }) => sql`${column(name)} IS NOT ${value}`),
    sql` OR `,
  )
  const chosen = sql`${key} IN (SELECT value FROM json_each(${JSON.stringify(keys)})) AND (${differs})`
  const state = (of: (one: (typeof set)[number]) => SQL) =>
    sql`json_object(${listOf(set.map((one) => sql`${one.name}, ${of(one)}`))})`
  const rows = sql`SELECT ${key} AS row_key, coalesce(${table.title}, '') AS title,
      ${state(({ name }) => column(name))} AS before, ${state(({ value }) => sql`${value}`)} AS after
      FROM ${rowsOf(table)} ${table.join} WHERE ${chosen}`
  const sets = listOf(set.map(({ name, value }) => sql`${sql.identifier(name)} = ${value}`))
  return [
    auditRows(db, actor, { act: 'changed', area: 'admin', table: table.table }, rows, now),
    statement(sql`UPDATE ${sql.identifier(table.table)} SET ${sets} WHERE ${chosen}`),
  ]
}
