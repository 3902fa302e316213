import { env } from 'cloudflare:workers'
import { eq, sql } from 'drizzle-orm'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { observedAtOf } from '../../src/class-tracker/courses/observed-at.ts'
import { pollSource } from '../../src/class-tracker/polling/poll-source.ts'
import { refreshSections } from '../../src/class-tracker/refresh/refresh-sections.ts'
import { query, read } from '../../src/db/query.ts'
import { section, sectionGroup } from '../../src/db/schema/index.ts'
import { RunAgain } from '../../src/jobs/job.ts'
import { makeRecipient, makeWatch } from '../worker/catalog.ts'
import { untilSettled } from '../worker/dying-consumers.ts'
import { runContext, unheard } from '../worker/job-context.ts'
import { loadHarbor, wait, type LoadedSubject, type Waiting } from '../worker/loaded-subject.ts'
import { rows } from '../worker/rows.ts'
import { answerInstead } from '../worker/tampered-school.ts'
import { allIsWell, comeRound, open, poll } from '../worker/two-schools.ts'
import { Killed, killedAt } from '../worker/watched-database.ts'
import { runJob, world } from '../worker/world.ts'

/** A school whose sections all seem to open at once, either really or by mistake. */

let harbor: LoadedSubject
let subjects: LoadedSubject[]
let restore = () => {}

beforeAll(async () => {
  await world.clearFaults()
  const loaded = await loadHarbor()
  subjects = loaded
  harbor = loaded[0]
})
beforeEach(async () => {
  await rows('DELETE FROM class_alert')
  await rows('UPDATE source SET is_second_look_on = 0, requests_per_minute = 6000')
})
afterEach(async () => {
  restore()
  restore = () => {}
  await allIsWell()
  await rows('DELETE FROM watch')
  await rows('DELETE FROM source_notice')
  // Second reads are made ahead of their time.
  await rows('UPDATE section_group SET asked_at = 0, read_at = min(read_at, ?)', Date.now())
  // A refresh of the whole term learns its size; otherwise polls would read it as one page.
  await rows('UPDATE school_term SET section_count = NULL')
})

/** Someone waits for every section of three subjects. */
async function crowd(): Promise<Waiting[]> {
  const all: Waiting[] = []
  for (const subject of subjects) {
    for (const _ of subject.sections) all.push(await wait(subject, ['phone']))
  }
  await poll(harbor)
  return all
}

type RunInput = Parameters<typeof pollSource.runWithRawInput>[1]

/** Runs a poll as its job would, in no time between its runs. Returns when each of them began, in ms after the first. */
async function pollNow(given: RunInput = { source_id: harbor.source_id }): Promise<number[]> {
  await comeRound()
  return runOn(given)
}

async function runOn(given: RunInput, startsIn = 0): Promise<number[]> {
  const times: number[] = []
  const startedAt = Date.now()
  let passed = startsIn
  let input = given
  for (;;) {
    const now = () => Date.now() + passed
    times.push(now() - startedAt)
    const run = await pollSource.runWithRawInput(runContext({ now, deadline: now() + 20_000 }), input)
    if (!(run instanceof RunAgain)) return times
    passed += Math.max(0, run.at - now())
    input = run.input
    // The round is over, and the next one would follow at once.
    if (!Object.hasOwn(Object(input), 'round_started_at')) return times
  }
}

const notices = () => rows<{ body: string }>('SELECT body FROM source_notice')
const alerts = () => rows('SELECT count(*) AS alerts FROM class_alert WHERE canceled_at IS NULL')

describe('implausibly many openings', () => {
  test('are read a second time; confirmed ones are sent, and staff are notified', async () => {
    const all = await crowd()
    expect(all.length).toBeGreaterThan(20)
    for (const waiting of all) await open(waiting)
    const [, second] = await pollNow()
    expect(second).toBeGreaterThanOrEqual(15_000)
    await untilSettled(all.map(({ recipient }) => recipient))
    expect(await alerts()).toEqual([{ alerts: all.length }])
    const [notice] = await notices()
    expect(notice?.body).toMatch(
      new RegExp(`${all.length} of ${all.length} watched sections seemed to open at once. A second read confirmed`),
    )
  })

  test('are read a second time after a pause that the school asks for in the middle of the round', async () => {
    const all = await crowd()
    for (const waiting of all) await open(waiting)
    await comeRound()
    const [limited] = subjects
    // It was asked last, so it comes last.
    await rows('UPDATE section_group SET asked_at = 1 WHERE id = ?', limited?.group_id)
    let searches = 0
    restore = answerInstead((url) => {
      if (!url.pathname.includes('searchResults/searchResults') || (searches += 1) % subjects.length !== 0) return null
      return Promise.resolve(new Response('', { status: 429, headers: { 'retry-after': '90' } }))
    })
    const context = () => runContext({ deadline: Date.now() + 20_000 })
    const first = await pollSource.runWithRawInput(context(), { source_id: harbor.source_id, may_walk_term: false })
    if (!(first instanceof RunAgain)) throw new Error('nothing is read again')
    const found = all.length - (limited?.sections.length ?? 0)
    expect(first).toMatchObject({ input: { reread: { found } } })
    const [source] = await rows<{ paused_until: number }>(
      'SELECT paused_until FROM source WHERE id = ?',
      harbor.source_id,
    )
    expect(first.at).toBe(source?.paused_until)
    await runOn(first.input, first.at - Date.now())
    expect(await alerts()).toEqual([{ alerts: found }])
    expect(await notices()).toHaveLength(1)
  })

  test('of a school that is wrong once are sent to no one', async () => {
    const all = await crowd()
    let lies = subjects.length
    restore = answerInstead((url, real) => {
      if (!url.pathname.includes('searchResults/searchResults') || lies-- <= 0) return null
      return real().then(async (response) => {
        const answer = await response.json<{ data: Record<string, unknown>[] }>()
        const data = answer.data.map((row) => ({
          ...row,
          seatsAvailable: 2,
          enrollment: Number(row['maximumEnrollment']) - 2,
          waitCount: 0,
          waitAvailable: row['waitCapacity'],
          ...(row['crossList'] === null
            ? {}
            : { crossListAvailable: 2, crossListCount: Number(row['crossListCapacity']) - 2 }),
        }))
        return Response.json({ ...answer, data })
      })
    })
    await pollNow()
    expect(await alerts()).toEqual([{ alerts: 0 }])
    expect(await rows("SELECT count(*) AS open FROM section WHERE status = 'open' AND watch_count > 0")).toEqual([
      { open: 0 },
    ])
    const [notice] = await notices()
    expect(notice?.body).toContain('A second read did not confirm it, and no one was notified.')
    expect(all.length).toBeGreaterThan(20)
  })

  test("of one school's term are counted over the runs of a round", async () => {
    const [first] = await crowd()
    await open(first ?? expect.fail('nobody waits'))
    await comeRound()
    const [term] = await rows<{ code: string }>(
      'SELECT code FROM school_term t JOIN section_group g ON g.school_term_id = t.id WHERE g.id = ?',
      harbor.group_id,
    )
    const before = { round_started_at: Date.now(), opened_by_term: { [`/${term?.code}`]: 20 } }
    const run = await pollSource.runWithRawInput(runContext({ deadline: Date.now() + 20_000 }), {
      source_id: harbor.source_id,
      ...before,
    })
    expect(run).toMatchObject({ input: { reread: { groups: [harbor.group_id], found: 1 } } })
    expect(await alerts()).toEqual([{ alerts: 0 }])
  })

  test('that are found later in a round are read after those that were found before, each after its time', async () => {
    const all = await crowd()
    for (const waiting of all) await open(waiting)
    await comeRound()
    const at = Date.now()
    const ready = at + 7500
    const groups = [harbor.group_id]
    const run = await pollSource.runWithRawInput(runContext({ deadline: at + 20_000 }), {
      source_id: harbor.source_id,
      round_started_at: at,
      opened: 20,
      reread: { groups, found: 12, watched: all.length, at, ready_at: { [harbor.group_id]: ready } },
    })
    if (!(run instanceof RunAgain)) throw new Error('nothing is read again')
    expect(run.at).toBe(ready)
    expect(run).toMatchObject({ input: { reread: { found: all.length } } })
    const times = await runOn(run.input, run.at - Date.now())
    expect(times).toHaveLength(2)
    expect(await alerts()).toEqual([{ alerts: all.length }])
    expect(await notices()).toHaveLength(1)
  })

  test('count as confirmed even if the run that read them again died after writing them', async () => {
    const all = await crowd()
    for (const waiting of all) await open(waiting)
    await comeRound()
    const first = await pollSource.runWithRawInput(runContext({ deadline: Date.now() + 20_000 }), {
      source_id: harbor.source_id,
    })
    if (!(first instanceof RunAgain)) throw new Error('nothing is read again')
    const killed = { ...env, DB: killedAt(3, 'after'), LEDGER: unheard }
    const now = () => Date.now() + 60_000
    const context = runContext({ env: killed, now, deadline: now() + 20_000 })
    await expect(pollSource.runWithRawInput(context, first.input)).rejects.toThrow(Killed)
    expect(await alerts()).toEqual([{ alerts: all.length }])
    await pollSource.runWithRawInput(runContext({ now, deadline: now() + 20_000 }), first.input)
    const [notice] = await notices()
    expect(notice?.body).toContain(`A second read confirmed ${all.length} openings`)
  })

  test('of a refresh are left to the next poll, even if spread over many subjects', async () => {
    const all = await crowd()
    for (const waiting of all) await open(waiting)
    const startedAt = Date.now()
    await runJob(refreshSections, { school_id: harbor.school_id, term_id: harbor.term_id, subject_id: 0, by: 'test' })
    expect(
      await read(
        env.DB,
        query
          .select({ id: section.id })
          .from(section)
          .innerJoin(sectionGroup, eq(sectionGroup.id, section.groupId))
          .where(
            sql`${section.watchCount} > 0 AND ${section.status} = 'closed' AND ${observedAtOf(section, sectionGroup)} >= ${startedAt}`,
          ),
      ),
    ).toEqual([])
    const [sent] = await rows<{ alerts: number }>('SELECT count(*) AS alerts FROM class_alert')
    expect(sent?.alerts).toBeLessThan(5)
    await pollNow()
    expect(await alerts()).toEqual([{ alerts: all.length }])
  })

  test('of a refresh, spread over a term, are left to the next poll, in a source of many schools too', async () => {
    const [first] = await crowd()
    await open(first ?? expect.fail('nobody waits'))
    const [group] = await rows<{ id: number }>(
      'SELECT school_term_id AS id FROM section_group WHERE id = ?',
      harbor.group_id,
    )
    const { source_id, school_id, term_id } = harbor
    const opened = { [`term ${group?.id}`]: 20 }
    const watched_read = { [source_id]: 5000, [`term ${group?.id}`]: 40 }
    await runJob(refreshSections, { school_id, term_id, subject_id: 0, by: 'test', opened, watched_read })
    expect(await alerts()).toEqual([{ alerts: 0 }])
  })

  test('may be spread over the runs of a round', async () => {
    const [first] = await crowd()
    if (!first) throw new Error('nobody waits')
    await open(first)
    await comeRound()
    const before = { round_started_at: Date.now(), opened: 20 }
    const run = await pollSource.runWithRawInput(runContext({ deadline: Date.now() + 20_000 }), {
      source_id: harbor.source_id,
      ...before,
    })
    expect(run).toMatchObject({ input: { reread: { groups: [expect.any(Number)], found: 1 } } })
    expect(await alerts()).toEqual([{ alerts: 0 }])
  })

  test('wait for the rest of the round while they are a large share of what was read', async () => {
    const all = await crowd()
    for (const waiting of all) await open(waiting)
    await comeRound()
    let passed = 0
    const run = await pollSource.runWithRawInput(
      runContext({
        now: () => Date.now() + passed,
        deadline: Date.now() + 60_000,
        // Each answer takes long.
        checkpoint: async () => {
          passed += 2000
        },
      }),
      { source_id: harbor.source_id, may_walk_term: false },
    )
    expect(run).toMatchObject({ input: { reread: { found: all.length } } })
    expect(await alerts()).toEqual([{ alerts: 0 }])
  })

  describe('are judged by everything that was read so far, so they do not delay a few', () => {
    /** Five openings among the hundred sections that earlier runs have read, and another one now. */
    async function oneMore(): Promise<void> {
      const [first] = await crowd()
      await open(first ?? expect.fail('nobody waits'))
      await comeRound()
    }

    test('of a round', async () => {
      await oneMore()
      await rows('UPDATE section_group SET asked_at = -1 WHERE id = ?', harbor.group_id)
      let passed = 0
      const context = runContext({
        now: () => Date.now() + passed,
        deadline: Date.now() + 60_000,
        // Each answer takes long.
        checkpoint: async () => {
          passed += 5000
        },
      })
      const round = { round_started_at: Date.now(), opened: 5, sections_read: 100 }
      await pollSource.runWithRawInput(context, { source_id: harbor.source_id, may_walk_term: false, ...round })
      const [alert] = await rows<{ delay: number }>(
        'SELECT a.created_at - o.seen_open_at AS delay FROM class_alert a JOIN opening o ON o.id = a.opening_id',
      )
      expect(alert?.delay).toBeLessThan(8000)
    })

    test('of a refresh', async () => {
      await oneMore()
      const { source_id, school_id, term_id } = harbor
      const before = { opened: { [source_id]: 5 }, watched_read: { [source_id]: 100 } }
      await runJob(refreshSections, { school_id, term_id, subject_id: 0, by: 'test', ...before })
      expect(await alerts()).toEqual([{ alerts: 1 }])
    })
  })

  test('of one subject are sent after their second read while those of another are read again', async () => {
    const all = await crowd()
    for (const waiting of all) await open(waiting)
    await comeRound()
    const reread = { groups: [harbor.group_id], found: 21, watched: all.length, at: Date.now() }
    const run = await pollSource.runWithRawInput(runContext({ deadline: Date.now() + 20_000 }), {
      source_id: harbor.source_id,
      round_started_at: Date.now(),
      opened: 20,
      reread,
    })
    const others = subjects.slice(1).map(({ group_id }) => group_id)
    expect(run).toMatchObject({ input: { reread: { groups: expect.arrayContaining(others) } } })
    expect(await alerts()).toEqual([{ alerts: harbor.sections.length }])
  })

  test('are read a second time after an extra read, too; staff are not told of a second read that failed', async () => {
    const all = await crowd()
    for (const waiting of all) await open(waiting)
    const at = Date.now()
    // All groups were read in this round; one was then read again, and set aside.
    const again = {
      source_id: harbor.source_id,
      round_started_at: at - 120_000,
      planned: 4,
      planned_extra: 1,
      reread: {
        groups: [harbor.group_id],
        found: 21,
        watched: all.length,
        at: at - 16_000,
        ready_at: { [harbor.group_id]: at - 1000 },
      },
    }
    const once = async () => {
      await rows('UPDATE section_group SET asked_at = ?1, read_at = ?1', at - 90_000)
      await rows('UPDATE source SET requests_a_round = 30000 WHERE id = ?', harbor.source_id)
      return pollSource.runWithRawInput(runContext({ deadline: Date.now() + 20_000 }), again)
    }
    restore = answerInstead((url) =>
      url.pathname.includes('searchResults') ? Promise.reject(new Error('gone')) : null,
    )
    await once()
    expect(await notices()).toEqual([
      { body: expect.stringContaining('It could not be read a second time, and no one') },
    ])
    restore()
    await once()
    expect(await alerts()).toEqual([{ alerts: harbor.sections.length }])
    await rows('UPDATE source SET requests_a_round = NULL')
  })

  test('do not count sections that a second look already doubts', async () => {
    const all = await crowd()
    await rows('UPDATE source SET is_second_look_on = 1')
    for (const waiting of all) await open(waiting)
    await rows(
      `INSERT INTO doubted_opening (section_id, source_id, rounds, doubted_at)
       SELECT id, ?, 0, ? FROM section WHERE watch_count > 0 AND id <> ?`,
      harbor.source_id,
      Date.now(),
      all[0]?.section.id,
    )
    await comeRound()
    const { result } = await runJob(pollSource, { source_id: harbor.source_id })
    expect(result).toMatchObject({ openings: 1 })
    expect(await notices()).toEqual([])
    await rows('DELETE FROM doubted_opening')
  })

  test('are not announced by the poll for a new watch while they wait to be read again', async () => {
    const all = await crowd()
    for (const waiting of all) await open(waiting)
    await comeRound()
    const context = () => runContext({ env: { ...env, LEDGER: unheard }, deadline: Date.now() + 20_000 })
    const first = await pollSource.runWithRawInput(context(), { source_id: harbor.source_id })
    expect(first).toMatchObject({ input: { reread: { found: all.length } } })
    await makeWatch(await makeRecipient([]), harbor.sections[0]?.id ?? 0, false)
    const atOnce = { source_id: harbor.source_id, group_id: harbor.group_id, may_walk_term: false }
    expect(await pollSource.runWithRawInput(context(), atOnce)).toBeInstanceOf(RunAgain)
    expect(await alerts()).toEqual([{ alerts: 0 }])
  })

  test('that a new watch finds in its own group alarm nobody if they are few', async () => {
    const all = await crowd()
    for (const waiting of all.slice(0, 5)) await open(waiting)
    await makeWatch(await makeRecipient([]), harbor.sections[0]?.id ?? 0, false)
    await pollNow({ source_id: harbor.source_id, group_id: harbor.group_id, may_walk_term: false })
    expect(await alerts()).toEqual([{ alerts: 6 }])
    expect(await notices()).toEqual([])
  })

  test('do not delay a few openings in one poll', async () => {
    const all = await crowd()
    const some = all.slice(0, 5)
    for (const waiting of some) await open(waiting)
    await comeRound()
    const job = await runJob(pollSource, { source_id: harbor.source_id })
    expect(job.result).toMatchObject({ openings: 5 })
    expect(await notices()).toEqual([])
  })
})
