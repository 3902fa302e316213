import { momentOf } from '../lib/time-zone.ts'
import { isoDay } from './class-dates.ts'
import type { SourceTerm } from './source.ts'

/**
 * First moment (ms) at which a term is surely over: midnight after the last day that its school tells, or else after the
 * latest its season has anywhere.
 */
export function termEnd(
  { year, season, ends_on }: Pick<SourceTerm, 'year' | 'season' | 'ends_on'>,
  timeZone: string,
): number {
  const lastDay = isoDay(ends_on)
  const over = lastDay === '' ? dayAfterSeason(year, season) : dayAfter(lastDay)
  return momentOf(over, timeZone) ?? Date.parse(over)
}

function dayAfter(day: string): string {
  return new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10)
}

/** The first day on which no school is still in it. */
function dayAfterSeason(year: number, season: SourceTerm['season']): string {
  const ends = { winter: '04-01', spring: '06-15', summer: '09-01', fall: '01-01' } as const
  return `${season === 'fall' ? year + 1 : year}-${ends[season]}`
}
