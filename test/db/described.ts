import { is, SQL } from 'drizzle-orm'
import { toSnakeCase } from 'drizzle-orm/casing'
import { getTableConfig, SQLiteAsyncDialect, type SQLiteTable } from 'drizzle-orm/sqlite-core'

const dialect = new SQLiteAsyncDialect({ casing: 'snake_case' })

/** Everything about a table that both sides can describe. */
interface Described {
  columns: string[]
  references: string[]
  indexes: string[]
  checks: string[]
}

/** SQL as one word: no quotes, spaces, table names or outer parentheses, so that only its meaning is compared. */
function plain(text: string, table: string): string {
  return text
    .toLowerCase()
    .replaceAll(/["`\s]/g, '')
    .replaceAll(`${table}.`, '')
    .replaceAll(/^\((.*)\)$/g, '$1')
}

function textOf(value: SQL): string {
  return dialect.sqlToQuery(value, 'indexes').sql
}

function defaultOf(value: unknown): string | null {
  if (value === undefined || value === null) return null
  if (is(value, SQL)) return textOf(value)
  if (typeof value === 'boolean') return String(Number(value))
  if (typeof value === 'string') return `'${value}'`
  return String(value)
}

export function declared(table: SQLiteTable): Described {
  const config = getTableConfig(table)
  const [single] = config.columns.filter(({ primary }) => primary)
  const keys = single ? [single] : config.primaryKeys.flatMap(({ columns }) => columns)
  return {
    columns: config.columns
      .map((column) => {
        const generated = column.generated?.as
        return describeColumn({
          name: toSnakeCase(column.name),
          type: column.getSQLType(),
          isRequired: column.notNull,
          key: keys.findIndex(({ name }) => name === column.name) + 1,
          isCounted: Reflect.get(column, 'autoIncrement') === true,
          initial: defaultOf(column.default),
          generated: is(generated, SQL) ? plain(textOf(generated), config.name) : null,
        })
      })
      .toSorted(),
    references: config.foreignKeys
      .map((key) => {
        const { columns, foreignTable, foreignColumns } = key.reference()
        const [from, to] = [columns, foreignColumns].map((list) => list.map(({ name }) => toSnakeCase(name)).join())
        return `${from} → ${getTableConfig(foreignTable).name}(${to}) ${key.onDelete ?? 'no action'}`
      })
      .toSorted(),
    indexes: config.indexes
      .map(({ config: { name, unique, columns, where } }) => {
        const list = columns.map((column) =>
          is(column, SQL)
            ? plain(textOf(column), config.name)
            : toSnakeCase('name' in column ? String(column.name) : ''),
        )
        return describeIndex(name, unique, list.join(), where ? plain(textOf(where), config.name) : null)
      })
      .concat(
        config.columns
          .filter(({ isUnique }) => isUnique)
          .map(({ name }) => toSnakeCase(name))
          .map((column) => describeIndex(`${config.name}_${column}_unique`, true, column, null)),
      )
      .toSorted(),
    checks: config.checks.map(({ value }) => plain(textOf(value), config.name)).toSorted(),
  }
}

interface ColumnParts {
  name: string
  type: string
  isRequired: boolean
  /** Its place in the primary key, from 1; 0 if it is not in it. */
  key: number
  isCounted: boolean
  initial: string | null
  generated: string | null
}

function describeColumn({ name, type, isRequired, key, isCounted, initial, generated }: ColumnParts): string {
  const kind = key > 0 ? `key ${key}${isCounted ? ' autoincrement' : ''}` : isRequired && 'not null'
  const parts = [name, type.toLowerCase(), kind, initial && `default ${initial}`, generated && `as ${generated}`]
  return parts.filter(Boolean).join(' ')
}

function describeIndex(name: string, isUnique: boolean, list: string, where: string | null): string {
  return `${isUnique ? 'unique ' : ''}${name} on ${list}${where === null ? '' : ` where ${where}`}`
}

interface ColumnInfo {
  name: string
  type: string
  notnull: number
  dflt_value: string | null
  pk: number
}
interface KeyInfo {
  id: number
  from: string
  table: string
  to: string
  on_delete: string
}
interface IndexInfo {
  name: string
  unique: number
  origin: string
}

/** Runs a statement on the database that is described. */
export type Ask = <Row>(text: string, ...values: string[]) => Promise<Row[]>

export async function migrated(ask: Ask, name: string): Promise<Described> {
  const [columns, keys, indexes, made] = await Promise.all([
    ask<ColumnInfo>(`PRAGMA table_xinfo("${name}")`),
    ask<KeyInfo>(`PRAGMA foreign_key_list("${name}")`),
    ask<IndexInfo>(`PRAGMA index_list("${name}")`),
    ask<{ name: string; sql: string | null }>('SELECT name, sql FROM sqlite_master WHERE tbl_name = ?', name),
  ])
  const uniques = indexes.filter(({ origin }) => origin === 'u')
  const constraints = await Promise.all(
    uniques.map((index) => ask<{ name: string }>(`PRAGMA index_info("${index.name}")`)),
  )
  const textBy = new Map(made.map((row) => [row.name, row.sql]))
  const text = textBy.get(name) ?? ''
  return {
    columns: columns
      .map((column) =>
        describeColumn({
          name: column.name,
          type: column.type,
          isRequired: column.notnull === 1,
          key: column.pk,
          isCounted: column.pk > 0 && /\bAUTOINCREMENT\b/i.test(text),
          initial: ({ true: '1', false: '0' } as Record<string, string>)[column.dflt_value ?? ''] ?? column.dflt_value,
          generated: generatedIn(text, column.name, name),
        }),
      )
      .toSorted(),
    references: keys.map((key) => `${key.from} → ${key.table}(${key.to}) ${key.on_delete.toLowerCase()}`).toSorted(),
    indexes: indexes
      .filter(({ origin }) => origin === 'c')
      .map((index) => {
        const [, list = '', where = null] =
          /\bON\s+["`]?\w+["`]?\s*\((.*?)\)\s*(?:WHERE\s+(.*))?$/is.exec(textBy.get(index.name) ?? '') ?? []
        return describeIndex(index.name, index.unique === 1, plain(`(${list})`, name), where && plain(where, name))
      })
      .concat(
        constraints.map((parts) => {
          const list = parts.map((part) => part.name)
          return describeIndex([name, ...list, 'unique'].join('_'), true, list.join(), null)
        }),
      )
      .toSorted(),
    checks: [...text.matchAll(/\bCHECK\s*\(((?:[^()]|\([^()]*\))*)\)/gi)]
      .map(([, check = '']) => plain(check, name))
      .toSorted(),
  }
}

function generatedIn(text: string, column: string, table: string): string | null {
  const pattern = new RegExp(
    `\\b${column}["\`]?\\s+\\w+\\s+GENERATED ALWAYS AS\\s*(\\(.*?\\)) (?:VIRTUAL|STORED)`,
    'is',
  )
  const [, generated] = pattern.exec(text) ?? []
  return generated === undefined ? null : plain(generated, table)
}
