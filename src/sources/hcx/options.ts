import { known, unexpectedAnswer, unknown } from '../answer.ts'
import { entriesOf, subjectsOf } from '../entries.ts'
import type { Page } from '../http.ts'
import { isRecord, readJson } from '../json-page.ts'
import type { Answer, SourceSubject, SourceTerm } from '../source.ts'
import { readTerms } from '../term-name.ts'

export interface Options {
  /** Null if the answer has no list of terms; the public search page then has one. */
  terms: SourceTerm[] | null
  subjects: SourceSubject[]
}

/** Reads the options; an answer that lists neither a term nor a subject is not believed. */
export function readOptions(page: Page): Answer<Options> {
  const read = readJson(page, 'its options')
  if (!read.known) return read
  const { value } = read
  if (!isRecord(value) || !Array.isArray(value['subjects'])) {
    return unexpectedAnswer('its terms and subjects')
  }
  const warnings: string[] = []
  const terms = Array.isArray(value['terms']) ? readTermList(value['terms'], warnings) : null
  const subjects = subjectsOf(value['subjects'], { code: 'subject', name: 'descr' }, warnings)
  if (subjects.length === 0 && (terms === null || terms.length === 0)) {
    return unknown('incomplete', 'The school lists no terms and no subjects.')
  }
  return known({ terms, subjects }, warnings)
}

/** The terms of a list of `{strm, descr}`. */
export function readTermList(listed: readonly unknown[], warnings: string[]): SourceTerm[] {
  return readTerms(entriesOf(listed, { code: 'strm', name: 'descr' }, warnings), warnings)
}
