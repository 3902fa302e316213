import { known, unknown } from '../answer.ts'
import { entriesOf } from '../entries.ts'
import type { Page } from '../http.ts'
import { readJson } from '../json-page.ts'
import { isRecord } from '../record.ts'
import type { Answer, SourceSubject, SourceTerm } from '../source.ts'
import { readTerms } from '../term-name.ts'
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
  const read = readJson(page, 'its terms')
  if (!read.known) return read
  const { value } = read
  if (!isRecord(value) || !Array.isArray(value['Terms']) || !Array.isArray(value['Subjects'])) {
    return unknown('not_the_protocol', 'The school answered with something other than its terms and subjects.')
  }
  const warnings: string[] = []
  const terms = entriesOf(value['Terms'], { code: 'Item1', name: 'Item2' }, warnings)
  const shown = value['Subjects'].filter((entry) => !isRecord(entry) || entry['ShowInCourseSearch'] !== false)
  const subjects = entriesOf(shown, { code: 'Code', name: 'Description' }, warnings)
  if (terms.size === 0) return unknown('incomplete', 'The school lists no terms.')
  if (subjects.size === 0) return unknown('incomplete', 'The school lists no subjects.')
  return known(
    {
      terms: readTerms(terms, warnings, readTerm),
      termCodes: new Set(terms.keys()),
      subjects: Array.from(subjects, ([key, name]) => ({ key, name })),
    },
    warnings,
  )
}
