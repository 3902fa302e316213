import { DatabaseSync } from 'node:sqlite'
import { unstable_splitSqlQuery } from 'wrangler'
import { expect, it } from 'vitest'
import { inRestorableOrder } from '../../src/db/backup-order.ts'
import { migratedDatabase } from './migrated-database.ts'

interface Made {
  type: string
  name: string
  sql: string
}

const rowsOf = (database: DatabaseSync, table: string) => database.prepare(`SELECT * FROM "${table}"`).all()
const made = (database: DatabaseSync): Made[] =>
  database
    .prepare(
      `SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite@_%' ESCAPE '@' ORDER BY rowid`,
    )
    .all() as unknown as Made[]

/** What D1 exports: each table with its rows, in the order in which the tables were made, then everything else. */
function exported(database: DatabaseSync): string {
  const literal = (value: unknown): string =>
    value === null ? 'NULL' : typeof value === 'number' ? String(value) : `'${String(value).replaceAll("'", "''")}'`
  const all = made(database)
  const tables = all.filter(({ type }) => type === 'table')
  const filled = tables.flatMap(({ name, sql }) => [
    sql,
    ...rowsOf(database, name).map(
      (row) => `INSERT INTO "${name}" VALUES (${Object.values(row).map(literal).join(',')})`,
    ),
  ])
  const others = all.filter(({ type }) => type !== 'table').map(({ sql }) => sql)
  return ['PRAGMA defer_foreign_keys=TRUE', ...filled, ...others].map((one) => `${one};\n`).join('')
}

function restored(statements: readonly string[]): DatabaseSync {
  const database = new DatabaseSync(':memory:')
  database.exec('PRAGMA foreign_keys = ON')
  for (const statement of statements) database.exec(statement)
  return database
}

const filledDatabase = (): DatabaseSync => {
  const database = migratedDatabase()
  database.exec(`INSERT INTO user (id, username, email, is_active, created_at) VALUES (1, 'o''hara; ada', 'ada@example.com', 1, 5);
    INSERT INTO session (id_hash, user_id, created_at, expires_at, authenticated_at, is_persistent) VALUES ('x', 1, 5, 6, 5, 1);
    INSERT INTO recipient (id, name, created_at) VALUES (3, 'Ada', 5);
    INSERT INTO contact (recipient_id, kind, address, address_key, created_at) VALUES (3, 'phone', '+12025550143', '+12025550143', 5);`)
  return database
}

it('a backup is restored whole in this order, but not in that of the export', () => {
  const database = filledDatabase()
  const statements = unstable_splitSqlQuery(exported(database))
  expect(() => restored(statements)).toThrow('no such table')
  const copy = restored(inRestorableOrder(statements))
  const names = (one: DatabaseSync) =>
    made(one)
      .map(({ type, name }) => `${type} ${name}`)
      .toSorted()
  expect(names(copy)).toEqual(names(database))
  for (const { type, name } of made(database))
    if (type === 'table') expect(rowsOf(copy, name), name).toEqual(rowsOf(database, name))
})

it.each(['mail_batch', 'waiting_form'])('a row of %s that is too long for a statement is left out', (table) => {
  const long = `INSERT INTO "${table}" VALUES ('${'x'.repeat(100_000)}')`
  const short = `INSERT INTO "${table}" VALUES (1)`
  expect(inRestorableOrder([long, short])).toEqual([short])
})
