import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { deleteOldAlerts, MAX_ROWS_PER_BATCH } from '../../src/class-tracker/retention/delete-old-alerts.ts'
import { findHistories, historiesOf, historyStart } from '../../src/class-tracker/watches/watched-section.ts'
import { read } from '../../src/db/query.ts'
import { RunAgain } from '../../src/jobs/job.ts'
import { makeGroup, makeRecipient, makeSection, makeWatch } from '../worker/catalog.ts'
import { countedReads } from '../worker/counted-reads.ts'
import { runContext } from '../worker/job-context.ts'
import { inserted, one, rows } from '../worker/rows.ts'

const day = 24 * 3_600_000
const now = Date.UTC(2026, 10, 22, 12)
/** In September 2025 and therefore past every default age, and recent rows. */
const old = Date.UTC(2025, 8, 15)
const young = now - 30 * day

beforeEach(async () => {
  for (const table of ['delivery', 'opening', 'seat_change', 'watch', 'monthly_total', 'setting'])
    await rows(`DELETE FROM ${table}`)
})

/** Runs the job to its end; returns how many runs it took. */
async function forget(db: D1Database = env.DB): Promise<number> {
  let input: unknown = {}
  for (let runs = 1; runs < 100; runs += 1) {
    const outcome = await deleteOldAlerts.runWithRawInput(
      runContext({ env: { ...env, DB: db }, now: () => now }),
      input,
    )
    if (!(outcome instanceof RunAgain)) return runs
    input = outcome.input
  }
  throw new Error('It never ends.')
}

const changesOf = (section: number) => read(env.DB, findHistories(sql`SELECT ${section} AS id`, historyStart(now)))

let version = 0
const makeOpening = (section: number, at: number) =>
  inserted(
    'INSERT INTO opening (section_id, version, poll_id, seen_open_at) VALUES (?, ?, ?, ?) RETURNING id',
    section,
    (version += 1),
    `poll-${version}`,
    at,
  )

interface MadeAlert {
  opening: number
  recipient: number
  at: number
  state?: string
  poll?: string | null
}

/** An alert with one delivery, unless it is held; returns the delivery's id, or 0. */
async function makeAlert({ opening, recipient, at, state = 'sent', poll = `poll-${version}` }: MadeAlert) {
  const alert = await inserted(
    `INSERT INTO class_alert (opening_id, recipient_id, section_id, kind, created_at, poll_id, release_at)
     SELECT id, ?, section_id, 'opening', ?, ?, ? FROM opening WHERE id = ? RETURNING id`,
    recipient,
    at,
    poll,
    poll === null ? at : null,
    opening,
  )
  if (poll === null) return { alert, delivery: 0 }
  const delivery = await inserted(
    `INSERT INTO delivery (poll_id, recipient_id, channel, address, state, due_at, created_at)
     VALUES (?, ?, 'phone', 'x', ?, 0, ?) RETURNING id`,
    poll,
    recipient,
    state,
    at,
  )
  await rows('INSERT INTO delivery_alert (delivery_id, alert_id) VALUES (?, ?)', delivery, alert)
  return { alert, delivery }
}

async function scene() {
  const group = await makeGroup()
  const section = await makeSection(group, '10001', 'open', 1)
  return { section, recipient: await makeRecipient() }
}

const idsOf = async (table: string) =>
  (await rows<{ id: number }>(`SELECT id FROM ${table} ORDER BY id`)).map((r) => r.id)
const totals = async () =>
  (
    await rows<{ line: string }>(
      `SELECT month || ' ' || what || ' ' || channel || ' ' || state || ' ' || count AS line FROM monthly_total ORDER BY 1`,
    )
  ).map(({ line }) => line)

describe('openings, alerts and deliveries past their age', () => {
  test('are deleted, and counted by month', async () => {
    const { section, recipient } = await scene()
    await makeAlert({ opening: await makeOpening(section, old), recipient, at: old })
    await makeAlert({ opening: await makeOpening(section, old), recipient, at: old + 20 * day, state: 'failed' })
    const kept = await makeOpening(section, young)
    const { alert, delivery } = await makeAlert({ opening: kept, recipient, at: young })
    await forget()
    expect([await idsOf('opening'), await idsOf('class_alert'), await idsOf('delivery')]).toEqual([
      [kept],
      [alert],
      [delivery],
    ])
    const expected = [
      '2025-09 alert  opening 1',
      '2025-09 delivery phone sent 1',
      '2025-09 opening   2',
      '2025-10 alert  opening 1',
      '2025-10 delivery phone failed 1',
    ]
    expect(await totals()).toEqual(expected)
    await forget()
    expect(await totals()).toEqual(expected)
  })

  test('stay while something refers to them', async () => {
    const { section, recipient } = await scene()
    const others = [await makeRecipient(), await makeRecipient(), await makeRecipient()] as const
    const opening = await makeOpening(section, old)
    await makeAlert({ opening, recipient, at: old })
    const unfinished = ['queued', 'sending', 'unconfirmed', 'waiting', 'a state to come']
    const busy = await Promise.all(
      unfinished.map(async (state) => makeAlert({ opening, recipient: await makeRecipient(), at: old, state })),
    )
    const held = await makeAlert({ opening, recipient: others[0], at: old, poll: null })
    // The latest alerts of two watchers: one for the section's latest opening, one for an earlier one.
    await makeWatch(others[1], section)
    await makeWatch(others[2], section)
    const earlier = await makeAlert({ opening, recipient: others[1], at: old })
    const latest = await makeOpening(section, old)
    const last = await makeAlert({ opening: latest, recipient: others[2], at: old })
    await forget()
    expect(await idsOf('class_alert')).toEqual(
      [...busy, held, earlier, last].map(({ alert }) => alert).toSorted((a, b) => a - b),
    )
    expect(await idsOf('delivery')).toHaveLength(busy.length + 2)
    expect(await idsOf('opening')).toEqual([opening, latest])
    await rows('DELETE FROM watch')
    await rows("UPDATE delivery SET state = 'expired'")
    await rows('UPDATE class_alert SET canceled_at = 1 WHERE poll_id IS NULL')
    await forget()
    expect([await idsOf('class_alert'), await idsOf('delivery'), await idsOf('opening')]).toEqual([[], [], []])
  })

  test('stay if they are the latest of a watched section, regardless of who was notified', async () => {
    const [notified, silent] = [await scene(), await scene()]
    for (const { section } of [notified, silent]) await makeWatch(await makeRecipient(), section)
    const earlier = await makeOpening(notified.section, old)
    const latest = await makeOpening(notified.section, old)
    const { alert } = await makeAlert({ opening: latest, recipient: notified.recipient, at: old })
    await makeOpening(silent.section, old)
    const last = await makeOpening(silent.section, old)
    await forget()
    expect([await idsOf('class_alert'), await idsOf('opening')]).toEqual([[alert], [latest, last]])
    expect(await idsOf('opening')).not.toContain(earlier)
  })

  test('stay in a message that also carries a more recent alert', async () => {
    const { section, recipient } = await scene()
    const opening = await makeOpening(section, old)
    const { alert, delivery } = await makeAlert({ opening, recipient, at: old })
    const younger = await makeOpening(section, young)
    const second = await makeAlert({ opening: younger, recipient, at: young })
    await rows('INSERT INTO delivery_alert (delivery_id, alert_id) VALUES (?, ?)', delivery, second.alert)
    await forget()
    expect(await idsOf('class_alert')).not.toContain(alert)
    expect(await idsOf('delivery')).toContain(delivery)
  })

  test('are deleted by thousands per run, each counted once, even when a run is repeated', async () => {
    const { section } = await scene()
    const count = MAX_ROWS_PER_BATCH * 2 + 17
    const list = JSON.stringify(Array.from({ length: count }, (_, index) => index))
    await rows("INSERT INTO recipient (id, name, created_at) SELECT 70000 + value, 'R', 0 FROM json_each(?)", list)
    const opening = await makeOpening(section, old)
    await rows(
      `INSERT INTO class_alert (opening_id, recipient_id, section_id, kind, created_at, poll_id)
       SELECT ?, 70000 + value, ?, 'opening', ?, 'p' FROM json_each(?)`,
      opening,
      section,
      old,
      list,
    )
    const context = runContext({ now: () => now })
    await deleteOldAlerts.runWithRawInput(context, {})
    expect(await idsOf('class_alert')).toHaveLength(count - MAX_ROWS_PER_BATCH)
    await deleteOldAlerts.runWithRawInput(context, {})
    await forget()
    expect(await idsOf('class_alert')).toEqual([])
    expect(await totals()).toEqual([`2025-09 alert  opening ${count}`, '2025-09 opening   1'])
  })

  test('are found without searching recent rows: a night without deletions reads a few thousand rows', async () => {
    const { section, recipient } = await scene()
    const list = JSON.stringify(Array.from({ length: 20_000 }, (_, index) => index))
    await rows(
      `INSERT INTO seat_change (section_id, at, status) SELECT ?, ? + value, 'open' FROM json_each(?)`,
      section,
      young,
      list,
    )
    await rows(
      `INSERT INTO delivery (poll_id, recipient_id, channel, address, state, due_at, created_at)
       SELECT 'p', ?, 'phone', 'x', 'sent', 0, ? FROM json_each(?)`,
      recipient,
      young,
      list,
    )
    const { db, reads } = countedReads()
    await forget(db)
    expect(reads.rows).toBeLessThan(30 * MAX_ROWS_PER_BATCH)
    expect((await one<{ count: number }>('SELECT count(*) AS count FROM delivery')).count).toBe(20_000)
  })

  test('have the age of the setting, at least as long as the link of a held message may work', async () => {
    const { section, recipient } = await scene()
    const set = (days: string) =>
      rows("INSERT OR REPLACE INTO setting (name, value, changed_at) VALUES ('keep_alerts_days', ?, 0)", days)
    const at = now - 62 * day
    await makeAlert({ opening: await makeOpening(section, at), recipient, at })
    await set('60')
    await forget()
    expect(await idsOf('class_alert')).toHaveLength(1)
    await set('61')
    await forget()
    expect(await idsOf('class_alert')).toHaveLength(0)
  })
})

describe('seat changes past their age', () => {
  const change = (section: number, at: number, status: string) =>
    inserted('INSERT INTO seat_change (section_id, at, status) VALUES (?, ?, ?) RETURNING id', section, at, status)

  test('are deleted except for the state that a chart begins with', async () => {
    const { section } = await scene()
    const other = (await scene()).section
    await change(section, old, 'open')
    await change(section, old + 5, 'waitlisted')
    // Two at the same time: the later row is the state.
    await change(section, old + 9, 'open')
    const first = await change(section, old + 9, 'closed')
    const second = await change(section, young, 'open')
    const only = await change(other, old, 'closed')
    await forget()
    expect(await idsOf('seat_change')).toEqual([first, second, only])
    expect(await totals()).toEqual(['2025-09 seat_change  open 2', '2025-09 seat_change  waitlisted 1'])
    expect(historiesOf(await changesOf(other), now).get(other)).toMatchObject([{ status: 'closed' }])
  })

  test('leave the chart unchanged even if only a week is kept', async () => {
    const { section } = await scene()
    await rows("INSERT INTO setting (name, value, changed_at) VALUES ('keep_seat_changes_days', '7', 0)")
    await change(section, now - 20 * day, 'open')
    await change(section, now - 8 * day, 'closed')
    await change(section, now - day, 'open')
    const line = async () => historiesOf(await changesOf(section), now)
    const before = await line()
    await forget()
    expect(await line()).toEqual(before)
    expect(await idsOf('seat_change')).toHaveLength(2)
  })
})
