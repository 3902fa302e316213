import { collegescheduler } from '../../../src/sources/collegescheduler/collegescheduler.ts'
import { fixtureText, type FixtureCall, type KindFixtures } from '../kind-fixtures.ts'
import { groupOf } from '../lanes.ts'

const NAMES = ['terms.json', 'courses.json', 'sections-101.json', 'sections-210.json'] as const

/** Two courses of the subject, and one of another that is never requested. */
export const collegeschedulerFixtures: KindFixtures = {
  source: collegescheduler,
  address: { url: 'https://example.search.collegescheduler.com', settings: {} },
  group: groupOf({ term: '202620', subject: 'BIOL' }),
  truth: { '10021': 'open', '10022': 'closed', '10023': 'closed', '10044': 'open' },
  files: Object.fromEntries(NAMES.map((name) => [name, fixtureText('collegescheduler', name)])),
  answer,
  titleWord: 'Tissues',
  altered: ['courses.json', 'sections-101.json', 'sections-210.json'],
}

function answer({ url, body }: FixtureCall): string | null {
  if (url.href !== 'https://api.collegescheduler.com/graphql') return null
  const { query, variables } = JSON.parse(body) as { query: string; variables: Record<string, unknown> }
  if (variables['school'] !== 'example') return null
  if (query.includes('courseSearchTerms')) return 'terms.json'
  if (query.includes('findCourses')) return variables['term'] === '202620' ? 'courses.json' : null
  if (variables['course'] === 'Y291cnNlLTEwMQ==') return 'sections-101.json'
  return variables['course'] === 'Y291cnNlLTIxMA==' ? 'sections-210.json' : null
}
