import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { releaseDueAlerts } from '../../src/class-tracker/alerts/release-alerts.ts'
import { recordSeen } from '../../src/class-tracker/deliveries/record-seen.ts'
import { recordSmsReports } from '../../src/class-tracker/deliveries/record-sms-report.ts'
import { setStatus } from '../../src/class-tracker/polling/set-status.ts'
import { removeWatchedSection } from '../../src/class-tracker/watches/remove-watched-section.ts'
import { writeTogether } from '../../src/db/query.ts'
import { makeGroup, makeRecipient, makeSection, makeWatch } from '../worker/catalog.ts'
import {
  addAlert,
  addressOf,
  arrivedAt,
  deliveryOf,
  makeDeliveries,
  makeDelivery,
  runDelivery,
  runToTheEnd,
  setProviderTimeout,
} from '../worker/deliveries.ts'
import { subscription } from '../worker/devices.ts'
import { pollSees } from '../worker/poll-sees.ts'
import { one, rows } from '../worker/rows.ts'
import { trackerStaff } from '../worker/tracker-staff.ts'
import { watchedDatabase } from '../worker/watched-database.ts'
import { world } from '../worker/world.ts'

/** If nobody was notified of an opening, the next one is announced immediately, even if it was already being held back. */

beforeEach(() => setProviderTimeout(400))
afterEach(() => world.clearFaults())

async function openedSeat() {
  const at = Date.now() - 60_000
  const group = await makeGroup({ read_at: at })
  const section = await makeSection(group, '10001')
  await makeWatch(await makeRecipient([{ kind: 'phone', address: addressOf('phone') }]), section)
  const { delivery_ids } = await pollSees(group, at + 1000, 'open')
  const newest = async () => {
    await releaseDueAlerts(env.DB, crypto.randomUUID(), Date.now() + 60_000)
    return one<{ is_released: number }>(
      'SELECT poll_id IS NOT NULL AS is_released FROM class_alert WHERE section_id = ? ORDER BY id DESC LIMIT 1',
      section,
    )
  }
  return { at, group, id: delivery_ids[0] ?? 0, newest }
}

test('an opening held back for a text that its provider then could not deliver is announced within a minute', async () => {
  const { at, group, id, newest } = await openedSeat()
  expect(await runDelivery(id)).toMatchObject({ state: 'sent' })
  await pollSees(group, at + 15_000, 'closed')
  await pollSees(group, at + 30_000, 'open')
  const { provider_id: sid } = await deliveryOf(id)
  const report = { sid: sid ?? '', status: 'undelivered', error_code: '30003', message: null } as const
  await recordSmsReports(env.DB, [report], Date.now())
  expect(await newest()).toEqual({ is_released: 1 })
})

test('so is one held back for a message that ended as gone while the seat opened again', async () => {
  const { at, group, id, newest } = await openedSeat()
  await pollSees(group, at + 15_000, 'closed')
  const db = watchedDatabase({
    before: async (trip) => {
      if (trip === 2) await pollSees(group, at + 30_000, 'open')
    },
  })
  await runDelivery(id, { db })
  expect(await deliveryOf(id)).toMatchObject({ state: 'gone' })
  expect(await newest()).toEqual({ is_released: 1 })
})

/** Another open section that the recipient watches, with its alert in these deliveries. */
async function addSection(recipient: number, deliveries: readonly number[]): Promise<number> {
  const section = await makeSection(await makeGroup({ read_at: Date.now() }), '77777', 'open', 2)
  await makeWatch(recipient, section)
  const { poll_id } = await one<{ poll_id: string }>('SELECT poll_id FROM delivery WHERE id = ?', deliveries[0])
  const alert = await addAlert(poll_id, recipient, section)
  for (const id of deliveries) await rows('INSERT INTO delivery_alert (delivery_id, alert_id) VALUES (?, ?)', id, alert)
  return section
}

const fill = (section: number) =>
  rows(`UPDATE section SET status = 'closed', seats_available = 0 WHERE id = ?`, section)

test('a section that a seen notification left out does not count as told by the text that was then not needed', async () => {
  const { endpoint, p256dh, auth } = await subscription()
  const device = { kind: 'push', address: `${endpoint}#${p256dh}.${auth}` } as const
  const [text, push] = await makeDeliveries([{ kind: 'phone', address: addressOf('phone') }, device])
  if (!text || !push) throw new Error('The deliveries were not made.')
  const left = await addSection(text.recipient, [text.id, push.id])
  const at = Date.now()
  await rows('UPDATE delivery SET created_at = ? WHERE id IN (?, ?)', at, text.id, push.id)
  await rows('UPDATE watch SET last_alert_at = ?, is_new = 0 WHERE recipient_id = ?', at, text.recipient)
  await rows(`UPDATE delivery SET state = 'waiting', due_at = ? WHERE id = ?`, at + 20_000, text.id)
  await fill(left)
  await runDelivery(push.id)
  const { poll_id } = await one<{ poll_id: string }>('SELECT poll_id FROM delivery WHERE id = ?', push.id)
  const seen = { delivery_id: push.id, poll_id, recipient_id: push.recipient }
  await writeTogether(env.DB, recordSeen(seen, 'shown', Date.now()))
  expect(await deliveryOf(text.id)).toMatchObject({ state: 'not_needed' })
  await setStatus(env, trackerStaff, [left], { status: 'open', seats_available: 1 }, Date.now())
  const alerts = await rows('SELECT release_at FROM class_alert WHERE section_id = ? ORDER BY id', left)
  expect(alerts.at(-1)).toEqual({ release_at: null })
})

test('a text that certainly did not arrive is not repeated with a seat that is gone', async () => {
  await world.fault('sms', 'reset', 1)
  const made = await makeDelivery('phone')
  const left = await addSection(made.recipient, [made.id])
  await runDelivery(made.id)
  expect(await deliveryOf(made.id)).toMatchObject({ state: 'unconfirmed' })
  await fill(left)
  expect(await runToTheEnd(made.id)).toMatchObject({ state: 'sent' })
  const arrived = await arrivedAt(made.address)
  expect(arrived).toEqual([expect.stringContaining('10001')])
  expect(arrived).toEqual([expect.not.stringContaining('77777')])
})

test('nor with a section that its recipient no longer watches', async () => {
  await world.fault('sms', 'reset', 1)
  const made = await makeDelivery('phone')
  const left = await addSection(made.recipient, [made.id])
  await runDelivery(made.id)
  expect(await deliveryOf(made.id)).toMatchObject({ state: 'unconfirmed' })
  await removeWatchedSection(env.DB, trackerStaff, { recipientId: made.recipient, sectionId: left }, Date.now())
  expect(await runToTheEnd(made.id)).toMatchObject({ state: 'sent' })
  const arrived = await arrivedAt(made.address)
  expect(arrived).toEqual([expect.stringContaining('10001')])
  expect(arrived).toEqual([expect.not.stringContaining('77777')])
})
