import { type Unknown, unknown } from './answer.ts'
import type { Season, SourceTerm } from './source.ts'

type SeasonWord = readonly [RegExp, Season]

const SEASON_NAMES: readonly SeasonWord[] = [
  [/\bspring\b/i, 'spring'],
  [/\bsummer\b/i, 'summer'],
  [/\b(?:fall|autumn)\b/i, 'fall'],
  [/\bwinter\b/i, 'winter'],
]

/** Used only if no season is named: "Winter/J-Term" is a winter, "Fall Intersession" a fall. */
const SEASON_HINTS: readonly SeasonWord[] = [
  [/\bmaymester\b|\bmay (?:term|session)\b/i, 'summer'],
  [/\b(?:winter(?:im|session)|intersession|j-?term|january)\b/i, 'winter'],
]

/**
 * The year and season in a term's printed name, each null if it has none: "2026 Fall Term", "Fall 2026", "Fall Semester
 * 2026 - College Station", "Fall '26". An academic year counts by season: "Fall 2025-2026" is 2025, "Spring 2025-26" and
 * "Spring 25/26" are 2026.
 */
function readTermName(name: string): { year: number | null; season: Season | null } {
  const season = firstOf(SEASON_NAMES, name) ?? firstOf(SEASON_HINTS, name)
  return { year: yearOf(name, season), season }
}

function firstOf(words: readonly SeasonWord[], name: string): Season | null {
  let best: { at: number; season: Season } | null = null
  for (const [word, season] of words) {
    const at = name.search(word)
    if (at >= 0 && (best === null || at < best.at)) best = { at, season }
  }
  return best?.season ?? null
}

const YEAR = /\b(?:19|20)\d\d\b/
const SHORT_YEAR = /(?:'|\u2019|\b(?:spring|summer|fall|autumn|winter)\s+)(\d\d)\b/gi

function yearOf(name: string, season: Season | null): number | null {
  const text = YEAR.test(name) ? name : name.replaceAll(SHORT_YEAR, ' 20$1')
  const academic = /\b((?:19|20)\d\d)\s*[-–/]\s*((?:19|20)?\d\d)\b/.exec(text)
  const [, first = '', second = ''] = academic ?? []
  if (first !== '') {
    const end = second.length === 2 ? Number(first.slice(0, 2) + second) : Number(second)
    if (end === Number(first) + 1) return season === 'fall' || season === null ? Number(first) : end
  }
  const [year] = YEAR.exec(text) ?? []
  return year === undefined ? null : Number(year)
}

/** A term whose year and season are in its name, or otherwise given; null if they are neither. */
export function termOf(
  code: string,
  name: string,
  otherwise: { year?: number | null | undefined; season?: Season | null | undefined } = {},
): SourceTerm | null {
  const named = readTermName(name)
  const year = named.year ?? otherwise.year ?? null
  const season = named.season ?? otherwise.season ?? null
  return year === null || season === null ? null : { code, year, season, name, is_available: true }
}

/** The terms among codes with names; those without a known year and season are left out with a warning. */
export function readTerms(
  listed: Iterable<readonly [code: string, name: string]>,
  warnings: string[],
  readTerm: (code: string, name: string) => SourceTerm | null = termOf,
): SourceTerm[] {
  return Array.from(listed).flatMap(([code, name]) => {
    const term = readTerm(code, name)
    if (term === null) warnings.push(`Term ${code} "${name}" is left out: its year and season are not known.`)
    return term === null ? [] : [term]
  })
}

/** The answer of a school without a term that {@link readTerms} can read. */
export const noTerms = (): Unknown =>
  unknown('incomplete', 'The school lists no term whose year and season we can read.')
