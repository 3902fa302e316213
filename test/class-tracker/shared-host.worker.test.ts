import { env } from 'cloudflare:workers'
import { eq, sql } from 'drizzle-orm'
import { afterEach, beforeAll, beforeEach, describe, expect, type MockInstance, test, vi } from 'vitest'
import { effectiveInterval, fairShare, hostBudget, otherPolls } from '../../src/class-tracker/courses/host-share.ts'
import { type LaneSource, openLane } from '../../src/class-tracker/polling/open-lane.ts'
import { recordSourceAnswer, recordSourceFailure } from '../../src/class-tracker/polling/source-health.ts'
import { query, read, readFirst, template, writeTogether } from '../../src/db/query.ts'
import { hostIn, source } from '../../src/db/schema/index.ts'
import { hostOf } from '../../src/sources/address.ts'
import { BudgetSpent } from '../../src/sources/source.ts'
import { limitOf } from '../../src/web/limits/limits.ts'
import { Desk } from '../worker/admin-desk.ts'
import { makeGroup, makeRecipient, makeSection, makeWatch } from '../worker/catalog.ts'
import { loadSubject } from '../worker/loaded-subject.ts'
import { one, rows } from '../worker/rows.ts'
import { world } from '../worker/world.ts'

/** Schools and campuses that share a host share its request budget. */

describe('the host of an address', () => {
  const groups = [
    ['https://a.example.edu/x/ssb', 'https://a.example.edu:8443/y/ssb', 'https://A.example.edu'],
    ['https://a.example.edu.example.org/x', 'https://a.example.edu.example.org:1/'],
    ['https://b2.example.edu', 'https://b2.example.edu/Student'],
    ['http://localhost:8788/schools/a/ssb'],
    ['http://localhost:8788/schools/b/ssb'],
  ]

  test('is the same for the database and the budget', async () => {
    const urls = groups.flat()
    const listed = template(
      { url: sql<string>`value ->> 0`, host: sql<string>`${hostIn(sql`(value ->> 0)`)}` },
      (columns) => sql`SELECT ${columns} FROM json_each(${JSON.stringify(urls.map((url) => [url]))})`,
    )
    const found = await read(env.DB, listed)
    expect(found.map(({ url }) => url)).toEqual(urls)
    for (const one of found) {
      const same = (key: (each: (typeof found)[number]) => string) =>
        found.filter((other) => key(other) === key(one)).map(({ url }) => url)
      const group = groups.find((urls) => urls.includes(one.url))
      expect(same(({ host }) => host)).toEqual(group)
      expect(same(({ url }) => hostOf(url))).toEqual(group)
    }
  })

  test('finds its sources by an index', async () => {
    const shared = query.select({ most: hostBudget }).from(source).where(eq(source.id, 1))
    const { sql: text, params } = shared.toSQL()
    const plan = await env.DB.prepare(`EXPLAIN QUERY PLAN ${text}`)
      .bind(...params)
      .all<{ detail: string }>()
    expect(plan.results.map(({ detail }) => detail).join('\n')).toContain('USING INDEX source_host')
  })
})

describe('requests a minute', () => {
  beforeEach(() => rows('UPDATE source SET is_enabled = 0'))

  async function makeSource(url: string, requestsPerMinute: number, { isWatched = true } = {}): Promise<number> {
    const group = await makeGroup({ url })
    await rows('UPDATE source SET requests_per_minute = ? WHERE id = ?', requestsPerMinute, group.source_id)
    if (isWatched) await makeWatch(await makeRecipient(), await makeSection(group, '10001'))
    return group.source_id
  }
  const figuresOf = (id: number) =>
    readFirst(
      env.DB,
      query
        .select({ share: fairShare, host: hostBudget, other_polls: otherPolls })
        .from(source)
        .where(eq(source.id, id)),
    )

  test('are the full budget of a source that is alone on its host', async () => {
    const alone = await makeSource('https://alone.example.edu/a/ssb', 60)
    await makeSource('https://elsewhere.example.edu/a/ssb', 600)
    expect(await figuresOf(alone)).toEqual({ share: 60, host: null, other_polls: 0 })
  })

  test('are shared in proportion among the watched sources of a host', async () => {
    const [one, two, idle] = [
      await makeSource('https://shared.example.edu/a/ssb', 60),
      await makeSource('https://SHARED.example.edu:8443/b/ssb', 30),
      await makeSource('https://shared.example.edu/c/ssb', 60, { isWatched: false }),
    ]
    expect(await figuresOf(one)).toEqual({ share: 40, host: 60, other_polls: 0 })
    expect(await figuresOf(two)).toEqual({ share: 20, host: 60, other_polls: 0 })
    expect(await figuresOf(idle)).toEqual({ share: 24, host: 60, other_polls: 0 })
    await rows('UPDATE source SET requests_a_round = 10, poll_seconds = 60 WHERE id = ?', one)
    expect(await figuresOf(two)).toMatchObject({ other_polls: 10 })
    await rows('UPDATE source SET is_enabled = 0 WHERE id = ?', two)
    expect(await figuresOf(one)).toEqual({ share: 60, host: 60, other_polls: 0 })
  })

  test('and those of a round make the interval between two reads, if it is longer than the poll interval', async () => {
    const id = await makeSource('https://slow.example.edu/a/ssb', 60)
    const intervalOf = async (aRound: number | null, aMinute = 60, pollSeconds = 60) => {
      const figures = [aRound, aMinute, pollSeconds, id]
      await rows(
        'UPDATE source SET requests_a_round = ?, requests_per_minute = ?, poll_seconds = ? WHERE id = ?',
        ...figures,
      )
      const shown = query.select({ seconds: effectiveInterval }).from(source).where(eq(source.id, id))
      return (await readFirst(env.DB, shown))?.seconds
    }
    expect(await intervalOf(10)).toBe(60)
    expect(await intervalOf(120)).toBe(120)
    expect(await intervalOf(61)).toBe(61)
    expect(await intervalOf(61, 300, 5)).toBe(13)
    expect(await intervalOf(null)).toBe(60)
    await rows('UPDATE watch SET archived_at = 1')
    expect(await intervalOf(120)).toBeNull()
  })

  test('are at least one for each source', async () => {
    const ids = []
    for (let count = 0; count < 5; count += 1) ids.push(await makeSource('https://crowded.example.edu/a/ssb', 3))
    for (const id of ids) expect(await figuresOf(id)).toMatchObject({ share: 1, host: 3 })
  })
})

describe('two sources on one host', () => {
  let url = ''
  beforeAll(async () => {
    await world.clearFaults()
    const { source_id } = await loadSubject('harbor', 'Harbor State University', 'MATH')
    url = (await one<{ url: string }>('SELECT url FROM source WHERE id = ?', source_id)).url
  })
  beforeEach(async () => {
    await (await limitOf(env, 'source', hostOf(url))).clear()
  })

  /** Makes requests until the budget is exhausted; returns how many were sent. */
  async function askAll(from: Partial<LaneSource>): Promise<number> {
    const whole = { id: null, kind: 'banner9', url, settings: {}, requests_per_minute: 60, ...from }
    const opened = await openLane(env, whole, { now: Date.now, deadline: Date.now() + 3000 })
    try {
      for (;;) await opened.lane.termsAndSchools()
    } catch (error) {
      if (!(error instanceof BudgetSpent)) throw error
    }
    return opened.requests()
  }

  test("stay within their shares, and together within the host's budget", async () => {
    const shared = { host_requests_per_minute: 6 }
    expect(await askAll({ id: 901, requests_per_minute: 4, ...shared })).toBe(4)
    expect(await askAll({ id: 902, requests_per_minute: 4, ...shared })).toBe(2)
    expect(await askAll({ id: 903, requests_per_minute: 4, ...shared })).toBe(0)
  })

  test('with a small share may send the requests of one group together, unless their own limit is as small', async () => {
    const shared = { requests_per_minute: 1, host_requests_per_minute: 10 }
    expect(await askAll({ id: 908, ...shared, own_requests_per_minute: 10 })).toBe(4)
    expect(await askAll({ id: 909, ...shared, own_requests_per_minute: 2 })).toBe(2)
  })

  test('return a share that the host has no budget for', async () => {
    expect(await askAll({ id: 904, requests_per_minute: 2, host_requests_per_minute: 2 })).toBe(2)
    expect(await askAll({ id: 905, requests_per_minute: 2, host_requests_per_minute: 2 })).toBe(0)
    await (await limitOf(env, 'source', hostOf(url))).clear()
    expect(await askAll({ id: 905, requests_per_minute: 2, host_requests_per_minute: 2 })).toBe(2)
  })

  test('all wait if the school asks one of them to', async () => {
    const until = () => rows<{ limited_until: number | null }>('SELECT limited_until FROM source WHERE url = ?', url)
    const fetched = vi.spyOn(globalThis, 'fetch')
    const told = (retryAfter: string) =>
      fetched.mockResolvedValueOnce(new Response('', { status: 429, headers: { 'retry-after': retryAfter } }))
    const other = { id: null, kind: 'banner9', url, settings: {}, requests_per_minute: 60 }
    const ask = async () =>
      (await openLane(env, other, { now: Date.now, deadline: Date.now() + 3000 })).lane.termsAndSchools()
    await (await limitOf(env, 'source', hostOf(url))).clear()
    told('5')
    expect(await ask()).toMatchObject({ known: false, reason: 'limited' })
    expect(new Set((await until()).map(({ limited_until }) => limited_until))).toEqual(new Set([null]))
    told('600')
    expect(await ask()).toMatchObject({ known: false, reason: 'limited' })
    for (const { limited_until } of await until()) expect((limited_until ?? 0) - Date.now()).toBeGreaterThan(590_000)
    fetched.mockClear()
    expect(await ask()).toMatchObject({ known: false, reason: 'limited' })
    expect(fetched).not.toHaveBeenCalled()
    fetched.mockRestore()
    // A poll that was under way ends well.
    const [{ id } = { id: 0 }] = await rows<{ id: number }>('SELECT id FROM source WHERE url = ?', url)
    const isLimited = async () => rows('SELECT 1 FROM source WHERE id = ? AND paused_until = limited_until', id)
    await writeTogether(env.DB, [recordSourceAnswer(id, Date.now(), null)])
    expect(await isLimited()).toHaveLength(1)
    const failure = { failures: 1, pausedUntil: null, limitedUntil: null, why: 'It broke off.' }
    await writeTogether(env.DB, [recordSourceFailure(id, Date.now(), failure)])
    expect(await isLimited()).toHaveLength(1)
    await writeTogether(env.DB, [recordSourceAnswer(id, Date.now() + 601_000, null)])
    expect(await isLimited()).toEqual([])
    await rows('UPDATE source SET paused_until = NULL, limited_until = NULL WHERE url = ?', url)
  })

  describe('of which one is asked to wait', () => {
    const host = 'https://two.example.edu'
    let told: number
    let other: number
    let fetched: MockInstance<typeof fetch>
    const until = async (): Promise<(number | null)[]> => {
      const found = await rows<{ limited_until: number | null }>(
        'SELECT limited_until FROM source WHERE id IN (?, ?) ORDER BY id',
        told,
        other,
      )
      return found.map(({ limited_until }) => limited_until)
    }
    /** Asks for the source with this id, or for a school there that has not been added. @returns requests sent */
    async function ask(id: number | null): Promise<number> {
      fetched.mockClear()
      const from = { id, kind: 'banner9', url: `${host}/ssb`, settings: {}, requests_per_minute: 60 }
      const { lane } = await openLane(env, from, { now: Date.now, deadline: Date.now() + 3000 })
      await lane.termsAndSchools()
      return fetched.mock.calls.length
    }
    const says = (status: number) =>
      fetched.mockResolvedValueOnce(new Response('', { status, headers: { 'retry-after': '3600' } }))

    beforeAll(async () => {
      told = (await makeGroup({ url: `${host}/a/ssb` })).source_id
      other = (await makeGroup({ url: `${host}/b/ssb` })).source_id
    })
    beforeEach(() => {
      fetched = vi.spyOn(globalThis, 'fetch').mockImplementation(() => Promise.resolve(Response.json([])))
    })
    afterEach(async () => {
      fetched.mockRestore()
      await rows('UPDATE source SET paused_until = NULL, limited_until = NULL')
    })

    test('the others are asked if only its own pages are down', async () => {
      says(503)
      expect(await ask(told)).toBe(1)
      expect(await until()).toEqual([expect.any(Number), null])
      expect(await ask(told)).toBe(0)
      expect(await ask(other)).toBeGreaterThan(0)
      expect(await ask(null)).toBeGreaterThan(0)
    })

    test('none is asked if it asks too often, except one that staff resume', async () => {
      says(429)
      expect(await ask(told)).toBe(1)
      expect(await until()).toEqual([expect.any(Number), expect.any(Number)])
      for (const id of [told, other, null]) expect(await ask(id)).toBe(0)
      await rows('UPDATE source SET paused_until = NULL WHERE id = ?', told)
      expect(await ask(told)).toBeGreaterThan(0)
      expect(await ask(other)).toBe(0)
    })

    test('none is asked for a minute if it asks too often and the school names no time', async () => {
      fetched.mockResolvedValueOnce(new Response('', { status: 429 }))
      const before = Date.now()
      expect(await ask(told)).toBe(1)
      for (const at of await until()) expect((at ?? 0) - before).toBeGreaterThanOrEqual(60_000)
      expect(await ask(other)).toBe(0)
    })

    test('all are asked if only a second look is refused and the school names no time', async () => {
      fetched.mockResolvedValueOnce(new Response('', { status: 429 }))
      const from = { id: told, kind: 'banner9', url: `${host}/ssb`, settings: {}, requests_per_minute: 60 }
      const looks = { action: 'source-looks', most: 10 } as const
      const { lane } = await openLane(env, from, { now: Date.now, deadline: Date.now() + 3000, share: looks })
      await lane.termsAndSchools()
      expect(await until()).toEqual([null, null])
    })

    test('one that moves there waits as well, and so does one that moves on its own server', async () => {
      says(429)
      await ask(told)
      const desk = await Desk.open()
      const elsewhere = (await makeGroup({ url: 'https://elsewhere.example.edu/StudentRegistrationSsb/ssb' })).source_id
      for (const id of [elsewhere, told])
        await desk.change('sources', id, { url: `${host}/${id}/StudentRegistrationSsb/ssb` })
      expect(await ask(elsewhere)).toBe(0)
      expect(await ask(told)).toBe(0)
      expect(await ask(null)).toBe(0)
    })

    test('one that is added during the wait is not asked, and does not end it', async () => {
      says(429)
      await ask(told)
      const desk = await Desk.open()
      const url = `${host}/StudentRegistrationSsb/ssb`
      const fields = { kind: 'banner9', url, time_zone: 'UTC', poll_seconds: '60', requests_per_minute: '30' }
      await desk.add('sources', { name: 'Added meanwhile', ...fields, settings: '{}', is_enabled: '1' })
      const { id } = await one<{ id: number }>("SELECT id FROM source WHERE name = 'Added meanwhile'")
      expect(await ask(id)).toBe(0)
      expect(await ask(null)).toBe(0)
    })
  })

  test('are not asked more because someone checks a school there that has not been added', async () => {
    await rows('UPDATE source SET requests_per_minute = 5, is_enabled = 1 WHERE url = ?', url)
    expect(await askAll({ id: null })).toBe(5)
  })

  test('have refreshes that share what polls leave', async () => {
    const shared = { requests_per_minute: 10, host_requests_per_minute: 10, spare_requests: 3 }
    await (await limitOf(env, 'source-spare', hostOf(url))).clear()
    expect(await askAll({ id: 906, ...shared })).toBe(3)
    expect(await askAll({ id: 907, ...shared })).toBe(0)
  })
})
