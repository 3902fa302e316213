import { describe, expect, test } from 'vitest'
import { arrivedAt, comeDue, deliveryOf, makeDelivery, runDelivery, runToTheEnd } from '../worker/deliveries.ts'
import { rows } from '../worker/rows.ts'
import { failingAt, lateAt, watchedDatabase } from '../worker/watched-database.ts'

describe.each(['before', 'after'] as const)('a database that fails once, %s running a batch', (moment) => {
  test('during the claim: the retry seconds later sends the message', async () => {
    const { id, address } = await makeDelivery('phone')
    await expect(runDelivery(id, { db: failingAt(1, moment) })).rejects.toThrow('Network connection lost')
    expect(await deliveryOf(id)).toMatchObject({ state: 'queued', attempts: 0, body: null })
    expect(await runDelivery(id)).toMatchObject({ state: 'sent' })
    expect(await arrivedAt(address)).toHaveLength(1)
  })

  test('before sending: nothing was sent, and the retry sends it', async () => {
    const { id, address } = await makeDelivery('phone')
    await expect(runDelivery(id, { db: failingAt(2, moment) })).rejects.toThrow('Network connection lost')
    expect(await deliveryOf(id)).toMatchObject({ state: 'queued', attempts: 0, body: null, first_tried_at: null })
    expect(await runDelivery(id)).toMatchObject({ state: 'sent' })
    expect(await arrivedAt(address)).toHaveLength(1)
  })

  test('when the outcome is written: it is written again, because Discord could not be asked about it', async () => {
    const { id, address } = await makeDelivery('discord')
    expect(await runDelivery(id, { db: failingAt(3, moment) })).toMatchObject({ state: 'sent' })
    expect(await deliveryOf(id)).toMatchObject({ state: 'sent', attempts: 1, is_repeated: 0 })
    expect(await arrivedAt(address)).toHaveLength(1)
  })
})

test('a database whose answer arrives after the claim expired: another runner has sent it by then, and nothing is sent again', async () => {
  const { id, address } = await makeDelivery('phone')
  const late = lateAt(2, 'after')
  let passed = 0
  const first = runDelivery(id, { db: late.db, now: () => Date.now() + passed })
  await late.isWaiting
  passed += await comeDue(id)
  expect(await runToTheEnd(id)).toMatchObject({ state: 'sent', is_repeated: 0 })
  late.answer()
  await first
  expect(await arrivedAt(address)).toHaveLength(1)
})

test('a message that someone else claimed in the meantime is left alone', async () => {
  const { id } = await makeDelivery('phone')
  const other = Date.now() + 60_000
  const db = watchedDatabase({
    after: async (trip) => {
      if (trip !== 1) return
      await rows(`UPDATE delivery SET due_at = ? WHERE id = ?`, other, id)
      throw new Error('D1_ERROR: Network connection lost.')
    },
  })
  await expect(runDelivery(id, { db })).rejects.toThrow('Network connection lost')
  expect(await deliveryOf(id)).toMatchObject({ state: 'sending', due_at: other })
})
