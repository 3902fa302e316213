import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { claimDeliveries } from '../../src/class-tracker/deliveries/claim-delivery.ts'
import { claimFirstTries } from '../../src/class-tracker/deliveries/mail-batch.ts'
import { retryDelivery } from '../../src/class-tracker/deliveries/retry-delivery.ts'
import { wakeHeld } from '../../src/class-tracker/deliveries/wake-held.ts'
import { makeGroup, makeRecipient, makeSection, makeWatch } from '../worker/catalog.ts'
import { addressOf, arrivedAt, deliveryOf, makeDelivery, runDelivery, runToTheEnd } from '../worker/deliveries.ts'
import { unheard } from '../worker/job-context.ts'
import { pollSees } from '../worker/poll-sees.ts'
import { rows } from '../worker/rows.ts'
import { trackerStaff } from '../worker/tracker-staff.ts'
import { world } from '../worker/world.ts'
import { hour, start, sweepAt, scene, freshKey } from '../worker/held.ts'

/** What quiet hours and pauses do to messages that were tried before. */

describe('an old message that a person retries', () => {
  const at = start + 9 * hour
  const later = at + 3 * hour
  const retry = (id: number | undefined, now: number) =>
    retryDelivery({ ...env, LEDGER: unheard }, trackerStaff, id ?? 0, now)

  async function failedPush(body: string | null) {
    const { group, recipient, deliveries } = await scene({})
    await pollSees(group, at, 'open')
    await rows("UPDATE delivery SET state = 'failed', body = ? WHERE recipient_id = ?", body, recipient)
    const [, push] = await deliveries()
    return { group, push, pushNow: async () => (await deliveries())[1] }
  }

  test('is sent at once if its section was just seen open', async () => {
    const { group, push } = await failedPush(null)
    await pollSees(group, later, 'open')
    expect(await retry(push?.id, later)).toMatchObject({ state: 'queued' })
  })

  test('waits for the school to answer if it has not lately', async () => {
    const { group, push, pushNow } = await failedPush(null)
    expect(await retry(push?.id, later)).toMatchObject({ state: 'held' })
    await sweepAt(later)
    expect(await pushNow()).toMatchObject({ state: 'held' })
    await pollSees(group, later + hour, 'open')
    await sweepAt(later + hour)
    expect(await pushNow()).toMatchObject({ state: 'queued' })
  })

  test('is looked up but not sent again if it may have arrived and the school has not answered lately', async () => {
    const { push } = await failedPush('{}')
    expect(await retry(push?.id, later)).toMatchObject({ state: 'unconfirmed' })
    expect(await claimDeliveries(env, [{ id: push?.id ?? 0, now: later }])).toMatchObject([
      { kind: 'claimed', delivery: { cancellation: { state: 'expired' } } },
    ])
  })
})

describe('a message that is not being sent when a pause begins', () => {
  const at = start + 9 * hour
  const end = at + 24 * hour
  const claim = (id: number) => claimDeliveries(env, [{ id, now: at + 1000 }])

  test('is held by the runner that claims it', async () => {
    const { group, recipient, deliveries } = await scene({})
    await pollSees(group, at, 'open')
    await rows('UPDATE recipient SET paused_until = ? WHERE id = ?', end, recipient)
    const [, push] = await deliveries()
    expect(await claim(push?.id ?? 0)).toMatchObject([{ kind: 'not_ours', status: { state: 'held', due_at: end } }])
    expect((await deliveries())[1]).toMatchObject({ state: 'held', asked_at: end, attempts: 0 })
    await pollSees(group, end, 'open')
    await sweepAt(end)
    expect((await deliveries())[1]).toMatchObject({ state: 'queued', due_at: end })
  })

  test('is held even if it would be sent in one request with others', async () => {
    const group = await makeGroup()
    const section = await makeSection(group, freshKey())
    const people = [1, 2].map(() => makeRecipient([{ kind: 'email', address: addressOf('email') }]))
    const [awake = 0, paused = 0] = await Promise.all(people)
    for (const recipient of [awake, paused]) await makeWatch(recipient, section)
    await pollSees(group, at, 'open')
    await rows('UPDATE recipient SET paused_until = ? WHERE id = ?', end, paused)
    const [{ poll_id: pollId } = { poll_id: '' }] = await rows<{ poll_id: string }>(
      'SELECT poll_id FROM delivery WHERE recipient_id = ?',
      awake,
    )
    const batch = await claimFirstTries(env.DB, { key: 'held', pollId, most: 10, now: at + 1000 })
    expect(batch.members.map(({ recipient }) => recipient.id)).toEqual([awake])
    expect(await rows('SELECT state, batch_key, due_at FROM delivery WHERE recipient_id = ?', paused)).toEqual([
      { state: 'held', batch_key: null, due_at: end },
    ])
  })

  test('is followed up if it may have arrived', async () => {
    const { group, recipient, deliveries } = await scene({})
    await pollSees(group, at, 'open')
    const [, push] = await deliveries()
    await rows("UPDATE delivery SET state = 'unconfirmed', body = '{}' WHERE id = ?", push?.id)
    await rows('UPDATE recipient SET paused_until = ? WHERE id = ?', end, recipient)
    expect(await claim(push?.id ?? 0)).toMatchObject([{ kind: 'claimed' }])
  })
})

test('a text that certainly did not arrive before a pause is a new one after it', async () => {
  const { id, address, recipient } = await makeDelivery('phone')
  await world.fault('sms', 'http_500', 1)
  await runDelivery(id)
  await world.clearFaults()
  expect(await deliveryOf(id)).toMatchObject({ state: 'unconfirmed' })
  const pausedUntil = Date.now() + hour
  await rows('UPDATE recipient SET paused_until = ? WHERE id = ?', pausedUntil, recipient)
  expect(await runToTheEnd(id)).toMatchObject({ state: 'held', due_at: pausedUntil })
  expect(await arrivedAt(address)).toEqual([])
  await rows('UPDATE recipient SET paused_until = NULL WHERE id = ?', recipient)
  await rows('UPDATE delivery SET due_at = ?1, asked_at = ?1 WHERE id = ?2', Date.now(), id)
  await wakeHeld(env.DB, Date.now())
  expect(await runToTheEnd(id)).toMatchObject({ state: 'sent', is_repeated: 0 })
  expect(await arrivedAt(address)).toHaveLength(1)
})
