import type { Season, SourceTerm } from '../source.ts'
import { readTermName } from '../term-name.ts'

const VIEW_ONLY = /\s*\(view only\)\s*$/i
/** Terms without classes, which schools keep for internal use. */
const NOT_FOR_USE = /do not use/i
/**
 * The season by the month in which classes begin, if the name has months instead of a season: "First Term: Sep - Dec
 * 2020".
 */
const BY_MONTH: readonly (readonly [RegExp, Season])[] = [
  [/\b(?:jan|feb)[a-z]* ?[-–]/i, 'spring'],
  [/\b(?:apr|may|jun|jul)[a-z]* ?[-–]/i, 'summer'],
  [/\b(?:aug|sep)[a-z]* ?[-–]/i, 'fall'],
]

/** A term from an option of the form; null if its name has no year and season, or it is for internal use. */
export function readTerm(code: string, label: string): SourceTerm | null {
  const name = label.replace(VIEW_ONLY, '')
  const { year, season: named } = readTermName(name)
  const season = named ?? BY_MONTH.find(([months]) => months.test(name))?.[1]
  if (year === null || season === undefined || NOT_FOR_USE.test(name)) return null
  return { code, year, season, name, is_available: !VIEW_ONLY.test(label) }
}
