import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import { makeDeliveries } from '../../src/class-tracker/alerts/release-alerts.ts'
import { beginTries, claimDeliveries } from '../../src/class-tracker/deliveries/claim-delivery.ts'
import { recordSeen } from '../../src/class-tracker/deliveries/record-seen.ts'
import { releaseWaiting } from '../../src/class-tracker/deliveries/sweep-alerts.ts'
import { writeTogether } from '../../src/db/query.ts'
import { makeGroup, makeRecipient, makeSection, makeWatch } from '../worker/catalog.ts'
import { addAlert, addressOf } from '../worker/deliveries.ts'
import { unheard } from '../worker/job-context.ts'
import { one, rows } from '../worker/rows.ts'

const testEnv = { ...env, LEDGER: unheard }
const smsAfterMs = 20_000
let histories = 0

/** What may happen to one alert, at times after the seat was seen open (ms). Receipts arrive late, twice, or never. */
interface Event {
  at: number
  what: 'receipt' | 'release' | 'claim' | 'begin' | 'close' | 'open'
}
const time = fc.integer({ min: 0, max: 120_000 })
const event: fc.Arbitrary<Event> = fc.record({
  at: time,
  what: fc.oneof(
    { weight: 5, arbitrary: fc.constant('receipt' as const) },
    { weight: 4, arbitrary: fc.constant('release' as const) },
    { weight: 4, arbitrary: fc.constant('claim' as const) },
    { weight: 4, arbitrary: fc.constant('begin' as const) },
    { weight: 1, arbitrary: fc.constant('close' as const) },
    { weight: 1, arbitrary: fc.constant('open' as const) },
  ),
})
/** Chance alone rarely sends a text: it takes these three in this order. */
const sendingText: fc.Arbitrary<Event[]> = fc
  .tuple(time, time, time)
  .map((times) => times.toSorted((a, b) => a - b))
  .map(([release = 0, claim = 0, send = 0]) => [
    { at: release, what: 'release' },
    { at: claim, what: 'claim' },
    { at: send, what: 'begin' },
  ])
const history = fc.oneof(
  fc.array(event, { minLength: 3, maxLength: 12 }),
  fc.tuple(sendingText, fc.array(event, { maxLength: 6 })).map((parts) => parts.flat()),
)

interface Waiting {
  poll: string
  recipient: number
  section: number
  began: number
  push: number
  text: number
}

async function begin(devices: 0 | 1): Promise<Waiting> {
  const poll = `seen-${(histories += 1)}`
  const section = await makeSection(await makeGroup(), '10001', 'open', 3)
  const recipient = await makeRecipient([{ kind: 'phone', address: addressOf('phone') }])
  if (devices > 0) {
    await rows(
      `INSERT INTO contact (recipient_id, kind, address, address_key, created_at) VALUES (?1, 'push', ?2, ?2, 0)`,
      recipient,
      `https://push.example/${poll}`,
    )
  }
  await makeWatch(recipient, section)
  await addAlert(poll, recipient, section)
  const began = Date.now()
  await writeTogether(env.DB, makeDeliveries(poll, began))
  const made = await rows<{ id: number; channel: string }>('SELECT id, channel FROM delivery WHERE poll_id = ?', poll)
  const idOf = (channel: string) => made.find((row) => row.channel === channel)?.id ?? 0
  return { poll, recipient, section, began, push: idOf('push'), text: idOf('phone') }
}

const textOf = ({ text }: Waiting) =>
  one<{ state: string; body: string | null; due_at: number; first_tried_at: number | null }>(
    'SELECT state, body, due_at, first_tried_at FROM delivery WHERE id = ?',
    text,
  )

test('any history of receipts and runners: a text is sent only if no one saw the notification before', async () => {
  const ends: Record<string, number> = {}
  await fc.assert(
    fc.asyncProperty(history, async (events) => {
      const waiting = await begin(1)
      expect(await textOf(waiting)).toMatchObject({ state: 'waiting', due_at: waiting.began + smsAfterMs })
      let seenAt = Infinity
      let isOpen = true
      let claimed: Parameters<typeof beginTries>[1][number]['delivery'] | null = null
      const seen = { delivery_id: waiting.push, poll_id: waiting.poll, recipient_id: waiting.recipient }
      for (const { at, what } of events.toSorted((a, b) => a.at - b.at)) {
        const now = waiting.began + at
        if (what === 'receipt') {
          await writeTogether(env.DB, recordSeen(seen, 'shown', now))
          seenAt = Math.min(seenAt, now)
        } else if (what === 'release') {
          await releaseWaiting(testEnv, now)
        } else if (what === 'claim') {
          const [claim] = await claimDeliveries(env, [{ id: waiting.text, now }])
          if (claim?.kind === 'claimed') claimed = claim.delivery
        } else if (what === 'begin' && claimed) {
          const isWanted = claimed.cancellation === null
          const [began] = isWanted
            ? await beginTries(env, [{ delivery: claimed, body: '{}', is_repeated: false, now }])
            : [null]
          // From here on the provider has the text; a later runner asks what happened to it, and may send it again.
          if (typeof began === 'number') {
            expect(now).toBeLessThanOrEqual(seenAt)
            expect(at).toBeGreaterThanOrEqual(smsAfterMs)
          }
          claimed = null
        } else {
          isOpen = what === 'open'
          await rows('UPDATE section SET status = ? WHERE id = ?', isOpen ? 'open' : 'closed', waiting.section)
          claimed = null
        }
      }
      const { state, body } = await textOf(waiting)
      if (seenAt < Infinity && body === null) expect(state).toBe('not_needed')
      if (body !== null) expect(seenAt).toBeGreaterThanOrEqual(waiting.began + smsAfterMs)
      ends[state] = (ends[state] ?? 0) + 1
    }),
    { numRuns: 100 * inject('depth') },
  )
  // Every possible end must occur, otherwise the histories would prove little.
  for (const state of ['waiting', 'not_needed', 'sending']) expect(ends[state] ?? 0, state).toBeGreaterThan(0)
}, 1_200_000)

test('without a device, or if the recipient wants texts at once, a text does not wait', async () => {
  expect((await textOf(await begin(0))).state).toBe('queued')
  const waiting = await begin(1)
  await rows('UPDATE recipient SET is_sms_at_once = 1 WHERE id = ?', waiting.recipient)
  const again = `${waiting.poll}-again`
  await addAlert(again, waiting.recipient, waiting.section)
  await writeTogether(env.DB, makeDeliveries(again, Date.now()))
  expect(await rows("SELECT state FROM delivery WHERE poll_id = ? AND channel = 'phone'", again)).toEqual([
    { state: 'queued' },
  ])
})

test('the setting says how long a text waits; 0 means that it does not', async () => {
  const set = (value: string) =>
    rows(
      `INSERT INTO setting (name, value, changed_at) VALUES ('sms_after_seconds', ?, 0)
       ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      value,
    )
  await set('5')
  const short = await begin(1)
  expect((await textOf(short)).due_at).toBe(short.began + 5000)
  await set('0')
  expect((await textOf(await begin(1))).state).toBe('queued')
  await rows("DELETE FROM setting WHERE name = 'sms_after_seconds'")
})

test('a text is due before it expires, even if the settings contradict each other', async () => {
  for (const [name, value] of [
    ['sms_after_seconds', '3600'],
    ['alert_expires_minutes', '10'],
  ])
    await rows('INSERT INTO setting (name, value, changed_at) VALUES (?, ?, 0)', name, value)
  const waiting = await begin(1)
  const { due_at } = await textOf(waiting)
  expect(due_at).toBe(waiting.began + 300_000)
  await releaseWaiting(testEnv, due_at)
  const [claim] = await claimDeliveries(env, [{ id: waiting.text, now: due_at }])
  expect(claim).toMatchObject({ kind: 'claimed', delivery: { cancellation: null } })
  await rows('DELETE FROM setting')
})
