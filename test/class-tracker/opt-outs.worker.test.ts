import { env, exports } from 'cloudflare:workers'
import { beforeAll, describe, expect, test } from 'vitest'
import { AddRecipient } from '../../src/class-tracker/recipients/contract.ts'
import { settleDeliveries } from '../../src/class-tracker/deliveries/settle-delivery.ts'
import { claimDeliveries } from '../../src/class-tracker/deliveries/claim-delivery.ts'
import { afterSend } from '../../src/class-tracker/deliveries/delivery-rules.ts'
import { unsubscribeToken } from '../../src/notify/unsubscribe-token.ts'
import { makeRecipient } from '../worker/catalog.ts'
import { addressOf, type Channel, makeDelivery, runDelivery } from '../worker/deliveries.ts'
import { one, rows } from '../worker/rows.ts'
import { reply } from '../worker/sms-webhook.ts'
import { addUser, browserOf, type Visitor } from '../worker/visitor.ts'
import { strict } from '../worker/strict.ts'

/** An opt-out belongs to the address: removing its contact, or editing it, does not undo it. */

const site = env.APP_URL
let staff: Visitor

beforeAll(async () => {
  staff = await browserOf(await addUser({ isSuperuser: true }))
})

interface ContactRow {
  id: number
  recipient_id: number
  kind: Channel
  address: string
  opted_out_at: number | null
}

const contactOf = (recipient: number) => one<ContactRow>('SELECT * FROM contact WHERE recipient_id = ?', recipient)

async function save(recipient: number, fields: Record<string, string>) {
  const response = await staff.call('POST', `/class_tracker/add_recipient/${recipient}`, {
    'recipient-name': 'Ada',
    ...fields,
  })
  expect(response.status).toBe(200)
  return strict(AddRecipient).parse(await response.json()).recipient?.phone_numbers ?? []
}

const added = (kind: string, address: string) => ({
  'contact-new-kind': kind,
  'contact-new-number': address,
  'contact-new-is_enabled': 'on',
})

/** What the link in a message to the contact does now. */
async function press({ id, kind, address }: ContactRow, body: string) {
  const token = await unsubscribeToken({ id, kind, address }, env.SECRET_KEY)
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const response = await exports.default.fetch(
    new Request(`${site}/notify/unsubscribe/${token}`, { method: 'POST', body, headers }),
  )
  expect(response.status).toBe(200)
}

/** How a person opts out, by kind of contact. */
async function optOut(contact: ContactRow): Promise<void> {
  if (contact.kind === 'phone') await reply(contact.address, 'STOP')
  else await press(contact, 'List-Unsubscribe=One-Click')
}

async function optIn(contact: ContactRow): Promise<void> {
  if (contact.kind === 'phone') await reply(contact.address, 'START')
  else await press(contact, 'resubscribe=1')
}

/** Another spelling of an address. */
const spelledDifferently = (kind: Channel, address: string): string =>
  ({
    phone: address.replace(/^\+1(\d{3})(\d{3})/, '($1) $2-'),
    email: address.toUpperCase(),
    discord: address.replace('/webhooks/', '/v10/webhooks/') + '/',
    push: address,
  })[kind]

const kinds = ['phone', 'email', 'discord'] as const

describe.each(kinds)('another spelling of an address by %s', (kind) => {
  test('is the same contact, even under another recipient', async () => {
    const [recipient, other] = [await makeRecipient(), await makeRecipient()]
    const address = addressOf(kind)
    await save(recipient, added(kind, address))
    const twin = added(kind, spelledDifferently(kind, address))
    for (const [holder, sentence] of [
      [other, 'This contact already belongs to Ada.'],
      [recipient, 'This recipient already has this contact.'],
    ] as const) {
      const response = await staff.call('POST', `/class_tracker/add_recipient/${holder}`, {
        'recipient-name': 'Ada',
        ...twin,
      })
      expect(response.status).toBe(422)
      expect(await response.text()).toContain(sentence)
    }
    expect(await rows('SELECT id FROM contact WHERE recipient_id = ?', other)).toEqual([])
  })

  test('has the same opt-out', async () => {
    const recipient = await makeRecipient()
    const address = addressOf(kind)
    await save(recipient, added(kind, spelledDifferently(kind, address)))
    await optOut(await contactOf(recipient))
    expect((await staff.call('POST', `/class_tracker/remove_recipient/${recipient}`)).status).toBe(200)
    expect(await save(await makeRecipient(), added(kind, address))).toMatchObject([{ opted_out: true }])
  })
})

describe.each(kinds)('an opt-out by %s', (kind) => {
  async function optedOut() {
    const recipient = await makeRecipient()
    await save(recipient, added(kind, addressOf(kind)))
    const contact = await contactOf(recipient)
    await optOut(contact)
    const { opted_out_at } = await contactOf(recipient)
    expect(opted_out_at).toBeGreaterThan(0)
    return { ...contact, opted_out_at }
  }

  test('is kept when the contact is removed and added again, for any recipient', async () => {
    const { id, address, opted_out_at } = await optedOut()
    expect((await staff.call('POST', `/class_tracker/remove_contact/${id}`)).status).toBe(200)
    const other = await makeRecipient()
    expect(await save(other, added(kind, address))).toMatchObject([{ number: address, opted_out: true }])
    expect((await contactOf(other)).opted_out_at).toBe(opted_out_at)
  })

  test('is kept when the whole recipient is removed', async () => {
    const { recipient_id, address } = await optedOut()
    expect((await staff.call('POST', `/class_tracker/remove_recipient/${recipient_id}`)).status).toBe(200)
    expect(await save(0, added(kind, address))).toMatchObject([{ opted_out: true }])
  })

  test('is kept when the address is edited away and back, and does not apply to the other address', async () => {
    const { id, recipient_id, address, opted_out_at } = await optedOut()
    const edit = (number: string) => save(recipient_id, { [`contact-${id}-number`]: number })
    expect(await edit(addressOf(kind))).toMatchObject([{ opted_out: false }])
    expect(await edit(address)).toMatchObject([{ number: address, opted_out: true }])
    expect((await contactOf(recipient_id)).opted_out_at).toBe(opted_out_at)
  })

  test('stays with the address when two contacts swap theirs', async () => {
    const first = await optedOut()
    const address = addressOf(kind)
    const before = await save(first.recipient_id, added(kind, address))
    expect(before).toMatchObject([{ opted_out: true }, { opted_out: false }])
    const swapped = await save(first.recipient_id, {
      [`contact-${first.id}-number`]: address,
      [`contact-${before[1]?.id}-number`]: first.address,
    })
    expect(swapped).toMatchObject([
      { number: address, opted_out: false },
      { number: first.address, opted_out: true },
    ])
  })

  test('ends once the person opts in, also after the contact was removed and added again', async () => {
    const contact = await optedOut()
    await optIn(contact)
    expect((await contactOf(contact.recipient_id)).opted_out_at).toBeNull()
    await staff.call('POST', `/class_tracker/remove_contact/${contact.id}`)
    expect(await save(contact.recipient_id, added(kind, contact.address))).toMatchObject([{ opted_out: false }])
    await optOut(await contactOf(contact.recipient_id))
    await staff.call('POST', `/class_tracker/remove_contact/${(await contactOf(contact.recipient_id)).id}`)
    expect(await save(contact.recipient_id, added(kind, contact.address))).toMatchObject([{ opted_out: true }])
    await optIn(await contactOf(contact.recipient_id))
    expect((await contactOf(contact.recipient_id)).opted_out_at).toBeNull()
    expect(await rows('SELECT at FROM opt_out WHERE instr(?, address_key)', contact.address)).toEqual([])
  })

  test('is respected for a contact that is added again: nothing is sent', async () => {
    const { id, address } = await optedOut()
    const { address_key } = await one<{ address_key: string }>('SELECT address_key FROM contact WHERE id = ?', id)
    await rows('DELETE FROM contact WHERE id = ?', id)
    const made = await makeDelivery(kind, addressOf(kind))
    await rows(
      'UPDATE contact SET address = ?, address_key = ? WHERE recipient_id = ?',
      address,
      address_key,
      made.recipient,
    )
    expect(await runDelivery(made.id)).toEqual({ state: 'canceled', error: 'Opted out.' })
  })
})

describe('of a phone that no contact has', () => {
  test('STOP and START are recorded', async () => {
    const [stopped, back] = [addressOf('phone'), addressOf('phone')]
    await reply(stopped, 'STOP')
    await reply(back, 'STOP')
    await reply(back, 'START')
    const recipient = await makeRecipient()
    expect(await save(recipient, added('phone', stopped))).toMatchObject([{ opted_out: true }])
    expect(await save(recipient, added('phone', back))).toMatchObject([{ opted_out: true }, { opted_out: false }])
  })

  test('nothing is stored about senders that can be no contact', async () => {
    const before = await rows('SELECT * FROM opt_out')
    for (const from of ['', '12345', 'CLASSES', '+1', `+1${'2'.repeat(40)}`]) await reply(from, 'STOP')
    expect(await rows('SELECT * FROM opt_out')).toEqual(before)
  })
})

describe('an opt-out reported by the provider', () => {
  test('in a response applies to the number it was sent to, even if its contact was removed', async () => {
    const { id, recipient, address } = await makeDelivery('phone')
    const [claim] = await claimDeliveries(env, [{ id, now: Date.now() }])
    if (claim?.kind !== 'claimed') throw new Error('not claimed')
    await staff.call('POST', `/class_tracker/remove_contact/${(await contactOf(recipient)).id}`)
    const refused = {
      kind: 'refused',
      reason: 'Twilio 21610',
      is_permanent: true,
      is_opt_out: true,
      is_address_gone: false,
      retry_after_seconds: null,
    } as const
    const sent = {
      id: 1,
      attempts: 1,
      may_have_arrived: false,
      was_repeated: false,
      is_repeat: false,
      is_resend_safe: false,
      paused_until: null,
    }
    const now = Date.now()
    await settleDeliveries(env, [{ delivery: claim.delivery, settlement: afterSend(refused, sent, now), now }])
    expect(await save(recipient, added('phone', address))).toMatchObject([{ number: address, opted_out: true }])
  })
})

test('every way of writing a contact keeps its remembered address in sync', async () => {
  const [address, other] = [addressOf('email'), addressOf('email')]
  const recipient = await makeRecipient()
  const add = (to: string, at: number | null) =>
    rows(
      "INSERT INTO contact (recipient_id, kind, address, address_key, opted_out_at, created_at) VALUES (?, 'email', ?, ?, ?, 0)",
      recipient,
      to,
      to,
      at,
    )
  const remembered = () =>
    rows('SELECT address_key, at FROM opt_out WHERE address_key IN (?, ?) ORDER BY at', address, other)
  await add(address, 5)
  expect(await remembered()).toEqual([{ address_key: address, at: 5 }])
  await rows(
    'UPDATE contact SET address = ?1, address_key = ?1, opted_out_at = NULL WHERE recipient_id = ?2',
    other,
    recipient,
  )
  expect(await remembered()).toEqual([{ address_key: address, at: 5 }])
  expect(await contactOf(recipient)).toMatchObject({ address: other, opted_out_at: null })
  await rows('UPDATE contact SET opted_out_at = 6 WHERE recipient_id = ?', recipient)
  expect(await remembered()).toHaveLength(2)
  await rows('UPDATE contact SET opted_out_at = NULL WHERE recipient_id = ?', recipient)
  expect(await remembered()).toEqual([{ address_key: address, at: 5 }])
  await rows('DELETE FROM contact WHERE recipient_id = ?', recipient)
  await add(address, null)
  expect(await contactOf(recipient)).toMatchObject({ opted_out_at: 5 })
})

test.each([
  ['a reply of STOP', ({ address }: ContactRow) => reply(address, 'STOP')],
  ['its removal', ({ id }: ContactRow) => staff.call('POST', `/class_tracker/remove_contact/${id}`)],
])('%s that cancels the only message about an opening does not hold back the next opening', async (_, act) => {
  const { id, recipient } = await makeDelivery('phone')
  await rows(
    'UPDATE watch SET last_alert_at = (SELECT created_at FROM delivery WHERE id = ?) WHERE recipient_id = ?',
    id,
    recipient,
  )
  await act(await contactOf(recipient))
  expect(await rows('SELECT state FROM delivery WHERE id = ?', id)).toEqual([{ state: 'canceled' }])
  expect(await rows('SELECT last_alert_at FROM watch WHERE recipient_id = ?', recipient)).toEqual([
    { last_alert_at: null },
  ])
})

test('opt-outs from before addresses were remembered are migrated', async () => {
  const { queries } = env.TEST_MIGRATIONS.find(({ name }) => name === '0012_opt_out.sql') ?? { queries: [] }
  const triggers = queries.flatMap((query) => /CREATE TRIGGER (\w+)/.exec(query)?.[1] ?? [])
  await env.DB.batch(
    [...triggers.map((name) => `TRIGGER ${name}`), 'TABLE opt_out'].map((it) => env.DB.prepare(`DROP ${it}`)),
  )
  const address = addressOf('phone')
  const recipient = await makeRecipient([{ kind: 'phone', address }])
  await rows('UPDATE contact SET opted_out_at = 5 WHERE recipient_id = ?', recipient)
  await env.DB.batch(queries.map((query) => env.DB.prepare(query)))
  await staff.call('POST', `/class_tracker/remove_contact/${(await contactOf(recipient)).id}`)
  expect(await save(recipient, added('phone', address))).toMatchObject([{ opted_out: true }])
})
