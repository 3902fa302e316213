import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Visitor, control, sectionsOf } from './client.ts'
import type { SectionReport } from './schools/find.ts'
import { startWorld, type RunningWorld } from './server.ts'

const NOW = Date.parse('2026-11-21T12:00:00Z')
const ACCOUNT = { appUrl: 'http://localhost:1', twilioAccountSid: 'AC1', twilioAuthToken: 't', now: NOW }
const HARBOR = { source: 'Harbor State University', term: '2026 Fall Term' }
let running: RunningWorld

beforeAll(async () => {
  running = await startWorld(ACCOUNT)
})
afterAll(() => running.close())

async function one(filter: Partial<Record<keyof SectionReport, string>>): Promise<SectionReport> {
  const [section] = await sectionsOf(running.url, filter)
  if (!section) throw new Error('no such section')
  return section
}
async function set(section: SectionReport, change: Record<string, unknown>): Promise<SectionReport> {
  const { source, school, term } = section
  const response = await control(running.url, 'POST', 'sections', {
    source,
    school,
    term,
    section: section.section,
    ...change,
  })
  expect(response.status).toBe(200)
  return (await response.json()) as SectionReport
}
interface Row {
  courseReferenceNumber: string
  seatsAvailable: number
  reservedSeatSummary: { seatsAvailableUnreserved: number } | null
}
async function harborRows(subject: string): Promise<Row[]> {
  const base = '/schools/harbor/StudentRegistrationSsb/ssb'
  const someone = new Visitor(running.url)
  await someone.page(`${base}/term/search?mode=search`, { term: '202640' })
  const search = `${base}/searchResults/searchResults?txt_term=202640&txt_subject=${subject}&pageMaxSize=500`
  return (await someone.json<{ data: Row[] }>(search)).data
}
const refusal = async (body: unknown): Promise<number> => (await control(running.url, 'POST', 'sections', body)).status

describe('GET /_world/sections', () => {
  it('returns exactly the agreed fields', async () => {
    const section = await one({})
    expect(Object.keys(section)).toEqual([
      'source',
      'school',
      'term',
      'subject',
      'section',
      'status',
      'available',
      'capacity',
      'waitlist',
    ])
  })

  it('filters by any field', async () => {
    const closed = await sectionsOf(running.url, { ...HARBOR, subject: 'MATH', status: 'closed' })
    expect(closed).not.toHaveLength(0)
    expect(
      closed.every(
        ({ source, subject, status }) => source === HARBOR.source && subject === 'MATH' && status === 'closed',
      ),
    ).toBe(true)
    expect(await sectionsOf(running.url, { section: closed[0]?.section ?? '', source: HARBOR.source })).toHaveLength(1)
    expect(await sectionsOf(running.url, { status: 'unheard-of' })).toEqual([])
  })
})

describe('POST /_world/sections', () => {
  it('frees a seat and clears the waitlist to open a section', async () => {
    const waiting = (await sectionsOf(running.url, { ...HARBOR, status: 'waitlisted' })).find(
      ({ waitlist }) => waitlist > 0,
    )
    if (!waiting) throw new Error('nobody waits')
    const opened = await set(waiting, { status: 'open' })
    expect(opened).toMatchObject({ status: 'open', available: Math.max(1, waiting.available), waitlist: 0 })
    expect(await set(waiting, { status: 'closed' })).toMatchObject({ status: 'closed', available: 0, waitlist: 0 })
    expect(await set(waiting, { status: 'waitlisted' })).toMatchObject({
      status: 'waitlisted',
      available: 0,
      waitlist: 1,
    })
    expect(await set(waiting, { status: 'open', available: 3 })).toMatchObject({
      status: 'open',
      available: 3,
      waitlist: 0,
    })
    expect(await set(waiting, { available: 1, waitlist: 1 })).toMatchObject({ status: 'waitlisted' })
    expect(await set(waiting, { available: -2 })).toMatchObject({ available: -2, status: 'waitlisted' })
  })

  it('reaches every status from every status, at every source', async () => {
    for (const source of ['Harbor State University', 'Cedar Valley Community College', 'CUNY Global Search']) {
      for (const from of ['open', 'waitlisted', 'closed']) {
        for (const to of ['open', 'waitlisted', 'closed']) {
          const section = await one({ source, term: '2026 Fall Term', status: from })
          const now = await set(section, { status: to })
          expect(now.status).toBe(to)
          expect(await one({ source, term: section.term, school: section.school, section: section.section })).toEqual(
            now,
          )
        }
      }
    }
  })

  it('opens a cross-listed section together with its group, and leaves its siblings alone when it closes', async () => {
    const full = running.world.catalog.sections.find(
      ({ crossList, seats }) => crossList && seats.capacity - seats.enrolled > 0 && seats.waitCount === 0,
    )
    const sibling = full?.crossList?.members.find((member) => member !== full)
    if (!full || !sibling) throw new Error('no cross-listed section')
    const report = await one({ school: full.school.name, term: full.term.name, section: full.number })
    expect(await set(report, { status: 'open' })).toMatchObject({ status: 'open' })
    const before = await one({ school: sibling.school.name, term: sibling.term.name, section: sibling.number })
    expect(await set(report, { status: 'closed' })).toMatchObject({ status: 'closed' })
    expect(await one({ school: sibling.school.name, term: sibling.term.name, section: sibling.number })).toEqual(before)
  })

  it('lets a school that states its status contradict its own numbers', async () => {
    const section = await one({ source: 'CUNY Global Search', status: 'open' })
    expect(await set(section, { status: 'closed', available: 4 })).toMatchObject({ status: 'closed', available: 4 })
  })

  it('refuses what the source never says: reserved seats at Banner 8, a waitlist at Rutgers', async () => {
    for (const [source, change] of [
      ['Old Mill College', { available: 5, unreserved: 0 }],
      ['Harbor State Schedule of Classes', { status: 'waitlisted' }],
    ] as const) {
      const { school, term, section } = await one({ source })
      const before = await one({ source, school, term, section })
      expect(await refusal({ source, school, term, section, ...change })).toBe(422)
      expect(await one({ source, school, term, section })).toEqual(before)
    }
  })

  it('reserves free seats: Banner says how many, CUNY states what its system would show', async () => {
    const section = await one({ ...HARBOR, subject: 'MATH', status: 'open' })
    const reserved = async () => {
      const { source, school, term } = section
      const rows = await harborRows('MATH')
      const row = rows.find(({ courseReferenceNumber }) => courseReferenceNumber === section.section)
      const shown = await one({ source, school, term, section: section.section })
      return [row?.seatsAvailable, row?.reservedSeatSummary?.seatsAvailableUnreserved ?? null, shown.status]
    }
    expect(await set(section, { available: 5, waitlist: 0, unreserved: 2 })).toMatchObject({ status: 'open' })
    expect(await reserved()).toEqual([5, 2, 'open'])
    expect(await set(section, { status: 'closed', available: 5, unreserved: 0 })).toMatchObject({ available: 5 })
    expect(await reserved()).toEqual([5, 0, 'closed'])
    expect(await set(section, { unreserved: 1 })).toMatchObject({ status: 'open', available: 5 })
    expect(await reserved()).toEqual([5, 1, 'open'])
    expect(await set(section, { status: 'waitlisted', available: 3, unreserved: 0 })).toMatchObject({ waitlist: 1 })
    expect(await reserved()).toEqual([3, 0, 'waitlisted'])
    expect(await set(section, { status: 'open', unreserved: 7 })).toMatchObject({ available: 7, waitlist: 0 })
    expect(await reserved()).toEqual([7, null, 'open'])
    await set(section, { available: 4, unreserved: 1 })
    expect(await set(section, { available: 4 })).toMatchObject({ status: 'open' })
    expect(await reserved()).toEqual([4, null, 'open'])
    const college = await one({ source: 'CUNY Global Search', status: 'open' })
    expect(await set(college, { status: 'closed', available: 4, unreserved: 0 })).toMatchObject({ available: 4 })
    expect(await set(college, { available: 4, unreserved: 1 })).toMatchObject({ status: 'open' })
    expect(await set(college, { waitlist: 1, available: 4, unreserved: 0 })).toMatchObject({ status: 'waitlisted' })
  })

  it('then refuses unreserved seats that are not free, and changes nothing', async () => {
    const section = await one({ ...HARBOR, subject: 'MATH', status: 'open' })
    const named = { source: section.source, school: section.school, term: section.term, section: section.section }
    expect(await refusal({ ...named, unreserved: section.available + 1 })).toBe(422)
    expect(await refusal({ ...named, available: 3, unreserved: 4 })).toBe(422)
    expect(await refusal({ ...named, status: 'open', available: 3, unreserved: 0 })).toBe(422)
    expect(await refusal({ ...named, unreserved: -1 })).toBe(400)
    expect(await refusal({ ...named, unreserved: 0.5 })).toBe(400)
    expect(await one({ ...HARBOR, section: section.section })).toEqual(section)
  })

  it("takes effect at once in the school's own answer", async () => {
    const section = await one({ ...HARBOR, subject: 'MATH', status: 'closed' })
    const opened = await set(section, { status: 'open' })
    const rows = await harborRows('MATH')
    expect(opened.available).toBeGreaterThan(0)
    expect(rows.find((row) => row.courseReferenceNumber === section.section)?.seatsAvailable).toBe(opened.available)
  })

  it('can remove a section from the answers and restore it', async () => {
    const section = await one({ source: 'CUNY Global Search' })
    const named = { school: section.school, term: section.term, section: section.section }
    await set(section, { offered: false })
    expect(await sectionsOf(running.url, named)).toEqual([])
    await set(section, { offered: true })
    expect(await sectionsOf(running.url, named)).toHaveLength(1)
  })

  it('sets many at once', async () => {
    const closed = (await sectionsOf(running.url, { ...HARBOR, status: 'closed' })).slice(0, 5)
    const response = await control(running.url, 'POST', 'sections', {
      sections: closed.map((section) => ({ ...section, available: undefined, waitlist: undefined, status: 'open' })),
    })
    expect(((await response.json()) as SectionReport[]).map(({ status }) => status)).toEqual(closed.map(() => 'open'))
  })

  it('refuses impossible changes', async () => {
    const { source, school, term, section } = await one(HARBOR)
    expect(await refusal({ source, school, term, section: '1', status: 'open' })).toBe(404)
    expect(await refusal({ source, school, term: '1999 Fall Term', section })).toBe(404)
    expect(await refusal({ source, section })).toBe(400)
    expect(await refusal({ source, school, term, section, status: 'half-open' })).toBe(400)
    expect(await refusal({ source, school, term, section, available: 'many' })).toBe(400)
    expect(await refusal({ source, school, term, section, available: 0, waitlist: 0, status: 'open' })).toBe(422)
    const bad = await fetch(`${running.url}/_world/sections`, { method: 'POST', body: '{' })
    expect([bad.status, await bad.json()]).toEqual([400, { error: 'the body must be a JSON object' }])
  })
})

describe('the rest of the control surface', () => {
  it("logs requests to the stand-ins, but not the tester's", async () => {
    await control(running.url, 'DELETE', 'requests')
    await new Visitor(running.url).page(
      '/schools/harbor/StudentRegistrationSsb/ssb/classSearch/getTerms?offset=1&max=1',
    )
    await control(running.url, 'GET', 'outbox')
    const requests = (await (await control(running.url, 'GET', 'requests')).json()) as { at: string }[]
    expect(requests).toEqual([
      {
        service: 'Harbor State University',
        method: 'GET',
        path: '/schools/harbor/StudentRegistrationSsb/ssb/classSearch/getTerms?offset=1&max=1',
        at: expect.any(String),
      },
    ])
    expect(Date.parse(requests[0]?.at ?? '')).not.toBeNaN()
  })

  it('describes what exists and how to use it', async () => {
    expect((await control(running.url, 'GET', 'nothing')).status).toBe(404)
    const wrong = await control(running.url, 'PUT', 'sections', {})
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, POST'])
    expect((await control(running.url, 'POST', 'faults', { service: 'nobody', mode: 'slow' })).status).toBe(404)
    expect((await control(running.url, 'POST', 'faults', { service: 'sms', mode: 'odd' })).status).toBe(400)
    expect((await control(running.url, 'POST', 'faults', { service: 'sms', mode: 'stale_list' })).status).toBe(400)
    expect(
      (await control(running.url, 'POST', 'faults', { service: 'discord', mode: 'accept_then_reset' })).status,
    ).toBe(400)
    expect((await control(running.url, 'POST', 'faults', { service: 'sms', mode: 'slow', times: 0 })).status).toBe(400)
  })

  it('keeps seats and messages over a restart', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'world-'))
    const stateFile = join(folder, 'world.json')
    const first = await startWorld({ ...ACCOUNT, stateFile })
    const [section] = await sectionsOf(first.url, { ...HARBOR, status: 'closed' })
    if (!section) throw new Error('nothing is closed')
    const { source, school, term } = section
    await control(first.url, 'POST', 'sections', {
      source,
      school,
      term,
      section: section.section,
      available: 2,
      waitlist: 1,
    })
    await fetch(`${first.url}/discord/api/webhooks/118000000000000001/token`, {
      method: 'POST',
      body: '{"content":"kept"}',
    })
    await first.close()
    const second = await startWorld({ ...ACCOUNT, stateFile })
    expect(await sectionsOf(second.url, { source, school, term, section: section.section })).toMatchObject([
      { available: 2, waitlist: 1, status: 'waitlisted' },
    ])
    expect(await (await control(second.url, 'GET', 'outbox')).json()).toMatchObject({
      discord: [{ body: { content: 'kept' } }],
    })
    await second.close()
    rmSync(folder, { recursive: true })
  })

  it('changes seats automatically on request', async () => {
    const busy = await startWorld({ ...ACCOUNT, trafficMs: 1 })
    const before = await sectionsOf(busy.url, {})
    await expect.poll(async () => JSON.stringify(await sectionsOf(busy.url, {})) === JSON.stringify(before)).toBe(false)
    await busy.close()
  })

  it('refuses a port that is in use', async () => {
    await expect(startWorld({ ...ACCOUNT, port: running.port })).rejects.toThrow('EADDRINUSE')
  })
})
