import { isRecord, readFigure, type Row } from '../json-page.ts'
import { freeSeats, ownSeats } from '../judge.ts'
import type { Figures } from '../source.ts'
import { tidy } from '../text.ts'

/**
 * The figures of a row of search results. Adds to `doubts` what makes the row untrustworthy: figures that are not whole
 * numbers, and missing keys that every school sends and that the status depends on.
 */
export function readFigures(row: Row, doubts: string[]): Figures {
  const figures: Figures = {
    capacity: readFigure(row, 'maximumEnrollment', doubts),
    enrolled: readFigure(row, 'enrollment', doubts),
    available: readFigure(row, 'seatsAvailable', doubts),
    waitlist_total: readFigure(row, 'waitCount', doubts),
    waitlist_capacity: readFigure(row, 'waitCapacity', doubts),
    waitlist_available: readFigure(row, 'waitAvailable', doubts),
    shared_capacity: readFigure(row, 'crossListCapacity', doubts),
    shared_total: readFigure(row, 'crossListCount', doubts),
    shared_available: readFigure(row, 'crossListAvailable', doubts),
    unreserved_available: null,
  }
  if (isWaitlistCutOff(row, figures)) doubts.push('The row does not say whether anyone is on the waitlist.')
  readCrossList(row, figures, doubts)
  if (row.reservedSeatSummary !== null && row.reservedSeatSummary !== undefined) {
    readReserved(row, row.reservedSeatSummary, figures, doubts)
  }
  return figures
}

/** A school without waitlists sends null; a missing key was lost on the way. */
function isWaitlistCutOff(row: Row, { waitlist_total, waitlist_capacity, waitlist_available }: Figures): boolean {
  if (row.waitCount !== undefined && row.waitCapacity !== undefined && row.waitAvailable !== undefined) return false
  return waitlist_total === null && (waitlist_capacity === null || waitlist_available === null)
}

/** Sections of one cross list share seats; a row without one has null, or zeros, in all figures of the shared seats. */
function readCrossList(row: Row, figures: Figures, doubts: string[]): void {
  const { crossList } = row
  const { shared_capacity, shared_total, shared_available } = figures
  const isSharedKnown = shared_available !== null || (shared_capacity !== null && shared_total !== null)
  if (crossList === null || crossList === '') {
    const isSharedFull = isSharedKnown && !mayBeOpen(figures)
    const isNothingShared = (shared_capacity ?? 0) === 0 && (shared_total ?? 0) === 0 && (shared_available ?? 0) === 0
    figures.shared_capacity = figures.shared_total = figures.shared_available = null
    if (isSharedFull && !isNothingShared && mayBeOpen(figures)) {
      doubts.push('The section is not cross-listed, but the row says that its cross-list is full.')
    }
  } else if (crossList === undefined) {
    const isNothingGiven = shared_capacity === null && shared_total === null
    const isNoneSaid = isNothingGiven && (row.crossListCapacity === null || row.crossListAvailable === null)
    if (!isSharedKnown && !isNoneSaid && mayBeOpen(figures)) {
      doubts.push('The row does not say whether the section is cross-listed.')
    }
  } else if (!isSharedKnown) {
    doubts.push('The section is cross-listed, but the row does not say how many seats its cross-list has left.')
  }
}

/**
 * Some seats are held for certain students: `seatsAvailable` counts these too, `seatsAvailableUnreserved` does not. The
 * shape is known from public clients of schools that reserve seats; the free seats in it have been seen negative.
 */
function readReserved(row: Row, summary: unknown, figures: Figures, doubts: string[]): void {
  const given = isRecord(summary) ? summary : {}
  const reserved = readFigure(given, 'maximumEnrollmentReserved', [])
  const unreserved = readFigure(given, 'seatsAvailableUnreserved', [])
  const { courseReferenceNumber: crn } = row
  const isUnderstood =
    reserved !== null &&
    reserved >= 0 &&
    unreserved !== null &&
    tidy(given.courseReferenceNumber ?? crn) === tidy(crn) &&
    (reserved > 0 || unreserved === ownSeats(figures))
  if (isUnderstood) figures.unreserved_available = unreserved
  else if (mayBeOpen(figures)) doubts.push('Some seats are reserved, and the row does not say how many are not.')
}

function mayBeOpen(figures: Figures): boolean {
  const free = freeSeats(figures)
  return free === null || free > 0
}
