import type { Season, Term } from './types.ts'

const DAY = 86_400_000

/** First and last day of classes of each season, as month-day. */
const CALENDAR: Record<Season, readonly [starts: string, ends: string]> = {
  Spring: ['01-25', '05-22'],
  Summer: ['06-01', '08-14'],
  Fall: ['08-26', '12-21'],
}
const SEASONS: readonly Season[] = ['Spring', 'Summer', 'Fall']

/** A term that ends within this many days no longer counts as the current one. */
const LAST_DAYS = 7

function makeTerm(year: number, season: Season, now: number): Term {
  const [starts, ends] = CALENDAR[season]
  const name = `${year} ${season} Term`
  return { year, season, name, starts: `${year}-${starts}`, ends: `${year}-${ends}`, past: endOf(year, season) < now }
}

function endOf(year: number, season: Season): number {
  return Date.parse(`${year}-${CALENDAR[season][1]}T23:59:59Z`)
}

/**
 * The terms a school lists at `now` (ms since epoch): the one just over, the current one (which still has more than a
 * week left, or is the next to begin) and the one after it, oldest first.
 */
export function termsAt(now: number): { past: Term; current: Term; next: Term } {
  const year = new Date(now).getUTCFullYear()
  const all = [year - 1, year, year + 1, year + 2].flatMap((y) => SEASONS.map((season) => ({ year: y, season })))
  const index = all.findIndex((term) => endOf(term.year, term.season) >= now + LAST_DAYS * DAY)
  const [past, current, next] = [all[index - 1], all[index], all[index + 1]]
  if (!past || !current || !next) throw new Error('no term found')
  const make = (term: { year: number; season: Season }): Term => makeTerm(term.year, term.season, now)
  return { past: { ...make(past), past: true }, current: make(current), next: make(next) }
}

/** "2026-08-26" → "08/26/2026". */
export function usDate(iso: string): string {
  const [year, month, day] = iso.split('-')
  return `${month}/${day}/${year}`
}
