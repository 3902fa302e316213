import { colleague } from '../../../src/sources/colleague/colleague.ts'
import { fixtureText, type KindFixtures } from '../kind-fixtures.ts'
import { groupOf } from '../lanes.ts'

const NAMES = ['catalog.html', 'filters.json', 'sections-in-words.json'] as const

const BY_CALL: Readonly<Record<string, (typeof NAMES)[number]>> = {
  Courses: 'catalog.html',
  'Courses/GetCatalogAdvancedSearch': 'filters.json',
  'Courses/PostSearchCriteria': 'sections-in-words.json',
}

/** A school of the newer generation. */
export const colleagueFixtures: KindFixtures = {
  source: colleague,
  address: { url: 'https://selfservice.example.edu/Student', settings: {} },
  group: groupOf({ term: '2026FA', subject: 'MATH' }),
  truth: { 71117: 'open', 71118: 'waitlisted', 71119: 'closed' },
  files: Object.fromEntries(NAMES.map((name) => [name, fixtureText('colleague', name)])),
  answer: ({ url }) => BY_CALL[url.pathname.replace('/Student/', '')] ?? null,
  titleWord: 'Algebra',
  altered: ['sections-in-words.json'],
  headers: { 'set-cookie': '.ColleagueSelfServiceAntiforgery=c1; Path=/Student; HttpOnly; Secure' },
}
