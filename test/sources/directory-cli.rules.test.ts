import { appendFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type RunningWorld, startWorld } from '../world/server.ts'
import { runHere } from './run-source.ts'

const folder = mkdtempSync(join(tmpdir(), 'directory-'))
const directory = join(folder, 'schools.json')

let world: RunningWorld
beforeAll(async () => {
  world = await startWorld({ appUrl: 'http://localhost:1', twilioAccountSid: 'AC1', twilioAuthToken: 't' })
  const place = { country: 'US', state: 'NY', time_zone: 'America/New_York', settings: {}, as_of: '2026-08-03' }
  const banner = { ...place, kind: 'banner9', school: '' }
  const cuny = { ...place, kind: 'cuny', url: `${world.url}/cuny/CFGlobalSearchTool` }
  const at = (name: string) => `${world.url}/schools/${name}/StudentRegistrationSsb/ssb`
  const schools = [
    { ...banner, id: 'harbor', name: 'Harbor State', url: at('harbor') },
    { ...banner, id: 'northfield', name: 'Northfield Tech', url: at('northfield') },
    { ...cuny, id: 'queens', name: 'Queens College', school: 'QNS01' },
    { ...cuny, id: 'nowhere', name: 'Nowhere College', school: 'ZZZ01' },
    { ...banner, id: 'elsewhere', name: 'Elsewhere', kind: 'own', url: 'https://classes.example.edu' },
  ]
  writeFileSync(directory, JSON.stringify(schools))
})
afterAll(() => world.close())
afterEach(() => world.world.faults.clear())

const run = (...words: string[]) => runHere([...words, '--directory', directory])

describe('npm run source -- list', () => {
  it('shows the schools whose names contain the words, and whether they can be read', async () => {
    const all = await run('list')
    expect(all.code).toBe(0)
    expect(all.out).toMatch(/^ID +NAME +STATE +SYSTEM +READ\n/)
    expect(all.out).toMatch(/elsewhere +Elsewhere +NY +Custom system +not yet\n/)
    expect(all.out).toContain('5 schools, 4 can be read.')
    const some = await run('list', 'college', 'queens', '--json')
    expect(JSON.parse(some.out)).toMatchObject({ id: 'queens', why_not_read: null })
  })
})

describe('npm run source -- COMMAND --help', () => {
  it.each(['list', 'check'])('prints its usage, and does nothing else (%s)', async (command) => {
    const { code, out, err } = await run(command, '--help')
    expect([code, err]).toEqual([0, ''])
    expect(out).toContain('npm run source -- list [WORDS]')
  })
})

describe('npm run source -- check ID', () => {
  it('requests terms, subjects and sections, and shows three of them', async () => {
    const { code, out } = await run('check', 'harbor', 'queens')
    expect(code).toBe(0)
    expect(out).toMatch(/^Harbor State \(NY\), Ellucian Banner 9\nNUMBER +COURSE/)
    expect(out.match(/ sections of .*; \d+ requests\.\n/g)).toHaveLength(2)
  })

  it('prints one object per school', async () => {
    const { code, out } = await run('check', '--json', 'harbor', 'nowhere')
    const [harbor, nowhere] = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(harbor).toMatchObject({ id: 'harbor', believed: true, why: null, terms: expect.any(Array) })
    expect(harbor?.['sections']).toContainEqual(expect.objectContaining({ status: expect.any(String) }))
    expect(nowhere).toMatchObject({ believed: false, why: 'It listed no school ZZZ01.', sections: [] })
    expect(code).toBe(3)
  })

  it.each([
    ['check', 'no-such-school'],
    ['check', 'elsewhere'],
    ['check', ''],
    ['check', 'harbor', '--all'],
    ['check', '--all'],
    ['check', '--all', '--state', '/no/such/folder/results.jsonl'],
  ])('ends with 2 for %j %j %j %j', async (...words) => {
    const { code, out, err } = await run(...words.filter((word) => word !== undefined))
    expect([code, out]).toEqual([2, ''])
    expect(err).toMatch(/^\S.+\nSee: npm run source -- --help\n$/)
  })

  it('names the id that is not listed', async () => {
    expect((await run('check', '')).err).toContain('No school is listed as "".')
  })
})

describe('npm run source -- check --all', () => {
  it('checks every readable school, keeps each result, and resumes where it was stopped', async () => {
    const state = join(folder, 'state.jsonl')
    const words = ['check', '--all', '--per-minute', '60000', '--state', state]
    world.world.faults.set({ service: 'Northfield Technical University', mode: 'maintenance_html', times: null })
    const first = await run(...words)
    expect(first.code).toBe(3)
    expect(first.out).toMatch(/^ID +BELIEVED +TERMS/)
    expect(first.out).toMatch(/harbor +yes +\d+ +\d+ +\d+ +\d+\n/)
    expect(first.out).toMatch(/northfield +no /)
    expect(first.out).toContain('2 of 4 believed; 1 more cannot be read yet.')

    const kept = readFileSync(state, 'utf8').trim().split('\n')
    expect(kept).toHaveLength(4)
    // As if it had been stopped while it wrote the last line.
    const before = world.world.requests.length
    writeFileSync(state, `${kept.filter((line) => !line.includes('northfield')).join('\n')}\n`)
    appendFileSync(state, '{"id":"northf\n')
    world.world.faults.clear()
    const second = await run(...words)
    expect(second.out).toContain('3 of 4 believed')
    const asked = world.world.requests.slice(before).map(({ service }) => service)
    expect(new Set(asked)).toEqual(new Set(['Northfield Technical University']))
  })

  it('respects the requests per minute of a host', async () => {
    const state = join(folder, 'slow.jsonl')
    const before = world.world.requests.length
    await run('check', '--all', '--per-minute', '600', '--state', state)
    const times = world.world.requests.slice(before).map(({ at }) => at)
    expect(times.length).toBeGreaterThan(5)
    // A tenth of a second apart when they are sent; the first may take longer to arrive.
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan((times.length - 2) * 100)
  })
})

describe('a host that asks us to wait', () => {
  it.each([
    ['check', 'northfield', 'harbor'],
    ['check', '--all', '--per-minute', '60000', '--state', join(folder, 'limited.jsonl')],
  ])('is not asked about another of its schools before that: %s %s %s', async (...words) => {
    const fault = { service: 'Northfield Technical University', mode: 'http_429', times: 1 } as const
    world.world.faults.set(fault)
    const before = world.world.requests.length
    const { err } = await run(...words)
    const asked = world.world.requests.slice(before)
    const limited = asked.findIndex(({ service }) => service === fault.service)
    const [refused, next] = asked.slice(limited)
    expect(next?.service).not.toBe(fault.service)
    expect((next?.at ?? 0) - (refused?.at ?? 0)).toBeGreaterThan(1900)
    expect(err).toContain(`Waiting 2 s, as ${new URL(world.url).host} asked.`)
  })
})
