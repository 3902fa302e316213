import { env } from 'cloudflare:workers'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { deliveryKey, sendDelivery } from '../../src/class-tracker/deliveries/send-delivery.ts'
import { pollSource } from '../../src/class-tracker/polling/poll-source.ts'
import { archiveWatches } from '../../src/class-tracker/watches/archive-watches.ts'
import { sweepAlerts } from '../../src/class-tracker/deliveries/sweep-alerts.ts'
import { ledgerOf } from '../../src/jobs/ledgers.ts'
import { minuteLater, breakQueue, loseAlarm, repairQueue, runAndDie, untilSettled } from '../worker/dying-consumers.ts'
import { arrivedFor, loadSubject, wait, type Kind, type LoadedSubject, type Waiting } from '../worker/loaded-subject.ts'
import { deliveryOf, inputOf } from '../worker/deliveries.ts'
import { rows } from '../worker/rows.ts'
import { runJob, until, world } from '../worker/world.ts'

let loaded: LoadedSubject

beforeAll(async () => {
  await world.clearFaults()
  loaded = await loadSubject('harbor', 'Harbor State University', 'MATH')
})
afterEach(() => world.clearFaults())

const pollInput = () => ({ source_id: loaded.source_id })
const pollOptions = () => ({ exclusive: { name: `poll:${loaded.source_id}`, when_held: 'skip' as const } })
const comeRound = () => rows('UPDATE section_group SET asked_at = 0')
async function poll() {
  await comeRound()
  return runJob(pollSource, pollInput())
}
const open = (waiting: Waiting) => world.set(waiting.section, { status: 'open' })

/** One opening, one alert, one message to each contact, each recorded as accepted. */
async function expectNotifiedOnce(waiting: Waiting, kinds: readonly Kind[] = ['phone', 'email']): Promise<void> {
  const arrived = { sms: Number(kinds.includes('phone')), email: Number(kinds.includes('email')) }
  expect(await arrivedFor(waiting)).toEqual(arrived)
  expect(await rows('SELECT count(*) AS openings FROM opening WHERE section_id = ?', waiting.section.id)).toEqual([
    { openings: 1 },
  ])
  expect(await rows('SELECT kind FROM class_alert WHERE recipient_id = ?', waiting.recipient)).toEqual([
    { kind: 'opening' },
  ])
  expect(
    await rows('SELECT state, is_repeated FROM delivery WHERE recipient_id = ? ORDER BY id', waiting.recipient),
  ).toEqual(kinds.map(() => ({ state: 'sent', is_repeated: 0 })))
}

describe('a killed consumer', () => {
  test('loses no opening and duplicates no message, at any step of a poll', async () => {
    const whole = await wait(loaded)
    await open(whole)
    await comeRound()
    const steps = await runAndDie(pollSource, { input: pollInput(), options: pollOptions() }, Infinity)
    // The steps include reading the plan, asking the school, writing the batch and enqueueing deliveries.
    expect(steps.filter((step) => step === 'fetch').length).toBeGreaterThanOrEqual(2)
    expect(steps.indexOf('ledger enqueue')).toBeGreaterThan(steps.indexOf('fetch'))
    await untilSettled([whole.recipient])
    await expectNotifiedOnce(whole)
    for (let mostSteps = 0; mostSteps < steps.length; mostSteps += 1) {
      const waiting = await wait(loaded)
      await open(waiting)
      await comeRound()
      expect(await runAndDie(pollSource, { input: pollInput(), options: pollOptions() }, mostSteps)).toHaveLength(
        mostSteps,
      )
      await untilSettled([waiting.recipient])
      await expectNotifiedOnce(waiting)
    }
  })

  test('duplicates no message and leaves none unsent, at any step of sending', async () => {
    async function stepsOf(mostSteps: number): Promise<string[]> {
      const waiting = await wait(loaded, ['phone'])
      await open(waiting)
      await ledgerOf(env, 'alerts').pause(null)
      await poll()
      const [due] = await rows<{ id: number }>('SELECT id FROM delivery WHERE recipient_id = ?', waiting.recipient)
      const delivery_id = due?.id ?? 0
      const asked = {
        input: await inputOf(delivery_id),
        options: { key: deliveryKey(await deliveryOf(delivery_id)) },
      }
      const steps = await runAndDie(sendDelivery, asked, mostSteps)
      await untilSettled([waiting.recipient])
      await expectNotifiedOnce(waiting, ['phone'])
      return steps
    }
    // Claimed, about to be sent, sent, marked.
    const steps = await stepsOf(Infinity)
    expect(steps).toEqual(['database', 'database', 'fetch', 'database'])
    for (let mostSteps = 0; mostSteps < steps.length; mostSteps += 1) {
      expect(await stepsOf(mostSteps)).toHaveLength(mostSteps)
    }
  }, 120_000)
})

/** A cron tick at which the school is due. */
async function comeDue(): Promise<void> {
  await comeRound()
  await minuteLater()
}

describe('a queue message', () => {
  const queues = { polls: env.POLLS_QUEUE, alerts: env.ALERTS_QUEUE } as const
  const both = ['polls', 'alerts'] as const
  afterEach(async () => void (await Promise.all(both.map(repairQueue))))

  test('delivered twice takes effect once', async () => {
    const waiting = await wait(loaded)
    await open(waiting)
    for (const queue of both) {
      await breakQueue(queue, (messages) => queues[queue].sendBatch([...messages, ...messages]))
    }
    await comeDue()
    await untilSettled([waiting.recipient])
    await expectNotifiedOnce(waiting)
  })

  test('never delivered is sent again', async () => {
    const waiting = await wait(loaded)
    await open(waiting)
    let lost = 0
    for (const queue of both) await breakQueue(queue, async (messages) => void (lost += messages.length))
    await comeDue()
    await until(
      async () => lost,
      (messages) => messages > 0,
      'the loss',
    )
    expect(await arrivedFor(waiting)).toEqual({ sms: 0, email: 0 })
    for (const queue of both) await repairQueue(queue)
    await untilSettled([waiting.recipient])
    await expectNotifiedOnce(waiting)
  })

  test('delivered after everything is done does nothing', async () => {
    const waiting = await wait(loaded)
    await open(waiting)
    const late: { queue: (typeof both)[number]; messages: MessageSendRequest[] }[] = []
    for (const queue of both) await breakQueue(queue, async (messages) => void late.push({ queue, messages }))
    await comeDue()
    await until(
      async () => late.length,
      (batches) => batches > 0,
      'the delay',
    )
    for (const queue of both) await repairQueue(queue)
    await untilSettled([waiting.recipient])
    for (const { queue, messages } of late) await queues[queue].sendBatch(messages)
    await runJob(sweepAlerts, {})
    await expectNotifiedOnce(waiting)
  })
})

describe('a lost alarm', () => {
  test('of a message with a scheduled retry is repaired by the cron', async () => {
    const waiting = await wait(loaded, ['phone'])
    await open(waiting)
    await world.fault('sms', 'http_500', 1)
    await poll()
    await until(
      () => rows<{ state: string }>('SELECT state FROM delivery WHERE recipient_id = ?', waiting.recipient),
      ([delivery]) => delivery?.state === 'unconfirmed',
      'the failed try',
    )
    await loseAlarm('alerts')
    await untilSettled([waiting.recipient])
    await expectNotifiedOnce(waiting, ['phone'])
  })
})

describe('two simultaneous polls', () => {
  test('through the queue and its consumer cause one opening and one message', async () => {
    const waiting = await wait(loaded)
    await open(waiting)
    // Slow, so that all of them read before the first one writes.
    await world.fault('Harbor State University', 'slow')
    await comeRound()
    const polls = await Promise.all([1, 2, 3].map(() => runJob(pollSource, pollInput())))
    expect(polls.map(({ state }) => state)).toEqual(['finished', 'finished', 'finished'])
    expect(polls.reduce((sum, { result }) => sum + (result as { asked: number }).asked, 0)).toBe(3)
    await untilSettled([waiting.recipient])
    await expectNotifiedOnce(waiting)
  })
})

describe('at the end of a term', () => {
  const endTerm = (at: number) =>
    rows('UPDATE school_term SET ends_at = ? WHERE school_id = ? AND term_id = ?', at, loaded.school_id, loaded.term_id)
  afterEach(() => endTerm(Date.now() + 24 * 3600_000))

  test('a poll in its last moment still notifies; in the next minute no one is polled or notified', async () => {
    const [withTimeout, late] = [await wait(loaded), await wait(loaded)]
    await open(withTimeout)
    await endTerm(Date.now() + 10_000)
    await poll()
    await untilSettled([withTimeout.recipient])
    await expectNotifiedOnce(withTimeout)
    await endTerm(Date.now())
    await open(late)
    const asked = (await world.requests()).length
    await comeDue()
    await poll()
    expect((await world.requests()).length).toBe(asked)
    expect(await rows('SELECT 1 FROM class_alert WHERE recipient_id = ?', late.recipient)).toEqual([])
  })

  test('waiting and held messages are no longer sent', async () => {
    const waiting = await wait(loaded)
    await open(waiting)
    await ledgerOf(env, 'alerts').pause(null)
    await poll()
    expect(await rows('SELECT state FROM delivery WHERE recipient_id = ?', waiting.recipient)).toHaveLength(2)
    await endTerm(Date.now())
    await runJob(archiveWatches, {})
    await ledgerOf(env, 'alerts').resume(null)
    await untilSettled([waiting.recipient])
    expect(await arrivedFor(waiting)).toEqual({ sms: 0, email: 0 })
    expect(await rows('SELECT DISTINCT state FROM delivery WHERE recipient_id = ?', waiting.recipient)).toEqual([
      { state: 'canceled' },
    ])
  })
})
