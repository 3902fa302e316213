import { known, unknown } from '../answer.ts'
import type { Page } from '../http.ts'
import { entriesOf } from '../entries.ts'
import type { Answer, TermsAndSchools } from '../source.ts'
import { noTerms, readTerms as readTermNames } from '../term-name.ts'
import { readField } from './envelope.ts'

/** The terms that a visitor may search. A school whose search is only for students has null instead. */
export function readTerms(page: Page): Answer<TermsAndSchools> {
  const field = readField(page, 'courseSearchTerms')
  if (!field.known) return field
  if (!Array.isArray(field.value))
    return unknown('not_the_protocol', 'The school shows its course search only to people who are signed in.')
  const warnings: string[] = []
  const terms = readTermNames(entriesOf(field.value, { code: 'code', name: 'name' }, warnings), warnings)
  return terms.length === 0 ? noTerms() : known({ terms, schools: [] }, warnings)
}
