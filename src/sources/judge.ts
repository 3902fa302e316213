import type { Figures, Observation, Seats, Status } from './source.ts'

/** No class has this many seats; a larger figure is a mistake. */
const MAX_FIGURE = 100_000

/** Figures that count people or places. Only free seats can be negative: schools over-enroll. */
const COUNTS = [
  'capacity',
  'enrolled',
  'waitlist_total',
  'waitlist_capacity',
  'waitlist_available',
  'shared_capacity',
  'shared_total',
] as const satisfies readonly (keyof Figures)[]

const BALANCES = ['available', 'shared_available', 'unreserved_available'] as const satisfies readonly (keyof Figures)[]

export const FIGURES = [...COUNTS, ...BALANCES]

/** For a section without figures. */
export const NO_FIGURES: Figures = {
  capacity: null,
  enrolled: null,
  available: null,
  waitlist_total: null,
  waitlist_capacity: null,
  waitlist_available: null,
  shared_capacity: null,
  shared_total: null,
  shared_available: null,
  unreserved_available: null,
}

interface Unclear {
  why: string
}

/**
 * Decides a section's status and seats from what the school said: the only place that does so, for all protocols. The
 * school's own word comes first. Otherwise open only if anyone could take a seat (the smallest of free seats, shared
 * room and unreserved seats is above 0) and no one waits; else waitlisted if the list has room or people; else closed.
 * A missing figure is computed from the others if possible. Figures that contradict each other or the school's word
 * make the status unknown, and then no figures are given either. A canceled section is closed. If the free seats are
 * reserved for certain students, the status is unknown, because we do not know who may take them.
 */
export function judge(observation: Observation): Seats {
  const { section_key, figures } = observation
  const status = decide(observation)
  if (typeof status !== 'string') {
    return {
      section_key,
      status: 'unknown',
      seats_available: null,
      seats_for_anyone: null,
      capacity: null,
      waitlist_available: null,
    }
  }
  const seats: Seats = {
    section_key,
    status,
    seats_available: ownSeats(figures),
    seats_for_anyone: fewerForAnyone(figures),
    capacity: capacityOf(figures),
    waitlist_available: placesOnList(figures),
  }
  if (observation.has_figures === false) seats.has_figures = false
  if (observation.session_code) seats.session_code = observation.session_code
  return seats
}

/** What a school says about one section where it also tells its figures, for a comparison with its list. */
export interface StatedSeats {
  status: Status
  capacity: number | null
  /** No one could take a seat, whatever the school's word is. */
  is_full: boolean
  people_waiting: number | null
}

/** Unlike {@link judge}, this keeps what believable figures tell when only the school's word contradicts them. */
export function statedSeats(observation: Observation): StatedSeats {
  const { figures } = observation
  if (whyUnbelievable(observation) !== null)
    return { status: 'unknown', capacity: null, is_full: false, people_waiting: null }
  const { status } = judge(observation)
  return {
    status,
    capacity: capacityOf(figures),
    is_full: fewestFree(figures) <= 0,
    people_waiting: peopleWaiting(figures),
  }
}

/** Why {@link judge} finds the status unknown, as a sentence; null if it is known. */
export function whyUnknown(observation: Observation): string | null {
  const status = decide(observation)
  return typeof status === 'string' ? null : status.why
}

/**
 * Seats that anyone could take, regardless of the waitlist; null if the section's own or shared free seats are unknown.
 */
export function freeSeats(figures: Figures): number | null {
  const own = ownSeats(figures)
  if (own === null) return null
  const unreserved = figures.unreserved_available ?? own
  const shared = sharedSeats(figures)
  if (shared !== null) return Math.min(own, shared, unreserved)
  const sharesSeats = figures.shared_capacity !== null || figures.shared_total !== null
  return sharesSeats && own > 0 ? null : Math.min(own, unreserved)
}

/** The same if they are fewer than the section's own free seats; otherwise null. */
function fewerForAnyone(figures: Figures): number | null {
  const own = ownSeats(figures)
  const free = freeSeats(figures)
  return own !== null && own > 0 && free !== null && free < own ? Math.max(free, 0) : null
}

/** The smallest of the free seats that the school gives, even if others are missing; Infinity if it gives none. */
function fewestFree(figures: Figures): number {
  const { unreserved_available: unreserved } = figures
  return Math.min(ownSeats(figures) ?? Infinity, sharedSeats(figures) ?? Infinity, unreserved ?? Infinity)
}

/** Why nothing in an observation can be believed, as a sentence; null if it can. */
const whyUnbelievable = ({ doubts, figures }: Observation): string | null => doubts[0] ?? findContradiction(figures)

function decide(observation: Observation): Exclude<Status, 'unknown'> | Unclear {
  const why = whyUnbelievable(observation)
  if (why !== null) return { why }
  const { stated, figures, flags } = observation
  if (flags?.includes('canceled')) return 'closed'
  if (stated === 'unknown') return { why: 'The school does not report the status.' }
  if (stated === 'closed' || stated === 'waitlisted') return stated
  if (stated === 'open') {
    const fewest = fewestFree(figures)
    if (fewest <= 0) return { why: `The school says open, and that ${fewest} seats are free.` }
  } else {
    const free = freeSeats(figures)
    if (free === null) return { why: 'The school does not report how many seats are free.' }
    if (free <= 0) return whenFull(figures)
  }
  const waiting = peopleWaiting(figures)
  if (waiting === null && !keepsNoList(figures))
    return { why: 'The school does not report how many people are waiting.' }
  if ((waiting ?? 0) > 0) return 'waitlisted'
  return flags?.includes('held') ? { why: 'The free seats are reserved for certain students.' } : 'open'
}

function whenFull(figures: Figures): 'waitlisted' | 'closed' | Unclear {
  const waiting = peopleWaiting(figures)
  const places = placesOnList(figures)
  if ((waiting ?? 0) > 0 || (places ?? 0) > 0) return 'waitlisted'
  if ((waiting !== null && places !== null) || keepsNoList(figures)) return 'closed'
  return { why: 'The school does not report whether the waitlist has places left or people on it.' }
}

/** Figures that contradict each other, by identities that hold in the rows of every school; null if there are none. */
function findContradiction(figures: Figures): string | null {
  if (figures === NO_FIGURES) return null
  for (const name of COUNTS) {
    const value = figures[name]
    if (value !== null && (!isFigure(value) || value < 0)) return `The school gives ${value} as ${WORDS[name]}.`
  }
  for (const name of BALANCES) {
    const value = figures[name]
    if (value !== null && !isFigure(value)) return `The school gives ${value} as ${WORDS[name]}.`
  }
  return (
    findImbalance(SEATS, figures) ??
    findImbalance(WAITLIST, figures) ??
    findImbalance(SHARED_SEATS, figures) ??
    findExcess('unreserved_available', 'capacity', figures)
  )
}

const WORDS: Readonly<Record<keyof Figures, string>> = {
  capacity: 'seats in all',
  enrolled: 'people enrolled',
  available: 'free seats',
  waitlist_total: 'people waiting',
  waitlist_capacity: 'places on the waitlist',
  waitlist_available: 'free places on the waitlist',
  shared_capacity: 'seats in all cross-listed sections',
  shared_total: 'people enrolled in all cross-listed sections',
  shared_available: 'free seats shared by all cross-listed sections',
  unreserved_available: 'free seats that are not reserved',
}

function isFigure(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value) <= MAX_FIGURE
}

/** Three figures of which one follows from the others: what is left is the total minus what is taken. */
interface Identity {
  all: keyof Figures
  taken: keyof Figures
  left: keyof Figures
  /** Whether schools are known to write 0 left if more is taken than the total. */
  may_stop_at_zero: boolean
}

const SEATS: Identity = { all: 'capacity', taken: 'enrolled', left: 'available', may_stop_at_zero: true }
const WAITLIST: Identity = {
  all: 'waitlist_capacity',
  taken: 'waitlist_total',
  left: 'waitlist_available',
  may_stop_at_zero: false,
}
const SHARED_SEATS: Identity = {
  all: 'shared_capacity',
  taken: 'shared_total',
  left: 'shared_available',
  may_stop_at_zero: true,
}

function findImbalance({ all, taken, left, may_stop_at_zero }: Identity, figures: Figures): string | null {
  const { [all]: whole, [taken]: part, [left]: rest } = figures
  if (whole === null || rest === null) return null
  if (part === null) return findExcess(left, all, figures)
  if (rest === whole - part || (may_stop_at_zero && rest === 0 && part > whole)) return null
  return `The figures contradict each other: ${whole} ${WORDS[all]}, ${part} ${WORDS[taken]}, ${rest} ${WORDS[left]}.`
}

function findExcess(left: keyof Figures, all: keyof Figures, figures: Figures): string | null {
  const { [left]: rest, [all]: whole } = figures
  if (rest === null || whole === null || rest <= whole) return null
  return `The figures contradict each other: ${rest} ${WORDS[left]} of ${whole} ${WORDS[all]}.`
}

function capacityOf({ capacity, available, enrolled }: Figures): number | null {
  return capacity ?? (available === null || enrolled === null ? null : available + enrolled)
}

/** The section's own free seats, whether or not it shares or reserves some; null if unknown. */
export function ownSeats({ available, capacity, enrolled }: Figures): number | null {
  return available ?? difference(capacity, enrolled)
}

/** The free seats of a room shared with other sections; null if unknown. */
function sharedSeats({ shared_available, shared_capacity, shared_total }: Figures): number | null {
  return shared_available ?? difference(shared_capacity, shared_total)
}

function peopleWaiting({ waitlist_total, waitlist_capacity, waitlist_available }: Figures): number | null {
  return waitlist_total ?? difference(waitlist_capacity, waitlist_available)
}

function placesOnList({ waitlist_available, waitlist_capacity, waitlist_total }: Figures): number | null {
  if (waitlist_available !== null) return waitlist_available
  const places = difference(waitlist_capacity, waitlist_total)
  return places === null ? null : Math.max(0, places)
}

function keepsNoList({ waitlist_total, waitlist_capacity, waitlist_available }: Figures): boolean {
  return waitlist_total === null && waitlist_capacity === null && waitlist_available === null
}

function difference(all: number | null, taken: number | null): number | null {
  return all === null || taken === null ? null : all - taken
}
