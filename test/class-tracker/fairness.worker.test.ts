import { env } from 'cloudflare:workers'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { pollAtOnce } from '../../src/class-tracker/polling/schedule-polls.ts'
import { pollSource } from '../../src/class-tracker/polling/poll-source.ts'
import { schedulePolls, ticksOf } from '../../src/class-tracker/polling/schedule-polls.ts'
import { manageCourseList } from '../../src/class-tracker/refresh/manage-course-list.ts'
import { refreshTerms } from '../../src/class-tracker/refresh/refresh-terms.ts'
import { refreshSections } from '../../src/class-tracker/refresh/refresh-sections.ts'
import { scheduleRefresh } from '../../src/class-tracker/refresh/schedule-refresh.ts'
import { sweepAlerts } from '../../src/class-tracker/deliveries/sweep-alerts.ts'
import { enqueue } from '../../src/jobs/enqueue.ts'
import { ledgerOf, waitForJob } from '../../src/jobs/ledgers.ts'
import { hostOf } from '../../src/sources/address.ts'
import { limitOf } from '../../src/web/limits/limits.ts'
import { makeGroup, makeRecipient, makeSection, makeWatch } from '../worker/catalog.ts'
import { loadSubject, type LoadedSubject } from '../worker/loaded-subject.ts'
import { one, rows } from '../worker/rows.ts'
import { answerInstead } from '../worker/tampered-school.ts'
import { runJob, until, world } from '../worker/world.ts'

let loaded: LoadedSubject
/** Groups of the same source, each with one watched section. */
let others: number[]
let restore = () => {}

beforeAll(async () => {
  await world.clearFaults()
  loaded = await loadSubject('harbor', 'Harbor State University', 'MATH')
  await makeWatch(await makeRecipient(), loaded.sections[0]?.id ?? 0)
  const groups = await rows<{ id: number; school_term_id: number; subject_id: number }>(
    `SELECT g.id, g.school_term_id, g.subject_id FROM section_group g JOIN school_term t ON t.id = g.school_term_id
     WHERE g.source_id = ? AND t.term_id = ? AND g.id <> ? ORDER BY g.id LIMIT 17`,
    loaded.source_id,
    loaded.term_id,
    loaded.group_id,
  )
  expect(groups).toHaveLength(17)
  for (const { id, school_term_id, subject_id } of groups) {
    const [course] = await rows<{ id: number }>(
      "INSERT INTO course (subject_id, code, level, title) VALUES (?, 'X', '1', 'X') RETURNING id",
      subject_id,
    )
    const { source_id, school_id, term_id } = loaded
    const place = {
      source_id,
      school_id,
      term_id,
      school_term_id,
      subject_id,
      group_id: id,
      course_id: course?.id ?? 0,
    }
    await makeWatch(await makeRecipient(), await makeSection(place, `none-${id}`))
  }
  others = groups.map(({ id }) => id)
})
beforeEach(async () => {
  await rows('UPDATE section_group SET asked_at = NULL, read_at = NULL, failures = 0')
  await rows(
    'UPDATE source SET failures = 0, paused_until = NULL, limited_until = NULL, requests_per_minute = 6000, poll_seconds = 15',
  )
})
afterEach(async () => {
  restore()
  await world.clearFaults()
})

const poll = (source_id = loaded.source_id) => runJob(pollSource, { source_id, may_walk_term: false })
const sourceNow = async () =>
  (
    await rows<{ failures: number; paused_until: number | null }>(
      'SELECT failures, paused_until FROM source WHERE id = ?',
      loaded.source_id,
    )
  )[0]
const refuse = async () => new Response('down', { status: 500 })
const isSearch = (url: URL) => url.pathname.includes('searchResults')
/** The source is paused for an hour after many failures, or because the school asked for it as well. */
const pause = ({ isAskedFor }: { isAskedFor: boolean }) =>
  rows(
    'UPDATE source SET failures = 9, paused_until = ?1, limited_until = iif(?2, ?1, NULL) WHERE id = ?3',
    Date.now() + 3_600_000,
    Number(isAskedFor),
    loaded.source_id,
  )
/** The healthy group was last read a minute ago, so it is due. */
const comeRound = () => rows('UPDATE section_group SET asked_at = ? WHERE id = ?', Date.now() - 60_000, loaded.group_id)
/** Searches of every subject but one fail. */
const failAllButMath = () =>
  answerInstead((url) => (isSearch(url) && url.searchParams.get('txt_subject') !== 'MATH' ? refuse() : null))

describe('failing groups', () => {
  test('do not pause a school that still answers others, however many there are', async () => {
    restore = failAllButMath()
    // The healthy one was asked longest ago, so it is first.
    for (const id of others) await rows('UPDATE section_group SET asked_at = 1 WHERE id = ?', id)
    await poll()
    expect(await sourceNow()).toEqual({ failures: 0, paused_until: null })
    expect(await rows('SELECT count(*) AS asked FROM section_group WHERE asked_at > 1 AND failures = 1')).toEqual([
      { asked: 17 },
    ])
  })

  test('come after the others, so that a school that answers those is not paused', async () => {
    restore = failAllButMath()
    // They are due again, and were asked longest ago. One more failed run than they make would pause the school.
    await rows('UPDATE source SET failures = 1 WHERE id = ?', loaded.source_id)
    await rows('UPDATE section_group SET asked_at = 1, failures = 3 WHERE id <> ?', loaded.group_id)
    await comeRound()
    const before = Date.now()
    await poll()
    expect(await sourceNow()).toEqual({ failures: 0, paused_until: null })
    const { asked_at } = await one<{ asked_at: number }>(
      'SELECT asked_at FROM section_group WHERE id = ? AND failures = 0',
      loaded.group_id,
    )
    expect(asked_at).toBeGreaterThanOrEqual(before)
  })

  test('do not keep the others waiting until each has been tried again', async () => {
    restore = failAllButMath()
    await rows('UPDATE section_group SET asked_at = 1, failures = 3 WHERE id <> ?', loaded.group_id)
    await comeRound()
    await poll()
    const tried = 'SELECT count(*) AS tried FROM section_group WHERE asked_at > 1 AND failures > 3'
    // Two runs of four failures each, in the one that read the others and in the next one.
    expect(await rows(tried)).toEqual([{ tried: 8 }])
    await comeRound()
    await poll()
    expect(await rows(tried)).toEqual([{ tried: 16 }])
    expect(await sourceNow()).toEqual({ failures: 0, paused_until: null })
  })

  test('polled repeatedly for new watchers do not delay the others', async () => {
    restore = failAllButMath()
    const input = { source_id: loaded.source_id, may_walk_term: false }
    const ofFirst = 'SELECT id FROM section WHERE group_id = ?'
    await rows(`UPDATE watch SET is_new = 1 WHERE section_id IN (${ofFirst})`, others[0])
    for (let polls = 0; polls < 6; polls += 1) {
      expect(await runJob(pollSource, { ...input, group_id: others[0] })).toMatchObject({ result: { asked: 1 } })
    }
    expect(await sourceNow()).toEqual({ failures: 0, paused_until: null })
    await poll()
    expect(
      await rows('SELECT failures FROM section_group WHERE id = ? AND read_at IS NOT NULL', loaded.group_id),
    ).toEqual([{ failures: 0 }])
  })

  test('are all asked again as soon as a school answers again', async () => {
    const longAgo = Date.now() - 30_000
    await rows('UPDATE section_group SET failures = 9, asked_at = ? WHERE watch_count > 0', longAgo)
    await rows('UPDATE source SET failures = 7, paused_until = 1 WHERE id = ?', loaded.source_id)
    await poll()
    expect(
      await rows(
        'SELECT count(*) AS asked FROM section_group WHERE watch_count > 0 AND asked_at > ? AND failures = 0',
        longAgo,
      ),
    ).toEqual([{ asked: 18 }])
    expect(await sourceNow()).toEqual({ failures: 0, paused_until: null })
  })

  test('are only those that were asked before a school answered "too many requests"', async () => {
    let searches = 0
    restore = answerInstead((url) => {
      if (!isSearch(url) || (searches += 1) !== 2) return null
      return Promise.resolve(new Response('', { status: 429, headers: { 'retry-after': '120' } }))
    })
    await poll()
    expect(searches).toBe(2)
    expect(await rows('SELECT count(*) AS failed FROM section_group WHERE failures > 0')).toEqual([{ failed: 1 }])
    const source = await sourceNow()
    expect((source?.paused_until ?? 0) - Date.now()).toBeGreaterThan(100_000)
    expect(await rows('SELECT limited_until - paused_until AS difference FROM source')).toContainEqual({
      difference: 0,
    })
  })
})

describe('the first poll of a newly watched section', () => {
  async function watchAtOnce(section: number): Promise<void> {
    await makeWatch(await makeRecipient(), section, false)
    await pollAtOnce(env, section)
  }
  const newWatches = () => rows('SELECT id FROM section WHERE group_id = ? AND new_watch_count > 0', loaded.group_id)
  const requestCount = async () => (await world.requests()).length

  test('includes all sections that were watched while another poll of their subject ran', async () => {
    await world.fault('Harbor State University', 'slow')
    await rows('UPDATE source SET poll_seconds = 1000000')
    await rows('UPDATE watch SET is_new = 0')
    const before = await requestCount()
    const [, first = 0, second = 0] = loaded.sections.map(({ id }) => id)
    await watchAtOnce(first)
    await until(requestCount, (count) => count > before, 'the first request')
    await watchAtOnce(second)
    await watchAtOnce(second)
    // Its watch ended and began again.
    await rows('UPDATE watch SET is_new = 1 WHERE section_id = ?', first)
    await pollAtOnce(env, first)
    const waiting = await ledgerOf(env, 'polls').list({ registry: 'queued', size: 10 })
    expect(waiting.jobs).toMatchObject([{ input: { group_id: loaded.group_id } }])
    await until(newWatches, (left) => left.length === 0, 'the read of both')
  })

  test('does not wait for the end of a pause that failures of other groups caused', async () => {
    restore = failAllButMath()
    const input = { source_id: loaded.source_id, may_walk_term: false }
    await rows('UPDATE watch SET is_new = 1')
    // The school has said when to come back.
    await pause({ isAskedFor: true })
    expect(await runJob(pollSource, { ...input, group_id: loaded.group_id })).toMatchObject({ result: { asked: 0 } })
    await pause({ isAskedFor: false })
    expect(await runJob(pollSource, input)).toMatchObject({ result: { asked: 0 } })
    expect(await runJob(pollSource, { ...input, group_id: others[0] })).toMatchObject({ result: { believed: 0 } })
    expect(await sourceNow()).toMatchObject({ failures: 9, paused_until: expect.any(Number) })
    expect(await runJob(pollSource, { ...input, group_id: loaded.group_id })).toMatchObject({ result: { believed: 1 } })
    expect(await sourceNow()).toEqual({ failures: 0, paused_until: null })
  })

  test('requests nothing if another poll has read it in the meantime', async () => {
    await poll()
    expect(await newWatches()).toEqual([])
    const before = await requestCount()
    const { source_id, group_id } = loaded
    expect(await runJob(pollSource, { source_id, group_id })).toMatchObject({ result: { asked: 0 } })
    expect(await requestCount()).toBe(before)
  })

  test('does not replace a round that becomes due in the meantime', async () => {
    await world.fault('Harbor State University', 'slow')
    // It also schedules the rest of its minute, which is nothing with such an interval.
    await rows('UPDATE source SET poll_seconds = 1000000')
    await watchAtOnce(loaded.sections[0]?.id ?? 0)
    const ledger = ledgerOf(env, 'polls')
    await until(
      async () => (await ledger.list({ registry: 'active', size: 10 })).jobs,
      (jobs) => jobs.length === 1,
      'the poll',
    )
    await rows('UPDATE section_group SET watch_count = -watch_count WHERE id <> ? AND watch_count > 0', others[0])
    const round = await enqueue(
      env,
      pollSource,
      { source_id: loaded.source_id, may_walk_term: false },
      { exclusive: { name: `poll:${loaded.source_id}`, when_held: 'skip' } },
    )
    const ended = await waitForJob(env, round.id, 60_000)
    await rows('UPDATE section_group SET watch_count = -watch_count WHERE watch_count < 0')
    expect(ended).toMatchObject({ state: 'finished', result: { asked: 1, believed: 1 } })
  })
})

describe('a refresh', () => {
  test('asks nothing while the school has told polls to come back later', async () => {
    const refresh = () => runJob(refreshTerms, { by: 'test', source_ids: [loaded.source_id] })
    const requestCount = async () => (await world.requests()).length
    await pause({ isAskedFor: true })
    const before = await requestCount()
    expect(await refresh()).toMatchObject({ state: 'failed', error: expect.stringContaining('status 429') })
    expect(await requestCount()).toBe(before)
    // A pause after failures is only a guess.
    await pause({ isAskedFor: false })
    expect(await refresh()).toMatchObject({ state: 'finished' })
  })

  test("leaves a source's polls the budget that they need", async () => {
    await rows(
      'UPDATE source SET requests_per_minute = 20, poll_seconds = 60, requests_a_round = 14 WHERE id = ?',
      loaded.source_id,
    )
    const { url } = await one<{ url: string }>('SELECT url FROM source WHERE id = ?', loaded.source_id)
    const limit = await limitOf(env, 'source', hostOf(url))
    await limit.clear()
    await (await limitOf(env, 'source-spare', hostOf(url))).clear()
    const { school_id, term_id } = loaded
    const terms = await rows<{ id: number }>('SELECT id FROM school_term WHERE school_id = ?', school_id)
    const by_group = terms.map(({ id }) => id)
    const scope = { school_id, term_id, subject_id: 0, by: 'test', by_group }
    const before = (await world.requests()).length
    const refresh = await enqueue(env, refreshSections, scope)
    await until(
      () => waitForJob(env, refresh.id, 1),
      (job) => job?.state === 'scheduled',
      'the wait for the budget',
    )
    expect((await world.requests()).length - before).toBe(6)
    await ledgerOf(env, 'refresh').act('cancel', refresh.id, 'test')
    // Exactly the six requests that were sent are counted.
    const takeOf = (most: number) => limit.take({ limit: most, window_ms: 60_000 })
    expect([(await takeOf(6)).allowed, (await takeOf(7)).allowed]).toEqual([false, true])
  })
})

describe('misconfigured values', () => {
  const setting = (name: string, value: string) =>
    rows('INSERT OR REPLACE INTO setting (name, value, changed_at) VALUES (?, ?, 0)', name, value)
  afterEach(() => rows('DELETE FROM setting'))

  test.each([0, -15])('poll seconds of %s poll as often as allowed at most', async (seconds) => {
    await rows('UPDATE source SET poll_seconds = ? WHERE id = ?', seconds, loaded.source_id)
    const later = Math.ceil(Date.now() / 60_000 + 10_000) * 60_000
    await schedulePolls.plan(env, later)
    const { jobs } = await ledgerOf(env, 'polls').list({ registry: 'scheduled', size: 100 })
    const planned = jobs.filter((job) => job.due_at >= later)
    expect(planned).toHaveLength(4)
    for (const job of planned) await ledgerOf(env, 'polls').act('cancel', job.id, 'test')
    expect(ticksOf(later, 15_000)).toHaveLength(4)
  })

  test('a timeout or grace period that is not a number is ignored', async () => {
    await setting('school_timeout_ms', '"soon"')
    await setting('reminder_grace_seconds', '"later"')
    const section = loaded.sections[1]
    if (!section) throw new Error('there is no section')
    await world.set(section, { status: 'open' })
    await rows("UPDATE section SET status = 'closed', seats_available = 0 WHERE id = ?", section.id)
    const recipient = await makeRecipient()
    await makeWatch(recipient, section.id)
    await poll()
    await runJob(sweepAlerts, {})
    expect(await rows('SELECT kind FROM class_alert WHERE recipient_id = ?', recipient)).toEqual([{ kind: 'opening' }])
  })

  test("an unknown time zone prevents neither other schools' refreshes nor the page that shows them", async () => {
    await rows("UPDATE source SET time_zone = 'Mars/Olympus' WHERE id = ?", loaded.source_id)
    const { sources } = await manageCourseList(env, Date.now())
    expect(sources.find(({ id }) => id === loaded.source_id)).toMatchObject({ next_due: null })
    const fresh = await makeGroup()
    await rows('UPDATE source SET terms_refreshed_at = NULL WHERE id = ?', fresh.source_id)
    await ledgerOf(env, 'refresh').pause(null)
    await scheduleRefresh.plan(env, Date.now())
    const { jobs } = await ledgerOf(env, 'refresh').list({ registry: 'queued', size: 100 })
    for (const job of jobs) await ledgerOf(env, 'refresh').act('cancel', job.id, 'test')
    await ledgerOf(env, 'refresh').resume(null)
    await rows("UPDATE source SET time_zone = 'America/New_York' WHERE id = ?", loaded.source_id)
    expect(jobs.map((job) => job.input)).toMatchObject([{ source_ids: [fresh.source_id] }])
  })
})

describe('a sweep', () => {
  test('releases everything that is held and due, however much it is', async () => {
    const group = await makeGroup({ read_at: Date.now() })
    const section = await makeSection(group, 'many', 'open', 1)
    const now = Date.now()
    await env.DB.batch([
      env.DB.prepare(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1300)
         INSERT INTO recipient (id, name, created_at) SELECT 100000 + i, 'Many', 0 FROM n`,
      ),
      env.DB.prepare(
        'INSERT INTO watch (recipient_id, section_id, created_at, is_new) SELECT id, ?, 0, 0 FROM recipient WHERE id > 100000',
      ).bind(section),
      env.DB.prepare(
        "INSERT INTO opening (id, section_id, version, poll_id, seen_open_at) VALUES (99999, ?, 1, 'p', 0)",
      ).bind(section),
      env.DB.prepare(
        `INSERT INTO class_alert (opening_id, recipient_id, section_id, kind, created_at, release_at)
         SELECT 99999, id, ?, 'opening', ?, ? FROM recipient WHERE id > 100000`,
      ).bind(section, now - 1000, now - 1),
    ])
    expect(await runJob(sweepAlerts, {})).toMatchObject({ state: 'finished' })
    expect(await rows('SELECT count(*) AS held FROM class_alert WHERE opening_id = 99999 AND poll_id IS NULL')).toEqual(
      [{ held: 0 }],
    )
  })
})
