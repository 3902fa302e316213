import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { control, sectionsOf } from './client.ts'
import { OTHER_SYSTEMS, type OtherReport } from './control/other-systems.ts'
import { findSection } from './schools/find.ts'
import { seatsAvailable } from './schools/seats.ts'
import { startWorld, type RunningWorld } from './server.ts'
import { seedSql } from './start/seed.ts'

const NOW = Date.parse('2026-11-21T12:00:00Z')
const TERM = '2026 Fall Term'
const RUTGERS = 'Harbor State Schedule of Classes'
let running: RunningWorld

beforeAll(async () => {
  running = await startWorld({ appUrl: 'http://localhost:1', twilioAccountSid: 'AC1', twilioAuthToken: 't', now: NOW })
})
afterAll(() => running.close())

const set = (one: OtherReport, change: Record<string, unknown>): Promise<Response> => {
  const { source, school, term, section } = one
  return control(running.url, 'POST', 'sections', { source, school, term, section, ...change })
}
const fault = (service: string, mode: string) => control(running.url, 'POST', 'faults', { service, mode })
const reportsOf = (filter: Record<string, string>): Promise<OtherReport[]> => sectionsOf(running.url, filter)

it('every source of a new local world can be inspected and broken by its own name', async () => {
  const seeded = [...seedSql('http://w', 0).matchAll(/INTO source \([^)]*\) VALUES \('\w+', '([^']+)'/g)]
  const names = seeded.map(([, name]) => String(name))
  expect(names.length).toBeGreaterThan(OTHER_SYSTEMS.length)
  expect(new Set((await reportsOf({})).map(({ source }) => source))).toEqual(new Set(names))
  for (const name of names) expect((await fault(name, 'stale_list')).status).toBe(200)
  await control(running.url, 'DELETE', 'faults')
})

describe.each(OTHER_SYSTEMS)('$source', ({ source, school: ownSchool }) => {
  it("is opened and closed by its own names, and the school's own system changes with it", async () => {
    for (const school of new Set((await reportsOf({ source, term: TERM })).map((one) => one.school))) {
      const [closed] = await reportsOf({ source, school, term: TERM, status: 'closed' })
      if (!closed) throw new Error('nothing is closed')
      const opened = (await (await set(closed, { status: 'open', available: 3, waitlist: 0 })).json()) as OtherReport
      expect(opened).toMatchObject({ source, school, section: closed.section, status: 'open' })
      expect(await reportsOf({ source, school, term: TERM, section: closed.section })).toEqual([opened])
      const number = String(Number(closed.section))
      const { catalog } = running.world
      const own = findSection(catalog, { source: ownSchool, school: ownSchool, term: TERM, section: number })
      expect(own && seatsAvailable(own)).toBe(3)
      expect(await (await set(closed, { status: 'closed' })).json()).toMatchObject({ status: 'closed' })
    }
    const [one] = await reportsOf({ source, term: TERM })
    if (!one) throw new Error('no section')
    expect((await set({ ...one, section: '1' }, { available: 1 })).status).toBe(404)
    expect((await set({ ...one, school: ownSchool }, { available: 1 })).status).toBe(404)
  })
})

it('a fault affects only one system of a school, and requests are counted for it', async () => {
  const ask = async (path: string) => (await fetch(running.url + path)).status
  const rutgers = '/schools/harbor/soc/api/openSections.json?year=2026&term=9&campus=NB'
  const banner = '/schools/harbor/StudentRegistrationSsb/ssb/classSearch/getTerms?offset=1&max=10'
  await fault(RUTGERS, 'http_500')
  expect([await ask(rutgers), await ask(banner)]).toEqual([500, 200])
  await control(running.url, 'DELETE', 'faults')
  await control(running.url, 'DELETE', 'requests')
  await Promise.all([ask(rutgers), ask(banner)])
  const requests = (await (await control(running.url, 'GET', 'requests')).json()) as { service: string }[]
  expect(requests.map(({ service }) => service).toSorted()).toEqual([RUTGERS, 'Harbor State University'])
})
