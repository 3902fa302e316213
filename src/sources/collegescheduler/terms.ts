import { known, unknown } from '../answer.ts'
import type { Page } from '../http.ts'
import { preview } from '../preview.ts'
import { isRecord } from '../record.ts'
import type { Answer, SourceTerm, TermsAndSchools } from '../source.ts'
import { readTermName } from '../term-name.ts'
import { tidy } from '../text.ts'
import { readField } from './envelope.ts'

/** The terms that a visitor may search. A school whose search is only for students has null instead. */
export function readTerms(page: Page): Answer<TermsAndSchools> {
  const field = readField(page, 'courseSearchTerms')
  if (!field.known) return field
  if (!Array.isArray(field.value))
    return unknown('not_the_protocol', 'The school shows its course search only to people who are signed in.')
  const warnings: string[] = []
  const terms = field.value.flatMap((listed: unknown) => {
    const term = readTerm(listed)
    if (term === null) warnings.push(`A term is left out: ${preview(listed, 80)}.`)
    return term === null ? [] : [term]
  })
  if (terms.length === 0) return unknown('incomplete', 'The school lists no term whose year and season we can read.')
  return known({ terms, schools: [] }, warnings)
}

/** "Fall 2026" at some schools, "2026 Fall" at others; each makes up its own codes. */
function readTerm(listed: unknown): SourceTerm | null {
  if (!isRecord(listed)) return null
  const [code, name] = [tidy(listed['code']), tidy(listed['name'])]
  const { year, season } = readTermName(name)
  return code === '' || year === null || season === null ? null : { code, year, season, name, is_available: true }
}
