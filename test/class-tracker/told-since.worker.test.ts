import { env } from 'cloudflare:workers'
import { beforeEach, expect, test } from 'vitest'
import { claimDeliveries } from '../../src/class-tracker/deliveries/claim-delivery.ts'
import { sendAlertEmails } from '../../src/class-tracker/deliveries/send-alert-emails.ts'
import { type MadeGroup, makeGroup, makeRecipient, makeSection, makeWatch } from '../worker/catalog.ts'
import { addAlert, addressOf, arrivedAt, type Channel, deliveryOf, runDelivery } from '../worker/deliveries.ts'
import { minute } from '../worker/held.ts'
import { runContext, unheard } from '../worker/job-context.ts'
import { forgetPacers } from '../worker/pacers.ts'
import { pollSees } from '../worker/poll-sees.ts'
import { rows } from '../worker/rows.ts'
import { world } from '../worker/world.ts'

/** Seats may close and open again while messages wait a long time for their turns. Each person still gets one true message. */

beforeEach(() => forgetPacers(['sms', 'mail']))

/** A section that opened twice while no message could be sent, and the messages of both openings. */
async function openedTwice(channel: Channel) {
  const at = Date.now() - 30 * minute
  const group = await makeGroup({ read_at: at })
  const section = await makeSection(group, '10001')
  const address = addressOf(channel)
  const recipient = await makeRecipient([{ kind: channel, address }])
  await makeWatch(recipient, section)
  const sent = await opensAt(group, [at + minute, at + 15 * minute])
  return { address, recipient, section, group, sent }
}

async function opensAt(group: MadeGroup, times: readonly number[]): Promise<number[]> {
  const ids: number[] = []
  for (const at of times) {
    await pollSees(group, at - 1000, 'closed')
    ids.push(...(await pollSees(group, at, 'open')).delivery_ids)
  }
  return ids
}

const alertsOf = (id: number) =>
  rows<{ alert_id: number }>('SELECT alert_id FROM delivery_alert WHERE delivery_id = ?', id)

test('a text is not sent after an earlier one that was written when its seat was open again', async () => {
  const { address, section, sent } = await openedTwice('phone')
  const [told = 0, repeated = 0] = sent
  await runDelivery(told)
  expect(await runDelivery(repeated)).toEqual({
    state: 'canceled',
    error: 'An earlier message is about the same section.',
  })
  expect(await arrivedAt(address)).toHaveLength(1)
  // The one text covered both alerts, so the next one is held back as usual.
  expect(await alertsOf(told)).toHaveLength(2)
  const [watch] = await rows('SELECT last_alert_at IS NULL AS is_free FROM watch WHERE section_id = ?', section)
  expect(watch).toEqual({ is_free: 0 })
})

test('a text is not sent after a later one about its section that went first', async () => {
  const { address, recipient, sent } = await openedTwice('phone')
  const [first = 0, second = 0] = sent
  const other = await makeSection(await makeGroup({ read_at: Date.now() }), '77777', 'open', 2)
  await makeWatch(recipient, other)
  const alsoOther = await addAlert('other', recipient, other)
  expect(await runDelivery(second)).toMatchObject({ state: 'sent' })
  expect(await runDelivery(first)).toEqual({ state: 'canceled', error: 'A later message is about the same section.' })
  expect(await arrivedAt(address)).toHaveLength(1)
  // One about other sections, too, is sent without it.
  await rows("UPDATE delivery SET state = 'queued', due_at = 0 WHERE id = ?", first)
  await rows('INSERT INTO delivery_alert (delivery_id, alert_id) VALUES (?, ?)', first, alsoOther)
  expect(await runDelivery(first)).toMatchObject({ state: 'sent' })
  expect((await arrivedAt(address))[1]).toMatch(/^(?!.*10001).*77777/)
})

test('a later text that a runner has just claimed is not sent either', async () => {
  const { address, sent } = await openedTwice('phone')
  const [first = 0, second = 0] = sent
  const [claim] = await claimDeliveries(env, [{ id: second, now: Date.now() }])
  expect(claim?.kind).toBe('claimed')
  await runDelivery(first)
  expect(await deliveryOf(second)).toMatchObject({ state: 'canceled' })
  expect(await arrivedAt(address)).toHaveLength(1)
})

test('nor is an email of a batch', async () => {
  const { address, sent } = await openedTwice('email')
  for (const id of sent) {
    const [row] = await rows<{ poll_id: string }>('SELECT poll_id FROM delivery WHERE id = ?', id)
    const context = runContext({ env: { ...env, LEDGER: unheard } })
    await sendAlertEmails.runWithRawInput(context, { poll_id: row?.poll_id ?? '' })
    await forgetPacers(['mail'])
  }
  expect(await arrivedAt(address)).toHaveLength(1)
  expect(await deliveryOf(sent[1] ?? 0)).toMatchObject({ state: 'canceled', attempts: 0 })
})

test('one about other sections, too, is sent without those told of', async () => {
  const { address, recipient, sent } = await openedTwice('phone')
  const other = await makeSection(await makeGroup({ read_at: Date.now() }), '77777', 'open', 2)
  await makeWatch(recipient, other)
  const [first = 0, second = 0] = sent
  const alert = await addAlert('other', recipient, other)
  await rows('INSERT INTO delivery_alert (delivery_id, alert_id) VALUES (?, ?)', second, alert)
  await runDelivery(first)
  expect(await runDelivery(second)).toMatchObject({ state: 'sent' })
  expect(await arrivedAt(address)).toEqual([
    expect.stringContaining('10001'),
    expect.stringMatching(/^(?!.*10001).*77777/),
  ])
})

test('an earlier text that failed, or was written before the seat opened again, replaces none', async () => {
  const { address, group, sent } = await openedTwice('phone')
  const [first = 0, second = 0] = sent
  await world.fault('sms', 'http_500', 1)
  await runDelivery(first)
  expect(await deliveryOf(first)).toMatchObject({ state: 'unconfirmed' })
  expect(await runDelivery(second)).toMatchObject({ state: 'sent' })
  await rows('UPDATE watch SET last_alert_at = last_alert_at - ?', 15 * minute)
  const [third = 0] = await opensAt(group, [Date.now()])
  expect(await runDelivery(third)).toMatchObject({ state: 'sent' })
  expect(await arrivedAt(address)).toHaveLength(2)
})
