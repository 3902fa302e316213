import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, test } from 'vitest'
import { beginTries, claimDeliveries } from '../../src/class-tracker/deliveries/claim-delivery.ts'
import { sendAlertEmails } from '../../src/class-tracker/deliveries/send-alert-emails.ts'
import {
  type MadeGroup,
  makeAnotherSection,
  makeGroup,
  makeRecipient,
  makeSection,
  makeWatch,
} from '../worker/catalog.ts'
import { addAlert, addressOf, arrivedAt, makeDelivery, runDelivery, runToTheEnd } from '../worker/deliveries.ts'
import { runContext, unheard } from '../worker/job-context.ts'
import { one, rows } from '../worker/rows.ts'
import { addUser, browserOf, type Visitor } from '../worker/visitor.ts'
import { watchedDatabase } from '../worker/watched-database.ts'

let staff: Visitor
let group: MadeGroup

beforeAll(async () => {
  staff = await browserOf(await addUser({ isSuperuser: true }))
  group = await makeGroup({ read_at: Date.UTC(2026, 8, 1) })
})

const section = (status?: 'open' | 'closed') => makeAnotherSection(group, status)
const reachable = () => makeRecipient([{ kind: 'phone', address: addressOf('phone') }])
const remove = (recipient: number, watched: number) =>
  staff.call('POST', `/class_tracker/remove_watched_section/${recipient}/${watched}`)
const counts = (watched: number) => rows('SELECT watch_count, new_watch_count FROM section WHERE id = ?', watched)

describe('removing a section', () => {
  test('ends the watch, and may be repeated', async () => {
    const [recipient, watched] = [await reachable(), await section()]
    await makeWatch(recipient, watched)
    for (let times = 0; times < 2; times += 1) {
      const response = await remove(recipient, watched)
      expect([response.status, await response.json()]).toEqual([
        200,
        { is_success: true, message: 'Section removed successfully' },
      ])
    }
    expect(await rows('SELECT id FROM watch WHERE recipient_id = ?', recipient)).toEqual([])
    expect(await counts(watched)).toEqual([{ watch_count: 0, new_watch_count: 0 }])
  })

  test('is a 404 for an unknown recipient or section', async () => {
    const [recipient, watched] = [await reachable(), await section()]
    expect((await remove(999_999, watched)).status).toBe(404)
    expect((await remove(recipient, 999_999)).status).toBe(404)
  })

  const stateOf = (id: number) => rows('SELECT state, last_error FROM delivery WHERE id = ?', id)
  const linked = (id: number) =>
    rows<{ alert_id: number }>('SELECT alert_id FROM delivery_alert WHERE delivery_id = ? ORDER BY alert_id', id)
  const setState = (id: number, state: string, body: string | null = null) =>
    env.DB.prepare('UPDATE delivery SET state = ?, body = ? WHERE id = ?').bind(state, body, id).run()
  const canceledAt = (alert: number | undefined) =>
    rows('SELECT canceled_at IS NOT NULL AS is_canceled FROM class_alert WHERE id = ?', alert)

  test('cancels the waiting message and its alert', async () => {
    const made = await makeDelivery('phone')
    const [link] = await linked(made.id)
    await remove(made.recipient, made.section)
    expect(await stateOf(made.id)).toEqual([{ state: 'canceled', last_error: 'The section is no longer watched.' }])
    expect(await canceledAt(link?.alert_id)).toEqual([{ is_canceled: 1 }])
  })

  test('sends a message about other sections without it', async () => {
    const made = await makeDelivery('phone')
    const other = await section('open')
    await makeWatch(made.recipient, other)
    const [poll] = await rows<{ poll_id: string }>('SELECT poll_id FROM delivery WHERE id = ?', made.id)
    const alert = await addAlert(poll?.poll_id ?? '', made.recipient, other)
    await env.DB.prepare('INSERT INTO delivery_alert (delivery_id, alert_id) VALUES (?, ?)').bind(made.id, alert).run()
    const [first] = await linked(made.id)
    await remove(made.recipient, made.section)
    expect(await stateOf(made.id)).toEqual([{ state: 'queued', last_error: null }])
    expect(await linked(made.id)).toEqual([{ alert_id: alert }])
    expect(await canceledAt(first?.alert_id)).toEqual([{ is_canceled: 1 }])
    expect(await canceledAt(alert)).toEqual([{ is_canceled: 0 }])
  })

  test('keeps messages that were sent, and never marks their alert as canceled', async () => {
    const made = await makeDelivery('phone')
    const [link] = await linked(made.id)
    for (const state of ['sent', 'delivered', 'failed', 'sending']) {
      await setState(made.id, state, '{}')
      await remove(made.recipient, made.section)
      expect(await stateOf(made.id)).toMatchObject([{ state }])
      expect(await canceledAt(link?.alert_id)).toEqual([{ is_canceled: 0 }])
    }
  })

  test('stops a message that a runner has claimed but not begun', async () => {
    const made = await makeDelivery('phone')
    const [link] = await linked(made.id)
    const [claim] = await claimDeliveries(env, [{ id: made.id, now: Date.now() }])
    await remove(made.recipient, made.section)
    const { delivery } = claim?.kind === 'claimed' ? claim : {}
    if (!delivery) throw new Error('it was not claimed')
    expect(await beginTries(env, [{ delivery, body: '{}', is_repeated: false, now: Date.now() }])).toEqual([null])
    expect(await stateOf(made.id)).toMatchObject([{ state: 'canceled' }])
    expect(await canceledAt(link?.alert_id)).toEqual([{ is_canceled: 1 }])
  })

  test('sends a message about other sections without it, even if a runner has just claimed it', async () => {
    for (const channel of ['phone', 'email'] as const) {
      const made = await makeDelivery(channel)
      const other = await makeSection(group, `66${made.id}`, 'open', 2)
      await makeWatch(made.recipient, other)
      const { poll_id } = await one<{ poll_id: string }>('SELECT poll_id FROM delivery WHERE id = ?', made.id)
      const alert = await addAlert(poll_id, made.recipient, other)
      await rows('INSERT INTO delivery_alert (delivery_id, alert_id) VALUES (?, ?)', made.id, alert)
      const db = watchedDatabase({
        before: async (trip) => {
          if (trip === 2) await remove(made.recipient, made.section)
        },
      })
      const context = runContext({ env: { ...env, DB: db, LEDGER: unheard } })
      await (channel === 'phone' ? runDelivery(made.id, { db }) : sendAlertEmails.runWithRawInput(context, { poll_id }))
      expect(await runToTheEnd(made.id)).toMatchObject({ state: 'sent', attempts: 1 })
      const arrived = await arrivedAt(made.address)
      expect(arrived).toEqual([expect.stringContaining(`66${made.id}`)])
      expect(arrived).toEqual([expect.not.stringContaining('10001')])
    }
  })

  test('stops an ambiguous message from being repeated, but keeps the text of one about other sections', async () => {
    const alone = await makeDelivery('phone')
    await setState(alone.id, 'unconfirmed', '{}')
    await remove(alone.recipient, alone.section)
    expect(await stateOf(alone.id)).toMatchObject([{ state: 'canceled' }])
    const shared = await makeDelivery('phone')
    const other = await section('open')
    const alert = await addAlert('x', shared.recipient, other)
    await env.DB.prepare('INSERT INTO delivery_alert (delivery_id, alert_id) VALUES (?, ?)')
      .bind(shared.id, alert)
      .run()
    await setState(shared.id, 'unconfirmed', '{}')
    await remove(shared.recipient, shared.section)
    expect(await stateOf(shared.id)).toMatchObject([{ state: 'unconfirmed' }])
    expect(await linked(shared.id)).toHaveLength(2)
  })

  test('cancels held alerts, but none of another watcher', async () => {
    const [mine, theirs, watched] = [await reachable(), await reachable(), await section('open')]
    const held = [await addAlert('a', mine, watched), await addAlert('b', theirs, watched)]
    await env.DB.prepare('UPDATE class_alert SET poll_id = NULL, release_at = 5 WHERE section_id = ?')
      .bind(watched)
      .run()
    await remove(mine, watched)
    expect(await canceledAt(held[0])).toEqual([{ is_canceled: 1 }])
    expect(await canceledAt(held[1])).toEqual([{ is_canceled: 0 }])
  })

  test('keeps an alert that had no contact as it is', async () => {
    const [recipient, watched] = [await makeRecipient(), await section('open')]
    const alert = await addAlert('c', recipient, watched)
    await remove(recipient, watched)
    expect(await canceledAt(alert)).toEqual([{ is_canceled: 0 }])
  })
})
