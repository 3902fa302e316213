import { is, Table } from 'drizzle-orm'
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import { expect, test } from 'vitest'
import * as described from '../../src/jobs/ledger/tables.ts'
import { type Ask, declared, migrated } from '../db/described.ts'
import { prepareSchema } from '../../src/jobs/ledger/schema.ts'
import { nodeSql } from './node-sql.ts'

const tables: SQLiteTable[] = Object.values(described).filter((value) => is(value, Table))

/** A new ledger's database, changed by these statements. */
function ledgerWith(...changes: string[]): Ask {
  const sql = nodeSql()
  for (const change of changes) sql.rows(change)
  return async <Row>(text: string, ...values: string[]) => sql.rows(text, ...values) as Row[]
}

test('every table of a ledger is described as its steps made it', async () => {
  const ask = ledgerWith()
  const made = await ask<{ name: string }>(
    `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name <> 'schema_step' ORDER BY name`,
  )
  const names = tables.map((table) => getTableConfig(table).name)
  expect(names.toSorted()).toEqual(made.map(({ name }) => name))
  for (const [index, table] of tables.entries()) {
    expect(declared(table).columns).toEqual((await migrated(ask, names[index] ?? '')).columns)
  }
})

const registry = (as: string): string[] => [
  'DROP INDEX job_registry',
  'DROP INDEX job_registry_ended',
  'ALTER TABLE job DROP COLUMN registry',
  `ALTER TABLE job ADD COLUMN registry TEXT GENERATED ALWAYS AS (${as}) VIRTUAL`,
  'CREATE INDEX job_registry ON job (registry, seq)',
]
const column = (definition: string): string[] => [
  'ALTER TABLE schedule DROP COLUMN is_enabled',
  `ALTER TABLE schedule ADD COLUMN is_enabled ${definition}`,
]
const lines = (key: string): string[] => [
  'DROP TABLE line',
  `CREATE TABLE line (job INTEGER NOT NULL, number INTEGER NOT NULL, at INTEGER NOT NULL, line TEXT NOT NULL, PRIMARY KEY (${key})) WITHOUT ROWID`,
]

test.each([
  ['another column', described.job, ['ALTER TABLE job ADD COLUMN other TEXT']],
  ['another generated value', described.job, registry('state')],
  ['another type', described.schedule, column('TEXT NOT NULL DEFAULT 1')],
  ['another default', described.schedule, column('INTEGER NOT NULL DEFAULT 0')],
  ['NULL', described.schedule, column('INTEGER DEFAULT 1')],
  ['another key', described.line, lines('number, job')],
])('a description would not match a table with %s', async (_, table, changes) => {
  expect(declared(table).columns).not.toEqual(
    (await migrated(ledgerWith(...changes), getTableConfig(table).name)).columns,
  )
})

test('a description matches a table that was made again as it was', async () => {
  const same = registry(`CASE state WHEN 'started' THEN 'active' WHEN 'stopped' THEN 'finished' ELSE state END`)
  const ask = ledgerWith(...same, ...column('INTEGER NOT NULL DEFAULT 1'), ...lines('job, number'))
  for (const table of [described.job, described.schedule, described.line]) {
    expect(declared(table).columns).toEqual((await migrated(ask, getTableConfig(table).name)).columns)
  }
})

test('a ledger made by an earlier version gets what newer steps add', () => {
  const sql = nodeSql()
  const objects = () => sql.rows('SELECT name, sql FROM sqlite_master ORDER BY name')
  const newest = objects()
  for (const statement of [
    'DROP INDEX job_continuing',
    'DROP INDEX job_registry_ended',
    'DELETE FROM schema_step WHERE number > 6',
  ])
    sql.rows(statement)
  prepareSchema(sql)
  expect(objects()).toEqual(newest)
})
