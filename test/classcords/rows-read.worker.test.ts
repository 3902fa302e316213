import { beforeAll, describe, expect, it } from 'vitest'
import { app } from '../../src/app.tsx'
import { addPerson } from '../worker/directory.ts'
import { visit } from '../worker/direct-visit.ts'
import { fillLargeDirectory } from '../worker/large-directory.ts'
import { classOf, routesOf } from '../worker/matrix/route-classes.ts'
import { rows } from '../worker/rows.ts'
import { addUser, Visitor } from '../worker/visitor.ts'

/**
 * What every public route reads with 100 schools of 100 subjects, and 5 000 servers. `--silent=false` shows it as a
 * table: for visitors, people without Discord, without a school and members, each as a page and as JSON, and for HEAD.
 */

const mostRows = 2000
/** The one answer that is cached under the site's version. */
const mostRowsOnce = 25_000

const people: Record<string, Record<string, string>> = { visitor: {} }

beforeAll(async () => {
  await fillLargeDirectory()
  const cookieOf = async (user: { id: number }) => ({
    cookie: `session=${(await Visitor.loggedInAs(user)).cookies.get('session')}`,
  })
  people['without Discord'] = await cookieOf(await addUser())
  people['without a school'] = await cookieOf(await addPerson())
  people['member'] = await cookieOf(await addPerson({ school: 7 }))
}, 240_000)

const searches = [
  '',
  'page=2',
  'page=250',
  'page=999999999',
  'subject_id=601',
  'subject_id=601&page=9',
  'course_id=2401',
  'subject_id=601&course_id=2401&q=homework',
  'subject_id=999999',
  'q=4999',
  'q=s',
  'q=homework',
  'q=homework&page=9',
  'q=homework&page=999999',
  'q=homework+study+groups+and+old+exams+class+server',
  'q=tenth',
  'q=tenth+seventh',
  'q=tenth+homework&page=30',
  'q=h+s+g+a+o+e+c+n',
  'q=1+2+3+4+5+6+7+8',
  'subject_id=601&course_id=2401&q=1+2+3+4+5+6+7+8',
  'q=zzz+homework',
  'sort=newest',
  'sort=newest&page=99999',
  'sort=newest&school_id=0&page=2',
  'sort=newest&q=homework',
  'sort=newest&q=tenth+homework',
  'sort=newest&subject_id=601&q=1+2+3+4+5+6+7+8',
  `q=${'x'.repeat(5000)}`,
  `q=${'%E8%AA%9E'.repeat(500)}`,
]

const subjects = '/classcords/ajax/subjects/'

const named = [
  ...searches.map((search) => `/classcords/all/?${search}`),
  '/classcords/?referral=abc',
  '/classcords/profile/',
  '/classcords/school/7/',
  '/classcords/school/7/?page=3',
  '/classcords/school/7/?page=99999',
  '/classcords/school/9999/',
  '/classcords/server/107/',
  '/classcords/server/7/',
  '/classcords/server/99999/',
  `${subjects}601/courses/`,
  `${subjects}99999/courses/`,
  '/classcords/ajax/servers/107/invites/',
  '/classcords/ajax/servers/7/invites/',
]

/** Every public route of the app, with 7 for each placeholder in its path. */
const everyRoute = routesOf(app.routes)
  .filter(({ method, path }) => method === 'GET' && classOf(path) === 'public')
  .map(({ path }) => `${path.replace(/:\w+/g, '7')}/`.replace('//', '/'))
  .filter((path) => path !== subjects && !named.includes(path))

/** Rows that one request reads with nothing cached. */
async function rowsOf(path: string, headers: Record<string, string>, method = 'GET'): Promise<number> {
  await rows("UPDATE site_version SET version = version || 'x'")
  const { reads, response } = await visit(path, { headers, method })
  expect(response.status, path).toBeLessThan(500)
  return reads.rows
}

describe('rows read', () => {
  it.each([...named, ...everyRoute])('by %s', async (path) => {
    const read: Record<string, number> = {}
    for (const [who, headers] of Object.entries(people)) {
      read[who] = await rowsOf(path, headers)
      read[`${who}, JSON`] = await rowsOf(path, { ...headers, accept: 'application/json' })
    }
    read['HEAD'] = await rowsOf(path, {}, 'HEAD')
    console.info(`${path.slice(0, 70)} | ${Object.values(read).join(' | ')}`)
    for (const [who, count] of Object.entries(read)) expect(count, who).toBeLessThanOrEqual(mostRows)
  })

  it(`by ${subjects}: many once per version, then almost none`, async () => {
    const read: Record<string, number> = {}
    for (const [who, headers] of Object.entries(people)) {
      read[who] = await rowsOf(subjects, headers)
      read[`${who}, again`] = (await visit(subjects, { headers })).reads.rows
    }
    console.info(`${subjects} | ${Object.values(read).join(' | ')}`)
    for (const [who, count] of Object.entries(read))
      expect(count, who).toBeLessThanOrEqual(
        who.startsWith('member') || who.endsWith('again') ? mostRows : mostRowsOnce,
      )
    expect(read['visitor, again']).toBe(1)
  })
})
