import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { ListedSchoolCheck } from '../../src/class-tracker/listed-schools/contract.ts'
import { ListedSchoolPage } from '../../src/class-tracker/listed-schools/pages/listed-school.tsx'
import { pageContext } from './samples.ts'

const school = {
  id: 'harbor',
  name: 'Harbor State University',
  state: 'NY',
  country: 'US',
  system: 'Ellucian Banner 9',
  why_not_read: null,
  source: null,
  url: 'https://classes.example.edu/StudentRegistrationSsb/ssb',
  time_zone: 'America/New_York',
  number_label: 'CRN',
  school_code: '',
  shared_name: null,
  last_term: null,
  notes: [],
  as_of: '2026-08-03',
  search_url: 'https://classes.example.edu/',
}
const complete: ListedSchoolCheck = {
  why: null,
  warnings: [],
  requests: 3,
  terms_count: 2,
  term_name: 'Fall 2026',
  subjects_count: 12,
  subject_name: 'Biology',
  sections_count: 0,
  sections: [],
}

function textOf(check: Partial<ListedSchoolCheck>): string {
  const page = <ListedSchoolPage school={school} check={{ ...complete, ...check }} context={pageContext()} />
  return renderToStaticMarkup(page).replace(/<[^>]*>/g, ' ')
}

test('a check that stopped counts only what it read', () => {
  expect(textOf({})).toContain('2 terms, 12 subjects in Fall 2026, 0 sections of Biology.')
  const why = 'There was no whole answer within 15 seconds.'
  expect(textOf({ why })).toContain(' 2 terms, 12 subjects in Fall 2026. 3 requests sent. ')
  const sooner = textOf({ why, subjects_count: 0, subject_name: null })
  expect(sooner).toContain(' 2 terms. 3 requests sent. ')
  expect(sooner).toContain(why)
})

test('a check that read nothing says so once', () => {
  const text = textOf({ why: 'No answer.', terms_count: 0, term_name: null, subject_name: null, requests: 1 })
  expect(text).toMatch(/We could not read this school\s+1 request sent\.\s+No answer\./)
})

test('a section that is overfull has no seats left, not a negative number of them', () => {
  const section = { course: 'BIO 101', title: 'Biology', section: '001', number: '10001', status: 'closed' } as const
  const text = textOf({ sections_count: 1, sections: [{ ...section, seats_available: -3, capacity: 30 }] })
  expect(text).toContain('0 left of 30')
  expect(text).not.toContain('-3')
})
