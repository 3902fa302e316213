import { known, unknown } from '../answer.ts'
import { isHtml, type Page } from '../http.ts'
import { parsePage } from '../json-page.ts'
import { isRecord } from '../record.ts'
import type { Answer, SourceSubject, SourceTerm } from '../source.ts'
import { tidy } from '../text.ts'
import { readTerm } from './terms.ts'

/** What visitors can search for in the catalog. */
export interface Filters {
  terms: SourceTerm[]
  /** Codes of all terms, including those without a known year or season. */
  termCodes: ReadonlySet<string>
  /** The subjects of the whole catalog, not all of which have sections in every term. */
  subjects: SourceSubject[]
}

/** Reads the filters; a school that lists no term or no subject is not believed. */
export function readFilters(page: Page): Answer<Filters> {
  if (isHtml(page)) return unknown('not_the_protocol', 'The school answered with a web page instead of its terms.')
  const value = parsePage(page)
  if (value === undefined) return unknown('incomplete', "The school's answer is not whole JSON.")
  if (!isRecord(value) || !Array.isArray(value['Terms']) || !Array.isArray(value['Subjects'])) {
    return unknown('not_the_protocol', 'The school answered with something other than its terms and subjects.')
  }
  const warnings: string[] = []
  const terms = entriesOf(value['Terms'], 'Item1', 'Item2', warnings)
  const shown = value['Subjects'].filter((entry) => !isRecord(entry) || entry['ShowInCourseSearch'] !== false)
  const subjects = entriesOf(shown, 'Code', 'Description', warnings)
  if (terms.size === 0) return unknown('incomplete', 'The school lists no terms.')
  if (subjects.size === 0) return unknown('incomplete', 'The school lists no subjects.')
  const readable = [...terms].flatMap(([code, name]) => {
    const term = readTerm(code, name)
    if (term === null) warnings.push(`Term ${code} "${name}" tells no year and season; it is left out.`)
    return term === null ? [] : [term]
  })
  return known(
    {
      terms: readable,
      termCodes: new Set(terms.keys()),
      subjects: Array.from(subjects, ([key, name]) => ({ key, name })),
    },
    warnings,
  )
}

/** Names by code, each once. */
function entriesOf(list: readonly unknown[], code: string, name: string, warnings: string[]): Map<string, string> {
  const entries = new Map<string, string>()
  for (const entry of list) {
    const key = isRecord(entry) ? tidy(entry[code]) : ''
    if (!isRecord(entry) || key === '') warnings.push('An entry of the list has no code; it is left out.')
    else if (!entries.has(key)) entries.set(key, tidy(entry[name]) || key)
  }
  return entries
}
