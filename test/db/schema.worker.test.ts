import { env } from 'cloudflare:workers'
import { is, SQL, Table } from 'drizzle-orm'
import { toSnakeCase } from 'drizzle-orm/casing'
import { getTableConfig, SQLiteAsyncDialect, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import { describe, expect, test } from 'vitest'
import * as schema from '../../src/db/schema/index.ts'

const dialect = new SQLiteAsyncDialect({ casing: 'snake_case' })
const tables: SQLiteTable[] = Object.values(schema).filter((value) => is(value, Table))

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

function declared(table: SQLiteTable): Described {
  const config = getTableConfig(table)
  const keys = config.primaryKeys.flatMap(({ columns }) => columns.map(({ name }) => name))
  return {
    columns: config.columns
      .map((column) => {
        const isKey = column.primary || keys.includes(column.name)
        return describeColumn({
          name: toSnakeCase(column.name),
          type: column.getSQLType(),
          isRequired: column.notNull,
          isKey,
          initial: defaultOf(column.default),
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
  isKey: boolean
  initial: string | null
}

function describeColumn({ name, type, isRequired, isKey, initial }: ColumnParts): string {
  const parts = [name, type.toLowerCase(), isKey ? 'key' : isRequired && 'not null', initial && `default ${initial}`]
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

async function migrated(name: string): Promise<Described> {
  const [columns, keys, indexes, made] = (
    await env.DB.batch([
      env.DB.prepare(`PRAGMA table_xinfo("${name}")`),
      env.DB.prepare(`PRAGMA foreign_key_list("${name}")`),
      env.DB.prepare(`PRAGMA index_list("${name}")`),
      env.DB.prepare('SELECT name, type, sql FROM sqlite_master WHERE tbl_name = ?').bind(name),
    ])
  ).map(({ results }) => results) as [
    ColumnInfo[],
    KeyInfo[],
    IndexInfo[],
    { name: string; type: string; sql: string | null }[],
  ]
  const textBy = new Map(made.map((row) => [row.name, row.sql]))
  return {
    columns: columns
      .map((column) =>
        describeColumn({
          name: column.name,
          type: column.type,
          isRequired: column.notnull === 1,
          isKey: column.pk > 0,
          initial: ({ true: '1', false: '0' } as Record<string, string>)[column.dflt_value ?? ''] ?? column.dflt_value,
        }),
      )
      .toSorted(),
    references: keys.map((key) => `${key.from} → ${key.table}(${key.to}) ${key.on_delete.toLowerCase()}`).toSorted(),
    indexes: indexes
      .filter(({ origin }) => origin === 'c')
      .map((index) => {
        const text = textBy.get(index.name) ?? ''
        const [, list = '', where = null] = /\bON\s+["`]?\w+["`]?\s*\((.*?)\)\s*(?:WHERE\s+(.*))?$/is.exec(text) ?? []
        return describeIndex(index.name, index.unique === 1, plain(`(${list})`, name), where && plain(where, name))
      })
      .toSorted(),
    checks: [...(textBy.get(name) ?? '').matchAll(/\bCHECK\s*\(((?:[^()]|\([^()]*\))*)\)/gi)]
      .map(([, check = '']) => plain(check, name))
      .toSorted(),
  }
}

describe('the schema matches the migrations', () => {
  test('table by table', async () => {
    const { results } = await env.DB.prepare(
      `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_cf_*' AND name <> 'd1_migrations'`,
    ).all<{ name: string }>()
    expect(tables.map((table) => getTableConfig(table).name).toSorted()).toEqual(
      results.map(({ name }) => name).toSorted(),
    )
  })

  test.each(tables.map((table) => [getTableConfig(table).name, table] as const))('%s', async (name, table) => {
    expect(declared(table)).toEqual(await migrated(name))
  })
})
