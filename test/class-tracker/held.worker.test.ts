import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { wakeHeld } from '../../src/class-tracker/deliveries/wake-held.ts'
import { announce } from '../../src/class-tracker/polling/record-observations.ts'
import { recordReceipt } from '../../src/class-tracker/own-page/devices.ts'
import { RunAgain } from '../../src/jobs/job.ts'
import { makeRecipient, makeSection, makeWatch } from '../worker/catalog.ts'
import { arrivedAt, deliveryOf, makeDelivery, runDelivery, runToTheEnd } from '../worker/deliveries.ts'
import { listening } from '../worker/job-context.ts'
import { pollSees } from '../worker/poll-sees.ts'
import { rows } from '../worker/rows.ts'
import { watchedDatabase } from '../worker/watched-database.ts'
import { world } from '../worker/world.ts'
import { hour, minute, start, end, night, sweepAt, claimAt, states, scene, freshKey } from '../worker/held.ts'

/** What quiet hours and pauses hold, and what happens to it. */

describe('quiet hours', () => {
  test('in a time zone that the platform no longer knows do not stop the sweep', async () => {
    const { recipient } = await scene({ ...night, time_zone: 'Nowhere/City' })
    const later = start + 9 * hour
    await sweepAt(later)
    const [renewed] = await rows<{ quiet_ends_at: number }>(
      'SELECT quiet_ends_at FROM recipient WHERE id = ?',
      recipient,
    )
    expect(renewed?.quiet_ends_at).toBeGreaterThan(later)
    await rows('DELETE FROM recipient WHERE id = ?', recipient)
  })

  test.each([
    ['removed', { quiet_from: null, quiet_until: null, quiet_starts_at: null, quiet_ends_at: null }],
    ['changed', { ...night, quiet_until: 12 * 60, quiet_ends_at: start + 13 * hour }],
  ])('that are %s while a sweep renews them stay as they were chosen', async (_name, chosen) => {
    const { recipient } = await scene(night)
    const db = watchedDatabase({
      after: async (trip) => {
        if (trip > 1) return
        for (const [name, value] of Object.entries(chosen))
          await rows(`UPDATE recipient SET ${name} = ? WHERE id = ?`, value, recipient)
      },
    })
    await wakeHeld(db, start + 8 * hour)
    expect(await rows('SELECT * FROM recipient WHERE id = ?', recipient)).toMatchObject([chosen])
  })

  test('hold every message until they end, and again the next night', async () => {
    const { group, recipient, deliveries } = await scene(night)
    await pollSees(group, start, 'open')
    expect(await deliveries()).toMatchObject([
      { state: 'held', due_at: start + 8 * hour },
      { state: 'held', due_at: start + 8 * hour },
    ])
    await sweepAt(start + 7 * hour)
    expect((await deliveries()).map(({ state }) => state)).toEqual(['held', 'held'])
    await pollSees(group, start + 8 * hour, 'open')
    const { LEDGER, keys } = listening()
    await sweepAt(start + 8 * hour, LEDGER)
    // The text then waits for the notification to be seen, as it would have during the day.
    expect(keys).toContain(`sweep:${start + 8 * hour + 20_000}`)
    expect(await deliveries()).toMatchObject([
      { channel: 'phone', state: 'waiting' },
      { channel: 'push', state: 'queued', asked_at: start + 8 * hour },
    ])
    expect(await rows('SELECT quiet_starts_at, quiet_ends_at FROM recipient WHERE id = ?', recipient)).toEqual([
      { quiet_starts_at: Date.UTC(2026, 8, 2, 2), quiet_ends_at: Date.UTC(2026, 8, 2, 11) },
    ])
  })

  test('do not silence a notification that a pause held until the day', async () => {
    const { group, deliveries } = await scene({ ...night, is_push_silent: 1, paused_until: start + 10 * hour })
    await pollSees(group, start, 'open')
    await pollSees(group, start + 10 * hour, 'open')
    await sweepAt(start + 8 * hour)
    await sweepAt(start + 10 * hour)
    const push = (await deliveries()).find(({ channel }) => channel === 'push')
    expect(await claimAt(push?.id, start + 10 * hour)).toMatchObject({ is_silent: false })
  })

  test('let silent notifications through if the recipient chose so', async () => {
    const { group, deliveries } = await scene({ ...night, is_push_silent: 1 })
    await pollSees(group, start, 'open')
    expect(await deliveries()).toMatchObject([
      { channel: 'phone', state: 'held', is_silent: 0 },
      { channel: 'push', state: 'queued', is_silent: 1 },
    ])
  })

  test.each([
    ['shown', 'queued', null],
    ['opened', 'not_needed', 'opened'],
  ] as const)('with a silent notification that was %s end with the text being %s', async (event, state, seenBy) => {
    const { group, deliveries } = await scene({ ...night, is_push_silent: 1 })
    await pollSees(group, start, 'open')
    const [, push] = await rows<{ id: number; contact_id: number }>(
      `UPDATE delivery SET first_tried_at = ?1 WHERE id IN (${(await deliveries()).map(({ id }) => id).join()}) RETURNING id, contact_id`,
      start,
    )
    await recordReceipt(env.DB, push?.contact_id ?? 0, { id: push?.id ?? 0, first_tried_at: start }, event, start)
    expect((await deliveries())[1]).toMatchObject({ state: event === 'shown' ? 'delivered' : event, seen_by: seenBy })
    await pollSees(group, end, 'open')
    await sweepAt(end)
    await sweepAt(end + 20_000)
    expect((await deliveries())[0]).toMatchObject({ channel: 'phone', state })
  })

  test('hold nothing by day', async () => {
    const { group, deliveries } = await scene(night)
    await pollSees(group, start + 9 * hour, 'open')
    expect(await deliveries()).toMatchObject([{ state: 'waiting' }, { state: 'queued', is_silent: 0 }])
  })

  test('let no reminder come before the first message, nor right after it', async () => {
    const { group, recipient, deliveries } = await scene(night)
    const kinds = () => rows('SELECT kind FROM class_alert WHERE recipient_id = ? ORDER BY id', recipient)
    await pollSees(group, start, 'open')
    for (const hours of [7, 8, 9, 13.9]) {
      await pollSees(group, start + hours * hour, 'open')
      await sweepAt(start + hours * hour)
    }
    expect(await kinds()).toEqual([{ kind: 'opening' }])
    expect((await deliveries()).map(({ state }) => state)).toEqual(['queued', 'queued'])
    await pollSees(group, start + 14 * hour, 'open')
    await sweepAt(start + 14 * hour)
    expect(await kinds()).toEqual([{ kind: 'opening' }, { kind: 'reminder' }])
  })

  test('end with one message about a section, however often it opened', async () => {
    const { group, deliveries } = await scene(night)
    await pollSees(group, start, 'open')
    await pollSees(group, start + hour, 'closed')
    await pollSees(group, start + 2 * hour, 'open')
    await pollSees(group, start + 8 * hour, 'open')
    await sweepAt(start + 8 * hour)
    expect((await deliveries()).map(({ state }) => state)).toEqual(['canceled', 'canceled', 'waiting', 'queued'])
  })
})

describe('a section that opened again', () => {
  /** The messages by push and the sections they are about. */
  const messages = async (recipient: number) =>
    rows(
      `SELECT d.state, json_group_array(DISTINCT a.section_id) AS sections FROM delivery d
       JOIN delivery_alert ON delivery_id = d.id JOIN class_alert a ON a.id = alert_id
       WHERE d.recipient_id = ? AND d.channel = 'push' GROUP BY d.id ORDER BY d.id`,
      recipient,
    )

  /** One poll has seen two sections open, and then one of them closed. */
  async function twoSections(chosen: Readonly<Record<string, number | string>>) {
    const made = await scene(chosen)
    const other = await makeSection(made.group, freshKey())
    await makeWatch(made.recipient, other)
    await pollSees(made.group, start, 'open')
    await rows("UPDATE section SET status = 'closed' WHERE id = ?", made.section)
    return { ...made, other }
  }

  test('is left out of the earlier message about it and another', async () => {
    const { group, section, recipient, other } = await twoSections(night)
    await pollSees(group, start + 2 * hour, 'open')
    await pollSees(group, end, 'open')
    await sweepAt(end)
    expect(await messages(recipient)).toMatchObject([
      { state: 'queued', sections: `[${other}]` },
      { state: 'queued', sections: `[${section}]` },
    ])
  })

  test.each(['queued', 'sent', 'delivered', 'not_needed'])(
    'after a pause ended is left out of the held message if the new one is %s',
    async (state) => {
      const { group, section, recipient, other } = await twoSections({ paused_until: start + 24 * hour })
      await rows('UPDATE recipient SET paused_until = NULL WHERE id = ?', recipient)
      await rows('UPDATE delivery SET due_at = ? WHERE recipient_id = ?', end, recipient)
      await pollSees(group, end, 'open')
      await rows("UPDATE delivery SET state = ? WHERE state = 'queued' AND recipient_id = ?", state, recipient)
      await sweepAt(end + minute)
      expect(await messages(recipient)).toMatchObject([
        { state: 'queued', sections: `[${other}]` },
        { state, sections: `[${section}]` },
      ])
    },
  )

  test.each(['gone', 'failed', 'expired', 'canceled'])('is in the held message if the new one is %s', async (state) => {
    const { group, recipient } = await scene({ paused_until: start + 24 * hour })
    await pollSees(group, start, 'open')
    await pollSees(group, start + hour, 'closed')
    await rows('UPDATE recipient SET paused_until = NULL WHERE id = ?', recipient)
    await rows('UPDATE delivery SET due_at = ? WHERE recipient_id = ?', end, recipient)
    await pollSees(group, end, 'open')
    await rows("UPDATE delivery SET state = ? WHERE state = 'queued' AND recipient_id = ?", state, recipient)
    await sweepAt(end + minute)
    expect(await messages(recipient)).toMatchObject([{ state: 'queued' }, { state }])
  })

  test('within ten minutes of a message that was held is in another after ten minutes', async () => {
    const { group, recipient, deliveries } = await scene(night)
    await pollSees(group, start, 'open')
    await pollSees(group, end, 'open')
    await sweepAt(end)
    await pollSees(group, end + minute, 'closed')
    await pollSees(group, end + 2 * minute, 'open')
    expect(await messages(recipient)).toHaveLength(1)
    await pollSees(group, end + 10 * minute, 'open')
    await sweepAt(end + 10 * minute)
    expect(await messages(recipient)).toHaveLength(2)
    expect(await deliveries()).toHaveLength(4)
  })

  test('is in a message at once if the held one ended unsent', async () => {
    const { group, recipient, deliveries } = await scene(night)
    await pollSees(group, start, 'open')
    await pollSees(group, end, 'open')
    await sweepAt(end)
    await pollSees(group, end + minute, 'closed')
    await rows("UPDATE delivery SET state = 'canceled' WHERE recipient_id = ? AND channel = 'phone'", recipient)
    await runDelivery((await deliveries())[1]?.id ?? 0, { now: () => end + minute })
    await pollSees(group, end + 2 * minute, 'open')
    expect(await messages(recipient)).toMatchObject([{ state: 'gone' }, { state: 'queued' }])
  })
})

describe('a message whose quiet hours are over', () => {
  test('waits for the school to answer again, and is then sent', async () => {
    const { group, deliveries } = await scene(night)
    await pollSees(group, start, 'open')
    await sweepAt(end)
    await sweepAt(end + hour)
    expect(await states(deliveries)).toEqual(['held', 'held'])
    await pollSees(group, end + hour, 'open')
    await sweepAt(end + hour + minute)
    expect(await states(deliveries)).toEqual(['waiting', 'queued'])
    const push = await claimAt((await deliveries())[1]?.id, end + hour + minute)
    expect(push).toMatchObject({ cancellation: null, alerts: [{ status: 'open' }] })
  })

  test.each(['missing_since', 'unknown_since'])('waits while its section has %s', async (column) => {
    const { group, section, deliveries } = await scene(night)
    await pollSees(group, start, 'open')
    await pollSees(group, end, 'open')
    await rows(`UPDATE section SET ${column} = ? WHERE id = ?`, start, section)
    await sweepAt(end)
    expect(await states(deliveries)).toEqual(['held', 'held'])
    await rows(`UPDATE section SET ${column} = NULL WHERE id = ?`, section)
    await sweepAt(end + minute)
    expect(await states(deliveries)).toEqual(['waiting', 'queued'])
  })

  test('ends as gone if the section was last seen closed', async () => {
    const { group, deliveries } = await scene(night)
    await pollSees(group, start, 'open')
    await pollSees(group, start + hour, 'closed')
    await sweepAt(end)
    const push = await claimAt((await deliveries())[1]?.id, end)
    expect(push).toMatchObject({ cancellation: { state: 'gone' }, alerts: [] })
  })

  test('expires if the school does not answer for too long', async () => {
    const { group, deliveries } = await scene(night)
    await pollSees(group, start, 'open')
    await rows('UPDATE section_group SET asked_at = ? WHERE id = ?', end + hour, group.group_id)
    await sweepAt(end + 2 * hour - minute)
    expect(await states(deliveries)).toEqual(['held', 'held'])
    await sweepAt(end + 2 * hour)
    const push = await claimAt((await deliveries())[1]?.id, end + 2 * hour)
    expect(push).toMatchObject({ cancellation: { state: 'expired' }, alerts: [] })
  })

  test('waits up to a day for a school that nobody has asked', async () => {
    const { group, deliveries } = await scene(night)
    await pollSees(group, start, 'open')
    await rows('UPDATE section_group SET asked_at = ? WHERE id = ?', start, group.group_id)
    await sweepAt(end + 3 * hour)
    expect(await states(deliveries)).toEqual(['held', 'held'])
    await sweepAt(end + 24 * hour)
    const push = await claimAt((await deliveries())[1]?.id, end + 24 * hour)
    expect(push).toMatchObject({ cancellation: { state: 'expired' }, alerts: [] })
  })

  test('is split although it has waited too long, so that none of its sections counts as sent unseen', async () => {
    const { group, section, recipient, deliveries } = await scene(night)
    const other = await makeSection(group, freshKey())
    await makeWatch(recipient, other)
    await pollSees(group, start, 'open')
    await pollSees(group, end + 2 * hour, 'open')
    await rows('UPDATE section SET missing_since = ? WHERE id = ?', start, other)
    await sweepAt(end + 2 * hour)
    const [, push, , second] = await deliveries()
    expect(await claimAt(push?.id, end + 2 * hour)).toMatchObject({ alerts: [{ section_id: section }] })
    expect(second).toMatchObject({ channel: 'push' })
    await sweepAt(end + 2 * hour + minute)
    const rest = await claimAt(second?.id, end + 2 * hour + minute)
    expect(rest).toMatchObject({ cancellation: { state: 'expired' } })
  })

  test('is sent about the sections seen open, and the others wait in another message', async () => {
    const { group, section, recipient, deliveries } = await scene(night)
    const other = await makeSection(group, freshKey())
    await makeWatch(recipient, other)
    await pollSees(group, start, 'open')
    await pollSees(group, end, 'open')
    await rows('UPDATE section SET missing_since = ? WHERE id = ?', start, other)
    await sweepAt(end)
    expect(await deliveries()).toMatchObject([
      { channel: 'phone', state: 'waiting' },
      { channel: 'push', state: 'queued' },
      { channel: 'phone', state: 'held' },
      { channel: 'push', state: 'held' },
    ])
    const [, push, , second] = await deliveries()
    expect(await claimAt(push?.id, end)).toMatchObject({ cancellation: null, alerts: [{ section_id: section }] })
    await rows('UPDATE section SET missing_since = NULL WHERE id = ?', other)
    await sweepAt(end + minute)
    expect(await claimAt(second?.id, end + minute)).toMatchObject({
      cancellation: null,
      alerts: [{ section_id: other }],
    })
    expect(await deliveries()).toHaveLength(4)
  })
})

test('a pause that ends soon after a sweep delays no message beyond its end', async () => {
  const { group, recipient, deliveries } = await scene({ paused_until: start + 60_000 })
  await pollSees(group, start, 'open')
  // The sweep found it waiting for its turn just before the pause.
  await rows('UPDATE delivery SET look_at = ? WHERE recipient_id = ?', start + 600_000, recipient)
  const { LEDGER, keys } = listening()
  await sweepAt(start + 60_000, LEDGER)
  const push = (await deliveries()).find(({ channel }) => channel === 'push')
  expect(push).toMatchObject({ state: 'queued' })
  expect(keys.filter((key) => key.startsWith(`delivery:${push?.id}:push:`))).toHaveLength(1)
})

describe('a text that waits for its notification to be seen', () => {
  test('is released by a sweep of its own, before other work', async () => {
    const { group } = await scene({})
    const at = start + 9 * hour
    const { LEDGER, requests } = listening()
    await announce({ ...env, LEDGER }, await pollSees(group, at, 'open'))
    expect(requests.filter(({ task }) => task === 'sweep-alerts')).toMatchObject([{ at: at + 20_000, priority: 10 }])
  })

  test('is sent in time if its alert was held', async () => {
    const { group, deliveries } = await scene({})
    const at = start + 9 * hour
    for (const [after, status] of [
      [0, 'open'],
      [1, 'closed'],
      [2, 'open'],
    ] as const)
      await pollSees(group, at + after * minute, status)
    const { LEDGER, keys } = listening()
    await sweepAt(at + 10 * minute, LEDGER)
    expect((await deliveries()).at(-2)).toMatchObject({ channel: 'phone', state: 'waiting' })
    expect(keys).toContain(`sweep:${at + 10 * minute + 20_000}`)
  })

  test.each([
    ['quiet hours begin', { quiet_starts_at: start + 10_000 }],
    ['a pause is chosen', { paused_until: start + 8 * hour }],
  ])('is held when %s meanwhile', async (_name, chosen) => {
    const { group, recipient, deliveries } = await scene({ ...night, quiet_starts_at: start + 2 * hour })
    await pollSees(group, start, 'open')
    expect(await deliveries()).toMatchObject([{ channel: 'phone', state: 'waiting' }, {}])
    for (const [name, value] of Object.entries(chosen))
      await rows(`UPDATE recipient SET ${name} = ? WHERE id = ?`, value, recipient)
    await sweepAt(start + 20_000)
    expect(await deliveries()).toMatchObject([{ channel: 'phone', state: 'held', due_at: end, asked_at: end }, {}])
  })
})

test('a text that the recipient requested in the meantime is sent although the notification was seen', async () => {
  const { group, recipient, deliveries } = await scene({})
  const at = start + 9 * hour
  await pollSees(group, at, 'open')
  await rows('UPDATE recipient SET is_sms_at_once = 1 WHERE id = ?', recipient)
  await rows("UPDATE delivery SET seen_at = ? WHERE recipient_id = ? AND channel = 'push'", at + 5000, recipient)
  await sweepAt(at + 20_000)
  expect(await deliveries()).toMatchObject([{ channel: 'phone', state: 'queued' }, {}])
})

test.each([
  ['http_500', 0],
  ['accept_then_reset', 1],
] as const)(
  'an email that may have arrived before a pause is repeated after it, with its key: %s',
  async (fault, arrived) => {
    const { id, address, recipient } = await makeDelivery('email')
    await world.fault('email', fault, 1)
    await runDelivery(id)
    await world.clearFaults()
    const pausedUntil = Date.now() + hour
    await rows('UPDATE recipient SET paused_until = ? WHERE id = ?', pausedUntil, recipient)
    await rows('UPDATE delivery SET due_at = 0, tried_at = tried_at - 180000 WHERE id = ?', id)
    await runDelivery(id)
    expect(await deliveryOf(id)).toMatchObject({ state: 'unconfirmed', due_at: pausedUntil })
    expect(await arrivedAt(address)).toHaveLength(arrived)
    await rows('UPDATE recipient SET paused_until = NULL WHERE id = ?', recipient)
    expect(await runToTheEnd(id)).toMatchObject({ state: 'sent', is_repeated: 0 })
    expect(await arrivedAt(address)).toHaveLength(1)
  },
)

test('held messages that one run does not wake are woken by the next, at once', async () => {
  const recipient = await makeRecipient([])
  await rows(
    `INSERT INTO delivery (poll_id, recipient_id, channel, address, state, due_at, created_at)
     WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600)
     SELECT 'many-' || i, ?, 'email', 'person@example.com', iif(i % 2, 'held', 'waiting'), ?, ? FROM n`,
    recipient,
    start,
    start,
  )
  await rows(
    `INSERT INTO delivery (poll_id, recipient_id, channel, address, state, due_at, created_at)
     SELECT poll_id || '-again', recipient_id, channel, address, state, due_at, created_at FROM delivery WHERE recipient_id = ?`,
    recipient,
  )
  expect(await sweepAt(start)).toBeInstanceOf(RunAgain)
  expect(await sweepAt(start)).not.toBeInstanceOf(RunAgain)
  expect(
    await rows("SELECT 1 FROM delivery WHERE recipient_id = ? AND state IN ('held', 'waiting')", recipient),
  ).toEqual([])
})

describe('a pause', () => {
  test('holds messages until it ends, or until quiet hours that end later', async () => {
    const { group, deliveries } = await scene({ ...night, paused_until: start + 9 * hour })
    await pollSees(group, start, 'open')
    expect(await deliveries()).toMatchObject([{ state: 'held', due_at: start + 9 * hour }, {}])
    const later = await scene({ ...night, paused_until: start + hour, quiet_starts_at: start + 20 * 60_000 })
    await pollSees(later.group, start, 'open')
    await sweepAt(start + hour)
    expect(await later.deliveries()).toMatchObject([{ state: 'held', due_at: start + 8 * hour }, {}])
  })

  test('cancels reminders that the recipient no longer wants', async () => {
    const { group, recipient } = await scene({ is_reminded: 0 })
    await pollSees(group, start, 'open')
    expect(await rows('SELECT remind_at FROM watch WHERE recipient_id = ?', recipient)).toEqual([{ remind_at: null }])
  })
})
