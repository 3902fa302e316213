import { env } from 'cloudflare:workers'
import { eq, sql } from 'drizzle-orm'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { observedAtOf } from '../../src/class-tracker/courses/observed-at.ts'
import { pollSource } from '../../src/class-tracker/polling/poll-source.ts'
import { refreshSections } from '../../src/class-tracker/refresh/refresh-sections.ts'
import { query, read } from '../../src/db/query.ts'
import { section, sectionGroup } from '../../src/db/schema/index.ts'
import { RunAgain } from '../../src/jobs/job.ts'
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
const notices = () => rows<{ body: string }>('SELECT body FROM source_notice')
const alerts = () => rows('SELECT count(*) AS alerts FROM class_alert WHERE canceled_at IS NULL')

describe('implausibly many openings', () => {
  test('are read a second time; confirmed ones are sent, and staff are notified', async () => {
    const all = await crowd()
    expect(all.length).toBeGreaterThan(20)
    for (const waiting of all) await open(waiting)
    await poll(harbor)
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
      return Promise.resolve(new Response('', { status: 429, headers: { 'retry-after': '1' } }))
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
    await scheduler.wait(first.at - Date.now())
    await pollSource.runWithRawInput(context(), first.input)
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
    await poll(harbor)
    expect(await alerts()).toEqual([{ alerts: 0 }])
    expect(await rows("SELECT count(*) AS open FROM section WHERE status = 'open' AND watch_count > 0")).toEqual([
      { open: 0 },
    ])
    const [notice] = await notices()
    expect(notice?.body).toContain('A second read did not confirm it, and no one was notified.')
    expect(all.length).toBeGreaterThan(20)
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
    const context = runContext({ env: killed, deadline: Date.now() + 20_000 })
    await expect(pollSource.runWithRawInput(context, first.input)).rejects.toThrow(Killed)
    expect(await alerts()).toEqual([{ alerts: all.length }])
    await pollSource.runWithRawInput(runContext({ deadline: Date.now() + 20_000 }), first.input)
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
    await poll(harbor)
    expect(await alerts()).toEqual([{ alerts: all.length }])
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
