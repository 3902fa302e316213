import { known, unexpectedAnswer, unknown, whyOther } from '../answer.ts'
import type { Page } from '../http.ts'
import { isRecord, listWarnings, readJson } from '../json-page.ts'
import { addSection } from '../observation.ts'
import type { Answer, SourceSection } from '../source.ts'
import { schoolSays, tidy } from '../text.ts'
import type { Criteria } from './calls.ts'
import { type HcxRow, readRow } from './rows.ts'

/** What was requested, and from which school. */
export interface Asked extends Criteria {
  institution: string
  isShared: boolean
}

export interface SearchPage {
  /**
   * Each section once. A search by a course's number may also find courses whose numbers begin with it, or ignore it.
   */
  sections: SourceSection[]
  /** Of all rows. */
  keys: ReadonlyMap<string, unknown>
  rows: number
  /** Rows that do not say which section they are. */
  unidentified: number
  /** Null if the site does not count them; the first empty page then ends the search. */
  pages: number | null
}

/**
 * Reads one page of a search strictly: a row of another school, term or subject makes the whole page unknown, because a
 * site of several schools answers a wrong question with another school's classes. Missing fields make only their row
 * unclear.
 * @param number counted from 1; the site's count of pages is correct only on the first
 */
export function readSearchPage(page: Page, asked: Asked, number: number): Answer<SearchPage> {
  const read = readJson(page, 'sections')
  if (!read.known) return read
  const { value } = read
  const listed = Array.isArray(value) ? value : isRecord(value) ? value['classes'] : null
  const error = readError(value)
  if (error !== null) return unknown('incomplete', error)
  if (!Array.isArray(listed)) return unexpectedAnswer('sections')
  const counted = isRecord(value) && number === 1 ? value['pageCount'] : undefined
  const pages = readCount(counted)
  if (counted !== undefined) {
    if (pages === null) return unknown('not_the_protocol', 'The answer does not say how many pages there are.')
    if (pages === 0 ? listed.length > 0 : listed.length === 0) {
      return unknown('incomplete', `The school counts ${pages} pages, and the first has ${listed.length} rows.`)
    }
  }
  return answerOf(listed, asked, pages)
}

function answerOf(listed: readonly unknown[], asked: Asked, pages: number | null): Answer<SearchPage> {
  const sections = new Map<string, SourceSection>()
  let unidentified = 0
  for (const value of listed) {
    const row = readRow(value)
    if (row === null) {
      unidentified++
      continue
    }
    const mismatch = findMismatch(row, asked)
    if (mismatch !== null) return unknown('wrong_scope', mismatch)
    addSection(sections, row.section)
  }
  const rows = listed.length
  const warnings = listWarnings(unidentified, rows, true)
  return known({ sections: [...sections.values()], keys: sections, rows, unidentified, pages }, warnings)
}

/** Why the row belongs to another question; null if it does not. Missing fields are added to its doubts. */
function findMismatch({ institution, term, section }: HcxRow, asked: Asked): string | null {
  const { doubts, subject } = section
  if (institution === '' && asked.isShared) doubts.push(unnamed('school'))
  if (term === '') doubts.push(unnamed('term'))
  if (subject === '') doubts.push(unnamed('subject'))
  return (
    whyOther('school', asked.institution || null, institution || asked.institution) ??
    whyOther('term', asked.term || null, term || asked.term) ??
    whyOther('subject', asked.subject || null, subject || (asked.subject ?? ''))
  )
}

function unnamed(field: string): string {
  return `The school does not say which ${field} the row belongs to.`
}

/** The school's message in place of an answer, as a sentence; null if there is none. */
export function readError(value: unknown): string | null {
  if (!isRecord(value)) return null
  const { error } = value
  if (error === undefined || error === null || error === '' || error === false) return null
  return schoolSays(error)
}

function readCount(value: unknown): number | null {
  const text = tidy(value)
  return /^\d{1,6}$/.test(text) ? Number(text) : null
}
