import { known, unexpectedAnswer, unknown } from '../answer.ts'
import { entriesOf } from '../entries.ts'
import type { Call } from '../http.ts'
import { readJson } from '../json-page.ts'
import type { Answer, Season, SourceSubject, SourceTerm, SubjectsAndCareers, TermsAndSchools } from '../source.ts'
import { noTerms, readTerms as readTermNames, termOf } from '../term-name.ts'
import type { BannerSession } from './session.ts'

const TERMS_PER_PAGE = 100
const SUBJECTS_PER_PAGE = 900
const MAX_PAGES = 20

/** View-only terms are marked unless they are offered; those without a year or season are left out with a warning. */
export async function readTerms(session: BannerSession, isViewOnlyOffered = false): Promise<Answer<TermsAndSchools>> {
  const listed = await readList(session, (page) => session.calls.terms(page, TERMS_PER_PAGE))
  if (!listed.known) return listed
  const warnings = [...listed.warnings]
  const terms = readTermNames(listed.value, warnings, (code, description) => {
    const term = readTerm(code, description)
    return term && { ...term, is_available: term.is_available || isViewOnlyOffered }
  })
  return terms.length === 0 ? noTerms() : known({ terms, schools: [] }, warnings)
}

/**
 * The subjects of a term. A wrong URL or a broken school also returns an empty list, so it is believed only if the
 * school's own list of terms does not have the term.
 */
export async function readSubjects(session: BannerSession, term: string): Promise<Answer<SubjectsAndCareers>> {
  const listed = await readList(session, (page) => session.calls.subjects(term, page, SUBJECTS_PER_PAGE))
  if (!listed.known) return listed
  const careers = ['']
  if (listed.value.size > 0) {
    const subjects = Array.from(listed.value, ([key, name]): SourceSubject => ({ key, name }))
    return known({ subjects, careers }, listed.warnings)
  }
  const terms = await readTerms(session)
  if (!terms.known) return terms
  if (terms.value.terms.some(({ code }) => code === term)) {
    return unknown('incomplete', `The school lists term ${term} but no subject in it.`)
  }
  return known({ subjects: [], careers }, [`The school does not list term ${term}.`])
}

/** Names by code. Reads until a page has nothing new, because servers limit the length of a page without saying so. */
async function readList(session: BannerSession, call: (page: number) => Call): Promise<Answer<Map<string, string>>> {
  const entries = new Map<string, string>()
  const warnings: string[] = []
  for (let page = 1; page <= MAX_PAGES; page++) {
    const answer = await session.ask(call(page), (reply) => readJson(reply, 'a list'))
    if (!answer.known) return answer
    if (!Array.isArray(answer.value)) return unexpectedAnswer('a list')
    const before = entries.size
    for (const [code, name] of entriesOf(answer.value, { code: 'code', name: 'description' }, warnings)) {
      if (!entries.has(code)) entries.set(code, name)
    }
    if (entries.size === before) break
  }
  return known(entries, warnings)
}

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
  const [, year, month = ''] = /^((?:19|20)\d\d)(\d\d)$/.exec(code) ?? []
  const term = termOf(code, description, {
    year: year === undefined ? null : Number(year),
    season: SEASON_BY_MONTH[month],
  })
  return term && { ...term, is_available: !VIEW_ONLY.test(description) }
}
