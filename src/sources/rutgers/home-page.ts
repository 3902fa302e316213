import { known, unexpectedAnswer, unknown } from '../answer.ts'
import { subjectsOf } from '../entries.ts'
import { isHtml, type Page } from '../http.ts'
import { parseJson } from '../../lib/text.ts'
import { isRecord } from '../json-page.ts'
import { readMarkup } from '../markup.ts'
import type { Answer, Season, SourceSubject, SourceTerm } from '../source.ts'
import { tidy } from '../text.ts'

export interface HomePage {
  /** The current term according to the school, and those that follow it; not all of them are published. */
  terms: SourceTerm[]
  /** Not all of them have sections in every term. */
  subjects: SourceSubject[]
}

/** Where the page has its program's initial data, as JSON. */
const DATA_ID = 'initJsonData'
/** In the order of the school's year, in which a winter is first. Their numbers begin the codes of terms: "92026" is fall 2026. */
const SEASONS: readonly (readonly [number: number, season: Season, name: string])[] = [
  [0, 'winter', 'Winter'],
  [1, 'spring', 'Spring'],
  [7, 'summer', 'Summer'],
  [9, 'fall', 'Fall'],
]
/** The current term and the three after it, because a school publishes at most a year ahead. */
const TERMS_AHEAD = 4

/** Reads the public schedule page; one without the current term or without subjects is not believed. */
export function readHomePage(page: Page): Answer<HomePage> {
  if (!isHtml(page)) return unexpectedAnswer('its schedule')
  const data = parseJson(findData(new TextDecoder().decode(page.bytes)))
  if (!isRecord(data)) return unknown('not_the_protocol', "The school's schedule lacks the data that it begins with.")
  const terms = readTerms(data['currentTermDate'])
  if (terms.length === 0) return unknown('incomplete', 'The school does not name its current term.')
  const warnings: string[] = []
  const listed = Array.isArray(data['subjects']) ? data['subjects'] : []
  const subjects = subjectsOf(listed, { code: 'code', name: 'description' }, warnings)
  if (subjects.length === 0) return unknown('incomplete', 'The school lists no subjects.')
  return known({ terms, subjects }, warnings)
}

function readTerms(current: unknown): SourceTerm[] {
  if (!isRecord(current)) return []
  const [year, number] = [Number(tidy(current['year']) || Number.NaN), Number(tidy(current['term']) || Number.NaN)]
  const first = SEASONS.findIndex(([ofSeason]) => ofSeason === number)
  if (first < 0 || !Number.isInteger(year) || year < 2000 || year > 2200) return []
  return Array.from({ length: TERMS_AHEAD }, (_, after) => {
    const place = first + after
    const [itsNumber, season, name] = SEASONS[place % SEASONS.length] ?? [0, 'winter', 'Winter']
    const itsYear = year + Math.floor(place / SEASONS.length)
    return { code: `${itsNumber}${itsYear}`, year: itsYear, season, name: `${name} ${itsYear}`, is_available: true }
  })
}

/** The text of the element with the data, with entities decoded; '' if there is none or it does not end. */
function findData(html: string): string {
  let text = ''
  let depth = 0
  let isWhole = false
  readMarkup(html, {
    onopentag(_tag, { id }) {
      if (depth > 0 || id === DATA_ID) depth++
    },
    ontext(part) {
      if (depth > 0) text += part
    },
    onclosetag(_tag, isImplied) {
      if (depth === 1) isWhole = !isImplied
      if (depth > 0) depth--
    },
  })
  return isWhole ? text : ''
}
