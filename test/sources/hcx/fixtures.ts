import { hcx } from '../../../src/sources/hcx/hcx.ts'
import { fixtureText, type KindFixtures } from '../kind-fixtures.ts'
import { groupOf } from '../lanes.ts'

const NAMES = ['options.json', 'classes.json', 'classes-older.json', 'details.json'] as const

/** One of several schools of a site: its rows must say which school they belong to. */
export const hcxFixtures: KindFixtures = {
  source: hcx,
  address: {
    url: 'https://classes.example.edu/psc/csprd/EMPLOYEE/SA/s',
    settings: { institution: 'EX010', shared: 'yes' },
  },
  group: groupOf({ term: '2267', subject: 'MATH' }),
  truth: { 10467: 'open', 10468: 'closed', 10469: 'waitlisted' },
  files: Object.fromEntries(NAMES.map((name) => [name, fixtureText('hcx', name)])),
  answer: ({ url }) => {
    if (url.pathname.endsWith('IScript_ClassSearchOptions')) return 'options.json'
    if (url.pathname.endsWith('IScript_ClassDetails')) return 'details.json'
    return url.pathname.endsWith('IScript_ClassSearch') ? 'classes.json' : null
  },
  titleWord: 'Algebra',
  altered: ['classes.json'],
}
