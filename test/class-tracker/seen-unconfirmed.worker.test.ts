import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { recordSeen } from '../../src/class-tracker/deliveries/record-seen.ts'
import { writeTogether } from '../../src/db/query.ts'
import {
  addressOf,
  arrivedAt,
  comeDue,
  deliveryOf,
  type MadeDelivery,
  makeDeliveries,
  runDelivery,
  runToTheEnd,
  setProviderTimeout,
} from '../worker/deliveries.ts'
import { sendUnpaced } from '../worker/pacers.ts'
import { one, rows } from '../worker/rows.ts'
import { world } from '../worker/world.ts'

beforeEach(async () => {
  await setProviderTimeout(250)
  await sendUnpaced()
})
afterEach(() => world.clearFaults())

/** A text and an email about the same opening. */
async function makeBoth(): Promise<{ text: MadeDelivery; mail: MadeDelivery }> {
  const addresses = [
    { kind: 'phone' as const, address: addressOf('phone') },
    { kind: 'email' as const, address: addressOf('email') },
  ]
  const [text, mail] = await makeDeliveries(addresses)
  if (!text || !mail) throw new Error('There are not two messages.')
  return { text, mail }
}

/** A button of the message's page is pressed. */
async function see({ id, recipient }: MadeDelivery): Promise<void> {
  const { poll_id } = await one<{ poll_id: string }>('SELECT poll_id FROM delivery WHERE id = ?', id)
  await writeTogether(env.DB, recordSeen({ delivery_id: id, poll_id, recipient_id: recipient }, 'got_it', Date.now()))
}

/** The outcome of the text is unknown, because its provider failed in this way. */
async function leaveUnconfirmed({ id }: MadeDelivery, mode: string): Promise<void> {
  await world.fault('sms', mode, 1)
  await runDelivery(id)
  await world.clearFaults()
  expect((await deliveryOf(id)).state).toBe('unconfirmed')
}

describe('an ambiguous text whose recipient has seen another message about the same opening', () => {
  test('that did not arrive is not sent again', async () => {
    const { text, mail } = await makeBoth()
    await leaveUnconfirmed(text, 'http_500')
    await see(mail)
    expect(await runToTheEnd(text.id)).toMatchObject({ state: 'not_needed', body: null, last_error: 'Seen elsewhere.' })
    expect(await arrivedAt(text.address)).toEqual([])
  })

  test('that arrived is found, and shown as sent', async () => {
    const { text, mail } = await makeBoth()
    await leaveUnconfirmed(text, 'accept_then_reset')
    await see(mail)
    expect(await runToTheEnd(text.id)).toMatchObject({ state: 'sent', last_error: null })
    expect(await arrivedAt(text.address)).toHaveLength(1)
  })

  test('is not repeated if the provider cannot be asked', async () => {
    const { text, mail } = await makeBoth()
    await leaveUnconfirmed(text, 'accept_then_reset')
    await see(mail)
    await world.fault('sms', 'http_500')
    const end = await runToTheEnd(text.id)
    expect(end).toMatchObject({
      state: 'not_needed',
      is_repeated: 0,
      last_error: 'Seen elsewhere. It may have arrived.',
    })
    expect(await arrivedAt(text.address)).toHaveLength(1)
  })

  test('is still sent again to recipients who want texts at once, and by the Retry button', async () => {
    const { text, mail } = await makeBoth()
    await rows('UPDATE recipient SET is_sms_at_once = 1 WHERE id = ?', text.recipient)
    await leaveUnconfirmed(text, 'http_500')
    await see(mail)
    expect(await runToTheEnd(text.id)).toMatchObject({ state: 'sent' })

    const retried = await makeBoth()
    await leaveUnconfirmed(retried.text, 'http_500')
    await see(retried.mail)
    await rows('UPDATE delivery SET asked_at = ? WHERE id = ?', Date.now() + 1, retried.text.id)
    expect(await runToTheEnd(retried.text.id)).toMatchObject({ state: 'sent' })
  })
})

test('a temporarily refused text is canceled once its recipient has seen another message', async () => {
  const { text, mail } = await makeBoth()
  await world.fault('sms', 'http_429', 1)
  await runDelivery(text.id)
  await world.clearFaults()
  // The receipt arrived during the request, when the text itself is not changed.
  await rows("UPDATE delivery SET seen_at = ?, seen_by = 'got_it' WHERE id = ?", Date.now(), mail.id)
  expect(await runToTheEnd(text.id)).toMatchObject({ state: 'not_needed' })
  expect(await arrivedAt(text.address)).toEqual([])
})

test('an ambiguous message that was itself seen has arrived: nothing more is sent, even if its provider cannot be asked', async () => {
  const [discord] = await makeDeliveries([{ kind: 'discord', address: addressOf('discord') }])
  if (!discord) throw new Error('There is no message.')
  await world.fault('discord', 'truncated')
  await runDelivery(discord.id)
  await see(discord)
  await comeDue(discord.id)
  await runDelivery(discord.id)
  expect(await deliveryOf(discord.id)).toMatchObject({ state: 'sent', is_repeated: 0, accepted_at: expect.any(Number) })
  expect(await arrivedAt(discord.address)).toHaveLength(1)
})
