import type { Status } from '../../src/sources/source.ts'

/** What the product promises about openings, in a few lines of memory: a model that a history is played against. */

export const minute = 60_000
export const hour = 60 * minute
const holdMs = 10 * minute
const graceMs = 6 * hour
const freshMs = 15 * minute

export interface Look {
  status: Status
  seats: number
}

interface PlayedSection extends Look {
  id: number
  version: number
}

interface PlayedWatch {
  recipient: number
  section: number
  is_new: boolean
  last_alert_at: number | null
  remind_at: number | null
  reminders: number
}

export interface PlayedAlert {
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

/** What a poll read before it asked the school, and what the school said. `said` has no entry for what it left out. */
export interface Snapshot {
  at: number
  known: { id: number; version: number; status: Status; seats: number; has_new: boolean }[]
  said: Map<number, Look>
}

export class PlayedWatches {
  sections: PlayedSection[] = []
  watches: PlayedWatch[] = []
  alerts: PlayedAlert[] = []
  contacts: PlayedContact[] = []
  withoutPhone = new Set<number>()
  readAt = 0

  /** What a poll that begins now would read. */
  snapshot(at: number, said: Map<number, Look>): Snapshot {
    const watched = this.sections.filter(({ id }) => this.#watchersOf(id).length > 0)
    const known = watched.map((section) => ({
      ...section,
      has_new: this.#watchersOf(section.id).some((w) => w.is_new),
    }))
    return { at, known, said: new Map(said) }
  }

  /** The poll writes; what changed since it read wins over what it says. Answers the messages that are due now. */
  poll(snapshot: Snapshot, now: number): string[] {
    for (const known of snapshot.known) {
      const look = snapshot.said.get(known.id)
      const section = this.sections.find(({ id }) => id === known.id)
      if (!look || look.status === 'unknown' || !section || section.version !== known.version) continue
      const isChanged = look.status !== known.status || look.seats !== known.seats
      if (!isChanged && !known.has_new) continue
      const isOpening = look.status === 'open' && known.status !== 'open' && known.status !== 'unknown'
      const watchers = this.#watchersOf(known.id)
      const told = look.status !== 'open' ? [] : isOpening ? watchers : watchers.filter((watch) => watch.is_new)
      if (isChanged || told.length > 0) section.version += 1
      section.status = look.status
      section.seats = look.seats
      for (const watch of told) this.#tell(watch, now)
      for (const watch of watchers) watch.is_new = false
    }
    this.readAt = snapshot.at
    return this.#release(now)
  }

  sweep(now: number): string[] {
    for (const alert of this.alerts.filter((one) => isHeld(one) && (one.release_at ?? 0) <= now)) {
      const isOpen = this.#statusOf(alert.section) === 'open'
      if (isOpen && this.#watchersOf(alert.section).some((watch) => watch.recipient === alert.recipient)) {
        alert.is_released = true
        justReleased.add(alert)
      } else alert.is_canceled = true
    }
    for (const watch of this.watches.filter((one) => one.remind_at !== null && one.remind_at <= now)) {
      const status = this.#statusOf(watch.section)
      const its = this.alerts.filter((one) => one.recipient === watch.recipient && one.section === watch.section)
      const isToldAnyway = its.some((one) => !one.is_canceled && (isHeld(one) || justReleased.has(one)))
      if (status === 'open' && this.readAt >= now - freshMs && watch.reminders < 3 && !isToldAnyway) {
        this.#add(watch, now, { kind: 'reminder', reminder: watch.reminders + 1, release_at: null })
      } else if (status !== 'open' && status !== 'unknown') watch.remind_at = null
    }
    return this.#release(now)
  }

  watch(recipient: number, section: number): boolean {
    if (this.watches.some((one) => one.recipient === recipient && one.section === section)) return false
    const told = this.alerts
      .filter((one) => one.recipient === recipient && one.section === section && one.is_released && !one.is_canceled)
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

  /** Every message that waits goes out. */
  send(): void {
    for (const alert of this.alerts) if (alert.deliveries === 'queued' && !alert.is_canceled) alert.deliveries = 'sent'
  }

  usable(recipient: number): PlayedContact[] {
    return this.contacts.filter(
      (one) =>
        one.recipient === recipient && one.is_enabled && (one.kind !== 'phone' || !this.withoutPhone.has(recipient)),
    )
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

  #add(watch: PlayedWatch, now: number, alert: Pick<PlayedAlert, 'kind' | 'reminder' | 'release_at'>): void {
    const { recipient, section } = watch
    const is_released = alert.release_at === null
    const added = { ...alert, recipient, section, created_at: now, is_released, is_canceled: false }
    const kept: PlayedAlert = { ...added, deliveries: 'none' }
    this.alerts.push(kept)
    if (is_released) justReleased.add(kept)
  }

  /** One message a usable contact of each recipient, whatever it is about; the watches remember it. */
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
          watch.last_alert_at = now
          watch.reminders = alert.reminder
          watch.remind_at = alert.reminder < 3 ? now + graceMs : null
        }
      }
    }
    return messages.toSorted()
  }
}

const isHeld = (alert: PlayedAlert): boolean => !alert.is_released && !alert.is_canceled

/** Released within the present step. */
const justReleased = new Set<PlayedAlert>()
