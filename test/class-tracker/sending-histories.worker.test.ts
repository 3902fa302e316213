import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { sendMails } from '../../src/class-tracker/deliveries/send-mails.ts'
import { makeGroup, makeRecipient, makeSection, makeWatch } from '../worker/catalogue.ts'
import {
  addAlert,
  addressOf,
  arrivedAt,
  comeDue,
  deliveryOf,
  runDelivery,
  setProviderTimeout,
} from '../worker/deliveries.ts'
import { runContext, unheard } from '../worker/job-context.ts'
import { forgetPacers } from '../worker/pacers.ts'
import { rows } from '../worker/rows.ts'
import { world } from '../worker/world.ts'

const numRuns = Math.ceil((fc.readConfigureGlobal().numRuns ?? 100) * 0.15)
const people = 6
let histories = 0

afterEach(async () => {
  await world.clearFaults()
  await forgetPacers()
})

const place = fc.integer({ min: 0, max: people - 1 })
const modes = [
  'http_500',
  'http_429',
  'reset',
  'truncated',
  'maintenance_html',
  'accept_then_reset',
  'accept_then_timeout',
]
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('run' as const), who: place }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('twice' as const), who: place }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('mails' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('both' as const), who: place }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('fault' as const),
      service: fc.constantFrom('sms', 'email'),
      mode: fc.constantFrom(...modes),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('rate' as const), service: fc.constantFrom('sms', 'email') }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('status' as const), status: fc.constantFrom('open', 'closed') }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('stop' as const), who: place }) },
)
type Step = typeof step extends fc.Arbitrary<infer Made> ? Made : never

interface Person {
  id: number
  address: string
  recipient: number
  /** Wanted nothing before anything was tried for them. */
  stopped: boolean
}

/** One opening, people who wait for it by phone and by mail, and everything that may happen to their messages. */
class Sending {
  readonly #poll: string
  readonly #section: number
  readonly #people: Person[] = []

  private constructor(poll: string, section: number) {
    this.#poll = poll
    this.#section = section
  }

  static async begin(): Promise<Sending> {
    const sending = new Sending(`history-${(histories += 1)}`, await makeSection(await makeGroup(), '10001', 'open', 3))
    for (let index = 0; index < people; index += 1) await sending.#add(index % 3 === 0 ? 'phone' : 'email')
    return sending
  }

  async #add(kind: 'phone' | 'email'): Promise<void> {
    const address = addressOf(kind)
    const recipient = await makeRecipient([{ kind, address }])
    await makeWatch(recipient, this.#section)
    const alert = await addAlert(this.#poll, recipient, this.#section)
    const [made] = await rows<{ id: number }>(
      `INSERT INTO delivery (poll_id, recipient_id, contact_id, channel, address, state, due_at, created_at)
       SELECT ?1, recipient_id, id, kind, address, 'queued', ?2, ?2 FROM contact WHERE recipient_id = ?3 RETURNING id`,
      this.#poll,
      Date.now(),
      recipient,
    )
    const id = made?.id ?? 0
    await rows('INSERT INTO delivery_alert (delivery_id, alert_id) VALUES (?, ?)', id, alert)
    this.#people.push({ id, address, recipient, stopped: false })
  }

  async play(one: Step): Promise<void> {
    const person = 'who' in one ? this.#people[one.who] : undefined
    if (one.do === 'run' && person) await runDelivery(person.id)
    if (one.do === 'twice' && person) await Promise.all([runDelivery(person.id), runDelivery(person.id)])
    if (one.do === 'both' && person) await Promise.all([runDelivery(person.id), this.#mails(), this.#mails()])
    if (one.do === 'mails') await this.#mails()
    if (one.do === 'wait') await this.#wait()
    if (one.do === 'fault') await world.fault(one.service, one.mode, 1)
    if (one.do === 'rate') await world.fault(one.service, 'rate', undefined, 2)
    if (one.do === 'status') await rows('UPDATE section SET status = ? WHERE id = ?', one.status, this.#section)
    if (one.do === 'stop' && person) {
      person.stopped = person.stopped || (await deliveryOf(person.id)).tried_at === null
      await rows('UPDATE contact SET opted_out_at = coalesce(opted_out_at, 1) WHERE recipient_id = ?', person.recipient)
    }
  }

  /** First tries together, and every request that may have been taken again. */
  async #mails(): Promise<void> {
    const run = (input: { poll_id: string; batch_key?: string }) =>
      sendMails.runUnread(runContext({ env: { ...env, LEDGER: unheard } }), input)
    const batches = await rows<{ key: string }>('SELECT key FROM mail_batch WHERE poll_id = ?', this.#poll)
    for (const { key } of batches) await run({ poll_id: this.#poll, batch_key: key })
    await run({ poll_id: this.#poll })
  }

  async #wait(): Promise<void> {
    for (const { id } of this.#people) await comeDue(id)
    await forgetPacers(['sms', 'mail'])
  }

  /** Providers work again and time passes, until nothing is left to do. */
  async end(): Promise<void> {
    await world.clearFaults()
    for (let rounds = 0; rounds < 40; rounds += 1) {
      await this.#wait()
      await this.#mails()
      for (const { id } of this.#people) await runDelivery(id)
      const [left] = await rows<{ n: number }>(
        `SELECT count(*) AS n FROM delivery WHERE poll_id = ? AND state IN ('queued', 'sending', 'unconfirmed')`,
        this.#poll,
      )
      if (left?.n === 0) return
    }
    throw new Error(
      `not settled: ${JSON.stringify(await rows('SELECT * FROM delivery WHERE poll_id = ?', this.#poll))}`,
    )
  }

  /** Nobody is messaged twice, nobody who waits is left out, and what is shown is what happened. */
  async compare(): Promise<void> {
    for (const { id, address, stopped } of this.#people) {
      const { state, last_error, is_repeated } = await deliveryOf(id)
      const arrived = (await arrivedAt(address)).length
      const mayHaveArrived = last_error?.includes('It may have arrived') ?? false
      const seen = { id, state, last_error, arrived, is_repeated }
      if (arrived > 1 + is_repeated) throw new Error(`twice: ${JSON.stringify(seen)}`)
      if (state === 'sent' && arrived === 0) throw new Error(`lost: ${JSON.stringify(seen)}`)
      if (state !== 'sent' && arrived > 0 && !mayHaveArrived) throw new Error(`hidden: ${JSON.stringify(seen)}`)
      if (stopped && arrived > 0) throw new Error(`unwanted: ${JSON.stringify(seen)}`)
      expect(['sent', 'canceled', 'gone', 'failed', 'expired']).toContain(state)
      const isWanted = state === 'failed' || state === 'expired'
      if (isWanted && !mayHaveArrived) throw new Error(`given up: ${JSON.stringify(seen)}`)
    }
  }
}

test(
  'any history of providers, runners and people: nobody is messaged twice, and nobody is left out',
  async () => {
    await setProviderTimeout(150)
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25, size: 'max' }), async (steps) => {
        await world.clearFaults()
        await forgetPacers(['sms', 'mail'])
        const sending = await Sending.begin()
        for (const one of steps) await sending.play(one)
        await sending.end()
        await sending.compare()
      }),
      { numRuns },
    )
  },
  Math.max(120_000, numRuns * 4000),
)
