import { env } from 'cloudflare:workers'
import { expect } from 'vitest'
import { proposeChanges } from '../../src/class-tracker/polling/openings.ts'
import { recordObservations } from '../../src/class-tracker/polling/record-observations.ts'
import { sweepAlerts } from '../../src/class-tracker/sweep/sweep-alerts.ts'
import { addWatchedSection } from '../../src/class-tracker/watches/add-watched-section.ts'
import { removeWatchedSection } from '../../src/class-tracker/watches/remove-watched-section.ts'
import { type MadeGroup, makeGroup, makeRecipient, makeSection } from './catalogue.ts'
import { runContext, unheard } from './job-context.ts'
import { hour, minute, PlayedWatches, type Look, type PlayedAlert, type Snapshot } from './played-watches.ts'
import { rows } from './rows.ts'
import type { Personal, Saying, Step } from './watch-scenes.ts'

let people = 0

/** A history on a database of its own: what the app did is compared with the model after every step. */
export class WatchHistory {
  readonly #model = new PlayedWatches()
  readonly #group: MadeGroup
  readonly #recipients: number[] = []
  readonly #said = new Map<number, Look>()
  #now = 10_000 * hour
  #begun: Snapshot | null = null

  private constructor(group: MadeGroup) {
    this.#group = group
  }

  static async begin(): Promise<WatchHistory> {
    await env.DB.batch(['source', 'recipient', 'term'].map((table) => env.DB.prepare(`DELETE FROM ${table}`)))
    const history = new WatchHistory(await makeGroup())
    await history.#populate()
    return history
  }

  async #populate(): Promise<void> {
    for (const key of ['A', 'B']) {
      const id = await makeSection(this.#group, key)
      this.#model.sections.push({ id, status: 'closed', seats: 0, version: 1 })
      this.#said.set(id, { status: 'closed', seats: 0 })
    }
    for (let number = 0; number < 2; number += 1) {
      people += 1
      const phone = { kind: 'phone', address: `+1202${String(5_550_000 + people)}` }
      const id = await makeRecipient([phone, { kind: 'email', address: `person${people}@example.com` }])
      this.#recipients.push(id)
    }
    const contacts = await rows<{ id: number; recipient: number; kind: string }>(
      'SELECT id, recipient_id AS recipient, kind FROM contact ORDER BY id',
    )
    this.#model.contacts = contacts.map((contact) => ({ ...contact, is_enabled: true }))
  }

  async play(step: Step): Promise<void> {
    this.#now += 1
    const messages = await this.#act(step)
    expect(await this.#messages()).toEqual(messages)
    await this.#compare()
  }

  /** Acts in the app and in the model; answers the messages that the model makes due. */
  async #act(step: Step): Promise<string[]> {
    const model = this.#model
    switch (step.do) {
      case 'school':
        this.#school(step)
        return []
      case 'seen':
        this.#school(step)
        return this.#poll([model.snapshot(this.#now, this.#said)])
      case 'poll':
        return this.#poll([model.snapshot(this.#now, this.#said)])
      case 'race': {
        const read = model.snapshot(this.#now, this.#said)
        return this.#poll([read, read])
      }
      case 'begin':
        this.#begun = model.snapshot(this.#now, this.#said)
        return []
      case 'end':
        return this.#poll(this.#begun ? [this.#begun] : [])
      case 'sweep':
        await this.#sweep()
        return model.sweep(this.#now)
      case 'send':
        await env.DB.prepare("UPDATE delivery SET state = 'sent' WHERE state = 'queued'").run()
        model.send()
        return []
      case 'wait':
        this.#now += step.minutes * minute
        return []
      default:
        await this.#person(step)
        return []
    }
  }

  #school({ section, says, seats }: Saying): void {
    const id = this.#model.sections[section]?.id ?? 0
    if (says === 'nothing') this.#said.delete(id)
    else this.#said.set(id, { status: says, seats: says === 'open' ? seats : 0 })
  }

  async #person(step: Personal): Promise<void> {
    const model = this.#model
    if (step.do === 'contact') {
      const contact = model.contacts[step.index]
      if (!contact) return
      contact.is_enabled = !contact.is_enabled
      await env.DB.prepare('UPDATE contact SET is_enabled = 1 - is_enabled WHERE id = ?').bind(contact.id).run()
      return
    }
    const who = this.#recipients[step.recipient] ?? 0
    if (step.do === 'phone') {
      if (!model.withoutPhone.delete(who)) model.withoutPhone.add(who)
      await env.DB.prepare('UPDATE recipient SET is_contact_by_phone = 1 - is_contact_by_phone WHERE id = ?')
        .bind(who)
        .run()
      return
    }
    const which = model.sections[step.section]?.id ?? 0
    if (step.do === 'unwatch') {
      await removeWatchedSection(env.DB, who, which, this.#now)
      return model.unwatch(who, which)
    }
    const added = addWatchedSection(env.DB, who, which, Math.max(this.#now, 1))
    if (model.watch(who, which)) await added
    else await expect(added).rejects.toThrow()
  }

  /** Polls that end now, at once. The model hears of them one after the other: only the first can change anything. */
  async #poll(snapshots: Snapshot[]): Promise<string[]> {
    const writes = snapshots.map((snapshot) => {
      const known = snapshot.known.map((one) => ({
        ...figures({ status: one.status, seats: one.seats }, one.id),
        id: one.id,
        version: one.version,
        new_watch_count: Number(one.has_new),
      }))
      const seen = [...snapshot.said].map(([id, look]) => figures(look, id))
      const believed = [{ source_id: this.#group.source_id, group_id: this.#group.group_id, at: snapshot.at }]
      return recordObservations(env.DB, crypto.randomUUID(), this.#now, proposeChanges(known, seen), believed)
    })
    await Promise.all(writes)
    return snapshots.flatMap((snapshot) => this.#model.poll(snapshot, this.#now))
  }

  async #sweep(): Promise<void> {
    const now = this.#now
    await sweepAlerts.runUnread(runContext({ env: { ...env, LEDGER: unheard }, now: () => now }), {})
  }

  /** The messages written in this step: to whom, and about how many alerts. */
  async #messages(): Promise<string[]> {
    const written = await rows<{ message: string }>(
      `SELECT 'contact ' || d.contact_id || ': ' || count(*) AS message
       FROM delivery d JOIN delivery_alert l ON l.delivery_id = d.id WHERE d.created_at = ? GROUP BY d.id`,
      this.#now,
    )
    return written.map(({ message }) => message).toSorted()
  }

  async #compare(): Promise<void> {
    const [alerts, watches, sections, miscounted] = await env.DB.batch([
      env.DB.prepare(
        `SELECT recipient_id AS recipient, section_id AS section, kind, reminder, created_at, release_at,
           poll_id IS NOT NULL AS is_released, canceled_at IS NOT NULL AS is_canceled
         FROM class_alert ORDER BY recipient_id, section_id, created_at, reminder`,
      ),
      env.DB.prepare(
        `SELECT recipient_id AS recipient, section_id AS section, is_new, last_alert_at, remind_at, reminders
         FROM watch ORDER BY recipient_id, section_id`,
      ),
      env.DB.prepare('SELECT id, status, seats_available AS seats, version FROM section ORDER BY id'),
      env.DB.prepare(
        `SELECT s.id FROM section s JOIN section_group g ON g.id = s.group_id
         WHERE s.watch_count <> (SELECT count(*) FROM watch w WHERE w.section_id = s.id)
           OR s.new_watch_count <> (SELECT count(*) FROM watch w WHERE w.section_id = s.id AND w.is_new)
           OR g.watch_count <> (SELECT count(*) FROM watch w JOIN section o ON o.id = w.section_id WHERE o.group_id = g.id)`,
      ),
    ])
    const model = this.#model
    expect(alerts?.results.map(flagged)).toEqual(model.alerts.map(shown).toSorted(byPlace))
    expect(watches?.results.map(flagged)).toEqual(model.watches.toSorted(byPlace))
    expect(sections?.results).toEqual(
      model.sections.map(({ id, status, seats, version }) => ({ id, status, seats, version })),
    )
    expect(miscounted?.results).toEqual([])
  }
}

/** The app's figures of a section. */
function figures({ status, seats }: Look, id: number) {
  return { section_key: String(id), status, seats_available: seats, capacity: 30, waitlist_available: 0 }
}

interface Placed {
  recipient: number
  section: number
  created_at?: number
  reminder?: number
}

function byPlace(one: Placed, other: Placed): number {
  const difference = one.recipient - other.recipient || one.section - other.section
  return difference || (one.created_at ?? 0) - (other.created_at ?? 0) || (one.reminder ?? 0) - (other.reminder ?? 0)
}

/** A row with its flags as such. */
function flagged(row: unknown): Record<string, unknown> {
  const entries = Object.entries(row as Record<string, unknown>)
  return Object.fromEntries(entries.map(([name, value]) => [name, name.startsWith('is_') ? value === 1 : value]))
}

function shown(alert: PlayedAlert): Omit<PlayedAlert, 'deliveries'> {
  const { recipient, section, kind, reminder, created_at, release_at, is_released, is_canceled } = alert
  return { recipient, section, kind, reminder, created_at, release_at, is_released, is_canceled }
}
