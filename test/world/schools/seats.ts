import type { Section, Status } from './types.ts'

/** A change that contradicts itself or the school's arithmetic; `message` says how. */
export class RefusedChange extends Error {}

export interface SeatChange {
  available?: number
  status?: Status
  /** People on the waiting list. */
  waitlist?: number
  offered?: boolean
}

/** Seats by the section's own count; negative when over-enrolled. */
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

/** What a newcomer could take: the smaller of seats and cross-list room, less what the school holds back. */
function free(section: Section): number {
  return Math.min(seatsAvailable(section), crossListAvailable(section) ?? Infinity) - section.seats.held
}

/** The truth the protocols tell in their own ways: open when more is free than people wait. */
export function statusOf(section: Section): Status {
  if (free(section) > section.seats.waitCount) return 'open'
  return waitAvailable(section) > 0 || section.seats.waitCount > 0 ? 'waitlisted' : 'closed'
}

/** Sets the section's own seats and leaves the room of its cross-list group, and so its siblings, as they were. */
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
  seats.held = 0
  if (change.available === undefined) setAvailable(section, Math.max(seatsAvailable(section), seats.waitCount + 1))
  else if (change.waitlist === undefined) seats.waitCount = Math.min(seats.waitCount, Math.max(0, change.available - 1))
  makeRoomInGroup(section, seats.waitCount + 1)
}

/** Full, or (where the school states its status) with what seems free held back; never with a list. */
function close(section: Section, change: SeatChange): void {
  const { seats } = section
  if (change.available === undefined && seatsAvailable(section) > 0) setAvailable(section, 0)
  if (change.waitlist === undefined) seats.waitCount = 0
  seats.waitCapacity = seats.waitCount
  if (section.school.institution !== null) seats.held = Math.max(0, seatsAvailable(section))
}

function putOnList(section: Section, change: SeatChange): void {
  const { seats } = section
  if (change.available === undefined && seatsAvailable(section) > 0) setAvailable(section, 0)
  if (change.waitlist === undefined) seats.waitCount = Math.max(1, seats.waitCount, seatsAvailable(section))
  seats.waitCapacity = Math.max(seats.waitCapacity, seats.waitCount, change.waitlist === 0 ? 10 : 0)
}

/**
 * Changes one section so that every figure stays consistent with its protocol's arithmetic: a stated status moves
 * whatever was not stated with it. Throws `RefusedChange`, with nothing changed, when figures and status contradict.
 */
export function changeSeats(section: Section, change: SeatChange): void {
  const before = { seats: { ...section.seats }, group: section.crossList?.capacity }
  if (change.available !== undefined) setAvailable(section, change.available)
  if (change.waitlist !== undefined) setWaitlist(section, change.waitlist)
  if (change.available !== undefined || change.waitlist !== undefined) section.seats.held = 0
  if (change.available !== undefined) makeRoomInGroup(section, change.available)
  if (change.status === 'open') open(section, change)
  if (change.status === 'closed') close(section, change)
  if (change.status === 'waitlisted') putOnList(section, change)
  const reached = statusOf(section)
  if (change.status !== undefined && reached !== change.status) {
    section.seats = before.seats
    if (section.crossList && before.group !== undefined) section.crossList.capacity = before.group
    throw new RefusedChange(`These figures make the section ${reached}, not ${change.status}.`)
  }
  if (change.offered !== undefined) section.offered = change.offered
}
