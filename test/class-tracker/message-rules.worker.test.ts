import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { Delivery } from '../../src/class-tracker/alerts/contract.ts'
import { AlertLinkProps } from '../../src/class-tracker/links/contract.ts'
import { settings } from '../../src/class-tracker/admin/known-settings.ts'
import { reportChange } from '../../src/class-tracker/deliveries/report-change.ts'
import { saveRecipient } from '../../src/class-tracker/recipients/save-recipient.ts'
import { sources } from '../../src/sources/sources.ts'
import { addressOf, arrivedAt, type Channel, makeDeliveries, runDelivery } from '../worker/deliveries.ts'
import { one, rows } from '../worker/rows.ts'
import { strict } from '../worker/strict.ts'
import { trackerStaff } from '../worker/tracker-staff.ts'
import { Visitor } from '../worker/visitor.ts'

/** Agreed facts about messages that no other test covers. */

const stateOf = async (id: number) =>
  (await one<{ state: string }>('SELECT state FROM delivery WHERE id = ?', id)).state

/** A recipient with these contacts whose first message was sent, and the path of its page. */
async function sentTo(...kinds: readonly [Channel, ...Channel[]]) {
  const made = await makeDeliveries(kinds.map((kind) => ({ kind, address: addressOf(kind) })))
  const [first] = made
  if (!first) throw new Error('nothing was made')
  await runDelivery(first.id)
  const { link_code } = await one<{ link_code: string }>('SELECT link_code FROM delivery WHERE id = ?', first.id)
  return { made, first, path: `/s/${link_code}` }
}

test('settings have the agreed initial values', () => {
  expect(Object.fromEntries(settings.map((known) => [known.name, known.default]))).toMatchObject({
    product_name: 'Class Cords',
    sms_after_seconds: 20,
    fair_turns: 'off',
    wave_seconds: 60,
    alert_expires_minutes: 120,
    database_limit_gb: 10,
  })
})

test("a section number has the label of its school's system", () => {
  expect(Object.fromEntries([...sources].map(([kind, source]) => [kind, source.number_label]))).toMatchObject({
    banner9: 'CRN',
    banner8: 'CRN',
    cuny: 'Class #',
    hcx: 'Class #',
    colleague: 'Synonym',
    rutgers: 'Index',
  })
})

test('message states are the agreed ones', () => {
  const agreed = 'waiting held queued sent delivered opened unconfirmed failed gone expired not_needed canceled'.split(
    ' ',
  )
  expect(Delivery.shape.state.options.toSorted()).toEqual(agreed.toSorted())
})

test('the page data of a message has the agreed fields', async () => {
  const { path } = await sentTo('email')
  const { data } = await new Visitor().see(path)
  const props = strict(AlertLinkProps).parse(data.props)
  expect(Object.keys(props).toSorted()).toEqual(['alerts', 'can_push'])
  expect(Object.keys(props.alerts[0] ?? {}).toSorted()).toEqual(
    ['course_section', 'kind', 'now', 'opened_at', 'register_url'].toSorted(),
  )
})

test('an opened link leaves a text waiting, and a stop cancels it without marking it as seen', async () => {
  const { made, path } = await sentTo('email', 'phone')
  const text = made[1]?.id ?? 0
  await rows("UPDATE delivery SET state = 'waiting', due_at = due_at + 60000 WHERE id = ?", text)
  const visitor = new Visitor()
  await visitor.see(path)
  await visitor.fetch(path, { method: 'HEAD' })
  await visitor.submit(`${path}/opened/`, {})
  expect(await stateOf(text)).toBe('waiting')
  await visitor.submit(`${path}/stop_all/`, {})
  expect(await stateOf(text)).toBe('canceled')
})

test('a channel without reports ends at sent', async () => {
  for (const kind of ['email', 'discord'] as const) {
    const { first } = await sentTo(kind)
    expect(await stateOf(first.id)).toBe('sent')
  }
})

test("only emails link to the recipient's own page, not texts or shared channels", async () => {
  const { made, first } = await sentTo('email', 'phone', 'discord')
  for (const { id } of made) await runDelivery(id)
  for (const change of ['stopped', 'device_removed', 'switched_off', 'paused', 'unwatched'] as const)
    await reportChange(env, first.recipient, { change, at: Date.now() })
  for (const { address } of made) {
    await expect.poll(() => arrivedAt(address)).toHaveLength(6)
    const own = (await arrivedAt(address)).filter((text) => text.includes('/r/'))
    expect([address, own.length]).toEqual([address, address.includes('@') ? 5 : 0])
  }
})

test('staff cannot type a device', async () => {
  const form = new FormData()
  for (const [name, value] of Object.entries({
    'recipient-name': 'Ada',
    'contact-new-kind': 'push',
    'contact-new-number': 'https://web.push.apple.com/a#b.c',
  }))
    form.set(name, value)
  const { is_saved, answer } = await saveRecipient(
    env,
    trackerStaff,
    { recipientId: 0, posted: form, csrfToken: 'x' },
    Date.now(),
  )
  expect([is_saved, answer.recipient]).toEqual([false, null])
})
