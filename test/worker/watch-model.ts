import type { Status } from '../../src/sources/source.ts'

/** What the product promises about openings, as a small model in memory that a history is played against. */

export const minute = 60_000
export const hour = 60 * minute
const holdMs = 10 * minute
const graceMs = 6 * hour
const freshMs = 15 * minute
/** A held alert waits this long for a fresh status; while no one asks the school, for a day. */
const heldMs = 2 * hour
const unaskedMs = 24 * hour

export interface Look {
  status: Status
  seats: number
  /** Places on the waitlist; null if no one says. */
  places: number | null
}

interface PlayedSection extends Look {
  id: number
  version: number
  /** When its own status was last read and believed. */
  observedAt: number
  /** Whether the last answer left it out, or was implausible about it. */
  isUnobserved: boolean
  /** When a person said that it is open; null if the last person said otherwise, or none did. */
  setOpenAt: number | null
}

interface PlayedWatch {
  recipient: number
  section: number
  is_new: boolean
  last_alert_at: number | null
  remind_at: number | null
  reminders: number
}

export interface ModelAlert {
  recipient: number
  section: number
  kind: 'opening' | 'reminder'
  reminder: number
  created_at: number
  release_at: number | null
  is_released: boolean
  is_canceled: boolean
  deliveries: 'none' | 'queued' | 'sent'
}

interface PlayedContact {
  id: number
  recipient: number
  kind: string
  is_enabled: boolean
}

/**
 * What a poll or refresh read before it asked the school, and what the school said. `said` has no entry for what it
 * left out.
 */
export interface Snapshot {
  knownAt: number
  askedAt: number
  /** The latest time that the clock had shown: the read is newer than every one that began before, even by a clock that went back. */
  latest: number
  known: (Look & { id: number; version: number; has_new: boolean; is_watched: boolean })[]
  said: Map<number, Look>
}

export class WatchModel {
  sections: PlayedSection[] = []
  watches: PlayedWatch[] = []
  alerts: ModelAlert[] = []
  contacts: PlayedContact[] = []
  withoutPhone = new Set<number>()
  readAt = 0
  /** When the school was last asked about the group. */
  askedAt = 0
  /** When the whole group was last read, including unwatched sections. */
  listedAt = 0
  /** When a person last set its status. */
  editedAt = 0
  /** The latest time that the clock has shown. */
  latest = 0

  /** What a poll that begins now would read; a refresh also reads unwatched sections. */
  snapshot(at: number, said: Map<number, Look>, isRefresh = false): Snapshot {
    const read = this.sections.filter(({ id }) => isRefresh || this.#watchersOf(id).length > 0)
    const known = read.map((section) => ({
      ...section,
      has_new: this.#watchersOf(section.id).some((w) => w.is_new),
      is_watched: this.#watchersOf(section.id).length > 0,
    }))
    return { knownAt: at, askedAt: at, latest: this.latest, known, said: new Map(said) }
  }

  /** The poll writes; newer information takes precedence. Returns the messages that are due now. */
  poll(snapshot: Snapshot, now: number): string[] {
    for (const known of snapshot.known) this.#look(known, snapshot, now)
    this.#observe(snapshot)
    return this.#release(now)
  }

  /**
   * The same for a refresh. Sections that were unwatched at any time are written too, unless the group was listed
   * later.
   */
  refresh(snapshot: Snapshot, now: number): string[] {
    for (const known of snapshot.known) {
      if (known.is_watched) this.#look(known, snapshot, now)
      else this.#list(known, snapshot)
    }
    this.#observe(snapshot, true)
    return this.#release(now)
  }

  /** A person's edit is the newest information. */
  say(id: number, look: Look, now: number): string[] {
    const said = new Map([[id, look]])
    const [known] = this.snapshot(now, said, true).known.filter((one) => one.id === id)
    const saidAt = Math.max(now, this.readAt, this.editedAt)
    const section = this.sections.find((one) => one.id === id)
    const version = section?.version
    if (known) this.#look(known, { knownAt: now, askedAt: saidAt, latest: this.latest, known: [known], said }, now)
    this.editedAt = saidAt
    // Answers that were requested before are about an older version, even if the edit changed nothing.
    if (section?.status === look.status && section.version === version) section.version += 1
    // It is newer than every read that began before, as {@link Snapshot.latest}.
    const observedAt = Math.max(saidAt, this.latest)
    const setOpenAt = look.status === 'open' ? saidAt : null
    if (section?.status === look.status) Object.assign(section, { observedAt, isUnobserved: false, setOpenAt })
    return this.#release(now)
  }

  #list(known: Snapshot['known'][number], { askedAt, said }: Snapshot): void {
    const look = said.get(known.id)
    const section = this.sections.find(({ id }) => id === known.id)
    if (!look || look.status === 'unknown' || !section || section.version !== known.version) return
    // The clock may have gone back since the group was last listed.
    if (askedAt < Math.max(this.listedAt, this.editedAt)) return
    if (this.#watchersOf(known.id).some((watch) => !watch.is_new)) return
    const isChanged = differs(look, known)
    if (isChanged) Object.assign(section, look, { version: section.version + 1 })
  }

  #look(known: Snapshot['known'][number], { askedAt, said }: Snapshot, now: number): void {
    const look = said.get(known.id)
    const section = this.sections.find(({ id }) => id === known.id)
    if (!look || look.status === 'unknown' || !section || section.version !== known.version) return
    if (askedAt < this.readAt) return
    const isChanged = differs(look, known)
    if (!isChanged && !known.has_new) return
    const isOpening = look.status === 'open' && known.status !== 'open' && known.status !== 'unknown'
    const watchers = this.#watchersOf(known.id)
    const alerted = look.status !== 'open' ? [] : isOpening ? watchers : watchers.filter((watch) => watch.is_new)
    if (isChanged || alerted.length > 0) section.version += 1
    section.status = look.status
    section.seats = look.seats
    section.places = look.places
    for (const watch of alerted) this.#tell(watch, now)
    for (const watch of watchers) watch.is_new = false
  }

  #observe({ knownAt, askedAt, latest: newest, known, said }: Snapshot, isRefresh = false): void {
    for (const { id } of known) {
      const section = this.sections.find((one) => one.id === id)
      const look = said.get(id)
      if (!section) continue
      const isSeen = look !== undefined && look.status !== 'unknown'
      // A refused status counts as unobserved.
      if (isSeen && !differs(look, section)) section.observedAt = Math.max(section.observedAt, askedAt, newest)
      const watchers = this.#watchersOf(id)
      const isPolled = watchers.some((watch) => !watch.is_new)
      const latest = Math.max(watchers.length > 0 ? this.readAt : 0, isPolled ? 0 : this.listedAt, this.editedAt)
      if (knownAt > latest) section.isUnobserved = !isSeen
    }
    if (isRefresh && knownAt > Math.max(this.listedAt, this.editedAt)) this.listedAt = Math.max(this.listedAt, askedAt)
    const isRead = isRefresh || this.watches.length > 0
    const isNewer = knownAt > Math.max(this.readAt, isRefresh ? this.editedAt : 0)
    if (isRead && isNewer) this.readAt = Math.max(this.readAt, askedAt)
    // A poll of an earlier time writes nothing about the group.
    if (isRefresh || (isRead && isNewer)) this.askedAt = Math.max(this.askedAt, askedAt)
  }

  sweep(now: number): string[] {
    for (const alert of this.alerts.filter((one) => isHeld(one) && (one.release_at ?? 0) <= now)) {
      const isOpen = this.#statusOf(alert.section) === 'open'
      const waits = this.#watchersOf(alert.section).some(
        (watch) => watch.recipient === alert.recipient && (watch.last_alert_at ?? 0) <= alert.created_at,
      )
      if (isOpen && waits && this.#isFresh(alert.section, now)) {
        alert.is_released = true
        justReleased.add(alert)
      } else if (!isOpen || !waits || !this.#mayWait(alert.release_at ?? 0, now)) alert.is_canceled = true
    }
    for (const watch of this.watches.filter((one) => one.remind_at !== null && one.remind_at <= now)) {
      const status = this.#statusOf(watch.section)
      const its = this.alerts.filter((one) => one.recipient === watch.recipient && one.section === watch.section)
      const isAllowedAnyway = its.some((one) => !one.is_canceled && (isHeld(one) || justReleased.has(one)))
      if (status === 'open' && this.#isFresh(watch.section, now) && watch.reminders < 3 && !isAllowedAnyway) {
        this.#add(watch, now, { kind: 'reminder', reminder: watch.reminders + 1, release_at: null })
      } else if (status !== 'open' && status !== 'unknown') watch.remind_at = null
    }
    return this.#release(now)
  }

  watch(recipient: number, section: number): boolean {
    if (this.watches.some((one) => one.recipient === recipient && one.section === section)) return false
    const told = this.alerts
      .filter(
        (one) =>
          one.recipient === recipient && one.section === section && one.deliveries !== 'none' && !one.is_canceled,
      )
      .map((one) => one.release_at ?? one.created_at)
    const last_alert_at = told.length === 0 ? null : Math.max(...told)
    this.watches.push({ recipient, section, is_new: true, last_alert_at, remind_at: null, reminders: 0 })
    return true
  }

  unwatch(recipient: number, section: number): void {
    this.watches = this.watches.filter((one) => one.recipient !== recipient || one.section !== section)
    for (const alert of this.alerts) {
      if (alert.recipient !== recipient || alert.section !== section) continue
      if (isHeld(alert) || alert.deliveries === 'queued') alert.is_canceled = true
    }
  }

  /** Every waiting message is sent. */
  send(): void {
    for (const alert of this.alerts) if (alert.deliveries === 'queued' && !alert.is_canceled) alert.deliveries = 'sent'
  }

  usable(recipient: number): PlayedContact[] {
    return this.contacts.filter(
      (one) =>
        one.recipient === recipient && one.is_enabled && (one.kind !== 'phone' || !this.withoutPhone.has(recipient)),
    )
  }

  /** Whether a section's status was read, or stated by a person, recently enough to be in a message. */
  #isFresh(id: number, now: number): boolean {
    const section = this.sections.find((one) => one.id === id)
    if (!section || section.isUnobserved) return false
    // A school that was never read contradicts no one.
    const isVouchedFor = section.setOpenAt !== null && (this.readAt === 0 || section.setOpenAt >= now - freshMs)
    return this.readAt >= now - freshMs || isVouchedFor
  }

  #mayWait(releaseAt: number, now: number): boolean {
    return releaseAt > now - (this.askedAt < releaseAt ? unaskedMs : heldMs)
  }

  #watchersOf(section: number): PlayedWatch[] {
    return this.watches.filter((watch) => watch.section === section)
  }

  #statusOf(section: number): Status {
    return this.sections.find(({ id }) => id === section)?.status ?? 'unknown'
  }

  #tell(watch: PlayedWatch, now: number): void {
    const last = watch.last_alert_at
    const release_at = last !== null && last > now - holdMs ? last + holdMs : null
    this.#add(watch, now, { kind: 'opening', reminder: 0, release_at })
  }

  #add(watch: PlayedWatch, now: number, alert: Pick<ModelAlert, 'kind' | 'reminder' | 'release_at'>): void {
    const { recipient, section } = watch
    const is_released = alert.release_at === null
    const added = { ...alert, recipient, section, created_at: now, is_released, is_canceled: false }
    const kept: ModelAlert = { ...added, deliveries: 'none' }
    this.alerts.push(kept)
    if (is_released) justReleased.add(kept)
  }

  /** One message per usable contact of each recipient, whatever it is about; the watches remember it. */
  #release(now: number): string[] {
    const alerts = [...justReleased]
    justReleased.clear()
    const messages: string[] = []
    for (const [recipient, its] of Map.groupBy(alerts, (alert) => alert.recipient)) {
      const contacts = this.usable(recipient)
      messages.push(...contacts.map(({ id }) => `contact ${id}: ${its.length}`))
      for (const alert of its) {
        if (contacts.length > 0) alert.deliveries = 'queued'
        for (const watch of this.watches) {
          if (watch.recipient !== recipient || watch.section !== alert.section) continue
          if (contacts.length > 0) watch.last_alert_at = now
          watch.reminders = alert.reminder
          watch.remind_at = alert.reminder < 3 ? now + graceMs : null
        }
      }
    }
    return messages.toSorted()
  }
}

const differs = (one: Look, other: Look): boolean =>
  one.status !== other.status || one.seats !== other.seats || one.places !== other.places

const isHeld = (alert: ModelAlert): boolean => !alert.is_released && !alert.is_canceled

/** Released within the current step. */
const justReleased = new Set<ModelAlert>()
