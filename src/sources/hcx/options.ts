import { known, unknown } from '../answer.ts'
import { isHtml, type Page } from '../http.ts'
import { parsePage } from '../json-page.ts'
import { isRecord } from '../record.ts'
import type { Answer, SourceSubject, SourceTerm } from '../source.ts'
import { readTermName } from '../term-name.ts'
import { tidy } from '../text.ts'

/** What the class search can be asked for. */
export interface Options {
  /** Null if the answer has no list of terms; the page for people then has one. */
  terms: SourceTerm[] | null
  subjects: SourceSubject[]
}

/** Reads the options; an answer that lists neither a term nor a subject is not believed. */
export function readOptions(page: Page): Answer<Options> {
  if (isHtml(page)) return unknown('not_the_protocol', 'The school answered with a web page instead of its options.')
  const value = parsePage(page)
  if (value === undefined) return unknown('incomplete', "The school's answer is not whole JSON.")
  if (!isRecord(value) || !Array.isArray(value['subjects'])) {
    return unknown('not_the_protocol', 'The school answered with something other than its terms and subjects.')
  }
  const warnings: string[] = []
  const terms = Array.isArray(value['terms']) ? readTerms(value['terms'], warnings) : null
  const subjects = entriesOf(value['subjects'], 'subject', warnings)
  if (subjects.size === 0 && (terms === null || terms.length === 0)) {
    return unknown('incomplete', 'The school lists no terms and no subjects.')
  }
  return known({ terms, subjects: Array.from(subjects, ([key, name]) => ({ key, name })) }, warnings)
}

/** The terms of a list of `{strm, descr}`; those without a year and season in the name are left out with a warning. */
export function readTerms(listed: readonly unknown[], warnings: string[]): SourceTerm[] {
  return [...entriesOf(listed, 'strm', warnings)].flatMap(([code, name]) => {
    const { year, season } = readTermName(name)
    if (year !== null && season !== null) return [{ code, year, season, name, is_available: true }]
    warnings.push(`Term ${code} "${name}" tells no year and season; it is left out.`)
    return []
  })
}

/** Names by code, each once. */
function entriesOf(listed: readonly unknown[], code: string, warnings: string[]): Map<string, string> {
  const entries = new Map<string, string>()
  for (const entry of listed) {
    const key = isRecord(entry) ? tidy(entry[code]) : ''
    if (!isRecord(entry) || key === '') warnings.push('An entry of the list has no code; it is left out.')
    else if (!entries.has(key)) entries.set(key, tidy(entry['descr']) || key)
  }
  return entries
}
