import { known, unexpectedAnswer, unknown } from '../answer.ts'
import { entriesOf, subjectsOf } from '../entries.ts'
import type { Page } from '../http.ts'
import { isRecord, readJson } from '../json-page.ts'
import type { Answer, Season, SourceSubject, SourceTerm } from '../source.ts'
import { readTerms, termOf } from '../term-name.ts'

/** What visitors can search for in the catalog. */
export interface Filters {
  terms: SourceTerm[]
  /** Codes of all terms, including those without a known year or season. */
  termCodes: ReadonlySet<string>
  /** The subjects of the whole catalog, not all of which have sections in every term. */
  subjects: SourceSubject[]
}

/** Reads the filters; a school that lists no term or no subject is not believed. */
export function readFilters(page: Page): Answer<Filters> {
  const read = readJson(page, 'its terms')
  if (!read.known) return read
  const { value } = read
  if (!isRecord(value) || !Array.isArray(value['Terms']) || !Array.isArray(value['Subjects'])) {
    return unexpectedAnswer('its terms and subjects')
  }
  const warnings: string[] = []
  const terms = entriesOf(value['Terms'], { code: 'Item1', name: 'Item2' }, warnings)
  const shown = value['Subjects'].filter((entry) => !isRecord(entry) || entry['ShowInCourseSearch'] !== false)
  const subjects = subjectsOf(shown, { code: 'Code', name: 'Description' }, warnings)
  if (terms.size === 0) return unknown('incomplete', 'The school lists no terms.')
  if (subjects.length === 0) return unknown('incomplete', 'The school lists no subjects.')
  return known({ terms: readTerms(terms, warnings, readTerm), termCodes: new Set(terms.keys()), subjects }, warnings)
}

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
  const [, firstYear, lastSeason] = YEAR_FIRST.exec(code) ?? []
  const [, firstSeason, lastYear] = SEASON_FIRST.exec(code) ?? []
  const letters = lastSeason ?? firstSeason
  const digits = firstYear ?? lastYear
  return termOf(code, name, {
    year: digits === undefined ? null : Number(digits.padStart(4, '20')),
    season: SEASON_CODES.find(([pattern]) => pattern.test(letters ?? ''))?.[1],
  })
}
