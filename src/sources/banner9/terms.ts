import type { Season, SourceTerm } from '../source.ts'
import { readTermName } from '../term-name.ts'

/** Endings that name the month a term begins in. 10, 20 and 30 are used for any season, so they say nothing. */
const SEASON_BY_MONTH: Readonly<Record<string, Season>> = {
  '01': 'spring',
  '02': 'spring',
  '05': 'summer',
  '06': 'summer',
  '07': 'summer',
  '08': 'fall',
  '09': 'fall',
}

const VIEW_ONLY = /\(\s*view only\s*\)/i

/**
 * A Banner term: year and season come from its description, which was written for people, and only if that does not
 * say, from its code, whose endings each school chooses. Null if neither says. Several terms of one season are normal
 * ("Summer 1 2026", "Summer 2 2026").
 */
export function readTerm(code: string, description: string): SourceTerm | null {
  const name = readTermName(description)
  const [, codeYear, month = ''] = /^((?:19|20)\d\d)(\d\d)$/.exec(code) ?? []
  const year = name.year ?? (codeYear === undefined ? null : Number(codeYear))
  const season = name.season ?? SEASON_BY_MONTH[month] ?? null
  if (year === null || season === null) return null
  return { code, year, season, name: description, is_available: !VIEW_ONLY.test(description) }
}
