import { known, unknown } from '../answer.ts'
import { isHtml, type Page } from '../http.ts'
import { MalformedJson, readJsonRows } from '../json-rows.ts'
import { combineTwice } from '../observation.ts'
import { preview } from '../preview.ts'
import type { Answer, SourceSection } from '../source.ts'
import { tidy } from '../text.ts'
import type { Criteria } from './calls.ts'
import { type ListedCourse, readCourses } from './courses.ts'
import { type ColleagueRow, readRow } from './rows.ts'

/** What was requested, with the locations to which the operator narrowed the site; none for all. */
export interface Asked extends Criteria {
  locations: readonly string[]
}

export interface SearchPage {
  /** Each section once, regardless of its number of rows; only those at the requested locations. */
  sections: SourceSection[]
  /** If the school lists courses instead: those courses, whose sections must still be requested. */
  courses: readonly ListedCourse[]
  /** What identifies each of the rows: keys of sections, at any location, or courses. */
  keys: ReadonlySet<string>
  rows: number
  /** The term's last day; '' if no row has it. */
  termEndsOn: string
  /** The number of rows of the whole search, by the school's count, which may change while paging. */
  totalCount: number
  /** The number of pages of the whole search, by the school's count. */
  pages: number
}

/**
 * Reads one page of a list of sections strictly: every row must belong to the requested term and subject. A row that
 * does not identify its section is left out with a warning; the count reveals missing sections.
 */
export function readSearchPage(page: Page, asked: Asked, number: number): Answer<SearchPage> {
  if (isHtml(page)) return unknown('not_the_protocol', 'The school answered with a web page instead of sections.')
  const found = new FoundSections(asked)
  let nameless = 0
  let read: ReturnType<typeof readJsonRows>
  try {
    read = readJsonRows(page.bytes, 'Sections', (value) => {
      const row = readRow(value)
      if (row === null) nameless++
      else found.add(row)
    })
  } catch (error) {
    if (!(error instanceof MalformedJson)) throw error
    return unknown('incomplete', `The school's answer is not whole JSON: ${error.message}`)
  }
  const { envelope, isReadable } = read
  const { ErrorMessage: said = '' } = envelope
  if (said !== null && said !== '') {
    return unknown('not_the_protocol', `The school says: ${tidy(said).slice(0, 200) || preview(said, 200)}`)
  }
  const courses = read.count === null ? readCourses(envelope) : []
  if (courses === null) return unknown('not_the_protocol', 'The school answered without sections.')
  const mismatch = found.mismatch ?? findUnexpectedCourse(courses, asked)
  if (mismatch !== null) return unknown('wrong_scope', mismatch)
  const count = read.count ?? courses.length
  const totalCount = readCount(envelope['TotalItems'])
  const pages = readCount(envelope['TotalPages'])
  if (totalCount === null || pages === null || pages > totalCount) {
    return unknown('not_the_protocol', 'The answer does not say how many sections and pages there are.')
  }
  if (count > totalCount || (count === 0 && totalCount > 0)) {
    return unknown('incomplete', `The school counts ${totalCount} rows, and ${count} came.`)
  }
  if (count > 0 && envelope['CurrentPageIndex'] !== number) {
    return unknown('wrong_scope', `Asked for page ${number}, the school answered with another.`)
  }
  const warnings = nameless === 0 ? [] : [`${nameless} of ${count} rows do not say which section they are.`]
  if (!isReadable) warnings.push('Some characters could not be read.')
  const keys = read.count === null ? new Set(courses.map(({ id }) => id)) : found.keys
  return known({ ...found.all, courses, keys, rows: count, totalCount, pages }, warnings)
}

/** The sections of the rows, each once. If two rows of one disagree, neither is believed. */
export class FoundSections {
  readonly #asked: Asked
  readonly #sections = new Map<string, SourceSection>()
  readonly keys = new Set<string>()
  #termEndsOn = ''
  /** Why a row does not belong to the question; null while all do. */
  mismatch: string | null = null

  constructor(asked: Asked) {
    this.#asked = asked
  }

  get all(): { sections: SourceSection[]; termEndsOn: string } {
    return { sections: [...this.#sections.values()], termEndsOn: this.#termEndsOn }
  }

  add(row: ColleagueRow): void {
    const { section, location } = row
    const { locations } = this.#asked
    this.mismatch ??= findMismatch(row, this.#asked)
    this.keys.add(section.section_key)
    if (row.term_ends_on > this.#termEndsOn) this.#termEndsOn = row.term_ends_on
    if (locations.length > 0 && !locations.includes(location)) return
    const other = this.#sections.get(section.section_key)
    this.#sections.set(section.section_key, other === undefined ? section : combineTwice(other, section))
  }
}

function findMismatch({ term, section }: ColleagueRow, asked: Asked): string | null {
  if (term !== asked.term) return strange('term', asked.term, term)
  if (asked.subject === undefined || section.subject === asked.subject) return null
  return strange('subject', asked.subject, section.subject)
}

function findUnexpectedCourse(courses: readonly ListedCourse[], asked: Asked): string | null {
  const other = courses.find(({ subject }) => asked.subject !== undefined && subject !== asked.subject)
  return other === undefined ? null : strange('subject', asked.subject ?? '', other.subject)
}

function strange(field: string, wanted: string, got: string): string {
  return `Asked for ${field} ${wanted}, the school answered with rows of ${field} ${got}.`
}

function readCount(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : null
}
