import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { archiveWatches } from '../../src/class-tracker/watches/archive-watches.ts'
import { jobs } from '../../src/background-jobs.ts'
import { sweepAlerts } from '../../src/class-tracker/deliveries/sweep-alerts.ts'
import { makeGroup, makeRecipient, makeSection, makeWatch } from '../worker/catalog.ts'
import { runContext } from '../worker/job-context.ts'
import { pollSees } from '../worker/poll-sees.ts'
import { rows } from '../worker/rows.ts'

const minute = 60_000
const hour = 60 * minute
let count = 0

const sweepAt = (at: number) => sweepAlerts.runWithRawInput(runContext({ now: () => at }), {})

async function scene() {
  const group = await makeGroup()
  const section = await makeSection(group, `S${(count += 1)}`)
  const recipient = await makeRecipient([{ kind: 'phone', address: `+1202555${String(3000 + count)}` }])
  await makeWatch(recipient, section)
  const alerts = () =>
    rows<{ kind: string; reminder: number; poll_id: string | null; canceled_at: number | null }>(
      'SELECT * FROM class_alert WHERE recipient_id = ? ORDER BY id',
      recipient,
    )
  const deliveries = () =>
    rows<{ id: number; created_at: number }>('SELECT * FROM delivery WHERE recipient_id = ? ORDER BY id', recipient)
  return { group, section, recipient, alerts, deliveries }
}

describe('a held alert', () => {
  test('is sent at the tenth minute if the section is still open', async () => {
    const { group, alerts, deliveries } = await scene()
    const start = 1000 * hour
    await pollSees(group, start, 'open')
    await pollSees(group, start + minute, 'closed')
    await pollSees(group, start + 2 * minute, 'open')
    await sweepAt(start + 9 * minute)
    expect(await deliveries()).toHaveLength(1)
    await sweepAt(start + 10 * minute)
    expect(await deliveries()).toHaveLength(2)
    await sweepAt(start + 11 * minute)
    expect(await deliveries()).toHaveLength(2)
    expect(await alerts()).toMatchObject([{ kind: 'opening' }, { kind: 'opening', canceled_at: null }])
  })

  test('is one after another that went to a contact, and not after one that went to none', async () => {
    const { group, recipient, alerts, deliveries } = await scene()
    const start = 1500 * hour
    await rows('UPDATE contact SET is_enabled = 0 WHERE recipient_id = ?', recipient)
    await pollSees(group, start, 'open')
    await rows('UPDATE contact SET is_enabled = 1 WHERE recipient_id = ?', recipient)
    await pollSees(group, start + minute, 'closed')
    await pollSees(group, start + 2 * minute, 'open')
    expect(await deliveries()).toHaveLength(1)
    await pollSees(group, start + 3 * minute, 'closed')
    await pollSees(group, start + 4 * minute, 'open')
    expect(await deliveries()).toHaveLength(1)
    expect(await alerts()).toMatchObject([
      { release_at: null },
      { release_at: null },
      { release_at: start + 12 * minute },
    ])
  })

  test('is dropped if the section has closed again', async () => {
    const { group, alerts, deliveries } = await scene()
    const start = 2000 * hour
    await pollSees(group, start, 'open')
    await pollSees(group, start + minute, 'closed')
    await pollSees(group, start + 2 * minute, 'open')
    await pollSees(group, start + 3 * minute, 'closed')
    await sweepAt(start + 10 * minute)
    expect(await deliveries()).toHaveLength(1)
    expect((await alerts())[1]).toMatchObject({ poll_id: null, canceled_at: start + 10 * minute })
  })

  test('is not sent with an outdated status, but once the school confirms it again', async () => {
    const { group, alerts, deliveries } = await scene()
    const start = 2500 * hour
    await pollSees(group, start, 'open')
    await pollSees(group, start + minute, 'closed')
    await pollSees(group, start + 2 * minute, 'open')
    // The school gives no answer from here on.
    await sweepAt(start + 20 * minute)
    expect(await deliveries()).toHaveLength(1)
    expect((await alerts())[1]).toMatchObject({ poll_id: null, canceled_at: null })
    await pollSees(group, start + 40 * minute, 'open')
    await sweepAt(start + 40 * minute)
    expect(await deliveries()).toHaveLength(2)
  })

  test('is dropped if the school does not answer for too long', async () => {
    const { group, alerts, deliveries } = await scene()
    const start = 2700 * hour
    await pollSees(group, start, 'open')
    await pollSees(group, start + minute, 'closed')
    await pollSees(group, start + 2 * minute, 'open')
    await rows('UPDATE section_group SET asked_at = ? WHERE id = ?', start + 10 * minute, group.group_id)
    await sweepAt(start + 129 * minute)
    expect((await alerts())[1]).toMatchObject({ canceled_at: null })
    await sweepAt(start + 130 * minute)
    expect((await alerts())[1]).toMatchObject({ poll_id: null, canceled_at: start + 130 * minute })
    expect(await deliveries()).toHaveLength(1)
  })

  test('waits up to a day for a school that nobody has asked', async () => {
    const start = 2800 * hour
    const due = start + 10 * minute
    const held = async () => {
      const made = await scene()
      await pollSees(made.group, start, 'open')
      await pollSees(made.group, start + minute, 'closed')
      await pollSees(made.group, start + 2 * minute, 'open')
      return made
    }
    const [asked, unasked] = [await held(), await held()]
    await sweepAt(due + 3 * hour)
    expect((await asked.alerts())[1]).toMatchObject({ canceled_at: null })
    await pollSees(asked.group, due + 3 * hour + minute, 'open')
    await sweepAt(due + 3 * hour + minute)
    expect(await asked.deliveries()).toHaveLength(2)
    await sweepAt(due + 24 * hour)
    expect((await unasked.alerts())[1]).toMatchObject({ poll_id: null, canceled_at: due + 24 * hour })
    expect(await unasked.deliveries()).toHaveLength(1)
  })

  test('of several openings is one message', async () => {
    const { group, alerts, deliveries } = await scene()
    const start = 3000 * hour
    for (const [after, status] of [
      [0, 'open'],
      [1, 'closed'],
      [2, 'open'],
      [3, 'closed'],
      [4, 'open'],
    ] as const)
      await pollSees(group, start + after * minute, status)
    expect(await alerts()).toHaveLength(3)
    await sweepAt(start + 10 * minute)
    expect(await deliveries()).toHaveLength(2)
  })
})

describe('a section that stays open', () => {
  test('causes reminders after the grace period, at most three', async () => {
    const { group, alerts } = await scene()
    const start = 4000 * hour
    await pollSees(group, start, 'open')
    for (let quarter = 1; quarter <= 4 * 40; quarter += 1) {
      const at = start + quarter * 15 * minute
      await pollSees(group, at, 'open')
      await sweepAt(at)
    }
    expect((await alerts()).map((alert) => [alert.kind, alert.reminder])).toEqual([
      ['opening', 0],
      ['reminder', 1],
      ['reminder', 2],
      ['reminder', 3],
    ])
  })

  test('causes no reminders while the school has not been read', async () => {
    const { group, alerts } = await scene()
    const start = 5000 * hour
    await pollSees(group, start, 'open')
    await sweepAt(start + 7 * hour)
    expect(await alerts()).toHaveLength(1)
    await pollSees(group, start + 8 * hour, 'open')
    await sweepAt(start + 8 * hour)
    expect(await alerts()).toHaveLength(2)
  })

  test('respects the grace period of the setting', async () => {
    const { group, alerts } = await scene()
    const start = 6000 * hour
    await env.DB.prepare(
      "INSERT INTO setting (name, value, changed_at) VALUES ('reminder_grace_seconds', '1800', 0)",
    ).run()
    await pollSees(group, start, 'open')
    await pollSees(group, start + 30 * minute, 'open')
    await sweepAt(start + 30 * minute)
    await env.DB.prepare("DELETE FROM setting WHERE name = 'reminder_grace_seconds'").run()
    expect(await alerts()).toHaveLength(2)
  })

  test('starts over if it closes and opens again', async () => {
    const { group, alerts } = await scene()
    const start = 7000 * hour
    await pollSees(group, start, 'open')
    await pollSees(group, start + hour, 'closed')
    await sweepAt(start + 6 * hour)
    await pollSees(group, start + 8 * hour, 'open')
    expect((await alerts()).map((alert) => alert.kind)).toEqual(['opening', 'opening'])
  })
})

describe('the sweep', () => {
  test('queues a delivery that was written and never queued', async () => {
    const { group, deliveries } = await scene()
    await pollSees(group, Date.now() - minute, 'open')
    const [delivery] = await deliveries()
    expect(await sweepAt(Date.now())).toMatchObject({ queued: expect.any(Number) })
    const state = () => rows<{ state: string }>('SELECT state FROM delivery WHERE id = ?', delivery?.id)
    await expect.poll(async () => (await state())[0]?.state).toMatch(/sent|delivered/)
  })
})

describe('a sweep after queue messages were lost', () => {
  const asked = new Map<string, number>()
  const counting = {
    idFromName: (name: string) => name,
    get: () => ({
      enqueue: async (requests: { options?: { key?: string }; key?: string }[]) => {
        for (const { key } of requests) asked.set(key ?? '', (asked.get(key ?? '') ?? 0) + 1)
        return []
      },
    }),
  } as unknown as Env['LEDGER']
  const sweep = (at: number) =>
    sweepAlerts.runWithRawInput(
      runContext({ env: { ...env, LEDGER: counting }, now: () => at, deadline: at + 60_000 }),
      {},
    )

  test('queues everything that is due, and does not queue it again while it waits for its turn', async () => {
    const { recipient } = await scene()
    const now = 9_000_000 * hour
    await rows(`UPDATE delivery SET state = 'canceled'`)
    await rows(
      `INSERT INTO delivery (poll_id, recipient_id, channel, address, state, due_at, created_at)
       SELECT 'lost', ?, 'phone', '+1202555' || value, 'queued', ?, ?
       FROM (WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 3500) SELECT value FROM n)`,
      recipient,
      now - minute,
      now - minute,
    )
    expect(await sweep(now)).toMatchObject({ queued: 3500 })
    expect(asked.size).toBe(3500)
    expect(await sweep(now + minute)).toMatchObject({ queued: 0 })
    // Its job may have been lost all the same.
    expect(await sweep(now + 10 * minute)).toMatchObject({ queued: 3500 })
    await rows(`UPDATE delivery SET state = 'canceled' WHERE poll_id = 'lost'`)
  })

  test('queues in the next run what could not be queued', async () => {
    const { recipient } = await scene()
    const now = 9_500_000 * hour
    await rows(
      `INSERT INTO delivery (poll_id, recipient_id, channel, address, state, due_at, created_at)
       VALUES ('unreached', ?, 'phone', '+12025550000', 'queued', ?, ?)`,
      recipient,
      now,
      now,
    )
    const unreached = { ...counting, get: () => ({ enqueue: () => Promise.reject(new Error('unreached')) }) }
    const broken = { ...env, LEDGER: unreached as unknown as Env['LEDGER'] }
    await expect(sweepAlerts.runWithRawInput(runContext({ env: broken, now: () => now }), {})).rejects.toThrow(
      'unreached',
    )
    expect(await sweep(now)).toMatchObject({ queued: 1 })
    await rows(`UPDATE delivery SET state = 'canceled' WHERE poll_id = 'unreached'`)
  })
})

describe('the end of a term', () => {
  test('archives its watches, and only those', async () => {
    const now = Date.now()
    const over = await makeGroup({ ends_at: now })
    const running = await makeGroup({ ends_at: now + 1 })
    const [old, current] = [await makeSection(over, 'E1'), await makeSection(running, 'E2')]
    const ada = await makeRecipient()
    await makeWatch(ada, old)
    await makeWatch(ada, current)
    expect(await archiveWatches.runWithRawInput(runContext({ now: () => now - 1 }), {})).toEqual({ archived: 0 })
    expect(await archiveWatches.runWithRawInput(runContext({ now: () => now }), {})).toEqual({ archived: 1 })
    expect(await rows('SELECT section_id, archived_at FROM watch WHERE recipient_id = ? ORDER BY id', ada)).toEqual([
      { section_id: old, archived_at: now },
      { section_id: current, archived_at: null },
    ])
    expect(
      await rows(
        'SELECT watch_count FROM section_group WHERE id IN (?, ?) ORDER BY id',
        over.group_id,
        running.group_id,
      ),
    ).toEqual([{ watch_count: 0 }, { watch_count: 1 }])
  })
})

test('a job that released the texts of one poll before a deployment is carried out as a sweep', async () => {
  const job = jobs.find(({ name }) => name === 'release-waiting-texts')
  expect(await job?.runWithRawInput(runContext({ env }), { poll_id: 'poll' })).toMatchObject({ texts: 0 })
})
