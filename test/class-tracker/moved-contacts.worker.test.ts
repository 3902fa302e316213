import { env } from 'cloudflare:workers'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { deliveryKey, sendDelivery } from '../../src/class-tracker/deliveries/send-delivery.ts'
import { sendAlertEmails } from '../../src/class-tracker/deliveries/send-alert-emails.ts'
import { retryDelivery } from '../../src/class-tracker/deliveries/retry-delivery.ts'
import { sweepAlerts } from '../../src/class-tracker/deliveries/sweep-alerts.ts'
import { wakeHeld } from '../../src/class-tracker/deliveries/wake-held.ts'
import {
  addressOf,
  arrivedAt,
  type Channel,
  comeDue,
  deliveryOf,
  inputOf,
  makeDelivery,
  type MadeDelivery,
  runDelivery,
  runToTheEnd,
  setProviderTimeout,
} from '../worker/deliveries.ts'
import { enqueue } from '../../src/jobs/enqueue.ts'
import { runContext, unheard } from '../worker/job-context.ts'
import { rows } from '../worker/rows.ts'
import { trackerStaff } from '../worker/tracker-staff.ts'
import { addUser, browserOf, type Visitor } from '../worker/visitor.ts'
import { watchedDatabase } from '../worker/watched-database.ts'
import { world } from '../worker/world.ts'

/** What happens to a message whose contact gets another address before it has certainly been sent. */

type Typed = Exclude<Channel, 'push'>

let staff: Visitor

beforeAll(async () => {
  staff = await browserOf(await addUser({ isSuperuser: true }))
  await setProviderTimeout(400)
})
afterEach(() => world.clearFaults())

/** Staff give the recipient's only contact another address, as on the page. @returns the address */
async function move({ recipient }: MadeDelivery, kind: Typed): Promise<string> {
  const address = addressOf(kind)
  const [contact] = await rows<{ id: number }>(
    "SELECT id FROM contact WHERE recipient_id = ? AND kind <> 'push'",
    recipient,
  )
  const response = await staff.call('POST', `/class_tracker/add_recipient/${recipient}`, {
    'recipient-name': 'Ada',
    [`contact-${contact?.id}-kind`]: kind,
    [`contact-${contact?.id}-number`]: address,
  })
  expect(response.status).toBe(200)
  return address
}

const setState = (id: number, state: string) => rows('UPDATE delivery SET state = ? WHERE id = ?', state, id)

async function expectOnlyAt(present: string, { id, address }: MadeDelivery): Promise<void> {
  expect(await deliveryOf(id)).toMatchObject({ state: 'sent', address: present, last_error: null })
  expect(await arrivedAt(present)).toHaveLength(1)
  expect(await arrivedAt(address)).toEqual([])
}

async function addDevice({ recipient }: MadeDelivery): Promise<void> {
  await rows(
    `INSERT INTO contact (recipient_id, kind, address, address_key, created_at) VALUES (?1, 'push', ?2, ?2, 0)`,
    recipient,
    `https://push.example/${recipient}`,
  )
}

describe.each<[Typed, Typed]>([
  ['phone', 'phone'],
  ['phone', 'email'],
  ['email', 'phone'],
  ['email', 'discord'],
  ['discord', 'email'],
])('a message by %s whose contact is changed to %s', (from, to) => {
  test.each(['queued', 'held', 'waiting'])('while it is %s goes there', async (state) => {
    const made = await makeDelivery(from)
    await setState(made.id, state)
    const present = await move(made, to)
    expect(await deliveryOf(made.id)).toMatchObject({ channel: to, address: present, last_error: null })
    if (state === 'held') await wakeHeld(env.DB, Date.now())
    await rows("UPDATE delivery SET state = 'queued' WHERE id = ? AND state = 'waiting'", made.id)
    await runToTheEnd(made.id)
    await expectOnlyAt(present, made)
  })

  test('while a runner has just claimed it goes there', async () => {
    const made = await makeDelivery(from)
    let present = ''
    const db = watchedDatabase({
      before: async (trip) => {
        if (trip === 2) present = await move(made, to)
      },
    })
    await runDelivery(made.id, { db })
    await runToTheEnd(made.id)
    await expectOnlyAt(present, made)
  })

  test('after it failed goes there when it is retried', async () => {
    const made = await makeDelivery(from)
    await setState(made.id, 'failed')
    const present = await move(made, to)
    expect(await deliveryOf(made.id)).toMatchObject({ channel: from, address: made.address })
    await retryDelivery({ ...env, LEDGER: unheard }, trackerStaff, made.id, Date.now())
    await runToTheEnd(made.id)
    await expectOnlyAt(present, made)
  })

  test('although the school closed the section since ends as gone', async () => {
    const made = await makeDelivery(from)
    await setState(made.id, 'held')
    await move(made, to)
    await wakeHeld(env.DB, Date.now())
    await rows("UPDATE section SET status = 'closed' WHERE id = ?", made.section)
    expect(await runToTheEnd(made.id)).toMatchObject({ state: 'gone', last_error: 'Seat gone before it was sent.' })
  })
})

test('the job that was queued for its former provider takes its turn at the present one', async () => {
  const made = await makeDelivery('phone')
  const input = await inputOf(made.id)
  const present = await move(made, 'email')
  await sendDelivery.runWithRawInput(runContext({ env: { ...env, LEDGER: unheard } }), input)
  await expectOnlyAt(present, made)
})

test('an email that becomes a text leaves the request of its flow', async () => {
  const made = await makeDelivery('email')
  const { poll_id } = (await deliveryOf(made.id)) as unknown as { poll_id: string }
  let present = ''
  const db = watchedDatabase({
    before: async (trip) => {
      if (trip === 2) present = await move(made, 'phone')
    },
  })
  await sendAlertEmails.runWithRawInput(runContext({ env: { ...env, DB: db, LEDGER: unheard } }), { poll_id })
  await sendAlertEmails.runWithRawInput(runContext({ env: { ...env, LEDGER: unheard } }), { poll_id })
  await runToTheEnd(made.id)
  await expectOnlyAt(present, made)
})

describe('a recipient with a device', () => {
  test('has a message that becomes a text wait for the notification to be seen', async () => {
    const made = await makeDelivery('email')
    await addDevice(made)
    await move(made, 'phone')
    const { state, due_at } = await deliveryOf(made.id)
    expect([state, due_at > Date.now()]).toEqual(['waiting', true])
  })

  test('has a waiting text go on waiting when its number changes, but not when it becomes an email', async () => {
    const made = await makeDelivery('phone')
    await addDevice(made)
    await setState(made.id, 'waiting')
    await move(made, 'phone')
    expect(await deliveryOf(made.id)).toMatchObject({ state: 'waiting' })
    await move(made, 'email')
    expect(await deliveryOf(made.id)).toMatchObject({ state: 'queued', channel: 'email' })
  })
})

describe('a message that was tried at the former address', () => {
  test.each<Typed>(['phone', 'email'])('and certainly did not arrive goes to the present %s', async (to) => {
    const made = await makeDelivery('phone')
    await world.fault('sms', 'reset', 1)
    await runDelivery(made.id)
    expect(await deliveryOf(made.id)).toMatchObject({ state: 'unconfirmed' })
    const present = await move(made, to)
    expect(await deliveryOf(made.id)).toMatchObject({ channel: 'phone', address: made.address })
    await runToTheEnd(made.id)
    await expectOnlyAt(present, made)
    expect(await deliveryOf(made.id)).toMatchObject({ is_repeated: 0 })
  })

  test('and arrived is not sent again', async () => {
    const made = await makeDelivery('phone')
    await world.fault('sms', 'accept_then_reset', 1)
    await runDelivery(made.id)
    const present = await move(made, 'email')
    expect(await runToTheEnd(made.id)).toMatchObject({ state: 'sent', channel: 'phone', address: made.address })
    expect(await arrivedAt(made.address)).toHaveLength(1)
    expect(await arrivedAt(present)).toEqual([])
  })

  test('and was refused there after a STOP goes to the present one, which wants texts', async () => {
    const made = await makeDelivery('phone')
    const stopped = '+15005550004'
    await rows('DELETE FROM opt_out WHERE address_key = ?', stopped)
    await rows('UPDATE contact SET address = ?1, address_key = ?1 WHERE recipient_id = ?2', stopped, made.recipient)
    await rows('UPDATE delivery SET address = ? WHERE id = ?', stopped, made.id)
    let present = ''
    const db = watchedDatabase({
      // The text is written by now, so it cannot be redirected any more.
      before: async (trip) => {
        if (trip === 3) present = await move(made, 'phone')
      },
    })
    await runDelivery(made.id, { db })
    await runToTheEnd(made.id)
    await expectOnlyAt(present, { ...made, address: stopped })
    expect(await rows('SELECT 1 FROM opt_out WHERE address_key = ?', stopped)).toHaveLength(1)
  })

  test('with a provider that cannot be asked goes to the present one once, as repeated', async () => {
    const made = await makeDelivery('email')
    await world.fault('email', 'accept_then_reset', 1)
    await runDelivery(made.id)
    const present = await move(made, 'phone')
    await comeDue(made.id)
    await world.fault('sms', 'accept_then_reset', 1)
    expect(await runToTheEnd(made.id)).toMatchObject({ state: 'sent', address: present, is_repeated: 1 })
    expect(await arrivedAt(made.address)).toHaveLength(1)
    expect(await arrivedAt(present)).toHaveLength(1)
  })
})

describe('a message whose address has a job that waits for a pause of its account', () => {
  async function pausedMessage(from: Typed = 'phone'): Promise<MadeDelivery> {
    const made = await makeDelivery(from)
    const options = { key: deliveryKey(await deliveryOf(made.id)), at: Date.now() + 600_000 }
    await enqueue(env, sendDelivery, await inputOf(made.id), options)
    return made
  }
  async function sentBySweep({ id }: MadeDelivery): Promise<void> {
    await sweepAlerts.runWithRawInput(runContext({ env }), {})
    await expect.poll(async () => (await deliveryOf(id)).state).toBe('sent')
  }

  test('goes to the other channel of its contact at once', async () => {
    const made = await pausedMessage()
    const present = await move(made, 'email')
    await sentBySweep(made)
    await expectOnlyAt(present, made)
  })

  test.each<[Typed, Typed]>([
    ['phone', 'email'],
    ['email', 'phone'],
    ['discord', 'discord'],
  ])('which refused it itself goes to another account at once: %s to %s', async (from, to) => {
    const made = await pausedMessage(from)
    await rows('UPDATE delivery SET due_at = ?, attempts = 1 WHERE id = ?', Date.now() + 600_000, made.id)
    const present = await move(made, to)
    await sentBySweep(made)
    await expectOnlyAt(present, made)
  })

  test('goes out at once if it is a newer one, with the id of a deleted one', async () => {
    const made = await pausedMessage()
    await rows('UPDATE delivery SET created_at = created_at + 1 WHERE id = ?', made.id)
    await sentBySweep(made)
    expect(await arrivedAt(made.address)).toHaveLength(1)
  })
})
