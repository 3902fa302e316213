import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { forgetVersions, KEPT_VERSION_MS } from '../../src/web/edge/site-version.ts'
import { hurry } from '../worker/hurry.ts'
import { visitSoon } from '../worker/direct-visit.ts'
import { addPerson, emptyDirectory, makePending, makeSchool, makeServer } from '../worker/directory.ts'
import { rows } from '../worker/rows.ts'
import { browserOf, Visitor } from '../worker/visitor.ts'
import { failingAt, lateAt, watchedDatabase } from '../worker/watched-database.ts'

let school: { school_id: number; subject_id: number }
let server: number

beforeAll(async () => {
  await emptyDirectory()
  school = await makeSchool()
  server = (await makeServer({ schools: [school.school_id], subjects: [school.subject_id] })).id
})

beforeEach(async () => {
  await rows('UPDATE discord_server SET is_active = 1 WHERE id = ?', server)
  await rename('Before')
  forgetVersions()
})

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const rename = (name: string) => rows('UPDATE discord_server SET name = ? WHERE id = ?', name, server)
const pages = () => ['/classcords/', '/classcords/all/', `/classcords/school/${school.school_id}/`]

function later(milliseconds: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + milliseconds })
}

const broken = watchedDatabase({
  before() {
    throw new Error('D1_ERROR: away')
  },
})
const silent = watchedDatabase({ before: () => new Promise(() => {}) })

it('a visitor sees a change within five seconds, without a query until then', async () => {
  expect(KEPT_VERSION_MS).toBeLessThan(5000)
  for (const path of pages()) expect((await visitSoon(path)).html, path).toContain('Before')
  await rename('After')
  for (const path of pages()) {
    await visitSoon(path, { method: 'HEAD' })
    const { html, reads } = await visitSoon(path)
    expect([html.includes('Before'), reads.trips], path).toEqual([true, 0])
  }
  later(KEPT_VERSION_MS)
  for (const path of pages()) expect((await visitSoon(path)).html, path).toContain('After')
})

it('an uncached page is never older than its version', async () => {
  await visitSoon('/classcords/')
  await rename('After')
  // The version is still the previous one; what is rendered for it may be newer.
  expect((await visitSoon('/classcords/all/')).html).toContain('After')
  later(KEPT_VERSION_MS)
  for (const path of pages()) expect((await visitSoon(path)).html, path).toContain('After')
})

it('a logged-in user sees a change at once', async () => {
  const person = await browserOf(await addPerson())
  const subjects = '/classcords/ajax/subjects/'
  const asked = async (visitor: Visitor) => (await visitor.get(subjects, { accept: 'application/json' })).text()
  expect(await asked(person)).toContain(`"id":${school.subject_id},`)
  await asked(new Visitor())
  await rows('UPDATE discord_server SET is_active = 0 WHERE id = ?', server)
  expect(await asked(person)).not.toContain(`"id":${school.subject_id},`)
  const student = await browserOf(await addPerson({ school: school.school_id }))
  expect((await student.see('/classcords/')).html).not.toContain('Before')
})

it.each([
  ['fails', broken],
  ['is silent', silent],
])('while the database %s, the last page is shown', async (_, DB) => {
  for (const path of pages()) await visitSoon(path)
  later(KEPT_VERSION_MS)
  vi.spyOn(console, 'warn').mockReturnValue()
  if (DB === silent) hurry(1000, 300)
  for (const path of pages()) {
    const { html, response } = await visitSoon(path, {}, { DB })
    expect([response.status, html.includes('Before')], path).toEqual([200, true])
  }
  forgetVersions()
  const { html, response } = await visitSoon('/classcords/', {}, { DB })
  expect([response.status, html.includes('Before')]).toEqual([200, true])
  later(KEPT_VERSION_MS)
  await rename('After')
  expect((await visitSoon('/classcords/')).html).toContain('After')
})

it('what a lagging copy answers while the version cannot be read is not kept', async () => {
  vi.spyOn(console, 'warn').mockReturnValue()
  await visitSoon('/classcords/')
  const versions = await rows<{ school_id: number; version: string }>('SELECT school_id, version FROM site_version')
  /** As a copy that lags behind the version this isolate knows. */
  const renameUnseen = async (name: string, subject: string) => {
    await rename(name)
    await rows('UPDATE subject SET name = ? WHERE id = ?', subject, school.subject_id)
    for (const { school_id, version } of versions)
      await rows('UPDATE site_version SET version = ? WHERE school_id = ?', version, school_id)
  }
  const asked = ['/classcords/all/', '/classcords/ajax/subjects/']
  for (const [name, subject, DB] of [
    ['Lagging', 'Lagging', true],
    ['Before', 'Before', false],
  ] as const) {
    await renameUnseen(name, subject)
    for (const path of asked) {
      later(KEPT_VERSION_MS)
      expect((await visitSoon(path, {}, DB ? { DB: failingAt(1, 'before') } : {})).html, path).toContain(name)
    }
  }
})

it('a late answer about the version does not bring an older page back', async () => {
  const shown = async (DB?: D1Database) => (await visitSoon('/classcords/', {}, DB && { DB })).html
  const boss = await browserOf(await addPerson({ role: 'manager' }))
  expect(await shown()).toContain('Before')
  /** Another visitor reads the version before the server is renamed, and gets the answer after it. */
  const renamedMeanwhile = async (name: string, happen: () => Promise<void>) => {
    later(KEPT_VERSION_MS)
    const late = lateAt(1, 'after')
    const page = shown(late.db)
    await late.isWaiting
    await rename(name)
    await happen()
    late.answer()
    await page
    expect(await shown()).toContain(name)
  }
  await renamedMeanwhile('After', async () => expect(await shown()).toContain('After'))
  await renamedMeanwhile('At last', async () =>
    expect((await boss.call('POST', '/classcords/ajax/notices/read/', {})).status).toBe(200),
  )
})

it('a page is looked up once, while its version is read', async () => {
  await visitSoon('/classcords/')
  later(KEPT_VERSION_MS)
  const match = vi.spyOn(caches.default, 'match')
  const looks: number[] = []
  const DB = watchedDatabase({
    async before() {
      await Promise.resolve()
      looks.push(match.mock.calls.length)
    },
  })
  const { edge } = await visitSoon(`/classcords/all/?q=${crypto.randomUUID()}`, {}, { DB })
  expect([edge, looks[0], match.mock.calls.length]).toEqual(['miss', 1, 1])
})

it('a page that was never cached cannot be shown without the database', async () => {
  await visitSoon('/classcords/')
  later(KEPT_VERSION_MS)
  vi.spyOn(console, 'warn').mockReturnValue()
  vi.spyOn(console, 'error').mockReturnValue()
  expect((await visitSoon('/classcords/all/?q=unseen', {}, { DB: broken })).response.status).toBe(500)
})

it('a visitor of the isolate that made a change sees it at once', async () => {
  const boss = await browserOf(await addPerson({ role: 'manager' }))
  const { id, server: pending } = await makePending({ school: school.school_id })
  await rows("UPDATE invite SET privacy_level = 'public' WHERE id = ?", id)
  await rows("UPDATE discord_server SET name = 'Just approved' WHERE id = ?", pending)
  for (const path of pages()) expect((await visitSoon(path)).html, path).not.toContain('Just approved')
  expect((await boss.call('POST', `/classcords/ajax/invites/${id}/approve/`)).status).toBe(200)
  for (const path of pages()) expect((await visitSoon(path)).html, path).toContain('Just approved')
  await boss.call('POST', `/classcords/ajax/invites/${id}/withdraw/`)
  for (const path of pages()) expect((await visitSoon(path)).html, path).not.toContain('Just approved')
})
