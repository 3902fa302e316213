import { known, type Unknown, unknown } from '../answer.ts'
import { isHtml, type Page } from '../http.ts'
import { MalformedJson, readJsonRows } from '../json-rows.ts'
import { combineTwice } from '../observation.ts'
import type { Answer, SourceSection } from '../source.ts'
import type { Criteria } from './calls.ts'
import { type BannerRow, readRow } from './rows.ts'

export interface SearchPage {
  /** Each section once, regardless of its number of rows. */
  sections: SourceSection[]
  /** The number of rows on this page. */
  rows: number
  /** The number of rows of the whole search, by the school's count, which may change while paging. */
  totalCount: number
}

/** The number of rows that answer a different question. */
interface Mismatch {
  field: string
  asked: string
  got: string
}

/**
 * Reads one page of search results strictly: every row must belong to the requested term and subject and identify its
 * section. Without a session Banner answers status 200, `success: true` and no data, which looks like a search that
 * found nothing: only an empty list under `pathMode` "search" is that.
 */
export function readSearchPage(page: Page, criteria: Criteria): Answer<SearchPage> {
  if (isHtml(page)) return unknown('not_the_protocol', 'The school answered with a web page instead of results.')
  const sections: SourceSection[] = []
  const warnings: string[] = []
  let nameless = 0
  let mismatch: Mismatch | null = null
  let read: ReturnType<typeof readJsonRows>
  try {
    read = readJsonRows(page.bytes, 'data', (value) => {
      const row = readRow(value)
      if (row === null) nameless++
      else {
        mismatch ??= findMismatch(row, criteria)
        sections.push(row.section)
      }
    })
  } catch (error) {
    if (!(error instanceof MalformedJson)) throw error
    return unknown('incomplete', `The school's answer is not whole JSON: ${error.message}`)
  }
  const { envelope, count, isReadable } = read
  if (count === null || (count === 0 && envelope.pathMode !== 'search')) return withoutResults(envelope)
  if (envelope.success !== undefined && envelope.success !== true) {
    return unknown('session_lost', 'The school answered with rows and says that the search did not succeed.')
  }
  if (nameless > 0)
    return unknown('not_the_protocol', `${nameless} of ${count} rows do not say which section they are.`)
  if (mismatch !== null) return wrongScope(mismatch)
  const { totalCount } = envelope
  if (typeof totalCount !== 'number' || !Number.isInteger(totalCount) || totalCount < 0) {
    return unknown('not_the_protocol', 'The answer does not say how many sections there are.')
  }
  mismatch = sections.length === totalCount ? findOtherCourse(sections, criteria) : null
  if (mismatch !== null) return wrongScope(mismatch)
  if (!isReadable) warnings.push('Some characters could not be read.')
  return known({ sections: eachOnce(sections), rows: sections.length, totalCount }, warnings)
}

/** A section with two rows on one page. If they disagree, neither is believed. */
function eachOnce(sections: SourceSection[]): SourceSection[] {
  if (new Set(sections.map(({ section_key }) => section_key)).size === sections.length) return sections
  const byKey = new Map<string, SourceSection>()
  for (const section of sections) {
    const other = byKey.get(section.section_key)
    byKey.set(section.section_key, other === undefined ? section : combineTwice(other, section))
  }
  return [...byKey.values()]
}

function withoutResults(envelope: Record<string, unknown>): Unknown {
  const mode = JSON.stringify(envelope.pathMode ?? null)
  return unknown(
    'session_lost',
    `The school answered without results (pathMode ${mode}), as it does without a session.`,
  )
}

function findMismatch(row: BannerRow, criteria: Criteria): Mismatch | null {
  const { subject } = row.section
  if (row.term !== criteria.term) return { field: 'term', asked: criteria.term, got: row.term }
  // Banner accepts several subjects in one search, separated by commas.
  if (criteria.subject === undefined || criteria.subject.split(',').includes(subject)) return null
  return { field: 'subject', asked: criteria.subject, got: subject }
}

/**
 * A school may ignore the course number and return the whole subject, which includes the course; an answer without a
 * row of it belongs to an earlier search.
 */
function findOtherCourse(sections: readonly SourceSection[], criteria: Criteria): Mismatch | null {
  const [first] = sections
  const { courseNumber } = criteria
  if (first === undefined || courseNumber === undefined) return null
  if (sections.some(({ level }) => level === courseNumber)) return null
  return { field: 'course', asked: courseNumber, got: first.level }
}

function wrongScope({ field, asked, got }: Mismatch): Unknown {
  return unknown('wrong_scope', `Asked for ${field} ${asked}, the school answered with rows of ${field} ${got}.`)
}
