import type { AdminChange, AdminField, AdminInline, AdminRow, AdminTable } from '../../web/admin-table.ts'
import { keyOf } from '../table-parts.ts'
import { isShownOnly } from './form-state.ts'

/*
 * Adding, changing and deleting rows of tables whose feature has no rules of its own.
 */

/** SQL of the key of the row the batch has just added: without AUTOINCREMENT it is the largest. */
export function addedKeySql(table: AdminTable): string {
  return `(SELECT max(${keyOf(table).column}) FROM ${table.table})`
}

export function saveStatements(db: D1Database, table: AdminTable, change: AdminChange): D1PreparedStatement[] {
  const { column } = keyOf(table)
  const own =
    change.key === null
      ? insert(db, table.table, written(table.fields, change.values, null))
      : update(db, table.table, column, change.key, written(table.fields, change.values, change.before))
  const inlines = (table.inlines ?? []).flatMap((inline) => inlineStatements(db, table, inline, change))
  return [...own, ...inlines]
}

export function deleteStatement(db: D1Database, table: AdminTable, key: string | number): D1PreparedStatement {
  return db.prepare(`DELETE FROM ${table.table} WHERE ${keyOf(table).column} = ?`).bind(key)
}

type Column = { name: string; value: string | number | null; sql?: string }

/** The columns to write: of a known row those that differ. */
function written(fields: readonly AdminField[], values: AdminRow, before: AdminRow | null): Column[] {
  return fields.flatMap((field) => {
    const value = values[field.name] ?? null
    if (isShownOnly(field, before)) return []
    return before && before[field.name] === value ? [] : [{ name: field.name, value }]
  })
}

function insert(db: D1Database, table: string, columns: readonly Column[]): D1PreparedStatement[] {
  const names = columns.map(({ name }) => name).join(', ')
  const marks = columns.map(({ sql }) => sql ?? '?').join(', ')
  const values = columns.flatMap(({ value, sql }) => (sql === undefined ? [value] : []))
  return [db.prepare(`INSERT INTO ${table} (${names}) VALUES (${marks})`).bind(...values)]
}

function update(
  db: D1Database,
  table: string,
  keyColumn: string,
  key: string | number,
  columns: readonly Column[],
): D1PreparedStatement[] {
  if (columns.length === 0) return []
  const sets = columns.map(({ name }) => `${name} = ?`).join(', ')
  return [
    db.prepare(`UPDATE ${table} SET ${sets} WHERE ${keyColumn} = ?`).bind(...columns.map(({ value }) => value), key),
  ]
}

function inlineStatements(
  db: D1Database,
  table: AdminTable,
  inline: AdminInline,
  change: AdminChange,
): D1PreparedStatement[] {
  const id = inline.key ?? 'id'
  return (change.inlines[inline.name] ?? []).flatMap(({ key, before, values, isRemoved }) => {
    if (key === null) {
      const parent: Column =
        change.key === null
          ? { name: inline.parent, value: null, sql: addedKeySql(table) }
          : { name: inline.parent, value: change.key }
      return insert(db, inline.table, [parent, ...written(inline.fields, values, null)])
    }
    if (isRemoved) return [db.prepare(`DELETE FROM ${inline.table} WHERE ${id} = ?`).bind(key)]
    return update(db, inline.table, id, key, written(inline.fields, values, before))
  })
}
