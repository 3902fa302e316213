import { known, unknown } from '../answer.ts'
import { Conversation, type Page } from '../http.ts'
import { addSection } from '../observation.ts'
import type { Answer, SourceAddress, SourceSection, TermsAndSchools, Tools } from '../source.ts'
import { Calls, COURSES_PER_LIST } from './calls.ts'
import { type Course, type CoursePage, readCourses } from './courses.ts'
import { readConnection } from './envelope.ts'
import { readRow } from './rows.ts'
import { readTerms } from './terms.ts'

/** Far more than any school has; a longer list is wrong. */
const MAX_PAGES = 200
/** How many pages of a ranked search to read; later results were not meant. */
const MAX_SEARCH_PAGES = 3

/** The public course search of one school. Calls are independent: the school keeps no state between them. */
export class CourseSearch {
  readonly #calls: Calls
  readonly #conversation: Conversation
  /** Every course of a term, by its code. */
  readonly #lists = new Map<string, Course[]>()

  constructor(address: SourceAddress, tools: Tools) {
    this.#calls = new Calls(address)
    this.#conversation = new Conversation(tools)
  }

  terms(): Promise<Answer<TermsAndSchools>> {
    return this.#conversation.read(this.#calls.terms(), readTerms)
  }

  /** One page of a term's courses. */
  coursePage(term: string, first: number, after: string | null): Promise<Answer<CoursePage>> {
    return this.#conversation.read(this.#calls.courses(term, first, after), readCourses)
  }

  /** Every course of a term, each once. An empty list is not believed, because a broken system returns one. */
  async courses(term: string): Promise<Answer<Course[]>> {
    const kept = this.#lists.get(term)
    if (kept !== undefined) return known(kept)
    const courses = new Map<string, Course>()
    const cursors = new Set<string>()
    let after: string | null = null
    for (let pages = 0; pages < MAX_PAGES; pages++) {
      const page: Answer<CoursePage> = await this.coursePage(term, COURSES_PER_LIST, after)
      if (!page.known) return page
      for (const course of page.value.courses) courses.set(course.id, course)
      after = page.value.next
      if (after === null) break
      if (cursors.has(after)) return unknown('incomplete', "The pages of the school's list of courses repeat.")
      cursors.add(after)
    }
    if (after !== null) return unknown('incomplete', `The school's list of courses goes on after ${MAX_PAGES} pages.`)
    if (courses.size === 0) return unknown('incomplete', `The school lists no course in term ${term}.`)
    const list = [...courses.values()]
    this.#lists.set(term, list)
    return known(list)
  }

  /**
   * The courses of exactly this subject and number; none if the search returns only others, which happens. The search
   * ranks its results and puts neighbors first.
   */
  async find(term: string, subject: string, level: string): Promise<Answer<Course[]>> {
    const fits = (course: Course): boolean => course.subject === subject && course.level === level
    const kept = this.#lists.get(term)
    if (kept !== undefined) return known(kept.filter(fits))
    let after: string | null = null
    for (let pages = 0; pages < MAX_SEARCH_PAGES; pages++) {
      const call = this.#calls.search(term, `${subject} ${level}`, after)
      const page: Answer<CoursePage> = await this.#conversation.read(call, readCourses)
      if (!page.known) return page
      const found = page.value.courses.filter(fits)
      after = page.value.next
      if (found.length > 0 || after === null) return known(found)
    }
    return known([])
  }

  /** Every section of a course: exactly as many rows as the school counts, each on one page only, or unknown. */
  async sections(course: Course): Promise<Answer<SourceSection[]>> {
    const sections = new Map<string, SourceSection>()
    const warnings: string[] = []
    const name = `${course.subject} ${course.level}`
    let rows = 0
    let after: string | null = null
    for (let pages = 0; pages < MAX_PAGES; pages++) {
      const page: Answer<SectionPage> = await this.#conversation.read(
        this.#calls.sections(course.id, after),
        readSectionPage,
      )
      if (!page.known) return page
      const { nodes, next, total }: SectionPage = page.value
      const ofPage = new Map<string, SourceSection>()
      for (const node of nodes) {
        const row = readRow(node, course)
        if (row === null) warnings.push(`A section of ${name} does not say which it is.`)
        else addSection(ofPage, row)
      }
      for (const [key, section] of ofPage) {
        if (sections.has(key)) return unknown('incomplete', `The school lists section ${key} of ${name} on two pages.`)
        sections.set(key, section)
      }
      rows += nodes.length
      after = next
      if (after === null && rows === total) return known([...sections.values()], warnings)
      if (after === null || rows >= total || nodes.length === 0)
        return unknown('incomplete', `The school counts ${total} sections of ${name}, and ${rows} came.`)
    }
    return unknown('incomplete', `The school's list of sections of ${name} goes on after ${MAX_PAGES} pages.`)
  }
}

interface SectionPage {
  nodes: unknown[]
  next: string | null
  /** Of the whole course. */
  total: number
}

function readSectionPage(page: Page): Answer<SectionPage> {
  const read = readConnection(page, 'getCourseSections')
  if (!read.known) return read
  const { nodes, next, list } = read.value
  const total = list['totalSections']
  if (typeof total !== 'number' || !Number.isInteger(total) || total < 0)
    return unknown('incomplete', 'The school does not say how many sections a course has.')
  return known({ nodes, next, total })
}
