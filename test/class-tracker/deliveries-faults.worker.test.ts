import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { RunAgain } from '../../src/jobs/job.ts'
import { runAtMost } from '../../src/lib/collections.ts'
import {
  addressOf,
  arrivedAt,
  comeDue,
  deliveryOf,
  makeDelivery,
  makeMany,
  runDelivery,
  runToTheEnd,
  setProviderTimeout,
} from '../worker/deliveries.ts'
import { sendUnpaced } from '../worker/pacers.ts'
import { world } from '../worker/world.ts'

beforeEach(async () => {
  await setProviderTimeout(250)
  await sendUnpaced()
})
afterEach(() => world.clearFaults())

/** How long a healthy provider may take on a busy machine, in ms. With less, its answers would count as faults. */
const AMPLE_MS = 10_000
/** How long a provider is given that never answers anything, in ms: the least that the setting allows. */
const SHORT_MS = 100
const refusing = ['http_429']
/** The outcome is unknown to us, and the provider did nothing. */
const takingNothing = ['http_500', 'timeout', 'reset', 'maintenance_html', 'empty']
/** The outcome is unknown to us, and the provider accepted the message. */
const taking = ['truncated', 'slow', 'accept_then_timeout', 'accept_then_reset']
const services = [
  ['sms', 'phone'],
  ['email', 'email'],
] as const

describe.each(services)('a temporary fault of the %s provider', (service, channel) => {
  test.each([...refusing, ...takingNothing, ...taking])('%s: one message arrives, and no second', async (mode) => {
    await world.fault(service, mode, 1)
    const { id, address } = await makeDelivery(channel)
    expect(await runDelivery(id)).toBeInstanceOf(RunAgain)
    const inBetween = await deliveryOf(id)
    expect(inBetween.state).toBe(refusing.includes(mode) ? 'queued' : 'unconfirmed')
    expect(inBetween.accepted_at).toBeNull()
    expect(inBetween.last_error).not.toBeNull()
    await world.clearFaults()
    await setProviderTimeout(AMPLE_MS)
    const { waited, ...delivery } = await runToTheEnd(id)
    // Nobody waits longer for a message that the provider did not accept.
    if (takingNothing.includes(mode)) expect(waited).toBeLessThan(30_000)
    expect(delivery).toMatchObject({ state: 'sent', is_repeated: 0, last_error: null })
    expect(delivery.provider_id).not.toBeNull()
    expect(await arrivedAt(address)).toHaveLength(1)
  })
})

describe.each(services)('a permanent fault of the %s provider', (service, channel) => {
  test.each(takingNothing)('%s: the message ends as failed or expired, never as sent', async (mode) => {
    if (mode === 'timeout') await setProviderTimeout(SHORT_MS)
    await world.fault(service, mode)
    const { id, address } = await makeDelivery(channel)
    const delivery = await runToTheEnd(id)
    expect(delivery).toMatchObject({ accepted_at: null, provider_id: null })
    expect(delivery.state).toMatch(/^(?:failed|expired)$/)
    expect(delivery.attempts).toBeLessThanOrEqual(20)
    expect(await arrivedAt(address)).toEqual([])
  })

  test.each(['accept_then_timeout', 'accept_then_reset'])(
    '%s: no second message while the provider can be asked',
    async (mode) => {
      // Asked for its list, the SMS provider answers.
      if (mode === 'accept_then_timeout' && service === 'email') await setProviderTimeout(SHORT_MS)
      await world.fault(service, mode)
      const { id, address } = await makeDelivery(channel)
      await runToTheEnd(id)
      expect(await arrivedAt(address)).toHaveLength(1)
      expect((await deliveryOf(id)).is_repeated).toBe(0)
    },
  )
})

describe('a provider that cannot be asked', () => {
  test('by phone: one repeat after two minutes with the same text, shown as such', async () => {
    await world.fault('sms', 'accept_then_reset', 1)
    const { id, address } = await makeDelivery('phone')
    await runDelivery(id)
    const { tried_at } = await deliveryOf(id)
    // From here on its list is broken. It works again by the time the repeat is sent.
    for (let asked = 0; (await deliveryOf(id)).due_at < (tried_at ?? 0) + 120_000 && asked < 20; asked += 1) {
      await world.fault('sms', 'http_500', 1)
      const now = (await deliveryOf(id)).due_at
      expect(await runDelivery(id, { now: () => now })).toBeInstanceOf(RunAgain)
      expect((await deliveryOf(id)).attempts).toBe(1)
    }
    expect(await arrivedAt(address)).toHaveLength(1)
    await world.fault('sms', 'truncated', 1)
    const delivery = await runToTheEnd(id)
    expect(delivery).toMatchObject({ state: 'sent', is_repeated: 1, attempts: 2 })
    const [first, second, ...others] = await arrivedAt(address)
    expect(second).toBe(first)
    expect(others).toEqual([])
  })

  test('by Discord: an ambiguous message is repeated exactly once', async () => {
    await world.fault('discord', 'truncated')
    const { id, address } = await makeDelivery('discord')
    expect(await runToTheEnd(id)).toMatchObject({
      state: 'failed',
      is_repeated: 1,
      attempts: 2,
      accepted_at: null,
    })
    expect((await deliveryOf(id)).last_error).toMatch(/It may have arrived\.$/)
    expect(await arrivedAt(address)).toHaveLength(2)
  })

  test('by Discord: not before two minutes have passed', async () => {
    await world.fault('discord', 'reset', 1)
    const { id, address } = await makeDelivery('discord')
    await runDelivery(id)
    const { tried_at } = await deliveryOf(id)
    const early = (tried_at ?? 0) + 119_000
    await runDelivery(id, { now: () => early })
    expect(await arrivedAt(address)).toEqual([])
    expect(await deliveryOf(id)).toMatchObject({ state: 'unconfirmed', due_at: (tried_at ?? 0) + 120_000 })
    expect(await runToTheEnd(id)).toMatchObject({ state: 'sent', is_repeated: 1 })
  })
})

test('the text of an ambiguous message does not change, whatever happens to the section', async () => {
  await world.fault('email', 'accept_then_reset', 1)
  const { id, section, address } = await makeDelivery('email')
  await runDelivery(id)
  await env.DB.prepare('UPDATE section SET seats_available = 17 WHERE id = ?').bind(section).run()
  // With a different text the provider would reject the key, and the message would look failed although it arrived.
  expect(await runToTheEnd(id)).toMatchObject({ state: 'sent', attempts: 2 })
  expect(await arrivedAt(address)).toHaveLength(1)
})

test("an ambiguous message is looked up where it was sent, even if the contact's address changed", async () => {
  await world.fault('sms', 'accept_then_reset', 1)
  const { id, recipient, address } = await makeDelivery('phone')
  await runDelivery(id)
  const moved = addressOf('phone')
  await env.DB.prepare('UPDATE contact SET address = ? WHERE recipient_id = ?').bind(moved, recipient).run()
  expect(await runToTheEnd(id)).toMatchObject({ state: 'sent', attempts: 1, address })
  expect(await arrivedAt(address)).toHaveLength(1)
  expect(await arrivedAt(moved)).toEqual([])
})

test('many messages arrive exactly once through every fault', async () => {
  await setProviderTimeout(400)
  // An empty list is the one lie that a lookup cannot detect, so it may occur only if nothing is ambiguous.
  const modes = [...refusing, ...takingNothing, ...taking].filter((mode) => mode !== 'empty' && mode !== 'slow')
  // Each fault meets each channel four times.
  const faults = modes.flatMap((mode) => Array<string>(8).fill(mode))
  const made = await makeMany(faults.length, ['phone', 'email'])
  await runAtMost(6, made, async ({ id }, place) => {
    for (const service of ['sms', 'email']) await world.fault(service, faults[place] ?? 'reset')
    await runDelivery(id)
    await comeDue(id)
    await runDelivery(id)
  })
  await world.clearFaults()
  await setProviderTimeout(AMPLE_MS)
  await runAtMost(6, made, ({ id }) => runToTheEnd(id))
  const states = await Promise.all(made.map(({ id }) => deliveryOf(id)))
  expect(states.filter(({ state }) => state !== 'sent')).toEqual([])
  const { sms, email } = await world.outbox()
  const arrived = [...sms, ...email].map(({ to }) => to)
  for (const { address } of made) expect(arrived.filter((to) => to === address)).toEqual([address])
})
