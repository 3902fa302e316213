import { answeredWith, known, type Unknown, unknown } from '../answer.ts'
import type { Page } from '../http.ts'
import { listWarnings, readRows } from '../json-page.ts'
import { addSection } from '../observation.ts'
import type { Answer, SourceSection } from '../source.ts'
import type { CountedPage } from '../walk-pages.ts'
import type { Criteria } from './calls.ts'
import { type BannerRow, readRow } from './rows.ts'

export type SearchPage = Pick<Required<CountedPage>, 'sections' | 'rows' | 'repeated' | 'totalCount'>

/**
 * Reads one page of search results strictly: every row must belong to the requested term and subject and identify its
 * section. Without a session Banner answers status 200, `success: true` and no data, which looks like a search that
 * found nothing: only an empty list under `pathMode` "search" is that.
 */
export function readSearchPage(page: Page, criteria: Criteria): Answer<SearchPage> {
  const sections: SourceSection[] = []
  let unidentified = 0
  let mismatch: string | null = null
  const read = readRows(page, 'results', 'data', (value) => {
    const row = readRow(value)
    if (row === null) unidentified++
    else {
      mismatch ??= findMismatch(row, criteria)
      sections.push(row.section)
    }
  })
  if (!read.known) return read
  const { envelope, count, isReadable } = read.value
  if (count === null || (count === 0 && envelope.pathMode !== 'search')) return withoutResults(envelope)
  if (envelope.success !== undefined && envelope.success !== true) {
    return unknown('session_lost', 'The school returned rows but says that the search did not succeed.')
  }
  if (unidentified > 0)
    return unknown('not_the_protocol', `${unidentified} of ${count} rows do not say which section they are.`)
  if (mismatch !== null) return unknown('wrong_scope', mismatch)
  const { totalCount } = envelope
  if (typeof totalCount !== 'number' || !Number.isInteger(totalCount) || totalCount < 0) {
    return unknown('not_the_protocol', 'The answer does not say how many sections there are.')
  }
  const otherCourse = sections.length === totalCount ? findOtherCourse(sections, criteria) : null
  if (otherCourse !== null) return unknown('wrong_scope', otherCourse)
  const once = eachOnce(sections)
  const rows = sections.length
  return known({ sections: once, rows, repeated: rows - once.length, totalCount }, listWarnings(0, rows, isReadable))
}

/** A section with two rows on one page. If they disagree, neither is believed. */
function eachOnce(sections: SourceSection[]): SourceSection[] {
  if (new Set(sections.map(({ section_key }) => section_key)).size === sections.length) return sections
  const byKey = new Map<string, SourceSection>()
  for (const section of sections) addSection(byKey, section)
  return [...byKey.values()]
}

function withoutResults(envelope: Record<string, unknown>): Unknown {
  const mode = JSON.stringify(envelope.pathMode ?? null)
  return unknown('session_lost', `The school returned no results (pathMode ${mode}), as it does without a session.`)
}

/** Why a row belongs to another question; null if it does not. */
function findMismatch(row: BannerRow, criteria: Criteria): string | null {
  const { subject } = row.section
  if (row.term !== criteria.term) return answeredWith('term', criteria.term, row.term)
  // Banner accepts several subjects in one search, separated by commas.
  if (criteria.subject === undefined || criteria.subject.split(',').includes(subject)) return null
  return answeredWith('subject', criteria.subject, subject)
}

/**
 * A school may ignore the number and return the whole subject, and finds courses whose numbers begin with it. Without a
 * row of those, it answers an earlier search.
 */
function findOtherCourse(sections: readonly SourceSection[], criteria: Criteria): string | null {
  const [first] = sections
  const { courseNumber } = criteria
  if (first === undefined || courseNumber === undefined) return null
  if (sections.some(({ level }) => level.startsWith(courseNumber))) return null
  return answeredWith('course', courseNumber, first.level)
}
