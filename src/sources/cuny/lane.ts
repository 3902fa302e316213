import { known, type Unknown, unknown } from '../answer.ts'
import { type Choice, type FormPage, readFormPage } from '../form-page.ts'
import { type Call, Conversation, type Page } from '../http.ts'
import type {
  Answer,
  Group,
  GroupSeats,
  GroupSections,
  Lane,
  Observation,
  Season,
  SourceAddress,
  SourceTerm,
  SubjectsAndCareers,
  TermScope,
  TermsAndSchools,
  Tools,
  UnknownReason,
  WatchedGroup,
} from '../source.ts'
import { readTerms, termOf } from '../term-name.ts'
import { askEach, numbered, seatsAmong } from '../watched-sections.ts'
import { Calls } from './calls.ts'
import { readDetailPage } from './detail-page.ts'
import { readResultsPage } from './results-page.ts'

const WORTH_RENEWAL: ReadonlySet<UnknownReason> = new Set(['session_lost', 'not_the_protocol', 'wrong_scope'])

/** What the criteria page offers in the chosen college and term. */
interface Criteria {
  subjects: Choice[]
  careers: Choice[]
}

/** A college and term, with their labels. */
interface Chosen {
  scope: TermScope
  criteria: Criteria
}

/**
 * Global Search keeps the chosen college and term on the server, under the session's cookie. A session here serves one
 * such pair and is replaced for another; within it any number of subjects and careers can be searched. When it is lost,
 * which looks like the first page with status 200, it is renewed and the question repeated, once.
 */
export class CunyLane implements Lane {
  readonly #calls: Calls
  readonly #conversation: Conversation
  readonly #now: Tools['now']
  #chosen: Chosen | null = null
  #offered: TermsAndSchools | null = null
  /** Set when the site answered for other labels than the caller's: the site, or staff, may have changed them. */
  #areLabelsLookedUp = false

  constructor(address: SourceAddress, tools: Tools) {
    this.#calls = new Calls(address)
    this.#conversation = new Conversation(tools)
    this.#now = tools.now
  }

  async termsAndSchools(): Promise<Answer<TermsAndSchools>> {
    const answer = await this.#ask(this.#calls.first(), readFirstPage)
    if (answer.known) this.#offered = answer.value
    return answer
  }

  /**
   * Subjects and careers of a college in a term. A broken site also shows a criteria page without subjects, so it is
   * believed only if the site still offers the college and term, and shows the same in a new session.
   */
  async subjects(scope: TermScope): Promise<Answer<SubjectsAndCareers>> {
    let answer = await this.#criteria(scope)
    if (answer.known && answer.value.subjects.length === 0) {
      const offered = await this.termsAndSchools()
      if (!offered.known) return offered
      this.#startOver()
      answer = await this.#criteria(scope)
    }
    if (!answer.known) return answer
    const subjects = answer.value.subjects.map(({ value, label }) => ({ key: value, name: label }))
    const careers = answer.value.careers.map(({ value }) => value)
    const warnings = subjects.length === 0 ? [`${scope.school} offers no subject in term ${scope.term}.`] : []
    return known({ subjects, careers }, warnings)
  }

  #criteria(scope: TermScope): Promise<Answer<Criteria>> {
    return this.#renewing(async () => {
      const chosen = await this.#choose(scope)
      return chosen.known ? known(chosen.value.criteria) : chosen
    })
  }

  sections(group: Group): Promise<Answer<GroupSections>> {
    return this.#renewing(() => this.#search(group))
  }

  /** One request to choose each college and term, one for each group in it. */
  seats(groups: readonly WatchedGroup[]): AsyncIterable<GroupSeats> {
    const pairs = Map.groupBy(numbered(groups), ({ watched: { group } }) => `${group.school}/${group.term}`)
    return askEach([...pairs.values()].flat(), this.#now, async (watched) =>
      seatsAmong(await this.sections(watched.group), watched),
    )
  }

  /** One class by its own page, the only place that has its figures. */
  details(scope: TermScope, sectionKey: string, sessionCode = ''): Promise<Answer<Observation>> {
    return this.#renewing(() => this.#details(scope, sectionKey, sessionCode))
  }

  #renewing<Value>(attempt: () => Promise<Answer<Value>>): Promise<Answer<Value>> {
    return this.#conversation.renewing(async () => {
      const answer = await attempt()
      if (!answer.known) {
        this.#startOver()
        this.#areLabelsLookedUp ||= answer.reason === 'wrong_scope'
      }
      return answer
    }, WORTH_RENEWAL)
  }

  #startOver(): void {
    this.#chosen = null
    this.#conversation.clearCookies()
  }

  async #search(group: Group): Promise<Answer<GroupSections>> {
    const chosen = await this.#choose(group)
    if (!chosen.known) return chosen
    const { scope, criteria } = chosen.value
    const subject = labelOf(criteria.subjects, group.subject) ?? (group.subject_name || null)
    const career = labelOf(criteria.careers, group.career) ?? null
    const call = this.#calls.search(
      { value: group.subject, label: subject ?? group.subject },
      { value: group.career, label: career ?? group.career },
    )
    return this.#ask(call, (html) => {
      if (html.includes('classfound_msg')) {
        return readResultsPage(html, { school: scope.school_name, term: scope.term_name, subject, career })
      }
      const page = readFormPage(html)
      const isEmpty = page.text.includes('The search returns no results')
      return isEmpty ? known({ sections: [] }) : misplaced(page)
    })
  }

  async #details(asked: TermScope, section_key: string, session_code: string): Promise<Answer<Observation>> {
    const chosen = await this.#choose(asked)
    if (!chosen.known) return chosen
    const { school_name, term, term_name } = chosen.value.scope
    const wanted = { section_key, school: school_name, term: term_name }
    return this.#ask(this.#calls.details({ school_name, term, section_key, session_code }), (html) =>
      html.includes('Class Details') ? readDetailPage(html, wanted) : misplaced(readFormPage(html)),
    )
  }

  /** Chooses the college and term in the server's session with one request, unless they already are. */
  async #choose(asked: TermScope): Promise<Answer<Chosen>> {
    const current = this.#chosen
    if (current?.scope.school === asked.school && current.scope.term === asked.term) return known(current)
    const labeled = await this.#label(asked)
    if (!labeled.known) return labeled
    this.#startOver()
    const criteria = await this.#ask(this.#calls.choose(labeled.value), readCriteria)
    if (!criteria.known) return criteria
    this.#chosen = { scope: labeled.value, criteria: criteria.value }
    return known(this.#chosen)
  }

  /** The site requires labels to be sent back with codes; unknown ones are looked up on the first page. */
  async #label(asked: TermScope): Promise<Answer<TermScope>> {
    const { school, term } = asked
    if (asked.school_name !== '' && asked.term_name !== '' && !this.#areLabelsLookedUp) return known(asked)
    const offered = this.#offered === null ? await this.termsAndSchools() : known(this.#offered)
    if (!offered.known) return offered
    const school_name = offered.value.schools.find(({ code }) => code === school)?.name
    const term_name = offered.value.terms.find(({ code }) => code === term)?.name
    if (school_name === undefined) return unknown('wrong_scope', `The site offers no college ${school}.`)
    if (term_name === undefined) return unknown('wrong_scope', `The site offers no term ${term}.`)
    return known({ school, school_name, term, term_name })
  }

  #ask<Value>(call: Call, readHtml: (html: string) => Answer<Value>): Promise<Answer<Value>> {
    return this.#conversation.read(call, (page) => readHtml(decodePage(page)))
  }
}

/** The last digit of CUNY's term code; its winter classes sit in the spring term. */
const SEASON_BY_DIGIT: Readonly<Record<string, Season>> = { '2': 'spring', '6': 'summer', '9': 'fall' }

function readFirstPage(html: string): Answer<TermsAndSchools> {
  const page = readFormPage(html)
  const colleges = page.checkboxes.get('inst_selection') ?? []
  const warnings: string[] = []
  const listed = (page.selects.get('term_value') ?? []).map(({ value, label }) => [value, label] as const)
  const terms = readTerms(listed, warnings, readTerm)
  if (colleges.length === 0 || terms.length === 0) {
    return unknown('not_the_protocol', 'The first page does not offer colleges and terms.')
  }
  if (!page.isWhole) return unknown('incomplete', 'The first page is cut off.')
  return known({ terms, schools: colleges.map(({ value, label }) => ({ code: value, name: label })) }, warnings)
}

function readTerm(code: string, name: string): SourceTerm | null {
  const [, years = '', digit = ''] = /^(\d{3})(\d)$/.exec(code) ?? []
  return termOf(code, name, { year: years === '' ? null : 1900 + Number(years), season: SEASON_BY_DIGIT[digit] })
}

function readCriteria(html: string): Answer<Criteria> {
  const page = readFormPage(html)
  const subjects = page.selects.get('subject_name')
  const careers = page.selects.get('courseCareer')
  if (subjects === undefined || careers === undefined) return misplaced(page)
  return page.isWhole ? known({ subjects, careers }) : unknown('incomplete', 'The criteria page is cut off.')
}

function labelOf(choices: readonly Choice[], code: string): string | undefined {
  return choices.find(({ value }) => value === code)?.label
}

/** A page of another step, or one that is not the site's. */
function misplaced(page: FormPage): Unknown {
  if (page.checkboxes.has('inst_selection')) {
    return unknown('session_lost', 'The site answered with its first page, as it does without a session.')
  }
  if (page.selects.has('subject_name')) {
    return unknown('session_lost', 'The site answered with its criteria page and neither results nor "no results".')
  }
  const shown = page.text.slice(0, 80)
  return unknown('not_the_protocol', `The site answered with another page: "${shown}".`)
}

/** The page as text in the charset its header names; ISO-8859-1, which the site writes, when it names none we know. */
export function decodePage({ bytes, contentType }: Page): string {
  const [, charset = 'iso-8859-1'] = /charset\s*=\s*"?([\w.:-]+)/i.exec(contentType) ?? []
  return decoderFor(charset).decode(bytes)
}

function decoderFor(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset)
  } catch {
    return new TextDecoder('iso-8859-1')
  }
}
