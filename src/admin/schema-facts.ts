import { is, SQL, sql } from 'drizzle-orm'
import { toSnakeCase } from 'drizzle-orm/casing'
import { getTableConfig, SQLiteAsyncDialect, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core'

/* What the admin needs to know about the schema's tables and columns. */

const dialect = new SQLiteAsyncDialect({ casing: 'snake_case' })

/** An expression without the names of tables, quotes and spaces, so that two which mean the same are equal. */
function plain(expression: SQL | SQLiteColumn): string {
  const { sql: text, params } = dialect.sqlToQuery(sql`${expression}`, 'indexes')
  const bare = text.toLowerCase().replaceAll(/["`\s]/g, '')
  return params.length === 0 ? bare : `${bare} ${JSON.stringify(params)}`
}

const configs = new WeakMap<SQLiteTable, ReturnType<typeof getTableConfig>>()

/** Kept per table, because reading the configuration creates every index and key again. */
function configOf(table: SQLiteTable): ReturnType<typeof getTableConfig> {
  const config = configs.get(table) ?? getTableConfig(table)
  configs.set(table, config)
  return config
}

/** A column's name in the database. */
export const columnName = (column: SQLiteColumn): string => toSnakeCase(column.name)

/** The key column of a table; `rowid` if the key has several columns. */
export function keyColumn(table: SQLiteTable): { name: string; kind: 'integer' | 'text' } {
  const column = configOf(table).columns.find(({ primary }) => primary)
  if (!column) return { name: 'rowid', kind: 'integer' }
  return { name: columnName(column), kind: column.dataType === 'string' ? 'text' : 'integer' }
}

export const keyIn = (table: SQLiteTable): SQL => sql`${table}.${sql.identifier(keyColumn(table).name)}`

/** What kind of value a column holds. Times are the integers named `…At`, `…_at`, `…Since` or `…Until`. */
export function kindOf(column: SQLiteColumn): 'text' | 'integer' | 'boolean' | 'moment' {
  if (column.dataType === 'boolean') return 'boolean'
  if (column.dataType === 'string') return 'text'
  return /(?:^at|At|_at|Since|Until)$/.test(column.name) ? 'moment' : 'integer'
}

/** The column's default as the database keeps it; undefined for none. */
export function defaultOf({ default: initial }: SQLiteColumn): string | number | undefined {
  if (typeof initial === 'boolean') return Number(initial)
  return typeof initial === 'string' || typeof initial === 'number' ? initial : undefined
}

interface Reference {
  column: SQLiteColumn
  to: SQLiteTable
  onDelete: string
}

/** The foreign keys of a table. */
export function referencesOf(table: SQLiteTable): Reference[] {
  return configOf(table).foreignKeys.flatMap((key) => {
    const { columns, foreignTable } = key.reference()
    return columns.map((column) => ({ column, to: foreignTable, onDelete: key.onDelete ?? 'no action' }))
  })
}

/** What a column refers to; undefined if it is not a foreign key. */
export function referenceOf(column: SQLiteColumn): Reference | undefined {
  return referencesOf(column.table).find((reference) => columnName(reference.column) === columnName(column))
}

/** Whether an index of all rows begins with the expression. */
export function hasIndex(table: SQLiteTable, expression: SQL | SQLiteColumn): boolean {
  const { columns, indexes } = configOf(table)
  const begins = indexes.flatMap(
    ({
      config: {
        columns: [first],
        where,
      },
    }) => (where || !first ? [] : [plain(first)]),
  )
  const single = columns.filter(({ primary, isUnique }) => primary || isUnique).map(plain)
  return [...begins, ...single].includes(plain(expression))
}

/** Whether an index has exactly the rows that meet the condition. */
export function hasPartialIndex(table: SQLiteTable, condition: SQL): boolean {
  return configOf(table).indexes.some(({ config: { where } }) => where && plain(where) === plain(condition))
}

export const expressionOf = (value: SQL | SQLiteColumn): SQL => (is(value, SQL) ? value : sql`${value}`)
