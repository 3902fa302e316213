import { judge, whyUnknown } from '../../sources/judge.ts'
import type { Observation, Seats } from '../../sources/source.ts'

/** A section's seats with their status judged; `doubt` says why that is unknown, where it is. */
export type JudgedSeats = Seats & { doubt: string | null }

/** What we believe of what a school said of one section. */
export function judged(observation: Observation): JudgedSeats {
  const seats = judge(observation)
  return { ...seats, doubt: seats.status === 'unknown' ? whyUnknown(observation) : null }
}
