import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { candidatesOf, detectSource, refuseTyped } from '../../src/sources/detect.ts'
import { sources } from '../../src/sources/sources.ts'
import { type RunningWorld, startWorld } from '../world/server.ts'
import { openCounted } from './lanes.ts'
import { WORLD_SCHOOLS } from './world-schools.ts'

let world: RunningWorld
beforeAll(async () => {
  const now = Date.parse('2026-11-21T12:00:00Z')
  world = await startWorld({ appUrl: 'http://localhost:1', twilioAccountSid: 'AC1', twilioAuthToken: 't', now })
})
afterAll(() => world.close())

async function detect(typed: string, settings: Record<string, string> = {}) {
  const asked: string[] = []
  const detection = await detectSource(typed, (source, address) => {
    const counted = openCounted(source, { ...address, settings }, { timeout_ms: 2000 })
    asked.push(`${source.kind} ${address.url}`)
    return counted.lane
  })
  return { ...detection, tried: asked }
}

const NOT_AN_ADDRESS = 'This is not an address. If it is the name of a school, search for it by name.'

describe('the kind of a system', () => {
  /** A PeopleSoft class search lists its terms without a school's code; the other settings are required. */
  const isFound = ({ source, settings }: (typeof WORLD_SCHOOLS)[number]) =>
    source.kind === 'hcx' || Object.keys(settings).length === 0

  it.each(WORLD_SCHOOLS.filter(isFound).map((school) => ({ school })))(
    'of $school.source.kind at $school.schoolName is found by asking',
    async ({ school }) => {
      const { source, path, copiedPage = '' } = school
      for (const typed of [path, `${path}/`, path + copiedPage]) {
        const { found } = await detect(world.url + typed)
        expect([found?.source.kind, found?.url], typed).toEqual([source.kind, world.url + path])
        expect(found?.terms.length).toBeGreaterThan(0)
      }
    },
  )

  it('of a PeopleSoft portal is detected by the address of its frame', async () => {
    const path = WORLD_SCHOOLS.find(({ source }) => source.kind === 'hcx')?.path ?? ''
    const copied = world.url + path.replace('/psc/', '/psp/')
    expect(path).toContain('/psc/')
    const { found } = await detect(
      `${copied}/WEBLIB_HCX_CM.H_BROWSE_CLASSES.FieldFormula.IScript_Main?institution=GRBAY`,
    )
    expect([found?.source.kind, found?.url]).toEqual(['hcx', world.url + path])
  })

  it('is not guessed if no known system answers; each is tried at most twice, and none is left out', async () => {
    const { found, asked, tried } = await detect(`${world.url}/nowhere`)
    expect(found).toBeNull()
    expect(asked.every(({ why }) => why !== '')).toBe(true)
    for (const { kind, address } of sources.values())
      expect(tried).toContain(`${kind} ${world.url}${new URL(address.example).pathname}`)
    const tries = Map.groupBy(asked, ({ source }) => source.kind)
    for (const [kind, ofKind] of tries) expect(ofKind.length, kind).toBeLessThanOrEqual(2)
  })

  it.each(['http_429', 'reset'] as const)('is not asked for any further after %s', async (mode) => {
    const service = 'Harbor State University'
    world.world.faults.set({ service, mode, times: null })
    const { found, tried } = await detect(`${world.url}/schools/harbor/StudentRegistrationSsb/ssb`)
    world.world.faults.clear()
    expect([found, tried]).toEqual([null, [expect.stringContaining('banner9')]])
  })

  it("has candidates that fit each system's address rules, also without a scheme; none for no address", () => {
    for (const { source, url } of candidatesOf('classes.example.edu/Student/Courses')) {
      expect(source.checkAddress(url), url).toBeNull()
    }
    expect(candidatesOf('classes.example.edu/Student/Courses')[0]).toMatchObject({
      source: { kind: 'colleague' },
      url: 'https://classes.example.edu/Student',
    })
    expect(candidatesOf('not an address')).toEqual([])
    expect(candidatesOf('https://10.0.0.1/Student').filter(({ url }) => url.includes('10.0.0.1'))).toEqual([])
  })

  it.each([
    ['', 'Enter the address of its class search.'],
    ['not an address', NOT_AN_ADDRESS],
    ['harvard', NOT_AN_ADDRESS],
    ['12345', NOT_AN_ADDRESS],
    ['جامعة', NOT_AN_ADDRESS],
    ['javascript:alert(1)', NOT_AN_ADDRESS],
    ['https://someone:secret@classes.example.edu/Student', 'The address must not contain a username or password.'],
    ['http://classes.example.edu/Student', 'The address must begin with https://.'],
    ['ftp://classes.example.edu/Student', 'The address must begin with https://.'],
    ['https://10.0.0.1/Student', 'The address leads into a private network.'],
    ['intranet/Student', 'The address leads into a private network.'],
    ['classes.example.edu/Student', null],
  ])('typed as %j is refused with %j', (typed, why) => {
    expect(refuseTyped(typed)).toBe(why)
  })
})
