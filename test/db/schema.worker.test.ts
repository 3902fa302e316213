import { env } from 'cloudflare:workers'
import { is, Table } from 'drizzle-orm'
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import { describe, expect, test } from 'vitest'
import * as schema from '../../src/db/schema/index.ts'
import { type Ask, declared, migrated } from './described.ts'

const tables: SQLiteTable[] = Object.values(schema).filter((value) => is(value, Table))

const ask: Ask = async <Row>(text: string, ...values: string[]) =>
  (
    await env.DB.prepare(text)
      .bind(...values)
      .all<Row>()
  ).results

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
    expect(declared(table)).toEqual(await migrated(ask, name))
  })
})
