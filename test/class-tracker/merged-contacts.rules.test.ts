import { readdirSync, readFileSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'

/** Migration 0018, on a database that the previous version filled: two spellings of one mailbox were two contacts. */

const folder = fileURLToPath(new URL('../../migrations/', import.meta.url))
const files = readdirSync(folder)
  .filter((name) => name.endsWith('.sql'))
  .toSorted()
const merging = '0018_contact_keys.sql'

let db: DatabaseSync

const run = (sql: string, ...values: SQLInputValue[]) => db.prepare(sql).all(...values)

function insert(table: string, row: Record<string, SQLInputValue>): void {
  const names = Object.keys(row)
  db.prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`).run(
    ...Object.values(row),
  )
}

/** Ids of recipients and contacts are chosen so that they identify them; `at` is when the contact was added. */
function contact(id: number, recipient: number, address: string, more: Record<string, SQLInputValue> = {}): void {
  const row = { id, recipient_id: recipient, kind: 'email', address, address_key: address, created_at: id, ...more }
  insert('contact', row)
}

function delivery(id: number, recipient: number, contactId: number, poll: string, state: string): void {
  const [{ address } = { address: '' }] = run('SELECT address FROM contact WHERE id = ?', contactId)
  const row = { id, poll_id: poll, recipient_id: recipient, contact_id: contactId, channel: 'email', address, state }
  insert('delivery', { ...row, due_at: 0, created_at: 0 })
}

beforeAll(() => {
  db = new DatabaseSync(':memory:')
  for (const name of files.filter((file) => file < merging)) db.exec(readFileSync(folder + name, 'utf8'))

  insert('source', { id: 1, kind: 'banner9', name: 'Source', url: 'https://x.edu', time_zone: 'UTC', created_at: 0 })
  insert('school', { id: 1, source_id: 1, code: '', name: 'School' })
  insert('term', { id: 1, year: 2026, season: 'fall', full_term_name: '2026 Fall Term' })
  insert('school_term', { id: 1, school_id: 1, term_id: 1, code: '202640', name: 'Fall', is_available: 1, ends_at: 0 })
  insert('subject', { id: 1, school_id: 1, key: 'CS', name: 'CS' })
  insert('course', { id: 1, subject_id: 1, code: 'CS', level: '101', title: 'One' })
  insert('section_group', { id: 1, source_id: 1, school_term_id: 1, subject_id: 1, career: '' })
  const section = { id: 1, school_term_id: 1, group_id: 1, course_id: 1, section_key: '1', section: '001', topic: '' }
  const catalog = { status: 'closed', instruction_list: '[]', instruction_mode: '', fingerprint: '', created_at: 0 }
  insert('section', { ...section, ...catalog })
  for (const id of [1, 2, 3, 4, 5, 6]) {
    insert('recipient', { id, name: `Recipient ${id}`, created_at: 0 })
    insert('watch', { id, recipient_id: id, section_id: 1, created_at: 0, is_new: 0 })
  }
  // Robin has contact 1 (older) and, in another spelling, is with recipient 2, where it is the only contact.
  contact(11, 1, 'robin@example.com')
  contact(21, 2, 'Robin@Example.com', { verified_at: 5 })
  // The older one has the larger id, because ids are reused.
  contact(13, 3, 'Sam@example.com', { created_at: 100 })
  contact(34, 4, 'sam@example.com', { created_at: 50 })
  contact(35, 4, 'other@example.com')
  // Three spellings, two of them with one recipient; only the middle one opted out.
  contact(41, 5, 'Kim@example.com', { created_at: 1 })
  contact(42, 5, 'KIM@example.com', { created_at: 2, opted_out_at: 777 })
  contact(43, 6, 'kim@example.com', { created_at: 3 })
  // Addresses other than mailboxes are not merged by letter case.
  insert('contact', { id: 53, recipient_id: 3, kind: 'discord', address: 'a', address_key: '1/AbC', created_at: 0 })
  insert('contact', { id: 54, recipient_id: 4, kind: 'discord', address: 'b', address_key: '1/abc', created_at: 0 })
  // An opt-out of an address that no one has now, in two spellings.
  insert('opt_out', { kind: 'email', address_key: 'Gone@example.com', at: 30 })
  insert('opt_out', { kind: 'email', address_key: 'gone@example.com', at: 20 })

  delivery(101, 2, 21, 'poll 1', 'sent')
  delivery(102, 2, 21, 'poll 2', 'queued')
  // One poll, both spellings.
  delivery(103, 1, 11, 'poll 3', 'queued')
  delivery(104, 2, 21, 'poll 3', 'queued')
  delivery(105, 1, 11, 'poll 4', 'sent')
  delivery(106, 2, 21, 'poll 4', 'sent')

  db.exec(readFileSync(folder + merging, 'utf8'))
})

describe('contacts that were two spellings of one mailbox', () => {
  test('become the older one, with its own key, and opted out if either was', () => {
    expect(
      run(
        "SELECT id, recipient_id, address, address_key, verified_at, opted_out_at FROM contact WHERE kind = 'email' ORDER BY id",
      ),
    ).toEqual([
      {
        id: 11,
        recipient_id: 1,
        address: 'robin@example.com',
        address_key: 'robin@example.com',
        verified_at: 5,
        opted_out_at: null,
      },
      {
        id: 34,
        recipient_id: 4,
        address: 'sam@example.com',
        address_key: 'sam@example.com',
        verified_at: null,
        opted_out_at: null,
      },
      {
        id: 35,
        recipient_id: 4,
        address: 'other@example.com',
        address_key: 'other@example.com',
        verified_at: null,
        opted_out_at: null,
      },
      {
        id: 41,
        recipient_id: 5,
        address: 'Kim@example.com',
        address_key: 'kim@example.com',
        verified_at: null,
        opted_out_at: 777,
      },
    ])
    expect(run("SELECT id, address_key FROM contact WHERE kind = 'discord' ORDER BY id")).toEqual([
      { id: 53, address_key: '1/AbC' },
      { id: 54, address_key: '1/abc' },
    ])
    expect(run('SELECT * FROM opt_out ORDER BY address_key')).toEqual([
      { kind: 'email', address_key: 'gone@example.com', at: 20 },
      { kind: 'email', address_key: 'kim@example.com', at: 777 },
    ])
  })

  test('pass on their messages, and one poll notifies one mailbox once', () => {
    expect(run('SELECT id, recipient_id, contact_id, state FROM delivery ORDER BY id')).toEqual([
      { id: 101, recipient_id: 2, contact_id: 11, state: 'sent' },
      { id: 102, recipient_id: 2, contact_id: 11, state: 'queued' },
      { id: 103, recipient_id: 1, contact_id: 11, state: 'queued' },
      { id: 104, recipient_id: 2, contact_id: null, state: 'canceled' },
      { id: 105, recipient_id: 1, contact_id: 11, state: 'sent' },
      { id: 106, recipient_id: 2, contact_id: null, state: 'sent' },
    ])
  })

  test('keep every watch, and the audit says which recipient lost which contact', () => {
    expect(run('SELECT recipient_id FROM watch WHERE archived_at IS NULL ORDER BY id')).toHaveLength(6)
    expect(run('SELECT watch_count FROM section')).toEqual([{ watch_count: 6 }])
    const entries = run(
      "SELECT who, act, title, before, after FROM audit WHERE table_name = 'contact' ORDER BY row_key",
    )
    expect(entries).toHaveLength(4)
    expect(entries[1]).toEqual({
      who: 'Upgrade',
      act: 'merged',
      title: 'Recipient 2: email Robin@Example.com',
      before: '{"id":21,"recipient_id":2,"address":"Robin@Example.com"}',
      after: '{"id":11,"recipient_id":1,"address":"robin@example.com"}',
    })
    // As the list of recipients finds those who cannot be reached.
    expect(
      run('SELECT id FROM recipient r WHERE NOT EXISTS (SELECT 1 FROM contact c WHERE c.recipient_id = r.id)'),
    ).toEqual([{ id: 2 }, { id: 6 }])
  })

  test('are remembered for the links that contain their ids', () => {
    expect(run('SELECT id, address, address_key, contact_id FROM merged_contact ORDER BY id')).toEqual([
      { id: 13, address: 'Sam@example.com', address_key: 'sam@example.com', contact_id: 34 },
      { id: 21, address: 'Robin@Example.com', address_key: 'robin@example.com', contact_id: 11 },
      { id: 42, address: 'KIM@example.com', address_key: 'kim@example.com', contact_id: 41 },
      { id: 43, address: 'kim@example.com', address_key: 'kim@example.com', contact_id: 41 },
    ])
  })
})

test('are forgotten once the contact that they became is removed', () => {
  run('DELETE FROM contact WHERE id = 41')
  expect(run('SELECT id FROM merged_contact ORDER BY id')).toEqual([{ id: 13 }, { id: 21 }])
})

/** The previous version still writes to the new tables, during the migration and after a rollback. */
describe('the previous version on the new tables', () => {
  const add = (id: number, address: string, more: Record<string, SQLInputValue> = {}) => contact(id, 1, address, more)
  const keyOf = (id: number) => run('SELECT address_key, opted_out_at FROM contact WHERE id = ?', id)
  const optOuts = (key: string) => run('SELECT address_key, at FROM opt_out WHERE lower(address_key) = ?', key)

  test('cannot add a second spelling, and gets an error that it handles', () => {
    expect(() => add(60, 'ROBIN@example.com')).toThrow('UNIQUE constraint failed: contact.kind, contact.address_key')
    expect(run('SELECT 1 FROM contact WHERE id = 60')).toEqual([])
  })

  test('adds a contact under its one key, with what is remembered about the address', () => {
    add(61, 'GONE@example.com')
    expect(keyOf(61)).toEqual([{ address_key: 'gone@example.com', opted_out_at: 20 }])
    expect(optOuts('gone@example.com')).toEqual([{ address_key: 'gone@example.com', at: 20 }])
  })

  test('moves a contact to another spelling and to an opted-out address, and forgets neither', () => {
    run("UPDATE contact SET address = 'Gone@example.com', address_key = 'Gone@example.com' WHERE id = 61")
    expect(keyOf(61)).toEqual([{ address_key: 'gone@example.com', opted_out_at: 20 }])
    run("UPDATE contact SET address = 'New@example.com', address_key = 'New@example.com' WHERE id = 61")
    expect(keyOf(61)).toEqual([{ address_key: 'new@example.com', opted_out_at: null }])
    expect(optOuts('gone@example.com')).toEqual([{ address_key: 'gone@example.com', at: 20 }])
    run("UPDATE contact SET address = 'GONE@example.com', address_key = 'GONE@example.com' WHERE id = 61")
    expect(keyOf(61)).toEqual([{ address_key: 'gone@example.com', opted_out_at: 20 }])
  })

  test('opts out and in, and adds an opted-out one', () => {
    add(62, 'Lee@example.com', { opted_out_at: 9 })
    expect(keyOf(62)).toEqual([{ address_key: 'lee@example.com', opted_out_at: 9 }])
    expect(optOuts('lee@example.com')).toEqual([{ address_key: 'lee@example.com', at: 9 }])
    run('UPDATE contact SET opted_out_at = NULL WHERE id = 62')
    expect(optOuts('lee@example.com')).toEqual([])
  })
})
