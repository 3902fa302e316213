import type { Section, Status } from './types.ts'

/** A change that contradicts itself or the school's arithmetic; `message` says how. */
export class RefusedChange extends Error {}

export interface SeatChange {
  available?: number
  status?: Status
  /** People on the waitlist. */
  waitlist?: number
  /** The free seats that anyone may take; the rest is reserved. */
  unreserved?: number
  offered?: boolean
}

/** Seats by the section's own count; negative if over-enrolled. */
export function seatsAvailable({ seats }: Section): number {
  return seats.capacity - seats.enrolled
}

export function crossListCount(section: Section): number {
  return section.crossList?.members.reduce((sum, member) => sum + member.seats.enrolled, 0) ?? 0
}

/** Room left in the cross-list group; null without one. */
export function crossListAvailable(section: Section): number | null {
  return section.crossList ? section.crossList.capacity - crossListCount(section) : null
}

export function waitAvailable({ seats }: Section): number {
  return Math.max(0, seats.waitCapacity - seats.waitCount)
}

/** Free seats that anyone may take by the section's own count, without reserved ones. */
export function unreservedAvailable(section: Section): number {
  return seatsAvailable(section) - section.seats.held
}

/** What a newcomer could take: the smaller of unreserved seats and cross-list room. */
function free(section: Section): number {
  return Math.min(unreservedAvailable(section), crossListAvailable(section) ?? Infinity)
}

/** The truth that the protocols express in their own ways: open if a seat is free and no one waits for it. */
export function statusOf(section: Section): Status {
  if (free(section) > 0 && section.seats.waitCount === 0) return 'open'
  return waitAvailable(section) > 0 || section.seats.waitCount > 0 ? 'waitlisted' : 'closed'
}

/**
 * Sets the section's own seats and leaves the room of its cross-list group, and therefore its siblings, as they were.
 */
function setAvailable(section: Section, available: number): void {
  const { seats, crossList } = section
  if (available > seats.capacity) seats.capacity = available
  const enrolled = seats.capacity - available
  if (crossList) crossList.capacity += enrolled - seats.enrolled
  seats.enrolled = enrolled
}

function makeRoomInGroup(section: Section, needed: number): void {
  const room = crossListAvailable(section)
  if (section.crossList && room !== null && room < needed) section.crossList.capacity += needed - room
}

function setWaitlist(section: Section, people: number): void {
  section.seats.waitCount = people
  section.seats.waitCapacity = Math.max(section.seats.waitCapacity, people)
}

function open(section: Section, change: SeatChange): void {
  const { seats } = section
  if (change.available === undefined) {
    setAvailable(section, Math.max(seatsAvailable(section), change.unreserved ?? 0, 1))
  }
  if (change.waitlist === undefined) seats.waitCount = 0
  makeRoomInGroup(section, 1)
}

/**
 * Full, or (if the school states its status, or seats are reserved) with all apparently free seats reserved; never with
 * a waitlist.
 */
function close(section: Section, change: SeatChange): void {
  const { seats } = section
  const isHeld = change.available !== undefined || change.unreserved !== undefined
  if (!isHeld && seatsAvailable(section) > 0) setAvailable(section, 0)
  if (change.waitlist === undefined) seats.waitCount = 0
  seats.waitCapacity = seats.waitCount
  if (section.school.institution !== null) seats.held = Math.max(0, seatsAvailable(section))
}

function putOnList(section: Section, change: SeatChange): void {
  const { seats } = section
  const isHeld = change.available !== undefined || change.unreserved !== undefined
  if (!isHeld && seatsAvailable(section) > 0) setAvailable(section, 0)
  if (change.waitlist === undefined) seats.waitCount = Math.max(1, seats.waitCount)
  seats.waitCapacity = Math.max(seats.waitCapacity, seats.waitCount, change.waitlist === 0 ? 10 : 0)
}

/** Reserves all free seats but these. */
function reserve(section: Section, unreserved: number): void {
  const available = seatsAvailable(section)
  if (unreserved > Math.max(0, available)) {
    throw new RefusedChange(`${unreserved} unreserved seats are more than the ${available} free ones.`)
  }
  section.seats.held = Math.max(0, available - unreserved)
}

/**
 * Changes one section so that every figure stays consistent with its protocol's arithmetic: a stated status changes
 * whatever was not stated with it. Throws `RefusedChange`, with nothing changed, if figures and status contradict.
 */
export function changeSeats(section: Section, change: SeatChange): void {
  const before = { seats: { ...section.seats }, group: section.crossList?.capacity }
  try {
    apply(section, change)
  } catch (error) {
    section.seats = before.seats
    if (section.crossList && before.group !== undefined) section.crossList.capacity = before.group
    throw error
  }
  if (change.offered !== undefined) section.offered = change.offered
}

function apply(section: Section, change: SeatChange): void {
  if (change.available !== undefined) setAvailable(section, change.available)
  if (change.waitlist !== undefined) setWaitlist(section, change.waitlist)
  if (change.available !== undefined || change.waitlist !== undefined || change.status === 'open')
    section.seats.held = 0
  if (change.available !== undefined) makeRoomInGroup(section, change.available)
  if (change.status === 'open') open(section, change)
  if (change.status === 'closed') close(section, change)
  if (change.status === 'waitlisted') putOnList(section, change)
  if (change.unreserved !== undefined) reserve(section, change.unreserved)
  const reached = statusOf(section)
  if (change.status !== undefined && reached !== change.status) {
    throw new RefusedChange(`These figures make the section ${reached}, not ${change.status}.`)
  }
}
