import { known, mapKnown, unknown } from '../answer.ts'
import { Conversation } from '../http.ts'
import { NO_FIGURES } from '../judge.ts'
import { ListLengths } from '../list-lengths.ts'
import type {
  Answer,
  Group,
  GroupSeats,
  GroupSections,
  Lane,
  Observation,
  SourceAddress,
  SourceTerm,
  SubjectsAndCareers,
  TermScope,
  TermsAndSchools,
  Tools,
  WatchedGroup,
} from '../source.ts'
import { type FoundSections, subjectPages } from '../subject-pages.ts'
import { numbered } from '../watched-sections.ts'
import { Calls } from './calls.ts'
import { CourseList } from './course-list.ts'
import { type HomePage, readHomePage } from './home-page.ts'
import { readOpenList } from './open-list.ts'

/** A term of a campus. */
type Scope = Pick<TermScope, 'term' | 'school'>

interface Courses {
  key: string
  found: Answer<FoundSections>
  /** ms since epoch */
  asked_at: number
}

/** Groups that are requested in turn are served from one answer, of 20 MB, until it is this old. */
const KEPT_MS = 60_000

const CAMPUSES = [
  { code: 'NB', name: 'Rutgers University–New Brunswick' },
  { code: 'NK', name: 'Rutgers University–Newark' },
  { code: 'CM', name: 'Rutgers University–Camden' },
]

export class RutgersLane implements Lane {
  readonly #conversation: Conversation
  readonly #calls: Calls
  readonly #now: Tools['now']
  readonly #lengths: ListLengths
  #kept: Courses | null = null

  constructor(address: SourceAddress, tools: Tools) {
    this.#conversation = new Conversation(tools)
    this.#calls = new Calls(address)
    this.#now = tools.now
    this.#lengths = new ListLengths(tools.memo)
  }

  memo(): string {
    return this.#lengths.text()
  }

  /** The school names only its current term, so the next ones are requested; one without a list is not published. */
  async termsAndSchools(): Promise<Answer<TermsAndSchools>> {
    const home = await this.#home()
    if (!home.known) return home
    const terms: SourceTerm[] = []
    for (const term of home.value.terms) {
      const isPublished = await this.#isPublished(term.code)
      if (!isPublished.known) return isPublished
      if (isPublished.value) terms.push(term)
    }
    if (terms.length === 0) return unknown('incomplete', 'The school has published none of its next terms.')
    return known({ terms, schools: CAMPUSES }, home.warnings)
  }

  /** The subjects of the whole university, not all of which have sections at every campus in every term. */
  async subjects(): Promise<Answer<SubjectsAndCareers>> {
    return mapKnown(await this.#home(), ({ subjects }) => ({ subjects, careers: [''] }))
  }

  /** One request returns all of them; its answer also serves the groups that are requested next. */
  async sections(asked: Group): Promise<Answer<GroupSections>> {
    const { found, asked_at } = await this.#keptCourses(asked)
    if (!found.known) return found
    const { unidentified } = found.value
    if (unidentified > 0) return unknown('incomplete', found.warnings.join(' '))
    const sections = found.value.sections.filter(({ subject }) => subject === asked.subject)
    return known({ sections, asked_at }, found.warnings)
  }

  async *wholeTerm(scope: TermScope, from: string | null = null): AsyncGenerator<Answer<GroupSections>> {
    const askedAt = this.#now()
    yield* subjectPages(await this.#courses(scope), from, askedAt)
  }

  /** One request for all groups of a term and campus. A section that is not in the list is closed. */
  async *seats(groups: readonly WatchedGroup[]): AsyncGenerator<GroupSeats> {
    const byList = Map.groupBy(numbered(groups), ({ watched: { group } }) => `${group.school}/${group.term}`)
    for (const asked of byList.values()) {
      const [first] = asked
      if (first === undefined) continue
      const asked_at = this.#now()
      const open = await this.#openSections(first.watched.group)
      for (const { index, watched } of asked) {
        const seen = (list: ReadonlySet<string>) => watched.watched.map(({ section_key }) => observe(section_key, list))
        yield { index, asked_at, answer: mapKnown(open, (list) => ({ seen: seen(list) })) }
      }
    }
  }

  /** A list that lost more than a third at once is read again before it is believed. */
  async #openSections({ term, school }: Scope): Promise<Answer<ReadonlySet<string>>> {
    const open = await this.#conversation.read(this.#calls.openSections(term, school), readOpenList)
    if (!open.known) return open
    const why = this.#lengths.whyTooShort(`${school} ${term}`, open.value.size, this.#now())
    return why === null ? open : unknown('incomplete', why)
  }

  async #keptCourses(scope: Scope): Promise<Courses> {
    const key = `${scope.school} ${scope.term}`
    const kept = this.#kept
    if (kept !== null && kept.key === key && this.#now() - kept.asked_at < KEPT_MS) return kept
    const asked_at = this.#now()
    const found = await this.#courses(scope)
    const courses = { key, found, asked_at }
    this.#kept = found.known ? courses : null
    return courses
  }

  async #courses(asked: Scope): Promise<Answer<FoundSections>> {
    const open = await this.#openSections(asked)
    if (!open.known) return open
    const list = new CourseList(asked.school, open.value)
    const call = this.#calls.courses(asked.term, asked.school, (piece) => list.take(piece))
    return this.#conversation.read(call, () => list.end())
  }

  #isPublished(term: string): Promise<Answer<boolean>> {
    const [{ code } = { code: '' }] = CAMPUSES
    return this.#conversation.read(this.#calls.openSections(term, code), (page) => {
      if (new TextDecoder().decode(page.bytes).trim() === '[]') return known(false)
      const open = readOpenList(page)
      return open.known ? known(true) : open
    })
  }

  #home(): Promise<Answer<HomePage>> {
    return this.#conversation.read(this.#calls.home(), readHomePage)
  }
}

function observe(index: string, open: ReadonlySet<string>): Observation {
  return { section_key: index, stated: open.has(index) ? 'open' : 'closed', figures: NO_FIGURES, doubts: [] }
}
