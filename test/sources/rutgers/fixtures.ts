import { rutgers } from '../../../src/sources/rutgers/rutgers.ts'
import { fixtureText, type KindFixtures } from '../kind-fixtures.ts'
import { groupOf } from '../lanes.ts'

const NAMES = ['home.html', 'openSections.json', 'courses.json'] as const

/** The list of open sections is altered separately: a missing entry closes its section. */
export const rutgersFixtures: KindFixtures = {
  source: rutgers,
  address: { url: 'https://classes.example.edu/soc/api', settings: {} },
  group: groupOf({ term: '92026', school: 'NB', subject: '198' }),
  truth: { '04507': 'open', '04508': 'closed', '00028': 'open' },
  files: Object.fromEntries(NAMES.map((name) => [name, fixtureText('rutgers', name)])),
  answer: ({ url }) => (url.pathname === '/soc/' ? 'home.html' : url.pathname.replace('/soc/api/', '')),
  titleWord: 'KNOTS',
  altered: ['courses.json'],
}
