import type { Seats } from './source.ts'

/** A section's seats alone, for those that only compare seats. */
export function seatsOf({ section_key, status, seats_available, capacity, waitlist_available }: Seats): Seats {
  return { section_key, status, seats_available, capacity, waitlist_available }
}
