import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { theServer } from '../../src/classcords/aliases.ts'
import { isUnindexed } from '../../src/classcords/search/index-servers.ts'
import { compiledText, query } from '../../src/db/query.ts'
import { migrationNames } from './migrated-database.ts'

/** What newer migrations make of rows that an earlier version stored. */

const folder = fileURLToPath(new URL('../../migrations', import.meta.url))

/** Runs the migrations in order. @param fill fills the database just before migration `next` */
function migrate(next: string, fill: (db: DatabaseSync) => void): DatabaseSync {
  const db = new DatabaseSync(':memory:')
  for (const name of migrationNames()) {
    if (name === next) fill(db)
    db.exec(readFileSync(join(folder, name), 'utf8'))
  }
  return db
}

test('a stop of all messages can still be undone on the page, and an address that unsubscribed itself still not', () => {
  const db = migrate('0048_undoable_opt_outs.sql', (before) =>
    before.exec(`
      INSERT INTO recipient (id, name, created_at) VALUES (1, 'Robin', 0);
      INSERT INTO contact (recipient_id, kind, address, address_key, opted_out_at, created_at)
      VALUES (1, 'email', 'stopped@example.com', 'stopped@example.com', 50, 0), (1, 'email', 'own@example.com', 'own@example.com', 60, 0);
      INSERT INTO audit (at, who, act, area, table_name, row_key, title)
      VALUES (50, 'the recipient', 'stopped all messages', 'class_tracker', 'recipient', '1', 'Robin');`),
  )
  expect(db.prepare('SELECT address_key, is_undoable FROM opt_out ORDER BY at').all()).toEqual([
    { address_key: 'stopped@example.com', is_undoable: 1 },
    { address_key: 'own@example.com', is_undoable: 0 },
  ])
})

test.each([
  ['6', '6'],
  ['7', '61'],
  ['60', '61'],
  ['61', '61'],
  ['900', '900'],
])('alerts that were to be kept %s days are kept %s', (stored, kept) => {
  const db = migrate('0049_kept_at_least_61_days.sql', (before) =>
    before.prepare("INSERT INTO setting (name, value, changed_at) VALUES ('keep_alerts_days', ?, 0)").run(stored),
  )
  expect(db.prepare('SELECT value FROM setting').all()).toEqual([{ value: kept }])
})

test('every server is found by all spellings of its course codes soon, also one that the old code indexed since', () => {
  const db = migrate('0052_words_version.sql', (before) =>
    before.exec(`
      INSERT INTO discord_server (server_id, name, privacy_level, version, indexed_version, created_at)
      VALUES ('1', 'CS-101', 'public', 1, 1, 0), ('2', 'CS 102', 'private', 7, 7, 0), ('3', 'CS103', 'public', 8, 7, 0);`),
  )
  db.exec('UPDATE discord_server SET indexed_version = version')
  const { text } = compiledText(query.select({ name: theServer.name }).from(theServer).where(isUnindexed))
  expect(db.prepare(text).all()).toEqual([{ name: 'CS-101' }, { name: 'CS 102' }, { name: 'CS103' }])
})
