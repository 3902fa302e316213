import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { FoundCourses, FoundSubjects, FoundTerms } from '../../client/islands/class-tracker/found-lists.tsx'

const failures = ['Harbor: The school returned status 500.', 'Harbor: The school returned status 500.']
const terms = { available_schools: [], available_terms: [], new_terms_count: 0 }
const none = { courses: [], courses_count: 0, warnings: [] }

test.each([
  ['terms', (lines: string[]) => <FoundTerms result={{ ...terms, failures: lines }} />],
  ['subjects', (lines: string[]) => <FoundSubjects result={{ available_subjects: [], failures: lines }} />],
  ['courses', (lines: string[]) => <FoundCourses result={{ ...none, failures: lines }} />],
])('a refresh of %s lists what could not be read, each reason once', (_, found) => {
  const html = renderToStaticMarkup(found(failures))
  expect(html).toContain('Not refreshed, data kept:')
  expect(html.split('status 500').length - 1).toBe(1)
  expect(renderToStaticMarkup(found([]))).not.toContain('Not refreshed')
})

test('a refresh of courses says what its answers left out', () => {
  const sentence = 'Harbor, Fall 2026: 40 sections came without a title, meetings or course. The stored data was kept.'
  const html = renderToStaticMarkup(<FoundCourses result={{ ...none, failures: [], warnings: [sentence] }} />)
  expect(html).toContain('Some data was missing:')
  expect(html).toContain(sentence)
  expect(html).not.toContain('Not refreshed')
})
