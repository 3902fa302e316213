import type { Status } from '../source.ts'

/** Banner's own figures of a section; null where it gives none. */
interface BannerFigures {
  seatsAvailable: number | null
  /** Room left for all sections that share these seats; null where nothing is shared. */
  crossListAvailable: number | null
  waitCount: number | null
  waitAvailable: number | null
}

/**
 * Open only if what is free (the smaller of seats and cross-list room) exceeds the people waiting for it; else
 * waitlisted if the list has room or people; else closed. `openSection` is not asked: it means different things at
 * different schools. Without a figure for seats nothing is known, so nothing is claimed.
 */
export function judge(figures: BannerFigures): Status {
  const { seatsAvailable, crossListAvailable, waitAvailable } = figures
  if (seatsAvailable === null) return 'unknown'
  const waiting = Math.max(figures.waitCount ?? 0, 0)
  const free = crossListAvailable === null ? seatsAvailable : Math.min(seatsAvailable, crossListAvailable)
  if (free > waiting) return 'open'
  return waiting > 0 || (waitAvailable ?? 0) > 0 ? 'waitlisted' : 'closed'
}
