import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { expect } from 'vitest'
import { proposeChanges } from '../../src/class-tracker/polling/openings.ts'
import { absenceOf } from '../../src/class-tracker/polling/absence.ts'
import { recordObservations } from '../../src/class-tracker/polling/record-observations.ts'
import { setStatus } from '../../src/class-tracker/polling/set-status.ts'
import { observedAtOf } from '../../src/class-tracker/courses/observed-at.ts'
import {
  type StoredSection,
  type JudgedSection,
  whyNotEmpty,
} from '../../src/class-tracker/refresh/compare-sections.ts'
import { readStoredSections } from '../../src/class-tracker/refresh/write-sections.ts'
import { NO_FIGURES } from '../../src/sources/judge.ts'
import { sweepAlerts } from '../../src/class-tracker/deliveries/sweep-alerts.ts'
import { addWatchedSection } from '../../src/class-tracker/watches/add-watched-section.ts'
import { removeWatchedSection } from '../../src/class-tracker/watches/remove-watched-section.ts'
import { type MadeGroup, makeGroup, makeRecipient, makeSection } from './catalog.ts'
import { runContext, unheard } from './job-context.ts'
import { alreadyJudged, writeReads } from './judged-section.ts'
import { hour, minute, WatchModel, type Look, type ModelAlert, type Snapshot } from './watch-model.ts'
import { rows } from './rows.ts'
import type { Personal, Saying, Step, Trouble } from './watch-scenes.ts'
import { trackerStaff } from './tracker-staff.ts'
import { failingAt, lateAt, unlessBroken } from './watched-database.ts'
import { statement, compiledText } from '../../src/db/query.ts'
import { section, sectionGroup } from '../../src/db/schema/index.ts'

/** When each section was last observed. */
const observations = compiledText(
  statement(sql`SELECT ${section.id}, ${observedAtOf(section, sectionGroup)} AS observed_at
    FROM ${section} JOIN ${sectionGroup} ON ${sectionGroup.id} = ${section.groupId} ORDER BY ${section.id}`),
).text

let people = 0

/** A history on a separate database: what the app did is compared with the model after every step. */
export class WatchHistory {
  readonly #model = new WatchModel()
  readonly #group: MadeGroup
  readonly #recipients: number[] = []
  readonly #said = new Map<number, Look>()
  /** The school's name for a section. */
  readonly #keys = new Map<number, string>()
  #now = 10_000 * hour
  #begun: Snapshot | null = null
  #listing: Listing | null = null

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
      this.#keys.set(id, key)
      const look: Look = { status: 'closed', seats: 0, places: 0 }
      this.#model.sections.push({ ...look, id, version: 1, observedAt: 0, isUnobserved: false, setOpenAt: null })
      this.#said.set(id, look)
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
    this.#model.latest = Math.max(this.#model.latest, this.#now)
    const messages = await this.#act(step)
    expect(await this.#messages()).toEqual(messages)
    await this.#compare()
  }

  /** Acts in the app and in the model; returns the messages that are due in the model. */
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
      case 'ask':
        if (this.#begun) this.#begun = { ...this.#begun, askedAt: this.#now, said: new Map(this.#said) }
        return []
      case 'end':
        return this.#poll(this.#begun ? [this.#begun] : [])
      case 'list':
        this.#listing = await this.#beginListing()
        return this.#list()
      case 'begin listing':
        this.#listing = await this.#beginListing()
        return []
      case 'ask listing':
        if (this.#listing) {
          this.#listing.snapshot = { ...this.#listing.snapshot, askedAt: this.#now, said: new Map(this.#said) }
        }
        return []
      case 'end listing':
        return this.#list()
      case 'say':
        return this.#say(step)
      case 'sweep':
        await this.#sweep()
        return model.sweep(this.#now)
      case 'send':
        await env.DB.prepare("UPDATE delivery SET state = 'sent' WHERE state = 'queued'").run()
        model.send()
        return []
      case 'troubled poll': {
        const snapshot = model.snapshot(this.#now, this.#said)
        return twice(
          step,
          (db) => this.#record(snapshot, db),
          () => this.#poll([snapshot]),
        )
      }
      case 'troubled list': {
        const listing = await this.#beginListing()
        return twice(
          step,
          (db) => this.#write(listing, db),
          async () => {
            this.#listing = await this.#beginListing()
            const messages = await this.#list()
            // What it knew includes what the first run wrote, so the model cannot play it a second time.
            this.#listing = null
            return messages
          },
        )
      }
      case 'troubled sweep':
        return twice(
          step,
          (db) => this.#sweep(db),
          async () => {
            await this.#sweep()
            return model.sweep(this.#now)
          },
        )
      case 'clock back':
        this.#now -= step.ms
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
    else this.#said.set(id, { status: says, seats: says === 'open' ? seats : 0, places: 0 })
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
      await removeWatchedSection(env.DB, trackerStaff, { recipientId: who, sectionId: which }, this.#now)
      return model.unwatch(who, which)
    }
    const added = addWatchedSection(
      env.DB,
      trackerStaff,
      { recipientId: who, sectionId: which },
      Math.max(this.#now, 1),
    )
    if (model.watch(who, which)) await added
    else await expect(added).rejects.toThrow()
  }

  /** Polls that end now, together. The model plays them in order: only the first can change anything. */
  async #poll(snapshots: Snapshot[]): Promise<string[]> {
    await Promise.all(snapshots.map((snapshot) => this.#record(snapshot)))
    return snapshots.flatMap((snapshot) => this.#model.poll(snapshot, this.#now))
  }

  async #record(snapshot: Snapshot, db: D1Database = env.DB): Promise<void> {
    const known = snapshot.known.map((one) => ({
      ...figures(one, one.id),
      id: one.id,
      version: one.version,
      new_watch_count: Number(one.has_new),
    }))
    const seen = [...snapshot.said].map(([id, look]) => figures(look, id))
    const asked = { group_id: this.#group.group_id, asked_at: snapshot.askedAt, seen_at: this.#now }
    const absence = absenceOf(known, seen, true)
    const believed = [{ source_id: this.#group.source_id, known_at: snapshot.knownAt, ...asked, absence }]
    const proposals = proposeChanges(known, seen, asked)
    await recordObservations(db, { pollId: crypto.randomUUID(), now: this.#now, proposals, groups: believed })
  }

  async #beginListing(): Promise<Listing> {
    const known = await readStoredSections(env.DB, [this.#group.group_id])
    return { known, snapshot: this.#model.snapshot(this.#now, this.#said, true) }
  }

  /** A refresh ends now. */
  async #list(): Promise<string[]> {
    if (!this.#listing) return []
    const isBelieved = await this.#write(this.#listing)
    return isBelieved ? this.#model.refresh(this.#listing.snapshot, this.#now) : []
  }

  /** It writes what it read, based on what it knew. @returns false if it believed nothing */
  async #write({ known, snapshot }: Listing, db: D1Database = env.DB): Promise<boolean> {
    const { group_id, subject_id, school_term_id } = this.#group
    const sections = [...snapshot.said].map(([id, look]) => listed(look, this.#keys.get(id) ?? ''))
    // Like the job: an empty answer is not believed for a group with known sections.
    if (sections.length === 0 && whyNotEmpty(known) !== null) return false
    const clocks = { asked_at: snapshot.askedAt, seen_at: this.#now, known_at: snapshot.knownAt }
    const read = { group_id, subject_id, ...clocks, known, sections }
    await writeReads(db, school_term_id, this.#now, [read])
    return true
  }

  async #say({ section, says, seats }: Extract<Step, { do: 'say' }>): Promise<string[]> {
    const id = this.#model.sections[section]?.id ?? 0
    const look = { status: says, seats: says === 'open' ? seats : 0, places: null }
    const said = { status: says, seats_available: look.seats }
    await setStatus({ ...env, LEDGER: unheard }, trackerStaff, [id], said, this.#now)
    return this.#model.say(id, look, this.#now)
  }

  async #sweep(DB: D1Database = env.DB): Promise<void> {
    const now = this.#now
    await sweepAlerts.runWithRawInput(runContext({ env: { ...env, DB, LEDGER: unheard }, now: () => now }), {})
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
    const [alerts, watches, sections, miscounted, observed] = await env.DB.batch([
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
      env.DB.prepare(observations),
    ])
    const model = this.#model
    const seen = (observed?.results ?? []) as { id: number; observed_at: number | null }[]
    for (const { id, observed_at } of seen) {
      // Never fresher than the last plausible read of this very section.
      const latest = model.sections.find((section) => section.id === id)?.observedAt ?? 0
      expect({ id, latest, isFresher: (observed_at ?? 0) > latest }).toEqual({ id, latest, isFresher: false })
    }
    expect(alerts?.results.map(flagged)).toEqual(model.alerts.map(shown).toSorted(byPlace))
    expect(watches?.results.map(flagged)).toEqual(model.watches.toSorted(byPlace))
    expect(sections?.results).toEqual(
      model.sections.map(({ id, status, seats, version }) => ({ id, status, seats, version })),
    )
    expect(miscounted?.results).toEqual([])
  }
}

/** A run meets the fault, and the job runs again. @returns what the other run does */
async function twice<Done>(
  { trouble, moment, trip }: Trouble,
  run: (db: D1Database) => Promise<unknown>,
  again: () => Promise<Done>,
): Promise<Done> {
  if (trouble === 'fails') {
    await unlessBroken(run(failingAt(trip, moment)))
    return again()
  }
  const late = lateAt(trip, moment)
  const first = run(late.db)
  await Promise.race([late.isWaiting, first])
  const done = await again()
  late.answer()
  await first
  return done
}

/** A refresh that has read what it knows but not written yet. */
interface Listing {
  known: StoredSection[]
  snapshot: Snapshot
}

/** A section as a refresh has it, judged. */
function listed(look: Look, key: string): JudgedSection {
  return alreadyJudged({
    ...figures(look, key),
    stated: null,
    figures: NO_FIGURES,
    doubts: [],
    subject: 'CS',
    code: 'CS',
    level: '101',
    title: 'Introduction',
    number: key,
    section: '001',
    topic: 'Introduction',
    instruction_list: [{ name: 'Ada Lovelace', days_times: 'MoWe 9:05AM - 10:20AM' }],
    instruction_mode: 'In Person',
  })
}

/** The app's figures for a section. */
function figures({ status, seats, places }: Look, key: number | string) {
  return {
    section_key: String(key),
    status,
    seats_available: seats,
    seats_for_anyone: null,
    capacity: 30,
    waitlist_available: places,
    why_unknown: null,
  }
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

function shown(alert: ModelAlert): Omit<ModelAlert, 'deliveries'> {
  const { recipient, section, kind, reminder, created_at, release_at, is_released, is_canceled } = alert
  return { recipient, section, kind, reminder, created_at, release_at, is_released, is_canceled }
}
