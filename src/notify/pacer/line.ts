import { FairOrder, type Place } from './fair-order.ts'
import { HOUR_MS } from '../../lib/time.ts'

export interface TurnRequest extends Place {
  /** Identifies one message to be sent; asking again with it keeps its place. */
  ticket: string
  /** The provider's units: requests, or SMS segments. */
  units: number
  /** Whether the message is not ready yet: the ticket then asks once more when it leaves. */
  is_preparing?: boolean
}

/** Go at this time (ms), which may be now; `is_free` if no pace is set, so that there is no slot. */
export interface Go {
  go_at: number
  is_free?: boolean
}

/** Go, or ask again at this time (ms). */
export type Turn = Go | { come_back_at: number }

/** A slot is given at most this long before its time, in ms, because its holder waits for it. */
export const AHEAD_MS = 2500
/** The most slots that are given out in advance. */
const MAX_HOLDERS = 4
/** Slots are given out at least this far in advance, in ms. */
const MIN_AHEAD_MS = 500
/** How late a holder may be, in ms: on a busy day a job comes late for every slot, so it must not lose this one. */
export const LATE_MS = 10_000
/** For how long a ticket that used its slot may ask about it again, in ms, as after a lost answer. */
export const USED_SLOT_MS = 1000
/** A sender waits for a slot that begins within this many ms instead of asking again. */
export const NEAR_MS = 120
/** How often abandoned tickets are looked for at most, in ms. */
const CLEANUP_MS = 1000
/** Slots are a little wider than the pace says, so that a request that arrives late does not meet the next one. */
export const SLOT_MARGIN = 1.1
/** A late ticket leaves a little less than a slot after the one before, so that the line catches up. */
export const LEAVE_MARGIN = 1.05
/**
 * After a quiet second the first request is the slowest, because the next messages are composed meanwhile. The second
 * leaves this much later, in ms, so that three requests do not reach the provider within one second.
 */
export const START_MARGIN_MS = 200
const QUIET_MS = 1000
/** The longest pause that a provider can order, in ms. */
export const MAX_PAUSE_MS = HOUR_MS
/** A ticket that has not asked again this long after its time, in ms, is dropped from the line. */
export const ABANDONED_AFTER_MS = 20_000
/** How many returns the average of lateness covers. */
const LATENESS_MEMORY = 8
const MIN_WAIT_MS = 300
const FIRST_PAUSE_MS = 2000
const MAX_UNNAMED_PAUSE_MS = 60_000
/** Pauses this close together show that the last was too short, in ms. */
export const PAUSES_IN_A_ROW_MS = 120_000

interface Slot {
  at: number
  units: number
  /** Whether its holder has come and does not ask again. */
  isLeaving: boolean
}

/** The state that survives a restart. The line does not: it forms again as tickets ask. */
export interface KeptLine {
  free_at: number
  paused_until: number
}

/**
 * The line before one provider account. Slots follow each other at the account's pace, and each is given to one ticket;
 * the fair order decides which comes next. A ticket whose turn is not near gets a time to ask again. Times are ms since
 * epoch.
 */
export class PacerLine {
  readonly #order = new FairOrder()
  readonly #leavesAt = new Map<string, number>()
  readonly #granted = new Map<string, Slot>()
  /** Tickets whose slot fell into a pause. */
  readonly #interrupted = new Set<string>()
  #freed: Slot[] = []
  #freeAt: number
  #pausedUntil: number
  #nextLeave = 0
  #pauses = 0
  #cleanedAt = 0
  /** How late tickets have come back recently, in ms. */
  #lateness = 0

  constructor({ free_at, paused_until }: KeptLine = { free_at: 0, paused_until: 0 }) {
    this.#freeAt = free_at
    this.#pausedUntil = paused_until
  }

  get kept(): KeptLine {
    return { free_at: this.#freeAt, paused_until: this.#pausedUntil }
  }

  get waiting(): number {
    return this.#leavesAt.size
  }

  /**
   * Asks for a slot. The same ticket with the same units gets the same slot until that slot is over.
   * @param pace units per second; 0: no pace is set, and only pauses apply
   * @param random from 0 to 1, so that tickets do not all come back at the same time
   */
  turn(request: TurnRequest, pace: number, now: number, random: number): Turn {
    this.#deleteOld(now)
    const held = this.#granted.get(request.ticket)
    const slotMs = pace > 0 ? (1000 / pace) * SLOT_MARGIN : 0
    if (held && held.units === request.units && held.at >= this.#pausedUntil)
      return this.#leave(held, slotMs, now, request.is_preparing)
    const isInterrupted = this.#interrupted.has(request.ticket)
    this.giveBack(request.ticket, now)
    if (pace <= 0) return this.#unpaced(request, now, random)
    this.#noteLateness(request.ticket, now)
    this.#order.join(request, isInterrupted)
    const begin = Math.max(now, this.#freeAt, this.#pausedUntil)
    const ahead = this.#order.unitsAhead(request) - this.#freedUnits(now)
    const expected = begin + ahead * slotMs
    // A job that waits for its slot occupies a place of its consumer, so only the next few slots are given out; more of
    // them while jobs come late, because a slot that no one holds passes unused.
    const aheadMs = Math.min(AHEAD_MS, Math.max(MIN_AHEAD_MS, MAX_HOLDERS * slotMs) + this.#lateness)
    if (expected > now + aheadMs) return this.#wait(request.ticket, expected, now, random)
    let at = this.#takeFreed(request.units)
    if (at === null) {
      at = begin
      this.#freeAt = begin + request.units * slotMs
    }
    this.#order.served(request)
    this.#leavesAt.delete(request.ticket)
    const slot = { at, units: request.units, isLeaving: false }
    this.#granted.set(request.ticket, slot)
    return this.#leave(slot, slotMs, now, request.is_preparing)
  }

  /** Releases a ticket that no longer needs its slot or its place. */
  giveBack(ticket: string, now: number): void {
    const slot = this.#granted.get(ticket)
    this.#granted.delete(ticket)
    this.#interrupted.delete(ticket)
    if (slot && slot.at > now && slot.at >= this.#pausedUntil) this.#freed.push(slot)
  }

  /** No slots until it is over. @param seconds as the provider named, or null @returns when it is over */
  pause(seconds: number | null, now: number, random: number): number {
    const named = seconds !== null && seconds > 0
    if (now >= this.#pausedUntil) this.#interrupted.clear()
    // Several messages were under way when the provider refused the first, and each of them reports it.
    if (!named && now >= this.#pausedUntil)
      this.#pauses = now - this.#pausedUntil > PAUSES_IN_A_ROW_MS ? 0 : this.#pauses + 1
    const unnamed = Math.min(MAX_UNNAMED_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#pauses) * (0.75 + random / 2)
    const length = Math.min(MAX_PAUSE_MS, named ? seconds * 1000 : unnamed)
    this.#pausedUntil = Math.max(this.#pausedUntil, Math.ceil(now + length))
    this.#freed = this.#freed.filter(({ at }) => at >= this.#pausedUntil)
    for (const [ticket, { at }] of this.#granted) if (at < this.#pausedUntil) this.#interrupted.add(ticket)
    return this.#pausedUntil
  }

  /** A late ticket still keeps a distance from the one before it, because on a busy day all are late. */
  #leave(slot: Slot, slotMs: number, now: number, isPreparing = false): Turn {
    if (slot.isLeaving || isPreparing) return { go_at: slot.at }
    // In whole milliseconds, because a fraction added to a time since 1970 is rounded, sometimes below the pace's
    // distance.
    const at = Math.ceil(Math.max(now, slot.at, this.#nextLeave))
    if (at > now + NEAR_MS) return { go_at: at }
    const startMs = at - this.#nextLeave > QUIET_MS ? START_MARGIN_MS : 0
    slot.isLeaving = true
    slot.at = at
    this.#nextLeave = at + startMs + Math.ceil((slot.units * slotMs * LEAVE_MARGIN) / SLOT_MARGIN)
    return { go_at: at }
  }

  #unpaced({ ticket }: TurnRequest, now: number, random: number): Turn {
    this.#leavesAt.delete(ticket)
    this.#order.leave(ticket)
    if (this.#pausedUntil <= now) return { go_at: now, is_free: true }
    return { come_back_at: Math.ceil(this.#pausedUntil + random * FIRST_PAUSE_MS) }
  }

  #noteLateness(ticket: string, now: number): void {
    const leavesAt = this.#leavesAt.get(ticket)
    if (leavesAt === undefined) return
    const late = Math.max(0, now - (leavesAt - ABANDONED_AFTER_MS))
    this.#lateness += (late - this.#lateness) / LATENESS_MEMORY
  }

  /** Before the expected slot, because the line may have become shorter by then. */
  #wait(ticket: string, expected: number, now: number, random: number): Turn {
    const most = now + (expected - now) * (0.6 + 0.15 * random)
    const comeBackAt = Math.ceil(Math.max(now + MIN_WAIT_MS, most, this.#pausedUntil - AHEAD_MS * random))
    this.#leavesAt.set(ticket, comeBackAt + ABANDONED_AFTER_MS)
    return { come_back_at: comeBackAt }
  }

  #freedUnits(now: number): number {
    this.#freed = this.#freed.filter(({ at }) => at >= now)
    return this.#freed.reduce((sum, { units }) => sum + units, 0)
  }

  /** A slot that was returned and is still in the future. */
  #takeFreed(units: number): number | null {
    const index = this.#freed.findIndex((slot) => slot.units >= units)
    const [slot] = index < 0 ? [] : this.#freed.splice(index, 1)
    return slot?.at ?? null
  }

  #deleteOld(now: number): void {
    for (const [ticket, { at, isLeaving }] of this.#granted)
      if (at < now - (isLeaving ? USED_SLOT_MS : LATE_MS)) this.#granted.delete(ticket)
    if (now - this.#cleanedAt < CLEANUP_MS) return
    this.#cleanedAt = now
    for (const [ticket, leavesAt] of this.#leavesAt) {
      if (leavesAt > now) continue
      this.#leavesAt.delete(ticket)
      this.#order.leave(ticket)
    }
  }
}
