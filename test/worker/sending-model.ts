import { evictDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, vi } from 'vitest'
import { CLAIM_MS } from '../../src/class-tracker/deliveries/delivery-rules.ts'
import { sendAlertEmails } from '../../src/class-tracker/deliveries/send-alert-emails.ts'
import { saveRecipient } from '../../src/class-tracker/recipients/save-recipient.ts'
import { makeGroup, makeRecipient, makeSection, makeWatch } from './catalog.ts'
import { addAlert, addressOf, arrivedAt, comeDue, deliveryOf, runDelivery } from './deliveries.ts'
import { runContext, unheard } from './job-context.ts'
import { forgetPacers, pacerOf } from './pacers.ts'
import { rows } from './rows.ts'
import { people, phones, type SendingStep } from './sending-steps.ts'
import { trackerStaff } from './tracker-staff.ts'
import { failingAt, lateAt, unlessBroken } from './watched-database.ts'
import { world } from './world.ts'

let histories = 0

interface Person {
  id: number
  /** The present one last. */
  addresses: string[]
  /** What has arrived at former ones for good, because nothing was being sent when the contact changed. */
  final: Map<string, number>
  recipient: number
  /** Wanted nothing at the present address before any attempt was made. */
  stopped: boolean
}

/** The faults that a run meets. */
interface Meets {
  db: D1Database
  now: () => number
}

/** A run that waits for a late answer of the database, while time passes for it too. */
interface LateRun {
  /** The deliveries it may have claimed. */
  ids: readonly number[]
  ended: Promise<unknown>
  answer: () => void
  pass: (ms: number) => void
  /** Whether its claims are over. */
  isOver: () => boolean
}

/** One opening, people who wait for it by phone and by email, and everything that may happen to their messages. */
export class SendingModel {
  readonly #poll: string
  readonly #section: number
  readonly #people: Person[] = []
  readonly #late: LateRun[] = []

  private constructor(poll: string, section: number) {
    this.#poll = poll
    this.#section = section
  }

  static async begin(): Promise<SendingModel> {
    const section = await makeSection(await makeGroup(), '10001', 'open', 3)
    const sending = new SendingModel(`history-${(histories += 1)}`, section)
    for (let index = 0; index < people; index += 1) await sending.#add(phones.includes(index) ? 'phone' : 'email')
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
    this.#people.push({ id, addresses: [address], final: new Map(), recipient, stopped: false })
  }

  async play(one: SendingStep): Promise<void> {
    const person = 'who' in one ? this.#people[one.who] : undefined
    const id = person?.id ?? 0
    if (one.do === 'run') await runDelivery(id)
    if (one.do === 'twice') await Promise.all([runDelivery(id), runDelivery(id)])
    if (one.do === 'both') await Promise.all([runDelivery(id), this.#mails(), this.#mails()])
    if (one.do === 'mails') await this.#mails()
    if (one.do === 'wait') await this.#wait()
    if (one.do === 'fault') await world.fault(one.service, one.mode, 1)
    if (one.do === 'rate') await world.fault(one.service, 'rate', undefined, 2)
    if (one.do === 'status') await rows('UPDATE section SET status = ? WHERE id = ?', one.status, this.#section)
    if (one.do === 'stop' && person) await this.#stop(person)
    if (one.do === 'move' && person) await this.#move(person, one.kind)
    if (one.do === 'broken run') await unlessBroken(runDelivery(id, { db: failingAt(one.trip, one.moment) }))
    if (one.do === 'broken mails')
      await unlessBroken(this.#mails({ db: failingAt(one.trip, one.moment), now: Date.now }))
    if (one.do === 'late run') await this.#runLate(one, [id], (meets) => runDelivery(id, meets))
    if (one.do === 'late mails') {
      const ids = this.#people.map((each) => each.id)
      await this.#runLate(one, ids, (meets) => this.#firstMails(meets))
    }
    if (one.do === 'answer') await this.#answer()
    if (one.do === 'evict pacers') await evictPacers()
  }

  async #stop(person: Person): Promise<void> {
    person.stopped = person.stopped || (await deliveryOf(person.id)).tried_at === null
    await rows('UPDATE contact SET opted_out_at = coalesce(opted_out_at, 1) WHERE recipient_id = ?', person.recipient)
  }

  /** Staff give the contact another address, perhaps of another kind. */
  async #move(person: Person, kind: 'phone' | 'email'): Promise<void> {
    const { id, addresses, final, recipient } = person
    const former = addresses.at(-1) ?? ''
    const address = addressOf(kind)
    const [contact] = await rows<{ id: number }>('SELECT id FROM contact WHERE recipient_id = ?', recipient)
    const form = new FormData()
    form.set('recipient-name', 'Ada')
    form.set(`contact-${contact?.id}-kind`, kind)
    form.set(`contact-${contact?.id}-number`, address)
    const { is_saved } = await saveRecipient(
      env,
      trackerStaff,
      { recipientId: recipient, posted: form, csrfToken: '' },
      Date.now(),
    )
    expect(is_saved).toBe(true)
    addresses.push(address)
    // An opt-out is of an address, and the new one has none.
    person.stopped = false
    if ((await deliveryOf(id)).body === null) final.set(former, (await arrivedAt(former)).length)
  }

  /** First attempts together, and every request that may have been accepted again. */
  async #mails(meets?: Meets): Promise<void> {
    for (const key of await this.#batches()) await this.#runMails(key, meets)
    await this.#runMails(undefined, meets)
  }

  /** One run: of a request that may have been taken, if there is one, or else of first tries. */
  async #firstMails(meets: Meets): Promise<void> {
    const [key] = await this.#batches()
    await this.#runMails(key, meets)
  }

  async #runMails(batch_key?: string, { db, now }: Meets = { db: env.DB, now: Date.now }): Promise<void> {
    const context = runContext({ env: { ...env, DB: db, LEDGER: unheard }, now })
    await sendAlertEmails.runWithRawInput(context, {
      poll_id: this.#poll,
      ...(batch_key !== undefined && { batch_key }),
    })
  }

  async #batches(): Promise<string[]> {
    const batches = await rows<{ key: string }>('SELECT key FROM mail_batch WHERE poll_id = ?', this.#poll)
    return batches.map(({ key }) => key)
  }

  /** Begins a run and leaves it where the database is late; one with fewer round trips just ends. */
  async #runLate(
    { trip, moment }: { trip: number; moment: 'before' | 'after' },
    ids: readonly number[],
    run: (meets: Meets) => Promise<unknown>,
  ): Promise<void> {
    const { db, isWaiting, answer } = lateAt(trip, moment)
    let passed = 0
    const now = () => Date.now() + passed
    const begunAt = now()
    const ended = run({ db, now })
    const isOver = () => now() >= begunAt + CLAIM_MS
    this.#late.push({ ids, ended, answer, pass: (ms) => (passed += ms), isOver })
    await Promise.race([isWaiting, ended])
  }

  /** A run whose claims are over sends nothing, because another runner may have taken over. */
  async #answer(): Promise<void> {
    const run = this.#late.shift()
    if (!run) return
    const wasOver = run.isOver()
    const asked = vi.spyOn(globalThis, 'fetch')
    run.answer()
    await run.ended
    const sent = asked.mock.calls.filter(([, init]) => init?.method === 'POST')
    asked.mockRestore()
    if (wasOver && sent.length > 0) throw new Error(`sent after its claim: ${JSON.stringify(sent.map(([url]) => url))}`)
  }

  /** Until everything is due again, including claims. */
  async #wait(): Promise<void> {
    const waits = new Map<number, number>()
    for (const { id } of this.#people) waits.set(id, await comeDue(id))
    for (const { ids, pass } of this.#late) pass(Math.max(...ids.map((id) => waits.get(id) ?? 0)))
    await forgetPacers(['sms', 'mail'])
  }

  /** Providers and the database work again and time passes, until nothing is left to do. */
  async end(): Promise<void> {
    await world.clearFaults()
    while (this.#late.length > 0) await this.#answer()
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

  /** No one is notified twice, no one who waits is missed, and what is shown is what happened. */
  async compare(): Promise<void> {
    for (const { id, addresses, final, stopped } of this.#people) {
      const { state, last_error, is_repeated } = await deliveryOf(id)
      const counts = await Promise.all(addresses.map(async (address) => (await arrivedAt(address)).length))
      const arrived = counts.reduce((sum, count) => sum + count, 0)
      const mayHaveArrived = last_error?.includes('It may have arrived') ?? false
      const seen = { id, state, last_error, arrived, is_repeated, addresses, counts }
      const isMisled = addresses.some((address, place) => (final.get(address) ?? Infinity) < (counts[place] ?? 0))
      if (isMisled) throw new Error(`to a former address: ${JSON.stringify(seen)}`)
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

/** They restart with what they stored. */
async function evictPacers(): Promise<void> {
  for (const account of ['sms', 'mail'] as const) {
    // No one requested it yet, or another run did it at the same time.
    await evictDurableObject(pacerOf(account)).catch(() => undefined)
  }
}
