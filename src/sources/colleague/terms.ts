import type { Season, SourceTerm } from '../source.ts'
import { readTermName } from '../term-name.ts'

/** How codes name a season. A single S is spring at some schools and summer at others, so it is ignored. */
const SEASON_CODES: readonly (readonly [RegExp, Season])[] = [
  [/^SP/i, 'spring'],
  [/^SU/i, 'summer'],
  [/^(?:FA|F$)/i, 'fall'],
  [/^(?:WI|W$)/i, 'winter'],
]

/** "2026FA", "26/FA", "2026FAW", or "FA26", "F26". */
const YEAR_FIRST = /^((?:20)?\d\d)\W?([A-Z]+)/i
const SEASON_FIRST = /^([A-Z]+)\W?((?:20)?\d\d)$/i

/**
 * A term of the catalog: year and season come from its name, which was written for people, and only if that does not
 * say, from its code, which each school chooses. Null if neither says.
 */
export function readTerm(code: string, name: string): SourceTerm | null {
  const named = readTermName(name)
  const [, firstYear, lastSeason] = YEAR_FIRST.exec(code) ?? []
  const [, firstSeason, lastYear] = SEASON_FIRST.exec(code) ?? []
  const letters = lastSeason ?? firstSeason
  const digits = firstYear ?? lastYear
  const season = named.season ?? seasonOf(letters ?? '')
  const year = named.year ?? (digits === undefined ? null : Number(digits.padStart(4, '20')))
  if (year === null || season === null) return null
  return { code, year, season, name, is_available: true }
}

function seasonOf(letters: string): Season | null {
  return SEASON_CODES.find(([pattern]) => pattern.test(letters))?.[1] ?? null
}
