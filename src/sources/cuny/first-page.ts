import { known, unknown } from '../answer.ts'
import { readFormPage } from '../form-page.ts'
import type { Answer, Season, SourceTerm, TermsAndSchools } from '../source.ts'
import { readTermName, readTerms } from '../term-name.ts'

/** The last digit of CUNY's term code; its winter classes sit in the spring term. */
const SEASON_BY_DIGIT: Readonly<Record<string, Season>> = { '2': 'spring', '6': 'summer', '9': 'fall' }

export function readFirstPage(html: string): Answer<TermsAndSchools> {
  const page = readFormPage(html)
  const colleges = page.checkboxes.get('inst_selection') ?? []
  const warnings: string[] = []
  const listed = (page.selects.get('term_value') ?? []).map(({ value, label }) => [value, label] as const)
  const terms = readTerms(listed, warnings, readTerm)
  if (colleges.length === 0 || terms.length === 0) {
    return unknown('not_the_protocol', 'The first page does not offer colleges and terms.')
  }
  if (!page.isWhole) return unknown('incomplete', 'The first page breaks off.')
  return known({ terms, schools: colleges.map(({ value, label }) => ({ code: value, name: label })) }, warnings)
}

function readTerm(code: string, name: string): SourceTerm | null {
  const named = readTermName(name)
  const [, years = '', digit = ''] = /^(\d{3})(\d)$/.exec(code) ?? []
  const year = named.year ?? (years === '' ? null : 1900 + Number(years))
  const season = named.season ?? SEASON_BY_DIGIT[digit] ?? null
  return year === null || season === null ? null : { code, year, season, name, is_available: true }
}
