import { readFigure, type Row } from '../json-page.ts'
import { NO_FIGURES } from '../judge.ts'
import type { Figures, Status } from '../source.ts'
import { preview } from '../text.ts'

/** The words of the newer generation, and the numbers of the older. */
const STATUSES: ReadonlyMap<unknown, Status> = new Map<unknown, Status>([
  ['Open', 'open'],
  ['Waitlisted', 'waitlisted'],
  ['Closed', 'closed'],
  [0, 'open'],
  [1, 'waitlisted'],
  [2, 'closed'],
])

/** The school's own word; anything other than its three words is unknown. */
export function readStatus(row: Row): Status {
  return STATUSES.get(row['AvailabilityStatus']) ?? 'unknown'
}

/**
 * The figures of a section. The school's own program calls a section open whenever none of its other rules apply, so
 * its word "open" is doubted unless the row also has free seats, or unlimited seats, and the number of people waiting.
 */
export function readFigures(row: Row, stated: Status, doubts: string[]): Figures {
  const isUnlimited = readFlag(row, 'HasUnlimitedSeats', doubts) === true
  const isHidden = readFlag(row, 'AreSeatCountsAvailable', doubts) === false
  const waiting = readFigure(row, 'Waitlisted', doubts)
  if (row['IsActive'] === false) doubts.push('The school says that the section is not active.')
  if (stated === 'open' && waiting === null) doubts.push('The school does not report how many people are waiting.')
  if (isUnlimited) {
    // The field for seats is then not a real figure: some schools send 0.
    return { ...NO_FIGURES, waitlist_total: waiting }
  }
  if (isHidden) {
    if (stated === 'open') doubts.push('The school says open, but not how many seats are free.')
    return { ...NO_FIGURES, waitlist_total: waiting }
  }
  const available = readFigure(row, 'Available', doubts)
  if (stated === 'open' && available === null) doubts.push('The school does not report how many seats are free.')
  const capacity = readFigure(row, 'Capacity', doubts)
  const enrolled = readFigure(row, 'Enrolled', doubts)
  return {
    ...NO_FIGURES,
    capacity,
    enrolled: isCrossListed(capacity, enrolled, available) ? null : enrolled,
    available,
    waitlist_total: waiting,
  }
}

/**
 * If sections share seats, the capacity and enrollment are the shared ones, but the free seats may be fewer, namely
 * those of this section only. Nothing in the row says so, and the remaining seats cannot be derived from the other
 * figures.
 */
function isCrossListed(capacity: number | null, enrolled: number | null, available: number | null): boolean {
  if (available === null) return true
  if (capacity === null || enrolled === null || enrolled < 0) return false
  return available >= 0 && available < capacity - enrolled
}

function readFlag(row: Row, name: string, doubts: string[]): boolean | null {
  const value = row[name]
  if (typeof value === 'boolean') return value
  if (value !== null && value !== undefined) {
    doubts.push(`${name} is neither true nor false (${preview(value, 40)}).`)
  }
  return null
}
