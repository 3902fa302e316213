import { known, unknown } from '../answer.ts'
import type { Answer, Season, SourceTerm, TermsAndSchools } from '../source.ts'
import { readTermName } from '../term-name.ts'
import { type Choice, readFormPage } from '../form-page.ts'

/** The last digit of CUNY's term code; its winter classes sit in the spring term. */
const SEASON_BY_DIGIT: Readonly<Record<string, Season>> = { '2': 'spring', '6': 'summer', '9': 'fall' }

/** Reads the page that offers colleges and terms. */
export function readFirstPage(html: string): Answer<TermsAndSchools> {
  const page = readFormPage(html)
  const colleges = page.checkboxes.get('inst_selection') ?? []
  const warnings: string[] = []
  const terms = (page.selects.get('term_value') ?? []).flatMap((choice) => {
    const term = readTerm(choice)
    if (term === null) warnings.push(`Term ${choice.value} "${choice.label}" tells no year and season; it is left out.`)
    return term === null ? [] : [term]
  })
  if (colleges.length === 0 || terms.length === 0) {
    return unknown('not_the_protocol', 'The first page does not offer colleges and terms.')
  }
  if (!page.isWhole) return unknown('incomplete', 'The first page breaks off.')
  return known({ terms, schools: colleges.map(({ value, label }) => ({ code: value, name: label })) }, warnings)
}

function readTerm({ value, label }: Choice): SourceTerm | null {
  const name = readTermName(label)
  const [, years = '', digit = ''] = /^(\d{3})(\d)$/.exec(value) ?? []
  const year = name.year ?? (years === '' ? null : 1900 + Number(years))
  const season = name.season ?? SEASON_BY_DIGIT[digit] ?? null
  return year === null || season === null ? null : { code: value, year, season, name: label, is_available: true }
}
