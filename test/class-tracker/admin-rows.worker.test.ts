import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, test } from 'vitest'
import { readListQuery } from '../../src/admin/list/list-query.ts'
import { readList } from '../../src/admin/list/read-list.ts'
import { tableOf } from '../../src/admin/table-parts.ts'
import { adminTables } from '../../src/admin/tables.ts'
import { type MadeGroup, makeGroup, makeRecipient } from '../worker/catalog.ts'
import { rows } from '../worker/rows.ts'

/** Rows in each large table. */
const many = 100_000
const numbers = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${many})`
let group: MadeGroup
let other: MadeGroup
let recipient: number

beforeAll(async () => {
  group = await makeGroup()
  other = await makeGroup()
  recipient = await makeRecipient()
  await rows(
    `${numbers} INSERT INTO course (subject_id, code, level, title)
     SELECT ?, 'C' || i, '101', 'Course ' || i FROM n`,
    group.subject_id,
  )
  await rows(
    `${numbers} INSERT INTO section (school_term_id, group_id, course_id, section_key, section, topic, status, seats_available,
       instruction_list, instruction_mode, fingerprint, created_at)
     SELECT iif(i % 1000 = 0, ?, ?), ?, c.id, 'K' || i, '001', '', iif(i % 10 = 0, 'open', 'closed'), 0, '[]', '', '', 0
     FROM n CROSS JOIN course c ON c.subject_id = ? AND c.code = 'C' || i AND c.level = '101'`,
    other.school_term_id,
    group.school_term_id,
    group.group_id,
    group.subject_id,
  )
  await rows(`${numbers} INSERT INTO recipient (name, created_at) SELECT 'Person ' || i, 0 FROM n`)
  await rows(`INSERT INTO opening (section_id, version, poll_id, seen_open_at) SELECT id, 2, 'p' || id, 0 FROM section`)
  await rows(
    `INSERT INTO class_alert (opening_id, recipient_id, section_id, kind, created_at, poll_id)
     SELECT o.id, iif(o.id % 1000 = 0, ?1, ?1 + o.id), o.section_id, 'opening', 0, o.poll_id FROM opening o`,
    recipient,
  )
  await rows(
    `INSERT INTO delivery (poll_id, recipient_id, channel, address, state, due_at, created_at)
     SELECT poll_id, recipient_id, 'phone', '+1', iif(id IN (7, 8), 'failed', 'sent'), 0, 0 FROM class_alert`,
  )
  await rows('INSERT INTO delivery_alert (delivery_id, alert_id) SELECT id, id FROM delivery')
  await rows(
    'INSERT INTO watch (recipient_id, section_id, created_at) SELECT ?, id, 0 FROM section WHERE id % 2000 = 1',
    recipient,
  )
})

/** The cost of one page of a list, and its number of rows. */
async function cost(address: string) {
  let trips = 0
  let read = 0
  const counting: Pick<D1Database, 'prepare' | 'batch'> = {
    prepare: (sql) => env.DB.prepare(sql),
    batch: async <Row>(statements: D1PreparedStatement[]) => {
      trips += 1
      const results = await env.DB.batch<Row>(statements)
      read += results.reduce((sum, { meta }) => sum + meta.rows_read, 0)
      return results
    },
  }
  const [name = '', words = ''] = address.split('?')
  const table = tableOf(adminTables, name)
  const query = readListQuery(table, new URLSearchParams(words))
  const list = await readList(counting as D1Database, adminTables, table, { query, timeZone: 'UTC' })
  expect(trips, address).toBe(1)
  return { read, shown: list.rows.length, count: list.count }
}

/** Counts go up to ten thousand; a page of fifty reads what it shows for each row. */
const listed = 10_001 + 51 * 12

describe('with 100 000 rows', () => {
  test.each([
    ['sections', 50, listed],
    ['sections?sort=number', 50, listed],
    ['sections?watched=yes', 50, 1200],
    ['sections?school_term_id={other}', 50, 1200],
    ['sections?q=K77777', 1, 160_000],
    ['sections?status=open', 50, 62_000],
    ['sections?school={otherSchool}', 20, 110_000],
    ['courses', 50, listed],
    ['courses?sort=-title', 50, listed],
    ['courses?q=C7777 1', 1, 82_000],
    ['alerts', 50, listed],
    ['alerts?recipient_id={recipient}', 50, 1200],
    ['alerts?section_id={section}', 1, 40],
    ['alerts?q=Person 99', 50, 260_000],
    ['alerts?state=failed', 0, 260_000],
    ['deliveries', 50, listed],
    ['deliveries?failed=yes', 2, 40],
    ['deliveries?recipient_id={recipient}', 50, 1200],
    ['openings', 50, listed],
    ['recipients?q=person 999', 50, 62_000],
    ['watches?recipient_id={recipient}', 50, 1200],
    ['watches?section_id={section}', 1, 40],
  ])('%s shows %i and reads at most %i', async (address, shown, most) => {
    const [{ id: section } = { id: 0 }] = await rows<{ id: number }>(
      'SELECT id FROM section WHERE id % 2000 = 1 LIMIT 1',
    )
    const found = await cost(
      address
        .replace('{otherSchool}', String(other.school_id))
        .replace('{other}', String(other.school_term_id))
        .replace('{recipient}', String(recipient))
        .replace('{section}', String(section)),
    )
    expect(found.shown).toBe(shown)
    expect(found.read).toBeLessThanOrEqual(most)
  })
})
