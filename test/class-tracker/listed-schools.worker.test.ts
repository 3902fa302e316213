import { env } from 'cloudflare:workers'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { addListedSchool } from '../../src/class-tracker/listed-schools/add-listed-school.ts'
import { checkListedSchool } from '../../src/class-tracker/listed-schools/check-listed-school.ts'
import { readDirectory } from '../../src/class-tracker/listed-schools/listed-schools.ts'
import { AddSchoolProps, ListedSchoolProps } from '../../src/class-tracker/listed-schools/contract.ts'
import { refreshTerms } from '../../src/class-tracker/refresh/refresh-terms.ts'
import { ledgerOf } from '../../src/jobs/ledgers.ts'
import { hostOf } from '../../src/sources/address.ts'
import type { ListedSchool } from '../../src/sources/schools/directory.ts'
import { limitOf } from '../../src/web/limits/limits.ts'
import { takeOften } from '../worker/take-often.ts'
import { rows } from '../worker/rows.ts'
import { strict } from '../worker/strict.ts'
import { trackerStaff } from '../worker/tracker-staff.ts'
import { addUser, browserOf, Visitor } from '../worker/visitor.ts'
import { watchedDatabase } from '../worker/watched-database.ts'
import { world } from '../worker/world.ts'

const path = '/class_tracker/schools/'
const visitor = { ...trackerStaff, role: 'visitor' } as const
let staff: Visitor
let directory: ListedSchool[]

beforeAll(async () => {
  staff = await browserOf(await addUser({ isSuperuser: true }))
  directory = await readDirectory(env.ASSETS)
})
afterEach(() => world.clearFaults())

function schoolOf(kind: string): ListedSchool {
  const found = directory.find((school) => school.kind === kind)
  if (!found) throw new Error(`No school of kind ${kind} is listed.`)
  return found
}

/** A school of the world, as the directory would list it. */
const northfield = (change: Partial<ListedSchool> = {}): ListedSchool => ({
  ...schoolOf('banner9'),
  name: 'Northfield',
  url: `${env.WORLD_URL}/schools/northfield/StudentRegistrationSsb/ssb`,
  settings: {},
  ...change,
})
const queens = (): ListedSchool => ({
  ...schoolOf('cuny'),
  url: `${env.WORLD_URL}/cuny/CFGlobalSearchTool`,
  school: 'QNS01',
})
const selfService = (): ListedSchool => ({
  ...schoolOf('colleague'),
  url: `${env.WORLD_URL}/schools/northfield/Student`,
  settings: {},
})

const refreshes = async () =>
  (await ledgerOf(env, 'refresh').list({ registry: 'queued', task: refreshTerms.name })).jobs

/** With the refresh queue paused no school is asked; its jobs are deleted afterwards. */
async function whilePaused(work: () => Promise<void>): Promise<void> {
  const ledger = ledgerOf(env, 'refresh')
  await ledger.pause('test')
  try {
    await work()
  } finally {
    await rows('DELETE FROM source')
    for (const { id } of await refreshes()) await ledger.act('cancel', id, 'test')
    await ledger.resume('test')
  }
}

describe('searching the directory', () => {
  test('finds schools by name, and says which can be added', async () => {
    const { response, html, data } = await staff.see<AddSchoolProps>(`${path}?q=hunter+college`)
    expect(response.status).toBe(200)
    expect(html).toContain('Hunter College')
    const props = strict(AddSchoolProps).parse(data.props)
    expect(props.schools[0]).toMatchObject({ id: 'hunter-college', why_not_read: null, source: null })
    const json = await staff.get(`${path}?q=hunter+college`, { accept: 'application/json' })
    expect((await json.json<typeof data>()).props).toEqual(data.props)
  })

  test('lists nothing without a search, at most 50 results, and says if nothing matches', async () => {
    const nothing = await staff.see<AddSchoolProps>(path)
    expect(nothing.data.props).toMatchObject({ q: '', schools: [], found_count: 0, listed_count: directory.length })
    const many = await staff.see<AddSchoolProps>(`${path}?q=college`)
    expect(many.data.props.schools).toHaveLength(50)
    expect(many.data.props.found_count).toBeGreaterThan(50)
    expect(many.html).toContain('Type more of the name')
    const none = await staff.see(`${path}?q=${encodeURIComponent('<b>nowhere')}`)
    expect(none.html).toContain('No school matches “&lt;b&gt;nowhere”')
  })

  test("is linked from the course list, and from the admin's sources", async () => {
    expect((await staff.see('/class_tracker/manage_course_list/')).html).toContain(`href="${path}"`)
    expect((await staff.see('/admin/sources/')).html).toContain(`href="${path}"`)
  })

  test.each([path, `${path}hunter-college/`])('is only for staff: %s', async (page) => {
    expect((await new Visitor().get(page)).status).toBe(302)
    expect((await (await browserOf(await addUser())).get(page)).status).toBe(403)
  })
})

describe('a listed school', () => {
  test('shows what is known, with a link to its class search', async () => {
    const { html, data } = await staff.see(`${path}hunter-college/`)
    const { school, check } = strict(ListedSchoolProps).parse(data.props)
    expect(check).toBeNull()
    expect(school).toMatchObject({
      school_code: 'HTR01',
      shared_name: 'CUNY Global Search',
      time_zone: 'America/New_York',
    })
    expect(html).toContain(`href="${school.search_url}"`)
    expect(html).toContain('terms of use')
    expect(html).toContain(`${path}hunter-college/add/`)
  })

  test.each([
    ['psfluid', 'We can&#x27;t read PeopleSoft Fluid yet.'],
    ['collegescheduler', 'We can&#x27;t read College Scheduler yet: it does not say which seats are reserved.'],
  ])('with the unsupported system %s is marked as such and cannot be added', async (kind, why) => {
    const { id, name } = schoolOf(kind)
    const { html } = await staff.see(`${path}${id}/`)
    expect(html).toContain(why)
    expect(html).not.toContain(`${path}${id}/add/`)
    for (const act of ['add', 'check']) {
      const answer = await staff.call('POST', `${path}${id}/${act}/`)
      expect([answer.status, await answer.json()]).toEqual([422, [expect.stringContaining(name)]])
    }
    expect(await rows('SELECT id FROM source WHERE name = ?', name)).toEqual([])
  })

  test('is a 404 if it does not exist', async () => {
    expect((await staff.get(`${path}no-such-school/`)).status).toBe(404)
    expect((await staff.call('POST', `${path}no-such-school/add/`)).status).toBe(404)
    expect((await staff.call('POST', `${path}no-such-school/check/`)).status).toBe(404)
  })
})

describe('checking a listed school', () => {
  test('shows terms, subjects and three sections, and is audited', async () => {
    const check = await checkListedSchool(env, trackerStaff, northfield(), Date.now)
    expect(check).toMatchObject({ why: null, requests: expect.any(Number), sections: { length: 3 } })
    expect(check.terms_count).toBeGreaterThan(0)
    expect(check.subjects_count).toBeGreaterThan(0)
    expect(await rows("SELECT act, title FROM audit WHERE act = 'checked' ORDER BY id DESC LIMIT 1")).toEqual([
      { act: 'checked', title: 'Northfield' },
    ])
    expect(await rows("SELECT id FROM source WHERE name = 'Northfield'")).toEqual([])
  })

  test('asks for the right school if one address serves several', async () => {
    expect((await checkListedSchool(env, trackerStaff, queens(), Date.now)).why).toBeNull()
    const unknown = await checkListedSchool(env, trackerStaff, { ...queens(), school: 'ZZZ01' }, Date.now)
    expect(unknown.why).toBe('It listed no school ZZZ01.')
  })

  test('respects the request budget of the host', async () => {
    const listed = northfield()
    const limit = await limitOf(env, 'source', hostOf(listed.url))
    await limit.clear()
    await takeOften('source', hostOf(listed.url), 60, { limit: 60, window_ms: 61_000 })
    const check = await checkListedSchool(env, trackerStaff, listed, Date.now)
    await limit.clear()
    expect(check).toMatchObject({ requests: 0, why: expect.stringContaining('Try again in') })
    expect((await checkListedSchool(env, trackerStaff, listed, Date.now)).why).toBeNull()
  })

  test('shows each warning once', async () => {
    const { warnings, why } = await checkListedSchool(env, trackerStaff, selfService(), Date.now)
    expect([why, warnings.filter((warning) => warning.includes('Continuing Education')).length]).toEqual([null, 1])
  })

  test('shows why the answer was not understood', async () => {
    await world.fault('Northfield Technical University', 'maintenance_html')
    const { why, terms_count } = await checkListedSchool(env, trackerStaff, northfield(), Date.now)
    expect([why, terms_count]).toEqual([expect.any(String), 0])
  })
})

describe('adding a listed school', () => {
  test('adds its source with the listed address, once, and starts reading it', () =>
    whilePaused(async () => {
      const listed = directory.find(({ id }) => id === 'abraham-baldwin-agricultural-college')
      if (!listed) throw new Error('It is not listed.')
      const page = `${path}${listed.id}/`
      const added = await staff.submit(`${page}add/`, {})
      expect([added.status, added.headers.get('location')]).toEqual([303, '/class_tracker/manage_course_list/'])
      const { html } = await staff.see('/class_tracker/manage_course_list/')
      expect(html).toContain(`${listed.name} is added.`)
      const [source] = await rows<{ id: number }>('SELECT * FROM source WHERE name = ?', listed.name)
      expect(source).toMatchObject({
        kind: listed.kind,
        url: listed.url,
        time_zone: listed.time_zone,
        settings: '{}',
        is_enabled: 1,
        terms_refreshed_at: null,
      })
      const [entry] = await rows('SELECT act, area, table_name, row_key, title FROM audit ORDER BY id DESC LIMIT 1')
      expect(entry).toEqual({
        act: 'added',
        area: 'class_tracker',
        table_name: 'source',
        row_key: String(source?.id),
        title: listed.name,
      })
      expect((await refreshes()).map(({ input }) => input)).toMatchObject([
        { source_ids: [source?.id], by: expect.stringContaining('user'), then_all: true },
      ])

      const seen = await staff.see<ListedSchoolProps>(page)
      expect(seen.data.props.school.source).toEqual({ id: source?.id, name: listed.name })
      expect(seen.html).toContain('Already added.')
      const again = await staff.call('POST', `${page}add/`)
      expect([again.status, await again.json()]).toEqual([409, [`${listed.name} is already added.`]])
    }))

  test("recognizes a PeopleSoft site that was added by its portal's address", () =>
    whilePaused(async () => {
      const listed = { ...schoolOf('hcx'), url: 'https://classes.example.edu/psc/csprd/EMPLOYEE/SA/s' }
      const portal = { ...listed, url: listed.url.replace('/psc/', '/psp/'), name: 'The portal' }
      const elsewhere = { ...listed, url: listed.url.replace('csprd', 'other'), name: 'Another site' }
      const { id } = await addListedSchool(env, trackerStaff, portal, Date.now())
      await expect(addListedSchool(env, trackerStaff, listed, Date.now())).rejects.toMatchObject({
        nextStep: { href: `/admin/sources/${id}/` },
      })
      expect(await addListedSchool(env, trackerStaff, elsewhere, Date.now())).toMatchObject({ name: 'Another site' })
    }))

  test('adds a system of several schools under its own name, for all of them', () =>
    whilePaused(async () => {
      expect(await addListedSchool(env, trackerStaff, schoolOf('cuny'), Date.now())).toMatchObject({
        name: 'CUNY Global Search',
      })
      const { data } = await staff.see<AddSchoolProps>(`${path}?q=queens+college`)
      expect(data.props.schools[0]?.source?.name).toBe('CUNY Global Search')
    }))

  test('recognizes a school that was added after hundreds of others', () =>
    whilePaused(async () => {
      await rows(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600)
         INSERT INTO source (name, kind, url, time_zone, created_at)
         SELECT 'Other ' || i, 'banner9', 'https://other.example/' || i, 'UTC', 0 FROM n`,
      )
      await addListedSchool(env, trackerStaff, northfield(), 1)
      await expect(addListedSchool(env, trackerStaff, northfield({ name: 'Same place' }), 2)).rejects.toMatchObject({
        messages: ['Same place is already added.'],
      })
    }))

  test('twice at once adds one source; a name used by another source is rejected', () =>
    whilePaused(async () => {
      const both = await Promise.allSettled([1, 2].map(() => addListedSchool(env, trackerStaff, northfield(), 1)))
      expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
      expect(await rows("SELECT id FROM source WHERE name = 'Northfield'")).toHaveLength(1)
      const elsewhere = northfield({ settings: { mepCode: 'NTU' } })
      await expect(addListedSchool(env, trackerStaff, elsewhere, 2)).rejects.toMatchObject({
        status: 409,
        messages: ['Another source is already called Northfield. Rename that one first.'],
      })
    }))

  test('and checking are only for superusers', async () => {
    const DB = watchedDatabase({ before: () => expect.unreachable('The database was asked.') })
    const unasked = { ...env, DB }
    await expect(addListedSchool(unasked, visitor, northfield(), 0)).rejects.toMatchObject({ status: 403 })
    await expect(checkListedSchool(unasked, visitor, northfield(), Date.now)).rejects.toMatchObject({ status: 403 })
  })
})

describe('an unlisted school', () => {
  const ask = async (address: string) => {
    await staff.see(path)
    const response = await staff.submit(`${path}ask/`, { address })
    return { status: response.status, html: await response.text() }
  }

  test('is checked at its address, and added with the system that answers there', async () => {
    const url = `${env.WORLD_URL}/schools/northfield/StudentRegistrationSsb/ssb`
    const { status, html } = await ask(`${url}/classSearch/classSearch`)
    expect(status).toBe(200)
    expect(html).toContain('Ellucian Banner 9<!-- --> answers there')
    const [, link = ''] = /href="(\/admin\/sources\/add\/\?[^"]+)"/.exec(html) ?? []
    const { html: form } = await staff.see(link.replaceAll('&amp;', '&'))
    expect(form).toContain(url)
    expect(await rows("SELECT title FROM audit WHERE act = 'checked' ORDER BY id DESC LIMIT 1")).toEqual([
      { title: `${url}/classSearch/classSearch` },
    ])
  })

  test('says which source already reads its address', () =>
    whilePaused(async () => {
      const { url } = northfield()
      expect((await ask(url)).html).not.toContain('Already added.')
      const { id } = await addListedSchool(env, trackerStaff, northfield(), Date.now())
      const { html } = await ask(url)
      expect(html).toContain(`Already added. <a href="/admin/sources/${id}/">Northfield</a> reads it.`)
      expect(html).toContain('Add it with other settings')
    }))

  test('that is not understood shows why', async () => {
    expect((await ask(`${env.WORLD_URL}/nowhere`)).html).toContain('No system that we can read answered there.')
    const { html: unreachable } = await ask('http://localhost:1/Student')
    expect(unreachable).toMatch(/<\/svg>The school could not be reached/)
    const { html: refused } = await ask('harvard')
    expect(refused).toContain('This is not an address. If it is the name of a school, search for it by name.')
    const input = /<input[^>]*name="address"[^>]*>/.exec(refused)?.[0]
    expect(input).toContain('aria-invalid="true"')
    expect(input).toContain('aria-describedby="address-error"')
    expect(refused).toContain('id="address-error"')
    await world.fault('Northfield Technical University', 'http_500')
    const { html } = await ask(`${env.WORLD_URL}/schools/northfield/StudentRegistrationSsb/ssb`)
    expect(html).toContain('Ellucian Banner 9: The school returned status 500.')
  })

  test('can be checked only by superusers', async () => {
    const stranger = await browserOf(await addUser({ isSuperuser: false }))
    expect((await stranger.submit(`${path}ask/`, { address: 'x' })).status).not.toBe(200)
  })
})

test('the address of an answer leads to the page it was requested from', async () => {
  for (const [answer, page] of [
    ['ask/', ''],
    ['athens-state-university/check/', 'athens-state-university/'],
    ['athens-state-university/add/', 'athens-state-university/'],
  ]) {
    const response = await staff.get(`${path}${answer}`)
    expect([response.status, response.headers.get('location')]).toEqual([302, `${path}${page}`])
  }
})
