import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { claimFirstTries } from '../../src/class-tracker/deliveries/mail-batch.ts'
import { CLAIM_MS, REPEAT_AFTER_MS } from '../../src/class-tracker/deliveries/delivery-rules.ts'
import { optOut } from '../../src/class-tracker/deliveries/opt-out.ts'
import { retryDeliveries, retryDelivery } from '../../src/class-tracker/deliveries/retry-delivery.ts'
import { sendAlertEmails } from '../../src/class-tracker/deliveries/send-alert-emails.ts'
import { sweepAlerts } from '../../src/class-tracker/deliveries/sweep-alerts.ts'
import { removeWatchedSection } from '../../src/class-tracker/watches/remove-watched-section.ts'
import { RunAgain } from '../../src/jobs/job.ts'
import {
  addAlert,
  arrivedAt,
  comeDue,
  deliveryOf,
  type MadeDelivery,
  runDelivery,
  runToTheEnd,
  setProviderTimeout,
} from '../worker/deliveries.ts'
import { makeGroup, makeRecipient, makeSection, makeWatch } from '../worker/catalog.ts'
import { listening, runContext, unheard } from '../worker/job-context.ts'
import { forgetPacers, pacerOf, setPace } from '../worker/pacers.ts'
import { rows } from '../worker/rows.ts'
import { trackerStaff } from '../worker/tracker-staff.ts'
import { failingAt, Killed, killedAt, lateAt, watchedDatabase } from '../worker/watched-database.ts'
import { world } from '../worker/world.ts'

beforeEach(() => setProviderTimeout(400))
afterEach(() => world.clearFaults())

let flows = 0
type Flow = Awaited<ReturnType<typeof makeFlow>>

/** People waiting for one seat with email contacts, all found by one poll. */
async function makeFlow(people: number, addresses: readonly string[] = []) {
  flows += 1
  const poll = `flow-${flows}`
  const section = await makeSection(await makeGroup(), '10001', 'open', 3)
  const made: MadeDelivery[] = []
  for (let index = 0; index < people; index += 1) {
    const address = addresses[index] ?? `flow${flows}-${index}@example.com`
    const recipient = await makeRecipient([{ kind: 'email', address }])
    await makeWatch(recipient, section)
    const alert = await addAlert(poll, recipient, section)
    const [delivery] = await rows<{ id: number }>(
      `INSERT INTO delivery (poll_id, recipient_id, contact_id, channel, address, state, due_at, created_at)
       SELECT ?, recipient_id, id, kind, address, 'queued', ?, ? FROM contact WHERE recipient_id = ? RETURNING id`,
      poll,
      Date.now(),
      Date.now(),
      recipient,
    )
    await rows('INSERT INTO delivery_alert (delivery_id, alert_id) VALUES (?, ?)', delivery?.id, alert)
    made.push({ id: delivery?.id ?? 0, address, recipient, section })
  }
  return { poll, made, section }
}

/** One run of the job with a separate engine; the jobs that it enqueues are not run. */
const run = (poll_id: string, batch_key?: string, db: D1Database = env.DB, now: () => number = Date.now) =>
  sendAlertEmails.runWithRawInput(runContext({ env: { ...env, DB: db, LEDGER: unheard }, now }), {
    poll_id,
    ...(batch_key !== undefined && { batch_key }),
  })

const batchesOf = (poll: string) =>
  rows<{ key: string; payload: string }>('SELECT * FROM mail_batch WHERE poll_id = ?', poll)
const mailRequests = async () => (await world.requests()).filter(({ service }) => service === 'email').length

async function expectOnceEach(made: readonly MadeDelivery[]): Promise<void> {
  const ids = JSON.stringify(made.map(({ id }) => id))
  const unsent = await rows(
    `SELECT id, state FROM delivery WHERE id IN (SELECT value FROM json_each(?)) AND (state <> 'sent' OR provider_id IS NULL)`,
    ids,
  )
  expect(unsent).toEqual([])
  const arrived = (await world.outbox()).email.map(({ to }) => to)
  for (const { address } of made) expect(arrived.filter((to) => to === address)).toHaveLength(1)
}

describe('emails of one batch', () => {
  test('share one request, and each delivery gets its own provider id', async () => {
    const { poll, made } = await makeFlow(12)
    const before = await mailRequests()
    expect(await run(poll)).toEqual({ mails: 12 })
    expect(await mailRequests()).toBe(before + 1)
    await expectOnceEach(made)
    const numbers = await rows<{ n: number }>(
      'SELECT count(DISTINCT provider_id) AS n FROM delivery WHERE poll_id = ?',
      poll,
    )
    expect(numbers).toEqual([{ n: 12 }])
    expect(await batchesOf(poll)).toEqual([])
  })

  test('are held if their recipients wanted quiet after a runner claimed them and died', async () => {
    const { poll, made } = await makeFlow(2)
    const [paused, other] = made
    const now = Date.now()
    await claimFirstTries(env.DB, { key: `${poll}-died`, pollId: poll, most: 10, now })
    await rows('UPDATE recipient SET paused_until = ? WHERE id = ?', now + 3600_000, paused?.recipient)
    expect(await run(poll, `${poll}-died`, env.DB, () => now + CLAIM_MS)).toEqual({ mails: 1 })
    expect(await deliveryOf(paused?.id ?? 0)).toMatchObject({ state: 'held', due_at: now + 3600_000 })
    expect(await arrivedAt(paused?.address ?? '')).toEqual([])
    expect(await deliveryOf(other?.id ?? 0)).toMatchObject({ state: 'sent' })
  })

  test('do not exceed the limit of a request', async () => {
    const { poll, made } = await makeFlow(103)
    expect(await run(poll)).toBeInstanceOf(RunAgain)
    expect(await run(poll)).toEqual({ mails: 3 })
    await expectOnceEach(made)
  })

  test('leave out recipients who opted out, were removed or whose seat was taken before the request', async () => {
    const { poll, made } = await makeFlow(4)
    const [opted, removed] = made
    await rows('UPDATE contact SET opted_out_at = 1 WHERE recipient_id = ?', opted?.recipient)
    await rows('DELETE FROM contact WHERE recipient_id = ?', removed?.recipient)
    await run(poll)
    expect(await deliveryOf(opted?.id ?? 0)).toMatchObject({ state: 'canceled', last_error: 'Opted out.' })
    expect(await deliveryOf(removed?.id ?? 0)).toMatchObject({ state: 'canceled' })
    expect(await arrivedAt(opted?.address ?? '')).toEqual([])
    await expectOnceEach(made.slice(2))
    const other = await makeFlow(3)
    await rows(`UPDATE section SET status = 'closed' WHERE id = ?`, other.section)
    await run(other.poll)
    for (const { id, address } of other.made) {
      expect(await deliveryOf(id)).toMatchObject({ state: 'gone', last_error: 'Seat gone before it was sent.' })
      expect(await arrivedAt(address)).toEqual([])
    }
  })

  describe('about two sections of which one was taken', () => {
    async function makeTaken() {
      const flow = await makeFlow(2)
      const [first] = flow.made
      const taken = await makeSection(await makeGroup(), '77777', 'closed')
      const recipient = first?.recipient ?? 0
      await makeWatch(recipient, taken)
      await rows('INSERT INTO delivery_alert VALUES (?, ?)', first?.id, await addAlert(flow.poll, recipient, taken))
      await rows(
        `UPDATE watch SET last_alert_at = (SELECT created_at FROM delivery WHERE id = ?) WHERE recipient_id = ?`,
        first?.id,
        recipient,
      )
      const messages = () =>
        rows(
          `SELECT d.state, d.last_error, a.section_id, w.last_alert_at IS NULL AS is_untold FROM delivery d
           JOIN delivery_alert ON delivery_id = d.id JOIN class_alert a ON a.id = alert_id
           JOIN watch w ON w.recipient_id = a.recipient_id AND w.section_id = a.section_id
           WHERE d.recipient_id = ? ORDER BY a.id`,
          recipient,
        )
      return { ...flow, taken, address: first?.address ?? '', messages }
    }

    test('do not count as having told of it', async () => {
      const { poll, made, section, taken, address, messages } = await makeTaken()
      await run(poll)
      await expectOnceEach(made)
      expect(await arrivedAt(address)).toEqual([expect.not.stringContaining('77777')])
      expect(await messages()).toEqual([
        { state: 'sent', last_error: null, section_id: section, is_untold: 0 },
        { state: 'gone', last_error: 'Seat gone before it was sent.', section_id: taken, is_untold: 1 },
      ])
    })

    test('tell of it after all if it opens again before the request is recorded', async () => {
      const { poll, made, taken, address, messages } = await makeTaken()
      const reopened = watchedDatabase({
        before: async (trip) => {
          if (trip === 2) await rows("UPDATE section SET status = 'open' WHERE id = ?", taken)
        },
      })
      expect(await run(poll, undefined, reopened)).toBeInstanceOf(RunAgain)
      await run(poll)
      await expectOnceEach(made)
      expect(await arrivedAt(address)).toEqual([expect.stringContaining('77777')])
      expect(await messages()).toMatchObject([{ state: 'sent' }, { state: 'sent', is_untold: 0 }])
    })
  })

  test('leave out recipients who opt out between the claim and the request', async () => {
    const { poll, made } = await makeFlow(3)
    const [late] = made
    const optOut = watchedDatabase({
      before: async (trip) =>
        void (
          trip === 2 && (await rows('UPDATE contact SET opted_out_at = 1 WHERE recipient_id = ?', late?.recipient))
        ),
    })
    expect(await run(poll, undefined, optOut)).toBeInstanceOf(RunAgain)
    await run(poll)
    expect(await arrivedAt(late?.address ?? '')).toEqual([])
    expect(await deliveryOf(late?.id ?? 0)).toMatchObject({ state: 'canceled' })
    await expectOnceEach(made.slice(1))
  })

  test.each([2, 3])(
    'leave out recipients who are removed meanwhile, and settle the others: round trip %i',
    async (removal) => {
      const { poll, made } = await makeFlow(3)
      const [late, ...others] = made
      const removing = watchedDatabase({
        before: async (trip) =>
          void (trip === removal && (await rows('DELETE FROM recipient WHERE id = ?', late?.recipient))),
      })
      await run(poll, undefined, removing)
      await run(poll)
      expect(await arrivedAt(late?.address ?? '')).toHaveLength(removal === 2 ? 0 : 1)
      expect(await batchesOf(poll)).toEqual([])
      await expectOnceEach(others)
    },
  )

  test('do not fail because of one bad address', async () => {
    const { poll, made } = await makeFlow(3, ['good-a@example.com', 'no-dot@localhost', 'good-b@example.com'])
    await run(poll)
    const [first, bad, last] = made
    expect(await deliveryOf(bad?.id ?? 0)).toMatchObject({ state: 'failed', last_error: 'Resend refused this email.' })
    await expectOnceEach([first, last].flatMap((one) => one ?? []))
  })

  // Taken, and not taken: to the job every answer that says neither is the same.
  test.each(['accept_then_timeout', 'http_500'])(
    '%s: the very same request is made again under its key, and no one gets two',
    async (mode) => {
      const { poll, made, section } = await makeFlow(5)
      await world.fault('email', mode, 1)
      await run(poll)
      for (const { id } of made) expect(await deliveryOf(id)).toMatchObject({ state: 'unconfirmed' })
      const [batch] = await batchesOf(poll)
      // A different text would be rejected under the same idempotency key.
      await rows('UPDATE section SET seats_available = 17 WHERE id = ?', section)
      for (const { id } of made) await comeDue(id)
      await run(poll, batch?.key)
      await expectOnceEach(made)
      expect(await batchesOf(poll)).toEqual([])
    },
  )

  describe('whose database answers when the claim is over', () => {
    /** Begins a run whose second round trip answers late, while everything becomes due again. */
    async function beginLate({ poll, made }: Flow, batch_key?: string): Promise<() => Promise<void>> {
      const late = lateAt(2, 'after')
      let passed = 0
      const begun = run(poll, batch_key, late.db, () => Date.now() + passed)
      await late.isWaiting
      for (const { id } of made) passed = Math.max(passed, await comeDue(id))
      return async () => {
        late.answer()
        await begun
      }
    }

    test('is not requested: another runner has ended it since', async () => {
      const flow = await makeFlow(3)
      const answer = await beginLate(flow)
      const [batch] = await batchesOf(flow.poll)
      await rows(`UPDATE section SET status = 'closed' WHERE id = ?`, flow.section)
      await run(flow.poll, batch?.key)
      const before = await mailRequests()
      await answer()
      expect(await mailRequests()).toBe(before)
      for (const { id, address } of flow.made) {
        expect(await deliveryOf(id)).toMatchObject({ state: 'gone' })
        expect(await arrivedAt(address)).toEqual([])
      }
    })

    test('is not requested again: another runner has done it since', async () => {
      const flow = await makeFlow(3)
      await world.fault('email', 'accept_then_timeout', 1)
      await run(flow.poll)
      const [batch] = await batchesOf(flow.poll)
      for (const { id } of flow.made) await comeDue(id)
      const answer = await beginLate(flow, batch?.key)
      await run(flow.poll, batch?.key)
      const before = await mailRequests()
      await answer()
      expect(await mailRequests()).toBe(before)
      await expectOnceEach(flow.made)
    })
  })

  test('that are rejected together are sent separately, each with its own key', async () => {
    const { poll, made } = await makeFlow(3)
    const wrong = { ...env, RESEND_API_KEY: '', LEDGER: unheard }
    await sendAlertEmails.runWithRawInput(runContext({ env: wrong }), { poll_id: poll })
    for (const { id } of made) expect(await deliveryOf(id)).toMatchObject({ state: 'queued', body: null })
  })

  test('that were sent too fast do not lose an attempt and are sent together again', async () => {
    const { poll, made } = await makeFlow(4)
    await world.fault('email', 'http_429', 1)
    expect(await run(poll)).toBeInstanceOf(RunAgain)
    for (const { id } of made) expect(await deliveryOf(id)).toMatchObject({ state: 'queued', attempts: 0, body: null })
    expect(await run(poll)).toBeInstanceOf(RunAgain)
    for (const { address } of made) expect(await arrivedAt(address)).toEqual([])
    for (const { id } of made) await comeDue(id)
    await forgetPacers(['mail'])
    const before = await mailRequests()
    await run(poll)
    expect(await mailRequests()).toBe(before + 1)
    await expectOnceEach(made)
  })

  test.each([
    ['read', 1],
    ['write down', 2],
  ])('that took long to %s keep their distance from the previous request', async (_, slowTrip) => {
    await setPace('mail_requests_per_second', 2)
    await forgetPacers(['mail'])
    const [slow, quick] = [await makeFlow(2), await makeFlow(2)]
    const from = (await world.requests()).length
    // It gets its slot first, and is ready when the other has just been sent.
    const { promise: isOtherSent, resolve } = Promise.withResolvers<void>()
    const slowly = watchedDatabase({ after: (trip) => (trip === slowTrip ? isOtherSent : undefined) })
    await Promise.all([runInTurn(slow.poll, slowly), runInTurn(quick.poll).then(resolve)])
    await setPace('mail_requests_per_second', 0)
    const sent = (await world.requests()).slice(from).filter(({ service }) => service === 'email')
    expect(sent).toHaveLength(2)
    const [one = 0, other = 0] = sent.map(({ at }) => new Date(at).getTime())
    // Nearly half a second: requests take a moment to arrive.
    expect(Math.abs(other - one)).toBeGreaterThan(400)
    await expectOnceEach([...slow.made, ...quick.made])
  })

  test('whose turn is put off after they were recorded are not requested, lose no attempt and go together later', async () => {
    const { poll, made } = await makeFlow(3)
    const before = await mailRequests()
    await forgetPacers(['mail'])
    const paused = watchedDatabase({
      after: async (trip) => void (trip === 2 && (await pacerOf('mail').pause('mail', 60))),
    })
    expect(await run(poll, undefined, paused)).toBeInstanceOf(RunAgain)
    expect(await mailRequests()).toBe(before)
    for (const { id } of made) expect(await deliveryOf(id)).toMatchObject({ state: 'queued', attempts: 0, body: null })
    expect(await batchesOf(poll)).toEqual([])
    for (const { id } of made) await comeDue(id)
    await forgetPacers(['mail'])
    await run(poll)
    expect(await mailRequests()).toBe(before + 1)
    await expectOnceEach(made)
  })
})

describe('emails that a runner claimed before it died', () => {
  test('are sent when a pause that began meanwhile is over', async () => {
    const { poll, made } = await makeFlow(2)
    await expect(run(poll, undefined, killedAt(1, 'after'))).rejects.toThrow(Killed)
    const [claimed] = await rows<{ batch_key: string }>('SELECT batch_key FROM delivery WHERE poll_id = ?', poll)
    for (const { id } of made) await comeDue(id)
    const paused = watchedDatabase({
      after: async (trip) => void (trip === 2 && (await pacerOf('mail').pause('mail', 60))),
    })
    const later = await run(poll, claimed?.batch_key, paused)
    for (const { id } of made) await comeDue(id)
    await forgetPacers(['mail'])
    await runInTurn(poll, env.DB, later instanceof RunAgain ? later.input : null)
    await expectOnceEach(made)
  })

  test('are looked at when their claim is over, even if the sweep had queued them before', async () => {
    const { poll } = await makeFlow(2)
    await sweepAlerts.runWithRawInput(runContext({ env: { ...env, LEDGER: unheard } }), {})
    const claimedAt = Date.now()
    await expect(run(poll, undefined, failingAt(2, 'after'))).rejects.toThrow()
    const { LEDGER, keys } = listening()
    const now = () => claimedAt + CLAIM_MS + 1000
    await sweepAlerts.runWithRawInput(runContext({ env: { ...env, LEDGER }, now }), {})
    expect(keys.filter((key) => key.startsWith('mail'))).not.toEqual([])
  })
})

test('emails that may have arrived together wait for the end of a pause that all their recipients began', async () => {
  const { poll, made } = await makeFlow(2)
  await world.fault('email', 'http_500', 1)
  await run(poll)
  const [batch] = await batchesOf(poll)
  const pausedUntil = Date.now() + 3_600_000
  await rows('UPDATE recipient SET paused_until = ?', pausedUntil)
  for (const { id } of made) await comeDue(id)
  const before = await mailRequests()
  expect(await run(poll, batch?.key)).toMatchObject({ input: { batch_key: batch?.key } })
  expect(await mailRequests()).toBe(before)
  for (const { id } of made) expect(await deliveryOf(id)).toMatchObject({ state: 'unconfirmed', due_at: pausedUntil })
  await rows('UPDATE recipient SET paused_until = NULL')
  for (const { id } of made) await comeDue(id)
  await run(poll, batch?.key)
  expect(await mailRequests()).toBe(before + 1)
  await expectOnceEach(made)
})

test('emails that may have arrived together are sent once more on their own when their provider no longer takes batches', async () => {
  const { poll, made } = await makeFlow(2)
  await world.fault('email', 'http_500', 1)
  await run(poll)
  const [batch] = await batchesOf(poll)
  for (const { id } of made) await comeDue(id)
  const changed = { ...env, RESEND_API_KEY: '', LEDGER: unheard }
  await sendAlertEmails.runWithRawInput(runContext({ env: changed }), { poll_id: poll, batch_key: batch?.key })
  expect(await batchesOf(poll)).toEqual([])
  for (const { id } of made) expect(await runToTheEnd(id)).toMatchObject({ state: 'sent', is_repeated: 1 })
  await expectOnceEach(made)
})

describe('emails that may have arrived together are not repeated together', () => {
  /** Four emails of one request that the provider answered with an error, none of which it has accepted. */
  async function refusedOnce() {
    const flow = await makeFlow(4)
    await world.fault('email', 'http_500', 1)
    await run(flow.poll)
    return flow
  }

  /** The request's job runs again, then the jobs of its emails, until all have ended. @returns who got an email */
  async function untilEnded({ poll, made }: Flow): Promise<string[]> {
    const [batch] = await batchesOf(poll)
    const left = await rows<{ id: number }>('SELECT id FROM delivery WHERE poll_id = ?', poll)
    for (const { id } of left) await comeDue(id)
    await run(poll, batch?.key)
    expect(await batchesOf(poll)).toEqual([])
    for (const { id } of left) await runToTheEnd(id)
    const arrived = (await world.outbox()).email.map(({ to }) => to)
    return made.flatMap(({ address }) => arrived.filter((to) => to === address))
  }

  test.each([
    ['opted out', ({ address }: MadeDelivery) => optOut(env.DB, { kind: 'email', address_key: address }, Date.now())],
    [
      'ended their watch',
      ({ recipient: recipientId, section: sectionId }: MadeDelivery) =>
        removeWatchedSection(env.DB, trackerStaff, { recipientId, sectionId }, Date.now()),
    ],
    ['was removed', ({ recipient }: MadeDelivery) => rows('DELETE FROM recipient WHERE id = ?', recipient)],
  ])('if one of their recipients %s since', async (_, act) => {
    const flow = await refusedOnce()
    const [gone = expect.fail('no email'), ...others] = flow.made
    await act(gone)
    expect(await untilEnded(flow)).toEqual(others.map(({ address }) => address))
  })

  test.each([0, 1])(
    'unless an answer was lost (failures since: %i): then the same request sends nothing more',
    async (failures) => {
      const flow = await makeFlow(4)
      await world.fault('email', 'accept_then_timeout', 1)
      await run(flow.poll)
      if (failures > 0) {
        const [batch] = await batchesOf(flow.poll)
        for (const { id } of flow.made) await comeDue(id)
        await world.fault('email', 'http_500', failures)
        await run(flow.poll, batch?.key)
      }
      const [gone = expect.fail('no email')] = flow.made
      await optOut(env.DB, { kind: 'email', address_key: gone.address }, Date.now())
      expect(await untilEnded(flow)).toEqual(flow.made.map(({ address }) => address))
    },
  )

  test('if a contact got another address since: its email goes there', async () => {
    const flow = await refusedOnce()
    const [moved = expect.fail('no email'), ...others] = flow.made
    const right = `right-${moved.address}`
    await rows('UPDATE contact SET address = ?1, address_key = ?1 WHERE recipient_id = ?2', right, moved.recipient)
    expect(await untilEnded(flow)).toEqual(others.map(({ address }) => address))
    expect(await arrivedAt(right)).toHaveLength(1)
    expect(await deliveryOf(moved.id)).toMatchObject({ state: 'sent', address: right })
  })

  test('if the seat of one has been gone for minutes', async () => {
    const flow = await refusedOnce()
    const [late = expect.fail('no email'), ...others] = flow.made
    const taken = await makeSection(await makeGroup(), '10002', 'closed')
    await rows('UPDATE watch SET section_id = ? WHERE recipient_id = ?', taken, late.recipient)
    await rows('UPDATE class_alert SET section_id = ? WHERE recipient_id = ?', taken, late.recipient)
    await rows(
      'UPDATE delivery SET first_tried_at = first_tried_at - ? WHERE poll_id = ?',
      REPEAT_AFTER_MS + 1,
      flow.poll,
    )
    expect(await untilEnded(flow)).toEqual(others.map(({ address }) => address))
  })
})

test.each([1, 2])(
  'a request is deleted once every email in it is settled or canceled: %i of 2 unwatched',
  async (unwatched) => {
    const { poll, made } = await makeFlow(2)
    await world.fault('email', 'http_500', 1)
    await run(poll)
    const [batch] = await batchesOf(poll)
    for (const { recipient, section } of made.slice(0, unwatched))
      await removeWatchedSection(env.DB, trackerStaff, { recipientId: recipient, sectionId: section }, Date.now())
    for (const { id } of made) await comeDue(id)
    await run(poll, batch?.key)
    expect((await batchesOf(poll)).length).toBe(0)
  },
)

describe('emails that may have arrived together, until they expired', () => {
  async function makeExpired(): Promise<Flow> {
    const flow = await makeFlow(2)
    const { poll, made } = flow
    await world.fault('email', 'http_500', 1)
    await run(poll)
    const [batch] = await batchesOf(poll)
    await rows('UPDATE delivery SET created_at = created_at - ? WHERE poll_id = ?', 24 * 60 * 60_000, poll)
    for (const { id } of made) await comeDue(id)
    await run(poll, batch?.key)
    for (const { id } of made) expect(await deliveryOf(id)).toMatchObject({ state: 'expired', body: '' })
    return flow
  }

  test('end as their seat does when they are retried by hand', async () => {
    const { made, section } = await makeExpired()
    const { id = 0 } = made[0] ?? {}
    await rows(`UPDATE section SET status = 'closed' WHERE id = ?`, section)
    await retryDelivery({ ...env, LEDGER: unheard }, trackerStaff, id, Date.now())
    expect(await runDelivery(id)).toEqual({
      state: 'gone',
      error: 'Seat gone before it was sent. It may have arrived.',
    })
  })

  test('are sent once more when they are retried by hand at once', async () => {
    const { poll, made, section } = await makeExpired()
    await rows(
      'UPDATE section_group SET read_at = ? WHERE id = (SELECT group_id FROM section WHERE id = ?)',
      Date.now(),
      section,
    )
    await rows('UPDATE delivery SET tried_at = tried_at - ? WHERE poll_id = ?', REPEAT_AFTER_MS, poll)
    const ids = made.map(({ id }) => id)
    await retryDeliveries(env, trackerStaff, ids, Date.now())
    for (const id of ids)
      await expect.poll(() => deliveryOf(id), { timeout: 5000 }).toMatchObject({ state: 'sent', is_repeated: 1 })
    await expectOnceEach(made)
  })
})

/** Runs the job again whenever it comes back for its turn. */
async function runInTurn(poll_id: string, db: D1Database = env.DB, begun: unknown = { poll_id }): Promise<void> {
  const context = runContext({ env: { ...env, DB: db, LEDGER: unheard } })
  for (let input = begun; ;) {
    const end = await sendAlertEmails.runWithRawInput(context, input)
    if (!(end instanceof RunAgain)) return
    await scheduler.wait(Math.max(0, end.at - Date.now()))
    input = end.input
  }
}
