import { DAY_MS, parseLocalTime } from '../lib/time.ts'
import { isoDay } from './class-dates.ts'
import type { SourceTerm } from './source.ts'

/**
 * The first moment (ms) at which a term is certainly over: midnight after its last day according to the school, or
 * otherwise after the latest last day of its season at any school.
 */
export function termEnd(
  { year, season, ends_on }: Pick<SourceTerm, 'year' | 'season' | 'ends_on'>,
  timeZone: string,
): number {
  const lastDay = isoDay(ends_on)
  const over = lastDay === '' ? dayAfterSeason(year, season) : dayAfter(lastDay)
  return parseLocalTime(over, timeZone) ?? Date.parse(over)
}

function dayAfter(day: string): string {
  return new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10)
}

/** The first day on which the season is over at every school. */
function dayAfterSeason(year: number, season: SourceTerm['season']): string {
  const ends = { winter: '04-01', spring: '06-15', summer: '09-01', fall: '01-01' } as const
  return `${season === 'fall' ? year + 1 : year}-${ends[season]}`
}
