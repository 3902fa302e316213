import { fose } from '../../../src/sources/fose/fose.ts'
import { fixtureText, type KindFixtures } from '../kind-fixtures.ts'
import { groupOf } from '../lanes.ts'

const NAMES = ['home.html', 'search.json', 'details.json'] as const

/** A school that names its terms in a script. */
export const foseFixtures: KindFixtures = {
  source: fose,
  address: { url: 'https://classes.example.edu/api', settings: {} },
  group: groupOf({ term: '202610', subject: 'MATH' }),
  truth: { 27001: 'open', 27002: 'waitlisted', '0311': 'closed', 27004: 'closed' },
  files: Object.fromEntries(NAMES.map((name) => [name, fixtureText('fose', name)])),
  answer: ({ url }) => (url.pathname === '/' ? 'home.html' : `${url.searchParams.get('route')}.json`),
  titleWord: 'Algebra',
  altered: ['search.json'],
}
