import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import { toSnakeCase } from 'drizzle-orm/casing'
import { SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { AdminRow } from './admin-change.ts'
import type { AdminColumn, AdminField } from './admin-table.ts'

/* Fields that most admin tables have, and how features convert their values. */

/** A declaration's entry, which may be just a column. */
export const entryOf = <Entry>(entry: Entry | SQLiteColumn): Entry | { column: SQLiteColumn } =>
  entry instanceof SQLiteColumn ? { column: entry } : entry

/** The parent row in another table: chosen when the row is added, read-only afterwards. */
export const belongsTo = (column: SQLiteColumn): AdminField => ({ column, readOnly: 'after_adding' })

export const shownOnly = (fields: readonly (AdminField | SQLiteColumn)[]): AdminField[] =>
  fields.map((field) => ({ ...entryOf(field), readOnly: 'always' }))

/** A column that counts rows of other tables. @param from what comes after FROM */
export const countColumn = (name: string, from: SQL): AdminColumn => ({
  name,
  kind: 'number',
  sql: sql`(SELECT count(*) FROM ${from})`,
})

/** A snowflake as text, never changed later (https://discord.com/developers/docs/reference#snowflakes). */
export const discordId = (column: SQLiteColumn, help?: string): AdminField => ({
  column,
  label: 'Discord ID',
  readOnly: 'after_adding',
  check: (id) => (/^[1-9]\d{16,19}$/.test(String(id)) ? null : 'A Discord ID has 17 to 20 digits.'),
  ...(help !== undefined && { help }),
})

/** Of an action's message: how many of the selected rows it left alone; '' for none. */
export const skippedText = (count: number, why: string): string => (count > 0 ? ` ${count} skipped (${why}).` : '')

/** The form's values for some columns of a table, as Drizzle's `values` and `set` take them. */
export function columnsOf<Of extends SQLiteTable, Name extends keyof Of['$inferInsert'] & string>(
  table: Of,
  values: AdminRow,
  ...names: readonly Name[]
): Pick<Required<Of['$inferInsert']>, Name> {
  const columns = getTableColumns(table)
  const entries = names.map((name) => {
    const value = values[toSnakeCase(name)] ?? null
    return [name, columns[name]?.dataType === 'boolean' ? value === 1 : value] as const
  })
  // The form's fields get their kinds from the same columns.
  return Object.fromEntries(entries) as Pick<Required<Of['$inferInsert']>, Name>
}
