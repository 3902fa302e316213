import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { recordWithOthers } from '../../src/class-tracker/deliveries/gather-reports.ts'
import { countedReads } from '../worker/counted-reads.ts'
import { deliveryOf, makeDelivery, runDelivery } from '../worker/deliveries.ts'
import { rows } from '../worker/rows.ts'
import { watchedDatabase } from '../worker/watched-database.ts'

async function sentTexts(count: number) {
  const made = []
  for (let number = 0; number < count; number += 1) {
    const { id } = await makeDelivery('phone')
    await runDelivery(id)
    const { provider_id, first_tried_at } = await deliveryOf(id)
    made.push({ id, sid: provider_id ?? '', message: { id, first_tried_at: first_tried_at ?? 0 } })
  }
  return made
}

type Sent = Awaited<ReturnType<typeof sentTexts>>[number]

const report = (db: D1Database, { sid, message }: Sent, status: string) =>
  recordWithOthers(db, { sid, status, error_code: null, message }, () => {})

const isVerified = async ({ id }: Sent) => {
  const [contact] = await rows<{ verified_at: number | null }>(
    'SELECT verified_at FROM contact WHERE id = (SELECT contact_id FROM delivery WHERE id = ?)',
    id,
  )
  return contact?.verified_at !== null
}

/** The database with a hook before each round trip, numbered from 1; ours are all batches. */
function failing(before: (trip: number) => Promise<void> | void): D1Database {
  let trips = 0
  return Object.assign(watchedDatabase({}), {
    batch: async (statements: D1PreparedStatement[]) => {
      await before((trips += 1))
      return env.DB.batch(statements)
    },
  })
}

test('simultaneous reports are written in one round trip, with the same result as one at a time', async () => {
  const sent = await sentTexts(6)
  const [sentOnly, failed, ...delivered] = sent
  if (!sentOnly || !failed) throw new Error('Fewer than two texts were sent.')
  const { db, reads } = countedReads()
  await Promise.all([
    ...sent.map((one) => report(db, one, 'sent')),
    ...delivered.map((one) => report(db, one, 'delivered')),
    report(db, failed, 'undelivered'),
    report(db, { ...failed, message: { id: 0, first_tried_at: 0 } }, 'delivered'),
  ])
  expect(reads.trips).toBe(1)
  expect((await deliveryOf(sentOnly.id)).state).toBe('sent')
  expect((await deliveryOf(failed.id)).state).toBe('failed')
  for (const one of delivered) expect((await deliveryOf(one.id)).state).toBe('delivered')
  expect(await Promise.all(sent.map(isVerified))).toEqual([false, false, true, true, true, true])
})

test('a report is acknowledged after it is written', async () => {
  const [one] = await sentTexts(1)
  if (!one) throw new Error('No text was sent.')
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const db = failing(() => held)
  let isAnswered = false
  const answered = report(db, one, 'delivered').then(() => (isAnswered = true))
  await scheduler.wait(100)
  expect(isAnswered).toBe(false)
  release()
  await answered
  expect((await deliveryOf(one.id)).state).toBe('delivered')
})

test('if the shared write fails, each report is written separately, and only its own failure fails it', async () => {
  const sent = await sentTexts(3)
  const db = failing((trip) => {
    if (trip <= 2) throw new Error('D1_ERROR: no answer')
  })
  const answers = await Promise.allSettled(sent.map((one) => report(db, one, 'delivered')))
  expect(answers.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'fulfilled', 'rejected'])
  const states = await Promise.all(sent.map(async ({ id }) => (await deliveryOf(id)).state))
  expect(states.toSorted()).toEqual(['delivered', 'delivered', 'sent'])
})

test('reports whose writer was canceled write themselves', async () => {
  const sent = await sentTexts(3)
  const never = new Promise<void>(() => {})
  const db = failing((trip) => (trip === 1 ? never : undefined))
  await Promise.all(sent.map((one) => report(db, one, 'delivered')))
  for (const { id } of sent) expect((await deliveryOf(id)).state).toBe('delivered')
})
