import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { proposeChanges, type KnownSection } from '../../src/class-tracker/polling/openings.ts'
import { releaseDueAlerts } from '../../src/class-tracker/alerts/release-alerts.ts'
import { recordObservations } from '../../src/class-tracker/polling/record-observations.ts'
import { readWatchedGroups } from '../../src/class-tracker/polling/watched-groups.ts'
import type { Seats, Status } from '../../src/sources/source.ts'
import { type MadeGroup, makeGroup, makeRecipient, makeSection, makeWatch, readOf } from '../worker/catalog.ts'
import { countedReads } from '../worker/counted-reads.ts'
import { rows } from '../worker/rows.ts'

const minute = 60_000
const phone = (digits: string) => ({ kind: 'phone', address: `+1202555${digits}` })

async function known(group: MadeGroup): Promise<KnownSection[]> {
  return rows<KnownSection>('SELECT * FROM section WHERE group_id = ? AND watch_count > 0', group.group_id)
}

const seats = (section_key: string, status: Status, seats_available: number | null): Seats => ({
  section_key,
  status,
  seats_available,
  seats_for_anyone: null,
  capacity: 30,
  waitlist_available: 0,
})

/** One poll that saw these seats at `at`. */
async function poll(group: MadeGroup, at: number, seen: Seats[], read?: KnownSection[]) {
  const proposals = proposeChanges(read ?? (await known(group)), seen, readOf(group, at))
  return recordObservations(env.DB, { pollId: crypto.randomUUID(), now: at, proposals, groups: [readOf(group, at)] })
}

const alertsOf = (recipientId: number) =>
  rows('SELECT * FROM class_alert WHERE recipient_id = ? ORDER BY id', recipientId)

test('fewer seats for anyone are stored, and the history has the seats that anyone could take', async () => {
  const group = await makeGroup()
  const section = await makeSection(group, '10001', 'open', 5)
  await makeWatch(await makeRecipient([phone('0199')]), section)
  await poll(group, 1000, [seats('10001', 'open', 4)])
  await poll(group, 1500, [seats('10001', 'open', 5)])
  await poll(group, 2000, [{ ...seats('10001', 'open', 5), seats_for_anyone: 2 }])
  const stored = 'SELECT seats_available, seats_for_anyone FROM section WHERE id = ?'
  expect(await rows(stored, section)).toEqual([{ seats_available: 5, seats_for_anyone: 2 }])
  await poll(group, 3000, [seats('10001', 'open', 5)])
  expect(await rows(stored, section)).toEqual([{ seats_available: 5, seats_for_anyone: null }])
  const history = await rows('SELECT at, seats_available AS seats FROM seat_change WHERE section_id = ?', section)
  expect(history).toEqual([
    { at: 1000, seats: 4 },
    { at: 1500, seats: 5 },
    { at: 2000, seats: 2 },
    { at: 3000, seats: 5 },
  ])
})

describe('an opening', () => {
  test('alerts each watcher once, with one delivery per usable contact', async () => {
    const group = await makeGroup({ read_at: 5000 })
    const section = await makeSection(group, '10001')
    const [ada, bob] = [
      await makeRecipient([phone('0101'), { kind: 'email', address: 'ada@example.com' }]),
      await makeRecipient([phone('0102')]),
    ]
    await makeWatch(ada, section)
    await makeWatch(bob, section)
    const recorded = await poll(group, 60_000, [seats('10001', 'open', 2)])
    expect(recorded.openings).toBe(1)
    expect(recorded.delivery_ids).toHaveLength(3)
    expect(await alertsOf(ada)).toMatchObject([{ kind: 'opening', section_id: section, release_at: null }])
    expect(await alertsOf(bob)).toHaveLength(1)
    expect(await rows('SELECT last_closed_at, seen_open_at FROM opening WHERE section_id = ?', section)).toEqual([
      { last_closed_at: 5000, seen_open_at: 60_000 },
    ])
    expect(await rows('SELECT status, version, seats_available FROM section WHERE id = ?', section)).toEqual([
      { status: 'open', version: 2, seats_available: 2 },
    ])
  })

  test('is neither a section that stays open nor fewer seats', async () => {
    const group = await makeGroup()
    const section = await makeSection(group, '10002', 'open', 5)
    const ada = await makeRecipient([phone('0103')])
    await makeWatch(ada, section)
    const recorded = await poll(group, 1000, [seats('10002', 'open', 3)])
    expect(recorded).toEqual({ delivery_ids: [], sweep_at: [], openings: 0 })
    expect(await alertsOf(ada)).toEqual([])
    expect(await rows('SELECT seats_available FROM section WHERE id = ?', section)).toEqual([{ seats_available: 3 }])
  })

  test('requires that the former status was believed', async () => {
    const group = await makeGroup()
    const section = await makeSection(group, '10003', 'unknown', null)
    const ada = await makeRecipient([phone('0104')])
    await makeWatch(ada, section)
    await poll(group, 1000, [seats('10003', 'open', 3)])
    expect(await alertsOf(ada)).toEqual([])
  })

  test('found by a new watch alerts only the new watcher', async () => {
    const group = await makeGroup()
    const section = await makeSection(group, '10004', 'open', 5)
    const [old, fresh] = [await makeRecipient([phone('0105')]), await makeRecipient([phone('0106')])]
    await makeWatch(old, section)
    await makeWatch(fresh, section, false)
    const recorded = await poll(group, 1000, [seats('10004', 'open', 5)])
    expect(recorded.delivery_ids).toHaveLength(1)
    expect(await alertsOf(old)).toEqual([])
    expect(await alertsOf(fresh)).toHaveLength(1)
    const again = await poll(group, 2000, [seats('10004', 'open', 5)])
    expect(again.delivery_ids).toEqual([])
  })

  test('found by the first look at a section that was closed alerts old and new watchers', async () => {
    const group = await makeGroup()
    const section = await makeSection(group, '10005')
    const [old, fresh] = [await makeRecipient([phone('0107')]), await makeRecipient([phone('0108')])]
    await makeWatch(old, section)
    await makeWatch(fresh, section, false)
    await poll(group, 1000, [seats('10005', 'open', 1)])
    expect(await alertsOf(old)).toHaveLength(1)
    expect(await alertsOf(fresh)).toHaveLength(1)
    expect(await rows('SELECT new_watch_count, watch_count FROM section WHERE id = ?', section)).toEqual([
      { new_watch_count: 0, watch_count: 2 },
    ])
  })

  test('for a recipient who cannot be reached is an alert without a delivery', async () => {
    const group = await makeGroup()
    const section = await makeSection(group, '10006')
    const ada = await makeRecipient([phone('0109')])
    await env.DB.prepare('UPDATE recipient SET is_contact_by_phone = 0 WHERE id = ?').bind(ada).run()
    await makeWatch(ada, section)
    const recorded = await poll(group, 1000, [seats('10006', 'open', 1)])
    expect(recorded.delivery_ids).toEqual([])
    expect(await alertsOf(ada)).toHaveLength(1)
  })

  test('of several sections in one poll is one message per recipient', async () => {
    const group = await makeGroup()
    const sections = [await makeSection(group, '10007'), await makeSection(group, '10008')]
    const ada = await makeRecipient([phone('0110')])
    for (const section of sections) await makeWatch(ada, section)
    const recorded = await poll(group, 1000, [seats('10007', 'open', 1), seats('10008', 'open', 2)])
    expect(recorded.delivery_ids).toHaveLength(1)
    expect(
      await rows('SELECT count(*) AS alerts FROM delivery_alert WHERE delivery_id = ?', recorded.delivery_ids[0]),
    ).toEqual([{ alerts: 2 }])
  })

  test('within ten minutes of the last alert is held until they have passed, unless a newer one was sent by then', async () => {
    const group = await makeGroup()
    const section = await makeSection(group, '10009')
    const ada = await makeRecipient([phone('0111')])
    await makeWatch(ada, section)
    const start = 100 * minute
    await poll(group, start, [seats('10009', 'open', 1)])
    await poll(group, start + minute, [seats('10009', 'closed', 0)])
    const second = await poll(group, start + 3 * minute, [seats('10009', 'open', 1)])
    expect(second.delivery_ids).toEqual([])
    expect(second.sweep_at).toEqual([start + 10 * minute])
    await poll(group, start + 11 * minute, [seats('10009', 'closed', 0)])
    const third = await poll(group, start + 12 * minute, [seats('10009', 'open', 1)])
    expect(third.delivery_ids).toHaveLength(1)
    const due = await releaseDueAlerts(env.DB, crypto.randomUUID(), start + 12 * minute)
    expect(due).toMatchObject({ released: 0, canceled: 1 })
    expect(await alertsOf(ada)).toMatchObject([
      { canceled_at: null },
      { canceled_at: start + 12 * minute },
      { canceled_at: null },
    ])
  })
})

describe('two simultaneous polls', () => {
  test('cause one opening and one set of alerts; the second changes nothing', async () => {
    const group = await makeGroup()
    const section = await makeSection(group, '20001')
    const ada = await makeRecipient([phone('0120')])
    await makeWatch(ada, section)
    const read = await known(group)
    const answers = await Promise.all([1, 2, 3].map((at) => poll(group, at * 1000, [seats('20001', 'open', at)], read)))
    expect(answers.map((answer) => answer.openings).toSorted()).toEqual([0, 0, 1])
    expect(answers.flatMap((answer) => answer.delivery_ids)).toHaveLength(1)
    expect(await alertsOf(ada)).toHaveLength(1)
    expect(await rows('SELECT version FROM section WHERE id = ?', section)).toEqual([{ version: 2 }])
  })

  test('for a new watch of an open section cause one alert', async () => {
    const group = await makeGroup()
    const section = await makeSection(group, '20002', 'open', 4)
    const ada = await makeRecipient([phone('0121')])
    await makeWatch(ada, section, false)
    const read = await known(group)
    const answers = await Promise.all([1, 2].map((at) => poll(group, at * 1000, [seats('20002', 'open', 4)], read)))
    expect(answers.flatMap((answer) => answer.delivery_ids)).toHaveLength(1)
    expect(await alertsOf(ada)).toHaveLength(1)
  })

  test('a batch may be sent again if its answer was lost', async () => {
    const group = await makeGroup()
    const section = await makeSection(group, '20003')
    const ada = await makeRecipient([phone('0122')])
    await makeWatch(ada, section)
    const proposals = proposeChanges(await known(group), [seats('20003', 'open', 1)], readOf(group, 1000))
    const first = await recordObservations(env.DB, { pollId: 'one-poll', now: 1000, proposals, groups: [] })
    const again = await recordObservations(env.DB, { pollId: 'one-poll', now: 1000, proposals, groups: [] })
    expect(again.delivery_ids).toEqual(first.delivery_ids)
    expect(await alertsOf(ada)).toHaveLength(1)
    expect(await rows('SELECT count(*) AS deliveries FROM delivery WHERE poll_id = ?', 'one-poll')).toEqual([
      { deliveries: 1 },
    ])
  })
})

describe('a section that the school leaves out', () => {
  test('neither closes nor opens, but keeps its status', async () => {
    const group = await makeGroup()
    const section = await makeSection(group, '30001', 'open', 4)
    await makeWatch(await makeRecipient(), section)
    await poll(group, 1000, [])
    await poll(group, 2000, [{ ...seats('30001', 'unknown', null) }])
    expect(await rows('SELECT status, seats_available, version FROM section WHERE id = ?', section)).toEqual([
      { status: 'open', seats_available: 4, version: 1 },
    ])
  })
})

describe('a poll without changes', () => {
  test('writes one row per group, and reads one row per watched section, whatever the number of watchers', async () => {
    const group = await makeGroup()
    for (let number = 0; number < 40; number += 1) {
      const section = await makeSection(group, `4${number}`)
      for (let watcher = 0; watcher < (number === 0 ? 200 : 1); watcher += 1)
        await makeWatch(await makeRecipient(), section)
    }
    const { db, reads } = countedReads()
    const found = await readWatchedGroups(db, group.source_id, 0)
    expect(found?.groups.map(({ sections }) => sections.length)).toEqual([40])
    expect(reads.rows).toBeLessThan(60)
    let written = 0
    const counted: Pick<D1Database, 'prepare' | 'batch'> = {
      prepare: (text) => env.DB.prepare(text),
      batch: async <Row>(statements: D1PreparedStatement[]) => {
        const results = await env.DB.batch<Row>(statements)
        for (const { meta } of results) written += meta.rows_written
        return results
      },
    }
    const groups = [readOf(group, 1000)]
    await recordObservations(counted as D1Database, { pollId: 'quiet', now: 1000, proposals: [], groups })
    expect(written).toBe(1)
  })
})
