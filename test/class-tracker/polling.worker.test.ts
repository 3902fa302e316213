import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { pollSource } from '../../src/class-tracker/polling/poll-source.ts'
import { planRestOfMinute, schedulePolls } from '../../src/class-tracker/polling/schedule-polls.ts'
import { enqueue } from '../../src/jobs/enqueue.ts'
import { ledgerOf, waitForJob } from '../../src/jobs/ledgers.ts'
import { makeGroup, makeRecipient, makeSection, makeWatch } from '../worker/catalog.ts'
import { loadHarbor, type LoadedSubject } from '../worker/loaded-subject.ts'
import { one, rows } from '../worker/rows.ts'
import { allIsWell, comeRound } from '../worker/two-schools.ts'
import { addUser, browserOf } from '../worker/visitor.ts'
import { runJob, until, world } from '../worker/world.ts'

const minute = 60_000
/** Far ahead: what is scheduled there never becomes due during a test. */
const later = Math.ceil((Date.now() + 1000 * minute) / minute) * minute

async function planned(sourceId: number, at = later) {
  await schedulePolls.plan(env, at)
  const list = await ledgerOf(env, 'polls').list({ registry: 'scheduled', size: 100 })
  return list.jobs.filter((job) => (job.input as { source_id?: number } | null)?.source_id === sourceId)
}

describe('the minute cron', () => {
  test('schedules one poll of a watched source, or several if its interval is shorter', async () => {
    const slow = await makeGroup({ poll_seconds: 60 })
    await makeWatch(await makeRecipient(), await makeSection(slow, 'A1'))
    const quick = await makeGroup({ poll_seconds: 15 })
    await makeWatch(await makeRecipient(), await makeSection(quick, 'A2'))
    expect(await planned(slow.source_id)).toHaveLength(1)
    const ticks = await planned(quick.source_id)
    expect(ticks).toHaveLength(4)
    for (const [index, due] of ticks
      .map((job) => job.due_at)
      .toSorted()
      .entries()) {
      expect(due - later - index * 15_000).toBeGreaterThanOrEqual(0)
      expect(due - later - index * 15_000).toBeLessThan(1000)
    }
  })

  test('schedules a poll of a slow source also in the minute before, and only once', async () => {
    const slow = await makeGroup({ poll_seconds: 3600 })
    await makeWatch(await makeRecipient(), await makeSection(slow, 'A3'))
    const hour = Math.ceil(later / (60 * minute)) * 60 * minute
    expect(await planned(slow.source_id, hour - 2 * minute)).toHaveLength(0)
    expect(await planned(slow.source_id, hour - minute)).toHaveLength(1)
    expect(await planned(slow.source_id, hour)).toHaveLength(1)
  })

  test('schedules the same polls once even if it runs twice', async () => {
    const group = await makeGroup()
    await makeWatch(await makeRecipient(), await makeSection(group, 'B1'))
    await planned(group.source_id)
    expect(await planned(group.source_id)).toHaveLength(1)
  })

  test('adds polls for a source that gets its first watch during the minute', async () => {
    const group = await makeGroup({ poll_seconds: 15 })
    await planRestOfMinute(env, { id: group.source_id, poll_seconds: 15 }, later + 20_000)
    const list = await ledgerOf(env, 'polls').list({ registry: 'scheduled', size: 100 })
    const due = list.jobs.filter((job) => (job.input as { source_id?: number } | null)?.source_id === group.source_id)
    expect(due.map((job) => Math.floor((job.due_at - later) / 15_000)).toSorted()).toEqual([2, 3])
  })

  test('skips a source that is unwatched, paused or off', async () => {
    const unwatched = await makeGroup()
    await makeSection(unwatched, 'C1')
    const resting = await makeGroup()
    await makeWatch(await makeRecipient(), await makeSection(resting, 'C2'))
    await env.DB.prepare('UPDATE source SET paused_until = ? WHERE id = ?')
      .bind(later + 2 * minute, resting.source_id)
      .run()
    const off = await makeGroup()
    await makeWatch(await makeRecipient(), await makeSection(off, 'C3'))
    await env.DB.prepare('UPDATE source SET is_enabled = 0 WHERE id = ?').bind(off.source_id).run()
    for (const group of [unwatched, resting, off]) expect(await planned(group.source_id)).toEqual([])
  })
})

describe('a poll', () => {
  let subjects: LoadedSubject[]
  let source_id: number

  beforeAll(async () => {
    await world.clearFaults()
    const loaded = await loadHarbor()
    subjects = loaded
    source_id = loaded[0].source_id
  })
  beforeEach(async () => {
    await allIsWell()
    await rows('DELETE FROM watch')
    await rows('UPDATE source SET requests_per_minute = 6000')
  })

  const run = () => runJob(pollSource, { source_id })
  const sourceNow = () =>
    one<{ failures: number; paused_until: number | null; last_error: string | null; requests_a_round: number }>(
      'SELECT failures, paused_until, last_error, requests_a_round FROM source WHERE id = ?',
      source_id,
    )
  /** Someone watches a section of each subject. */
  async function watchSubjects(): Promise<void> {
    for (const { sections } of subjects) await makeWatch(await makeRecipient(), sections[0]?.id ?? 0)
    await comeRound()
  }

  test('asks for each watched group once, with at most two requests per search and one per session', async () => {
    await watchSubjects()
    const before = (await world.requests()).length
    await run()
    const asked = (await world.requests()).slice(before)
    expect(asked.length).toBeLessThanOrEqual(2 * subjects.length + 1)
    expect((await sourceNow()).requests_a_round).toBe(asked.length)
  })

  test('of a school that is down pauses after the fifth failure, and resumes when it answers', async () => {
    await watchSubjects()
    await world.fault('Harbor State University', 'http_500')
    for (let failure = 1; failure <= 5; failure += 1) {
      await comeRound()
      await rows('UPDATE section_group SET failures = 0')
      await run()
      const { failures, paused_until } = await sourceNow()
      expect([failures, paused_until === null]).toEqual([failure, failure < 5])
    }
    await world.clearFaults()
    await comeRound()
    await rows('UPDATE source SET paused_until = 1')
    await rows('UPDATE section_group SET failures = 0')
    await run()
    expect(await sourceNow()).toMatchObject({ failures: 0, paused_until: null, last_error: null })
  })

  test('with an exhausted budget continues later with the remaining groups', async () => {
    await watchSubjects()
    await rows('UPDATE source SET requests_per_minute = 1 WHERE id = ?', source_id)
    const asked = await enqueue(env, pollSource, { source_id })
    const job = await until(
      () => waitForJob(env, asked.id, 1),
      (record) => record?.state === 'scheduled',
      'the wait for the budget',
    )
    expect(job?.due_at).toBeGreaterThan(Date.now())
    await ledgerOf(env, 'polls').act('cancel', asked.id, 'test')
  })

  test('follows at once when someone starts to watch, and notifies them of open sections', async () => {
    const section = subjects[0]?.sections[0] ?? expect.fail('there is no section')
    await world.set(section, { status: 'open' })
    const phone = '+12025557001'
    const recipient = await makeRecipient([{ kind: 'phone', address: phone }])
    const staff = await browserOf(await addUser({ isSuperuser: true }))
    const answer = await staff.call('POST', `/class_tracker/add_watched_section/${recipient}/${section.id}`)
    expect(answer.status).toBe(200)
    await until(
      async () => (await world.outbox()).sms.filter((message) => message.to === phone),
      (sent) => sent.length === 1,
      'the message',
    )
  })
})
