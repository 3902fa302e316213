import { NO_FIGURES } from '../../src/sources/judge.ts'
import type { Observation, Seats } from '../../src/sources/source.ts'

/** What a school would have said about a section with this status. */
export function observed(seats: Omit<Seats, 'section_key'>): Omit<Observation, 'section_key'> {
  const { status, seats_available, capacity, waitlist_available } = seats
  return {
    stated: status === 'unknown' ? null : status,
    figures: {
      ...NO_FIGURES,
      capacity,
      available: seats_available,
      waitlist_available,
      waitlist_total: waitlist_available === null ? null : 0,
      waitlist_capacity: waitlist_available,
    },
    doubts: status === 'unknown' ? ['The status is not understood.'] : [],
  }
}
