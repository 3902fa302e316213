import { known, unknown, whyOther } from '../answer.ts'
import type { Page } from '../http.ts'
import { listWarnings, readRows } from '../json-page.ts'
import { addSection } from '../observation.ts'
import type { Answer, SourceSection } from '../source.ts'
import { schoolSays } from '../text.ts'
import type { CountedPage } from '../walk-pages.ts'
import type { Criteria } from './calls.ts'
import { type ListedCourse, readCourses } from './courses.ts'
import { type ColleagueRow, readRow } from './rows.ts'

/** What was requested, with the locations to which the operator narrowed the site; none for all. */
export interface Asked extends Criteria {
  locations: readonly string[]
}

/** Only sections at the requested locations; rows are sections at any location, or courses. */
export interface SearchPage extends CountedPage {
  /** If the school lists courses instead: those courses, whose sections must still be requested. */
  courses: readonly ListedCourse[]
}

/**
 * Reads one page of a list of sections strictly: every row must belong to the requested term and subject. A row that
 * does not identify its section is left out with a warning; the count reveals missing sections.
 */
export function readSearchPage(page: Page, asked: Asked, number: number): Answer<SearchPage> {
  const found = new FoundSections(asked)
  let unidentified = 0
  const read = readRows(page, 'sections', 'Sections', (value) => {
    const row = readRow(value)
    if (row === null) unidentified++
    else found.add(row)
  })
  if (!read.known) return read
  const { envelope, count: rows, isReadable } = read.value
  const { ErrorMessage: said = '' } = envelope
  if (said !== null && said !== '') return unknown('not_the_protocol', schoolSays(said))
  const courses = rows === null ? readCourses(envelope) : []
  if (courses === null) return unknown('not_the_protocol', 'The school returned no sections.')
  const mismatch = found.mismatch ?? findUnexpectedCourse(courses, asked)
  if (mismatch !== null) return unknown('wrong_scope', mismatch)
  const count = rows ?? courses.length
  const totalCount = readCount(envelope['TotalItems'])
  const pages = readCount(envelope['TotalPages'])
  if (totalCount === null || pages === null || pages > totalCount) {
    return unknown('not_the_protocol', 'The answer does not say how many sections and pages there are.')
  }
  if (count > totalCount || (count === 0 && totalCount > 0)) {
    return unknown('incomplete', `The school counts ${totalCount} rows, and ${count} came.`)
  }
  if (count > 0 && envelope['CurrentPageIndex'] !== number) {
    return unknown('wrong_scope', `We asked for page ${number}, and the school answered with another.`)
  }
  const keys = rows === null ? new Set(courses.map(({ id }) => id)) : found.keys
  const warnings = listWarnings(unidentified, count, isReadable)
  return known({ ...found.all, courses, ...(keys && { keys }), rows: count, totalCount, pages }, warnings)
}

/** The sections of the rows, each once. If two rows of one disagree, neither is believed. */
export class FoundSections {
  readonly #asked: Asked
  readonly #sections = new Map<string, SourceSection>()
  /** Of the rows at all locations; null if the sections are at all locations, too. */
  readonly keys: Set<string> | null
  #termEndsOn = ''
  /** Why a row does not belong to the question; null while all do. */
  mismatch: string | null = null

  constructor(asked: Asked) {
    this.#asked = asked
    this.keys = asked.locations.length > 0 ? new Set() : null
  }

  get all(): { sections: SourceSection[]; termEndsOn: string } {
    return { sections: [...this.#sections.values()], termEndsOn: this.#termEndsOn }
  }

  add(row: ColleagueRow): void {
    const { section, location } = row
    const { locations } = this.#asked
    this.mismatch ??= findMismatch(row, this.#asked)
    this.keys?.add(section.section_key)
    if (row.term_ends_on > this.#termEndsOn) this.#termEndsOn = row.term_ends_on
    if (locations.length > 0 && !locations.includes(location)) return
    addSection(this.#sections, section)
  }
}

function findMismatch({ term, section }: ColleagueRow, asked: Asked): string | null {
  return whyOther('term', asked.term, term) ?? whyOther('subject', asked.subject, section.subject)
}

function findUnexpectedCourse(courses: readonly ListedCourse[], asked: Asked): string | null {
  const whys = courses.map(({ subject }) => whyOther('subject', asked.subject, subject))
  return whys.find((why) => why !== null) ?? null
}

function readCount(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : null
}
