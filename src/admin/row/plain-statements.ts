import { type SQL, sql } from 'drizzle-orm'
import { statement, type Template } from '../../db/query.ts'
import type { AdminChange, AdminKey, AdminRow } from '../../web/admin-change.ts'
import { type Field, type Inline, listOf, type Stored, type Table } from '../table.ts'
import { isShownOnly } from './form-state.ts'

/* Adds, changes and deletes rows of tables without rules of their own. */

/** The key of the row the batch has just added: without AUTOINCREMENT it is the largest. */
export function addedKeyOf({ table, key }: Stored): SQL<AdminKey> {
  return sql<AdminKey>`(SELECT max(${sql.identifier(key)}) FROM ${sql.identifier(table)})`
}

export function saveStatements(table: Table, change: AdminChange): Template<never>[] {
  const own =
    change.key === null
      ? insert(table, written(table.fields, change.values, null))
      : update(table, change.key, written(table.fields, change.values, change.before))
  return [...own, ...table.inlines.flatMap((inline) => inlineStatements(table, inline, change))]
}

export function deleteStatement({ table, key }: Stored, value: AdminKey): Template<never> {
  return statement(sql`DELETE FROM ${sql.identifier(table)} WHERE ${sql.identifier(key)} = ${value}`)
}

interface Value {
  name: string
  value: string | number | null | SQL
}

/** The columns to write: for a known row only those that differ. */
function written(fields: readonly Field[], values: AdminRow, before: AdminRow | null): Value[] {
  return fields.flatMap((field) => {
    const value = values[field.name] ?? null
    if (isShownOnly(field, before)) return []
    return before && before[field.name] === value ? [] : [{ name: field.name, value }]
  })
}

function insert({ table }: Stored, columns: readonly Value[]): Template<never>[] {
  const names = listOf(columns.map(({ name }) => sql`${sql.identifier(name)}`))
  const values = listOf(columns.map(({ value }) => sql`${value}`))
  return [statement(sql`INSERT INTO ${sql.identifier(table)} (${names}) VALUES (${values})`)]
}

function update({ table, key }: Stored, value: AdminKey, columns: readonly Value[]): Template<never>[] {
  if (columns.length === 0) return []
  const sets = listOf(columns.map((column) => sql`${sql.identifier(column.name)} = ${column.value}`))
  return [statement(sql`UPDATE ${sql.identifier(table)} SET ${sets} WHERE ${sql.identifier(key)} = ${value}`)]
}

function inlineStatements(table: Table, inline: Inline, change: AdminChange): Template<never>[] {
  return (change.inlines[inline.name] ?? []).flatMap(({ key, before, values, isRemoved }) => {
    if (key === null) {
      const parent = { name: inline.parent, value: change.key ?? addedKeyOf(table) }
      return insert(inline, [parent, ...written(inline.fields, values, null)])
    }
    if (isRemoved) return [deleteStatement(inline, key)]
    return update(inline, key, written(inline.fields, values, before))
  })
}
