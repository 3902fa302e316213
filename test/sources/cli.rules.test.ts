import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { sectionsOf } from '../world/client.ts'
import { type RunningWorld, startWorld } from '../world/server.ts'
import { fakeRow, TERM } from './fake-banner.ts'
import { runAlone, runHere } from './run-source.ts'

let world: RunningWorld
beforeAll(async () => {
  const now = Date.parse('2026-11-21T12:00:00Z')
  world = await startWorld({ appUrl: 'http://localhost:1', twilioAccountSid: 'AC1', twilioAuthToken: 't', now })
})
afterAll(() => world.close())
afterEach(() => world.world.faults.clear())

const run = (...words: string[]) => runHere(words)

const banner = (...more: string[]) => {
  const url = `${world.url}/schools/harbor/StudentRegistrationSsb/ssb`
  return run('check', '--kind', 'banner9', '--url', url, '--term', '202640', '--subject', 'MATH', ...more)
}
const cuny = (...more: string[]) => {
  const url = `${world.url}/cuny/CFGlobalSearchTool/`
  return run(
    'check',
    '--kind',
    'cuny',
    '--url',
    url,
    '--term',
    '1269',
    '--subject',
    'MATH',
    '--school',
    'QNS01',
    ...more,
  )
}

const colleague = (...more: string[]) => {
  const url = `${world.url}/schools/cedar-valley/Student`
  return run('check', '--kind', 'colleague', '--url', url, '--term', '26/FA', '--subject', 'MATH', ...more)
}

const fose = (...more: string[]) => {
  const url = `${world.url}/schools/northfield/classes/api`
  return run('check', '--kind', 'fose', '--url', url, '--term', '5269', '--subject', 'MATH', ...more)
}

const hcx = (...more: string[]) => {
  const url = `${world.url}/hcx/psc/csprd/EMPLOYEE/SA/s`
  const settings = ['--set', 'institution=HTR01', '--set', 'shared=yes']
  return run('check', '--kind', 'hcx', '--url', url, '--term', '2267', '--subject', 'MATH', ...settings, ...more)
}

const rutgers = (...more: string[]) => {
  const words = ['--url', `${world.url}/schools/harbor/soc/api`, '--term', '92026', '--school', 'NB']
  return run('check', '--kind', 'rutgers', ...words, '--subject', 'MATH', ...more)
}

/** Its lists have no seats: three sections are requested separately. */
const banner8 = (...more: string[]) => {
  const url = `${world.url}/schools/harbor/pls/PROD`
  return run('check', '--kind', 'banner8', '--url', url, '--term', '202640', '--subject', 'MATH', ...more)
}

const FIELDS = [
  'section_key',
  'subject',
  'code',
  'level',
  'title',
  'number',
  'section',
  'topic',
  'status',
  'seats_available',
  'capacity',
  'waitlist_available',
  'instruction_list',
  'instruction_mode',
]

describe('npm run source -- check', () => {
  it.each([
    ['Harbor State University', banner, 2],
    // The first page for the labels, the criteria page, and one search per career.
    ['Queens College', cuny, 4],
    // The first page, the call that the older generation does not know, and two pages of a search.
    ['Cedar Valley Community College', colleague, 4],
    ['Northfield Technical University', fose, 1],
    // The redirect with the cookie, and a page.
    ['Hunter College', hcx, 2],
    ['Harbor State University', rutgers, 2],
  ])('prints every section of %s as one JSON object, and ends with 0', async (school, check, requests) => {
    const { code, out, err } = await check('--json')
    expect([code, err]).toEqual([0, ''])
    const answer = JSON.parse(out) as { sections: { section_key: string }[]; requests: number; warnings: string[] }
    expect(Object.keys(answer)).toEqual(['believed', 'why', 'terms', 'subjects', 'sections', 'requests', 'warnings'])
    expect(answer).toMatchObject({ requests, warnings: [] })
    const there = await sectionsOf(world.url, { school, term: '2026 Fall Term', subject: 'MATH' })
    expect(there.length).toBeGreaterThan(0)
    expect(answer.sections.map(({ section_key }) => section_key).toSorted()).toEqual(
      there.map(({ section }) => section).toSorted(),
    )
    for (const section of answer.sections) expect(Object.keys(section)).toEqual(expect.arrayContaining(FIELDS))
  })

  it('requests the seats of three sections if the lists have none', async () => {
    const { code, out } = await banner8('--json')
    const answer = JSON.parse(out) as { sections: { status: string }[]; requests: number; warnings: string[] }
    const count = answer.sections.length
    expect([code, answer.requests]).toEqual([0, 4])
    expect(answer.warnings).toEqual([`Its lists have no seats; 3 of ${count} sections were requested individually.`])
    expect(answer.sections.filter(({ status }) => status !== 'unknown')).toHaveLength(3)
  })

  it('detects the kind of a system, and uses the first subject of a term by default', async () => {
    const url = `${world.url}/schools/harbor/StudentRegistrationSsb/ssb/classSearch/classSearch?mode=search`
    const { code, out, err } = await run('check', '--url', url, '--json')
    expect([code, err]).toEqual([0, ''])
    const answer = JSON.parse(out) as { terms: object[]; subjects: object[]; sections: object[] }
    expect(answer).toMatchObject({ believed: true, why: null })
    for (const list of [answer.terms, answer.subjects, answer.sections]) expect(list.length).toBeGreaterThan(0)
    const nothing = await run('check', '--url', `${world.url}/nowhere`)
    expect([nothing.code, nothing.out]).toEqual([2, ''])
    expect(nothing.err).toContain('no system that we can read answered')
  })

  it('prints a table for people', async () => {
    const { code, out } = await banner()
    expect(code).toBe(0)
    expect(out).toMatch(/^NUMBER +COURSE +SECTION +STATUS/)
    expect(out).toMatch(/\d+ sections, 2 requests\.\n$/)
  })

  it('prints and exits the same way in its own process', async () => {
    const url = `${world.url}/schools/harbor/StudentRegistrationSsb/ssb`
    const words = ['check', '--kind', 'banner9', '--url', url, '--term', '202640', '--subject']
    for (const more of [['MATH'], ['MATH', '--set', 'mep=1']])
      expect(await runAlone([...words, ...more])).toEqual(await runHere([...words, ...more]))
  })

  it('requests a named career', async () => {
    const { code, out } = await cuny('--career', 'UGRD', '--json')
    expect([code, (JSON.parse(out) as { requests: number }).requests]).toEqual([0, 3])
    const url = `${world.url}/cuny/CFGlobalSearchTool`
    const none = ['check', '--kind', 'cuny', '--url', url, '--school', 'QNS01', '--career', 'NONE', '--json']
    expect(JSON.parse((await run(...none)).out)).toMatchObject({ sections: [] })
  })

  it('believes an empty answer only if the school lists the term and the subject', async () => {
    // The last of a repeated option counts.
    const unlisted = await banner('--subject', 'NONE', '--json')
    expect(unlisted.code).toBe(3)
    expect(JSON.parse(unlisted.out)).toMatchObject({ believed: false, why: 'It listed no subject NONE.' })
    expect((await banner('--term', '209999')).code).toBe(3)
  })

  it.each(Object.entries({ banner, banner8, colleague, cuny, fose, hcx, rutgers }))(
    'does not believe %s when it answers with nothing',
    async (_kind, check) => {
      expect((await check()).code).toBe(0)
      const service = world.world.requests.at(-1)?.service ?? ''
      world.world.faults.set({ service, mode: 'empty', times: null })
      const { code, out } = await check('--json')
      expect(code).toBe(3)
      expect(JSON.parse(out)).toMatchObject({ believed: false, sections: [] })
    },
  )

  it('passes settings on', async () => {
    const words = ['check', '--kind', 'banner9', '--term', '202609', '--subject', 'MATH', '--json']
    const url = ['--url', `${world.url}/schools/cedar-valley/StudentRegistrationSsb/ssb`]
    expect((await run(...words, ...url)).code).toBe(3)
    expect((await run(...words, ...url, '--set', 'mepCode=CVCC')).code).toBe(0)
  })

  it('exits with 3 and says why if the answer is not believed', async () => {
    world.world.faults.set({ service: 'Harbor State University', mode: 'maintenance_html', times: null })
    const { code, out, err } = await banner('--json')
    expect(code).toBe(3)
    expect(err).toContain('Unknown (not_the_protocol)')
    expect(JSON.parse(out)).toMatchObject({ sections: [], unknown: { reason: 'not_the_protocol' } })
    world.world.faults.set({ service: 'Harbor State University', mode: 'timeout', times: null })
    expect(await banner('--timeout', '0.2')).toMatchObject({
      code: 3,
      out: '',
      err: expect.stringContaining('timeout'),
    })
  })

  it('says why the terms are unknown, and when to ask again', async () => {
    world.world.faults.set({ service: 'Harbor State University', mode: 'http_429', times: null })
    const url = `${world.url}/schools/harbor/StudentRegistrationSsb/ssb`
    const { code, out } = await run('check', '--kind', 'banner9', '--url', url, '--json')
    expect([code, JSON.parse(out)]).toMatchObject([
      3,
      { believed: false, unknown: { reason: 'limited', retry_after_seconds: expect.any(Number) } },
    ])
  })

  it('exits with 3 if something else answers at the address', async () => {
    const server = createServer((_request, response) => response.end('hello')).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo
    const words = ['check', '--kind', 'cuny', '--term', '1269', '--subject', 'MATH', '--school', 'QNS01']
    expect((await run(...words, '--url', `http://127.0.0.1:${port}/CFGlobalSearchTool`)).code).toBe(3)
    await new Promise((resolve) => server.close(resolve))
  })

  it('shows a contradictory row as unknown, without figures, and says why', async () => {
    // Escape sequences, which a terminal would act on.
    const sectionNumber = '001\u001b[2J\u009b31m'
    const row = fakeRow(10_001, {
      enrollment: 35,
      seatsAvailable: 5,
      faculty: undefined,
      sequenceNumber: sectionNumber,
    })
    const server = createServer((request, response) => {
      const isSearch = request.url?.includes('searchResults') === true
      const body = isSearch ? { success: true, totalCount: 1, data: [row], pathMode: 'search' } : { fwdURL: '/search' }
      response.end(JSON.stringify(body))
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo
    const url = `http://127.0.0.1:${port}/StudentRegistrationSsb/ssb`
    const words = ['check', '--kind', 'banner9', '--url', url, '--term', TERM, '--subject', 'MATH']
    const { code, out } = await run(...words, '--json')
    const table = await run(...words)
    await new Promise((resolve) => server.close(resolve))
    const warning = '10001: The figures contradict each other: 30 seats in all, 35 people enrolled, 5 free seats.'
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({
      sections: [{ status: 'unknown', seats_available: null, capacity: null, instruction_list: [] }],
      warnings: [warning],
    })
    expect(table.out).toMatch(/10001 +MATH 1010 +001\\u001b\[2J\\u009b31m +unknown +- +- +-/)
    expect(JSON.parse(out).sections[0].section).toBe(sectionNumber)
    expect(table.out).toContain(`Warning: ${warning}`)
  })

  it.each([
    [[]],
    [['check']],
    [['look', '--kind', 'cuny']],
    [['check', '--kind', 'fose', '--url', 'https://x.example', '--term', '1', '--subject', 'A']],
    [['check', '--kind', 'banner9', '--url', 'https://x.example/ssb', '--term', '1', '--subject', 'A']],
    [['check', '--kind', 'banner9', '--url', 'not a url', '--term', '1', '--subject', 'A']],
    [['check', '--kind', 'cuny', '--url', 'https://x.example/CFGlobalSearchTool', '--term', '1', '--subject', 'A']],
    [['check', '--unheard-of']],
    [['check', 'hunter-college', '--kind', 'cuny']],
    [['check', '--url', 'harvard']],
  ])('ends with 2, says why and where the help is for %j', async (words) => {
    const { code, out, err } = await run(...words)
    expect([code, out]).toEqual([2, ''])
    expect(err).toMatch(/^\S.+\nSee: npm run source -- --help\n$/)
  })

  it.each(['https://10.0.0.1', 'https://[::ffff:169.254.169.254]', 'https://0xa9fea9fe', 'http://127.evil.example'])(
    'asks nothing at %s, which leads inside or is not https',
    async (origin) => {
      const url = `${origin}/StudentRegistrationSsb/ssb`
      const { code, err } = await run('check', '--kind', 'banner9', '--url', url, '--term', '1', '--subject', 'A')
      expect(code).toBe(2)
      expect(err).toContain(`--url ${url}: `)
    },
  )

  it('takes the school of a system with an institution, and exits with 2 for two that differ', async () => {
    const words = ['check', '--kind', 'hcx', '--url', `${world.url}/hcx/psc/csprd/EMPLOYEE/SA/s`, '--term', '2267']
    const ask = (...more: string[]) => run(...words, '--subject', 'MATH', '--set', 'shared=yes', '--json', ...more)
    const named = await ask('--school', 'HTR01')
    expect([named.code, named.out]).toEqual([0, (await hcx('--json')).out])
    expect(named).toEqual(await hcx('--json', '--school', 'HTR01'))
    for (const [refused, why] of [
      [await hcx('--school', 'QNS01'), '--school QNS01 contradicts --set institution=HTR01.'],
      [await banner('--school', 'HTR01'), '--school: '],
    ] as const)
      expect(refused).toMatchObject({ code: 2, out: '', err: expect.stringContaining(why) })
  })

  it('exits with 2 for an unknown setting', async () => {
    expect((await banner('--set', 'mep=1')).code).toBe(2)
    expect((await banner('--set', 'mepCode')).code).toBe(2)
  })
})
