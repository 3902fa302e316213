import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, expect, it } from 'vitest'
import { listAlerts } from '../../src/class-tracker/alerts/list-alerts.ts'
import { MAX_MESSAGES } from '../../src/class-tracker/alerts/sent-times.ts'
import { HOUR_MS } from '../../src/lib/time.ts'
import { makeGroup, makeRecipient, makeSection } from '../worker/catalog.ts'
import { countedReads } from '../worker/counted-reads.ts'
import { rows } from '../worker/rows.ts'

const asked = { recipientId: null, search: '', page: 1 }
const start = Date.now()
let recipient: number

beforeEach(async () => {
  await rows('DELETE FROM message_times')
  await rows('DELETE FROM message_count')
  await rows('DELETE FROM delivery')
  recipient = await makeRecipient([])
})

/** Notifications of one poll that saw a seat at `start`, each accepted after one second and shown after two. */
async function shown(poll: string, count: number): Promise<void> {
  const section = await makeSection(await makeGroup(), poll, 'open', 3)
  await rows(
    'INSERT INTO opening (section_id, version, poll_id, seen_open_at) VALUES (?, 1, ?, ?)',
    section,
    poll,
    start,
  )
  await rows(
    `INSERT INTO delivery (poll_id, recipient_id, channel, address, state, due_at, created_at, accepted_at, delivered_at, seen_at)
     SELECT ?1, ?2, 'push', 'x', 'delivered', 0, ?3, ?3 + 1000, ?3 + 2000, ?3 + 2000 FROM json_each(?4)`,
    poll,
    recipient,
    start,
    JSON.stringify(Array.from({ length: count }, () => 0)),
  )
}

/** The page at `now`, and the work it left for after the response. */
async function see(now: number) {
  const later: Promise<unknown>[] = []
  const { db, reads } = countedReads()
  const { message_figures: figures } = await listAlerts({ ...env, DB: db }, asked, now, (work) => later.push(work))
  const before = { ...reads }
  await Promise.all(later)
  return { figures, before, renewed: later.length }
}

it('there are no figures before anything was sent', async () => {
  expect((await see(start)).figures).toBeUndefined()
  expect((await see(start + 1000)).figures).toBeUndefined()
})

it('shows seen beside accepted messages, and the month beside both', async () => {
  await shown('seen', 4)
  // One of them was held in quiet hours.
  await rows(
    'UPDATE delivery SET asked_at = ?1, accepted_at = ?1, delivered_at = ?1 WHERE id = (SELECT min(id) FROM delivery)',
    start + 8 * HOUR_MS,
  )
  await rows("INSERT INTO message_count VALUES (?, 'phone', 10, 12)", new Date(start).toISOString().slice(0, 7))
  const { figures } = await see(start + 5000)
  expect(figures).toEqual({
    sent_times: [
      ['accepted', 1000],
      ['delivered', 2000],
      ['seen', 2000],
    ].map(([step, time]) => ({
      channel: 'push',
      step,
      messages: 3,
      measured: 3,
      p50: time,
      p95: time,
      largest_group: { messages: 3, measured: 3, last: time },
    })),
    month: [{ channel: 'phone', messages: 10, segments: 12, usd: 0.14 }],
    updated_at: new Date(start + 5000).toISOString(),
  })
})

it('outdated figures are renewed after the response, for the next viewer', async () => {
  await shown('first', 1)
  await see(start)
  await shown('second', 2)
  const counted = ({ figures }: Awaited<ReturnType<typeof see>>) => figures?.sent_times[0]?.messages
  const young = await see(start + 9000)
  expect([counted(young), young.renewed]).toEqual([1, 0])
  const old = await see(start + 11_000)
  expect([counted(old), old.renewed, old.figures?.updated_at]).toEqual([1, 1, new Date(start).toISOString()])
  const next = await see(start + 12_000)
  expect([counted(next), next.renewed]).toEqual([3, 0])
})

it('figures that count no message are not shown once there is one', async () => {
  await see(start - 1000)
  await shown('first', 1)
  const { figures, renewed } = await see(start + 1000)
  expect([figures?.sent_times[0]?.messages, renewed]).toEqual([1, 0])
})

it('figures of hours ago are never shown as those of the last 24 hours', async () => {
  await shown('first', 1)
  await see(start)
  await shown('second', 2)
  const now = start + 2 * HOUR_MS
  const { figures, renewed } = await see(now)
  expect([figures?.sent_times[0]?.messages, figures?.updated_at]).toEqual([3, new Date(now).toISOString()])
  expect(renewed).toBe(0)
})

it('the page costs one trip and the same few rows on the busiest day, and is renewed every five minutes at most', async () => {
  await shown('few', 1)
  await see(start)
  const few = await see(start)
  await shown('many', 20_000)
  await see(start + 60_000)
  const many = await see(start + 60_001)
  expect(many.figures?.sent_times[0]?.messages).toBe(MAX_MESSAGES)
  expect(many.before.rows).toBeLessThan(few.before.rows + 10)
  expect([few.before.trips, many.before.trips]).toEqual([1, 1])
  expect((await see(start + 60_000 + 299_000)).renewed).toBe(0)
  expect((await see(start + 60_000 + 311_000)).renewed).toBe(1)
})

it('a viewer does not wait for the renewal', async () => {
  await shown('waited', 1)
  await see(start)
  const context = createExecutionContext()
  let isRenewed = false
  await listAlerts(env, asked, start + 60_000, (work) => context.waitUntil(work.then(() => (isRenewed = true))))
  expect(isRenewed).toBe(false)
  await waitOnExecutionContext(context)
  expect(isRenewed).toBe(true)
})
