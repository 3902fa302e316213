import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { pollSource } from '../../src/class-tracker/polling/poll-source.ts'
import { planRestOfMinute, schedulePolls } from '../../src/class-tracker/polling/schedule-polls.ts'
import { refreshSections } from '../../src/class-tracker/refresh/refresh-sections.ts'
import { refreshSubjects } from '../../src/class-tracker/refresh/refresh-subjects.ts'
import { refreshTerms } from '../../src/class-tracker/refresh/refresh-terms.ts'
import { enqueue } from '../../src/jobs/enqueue.ts'
import { ledgerOf, waitForJob } from '../../src/jobs/ledgers.ts'
import { makeGroup, makeRecipient, makeSection, makeWatch } from '../worker/catalog.ts'
import { rows } from '../worker/rows.ts'
import { addUser, Visitor } from '../worker/visitor.ts'
import { addSource, runJob, until, world } from '../worker/world.ts'

const minute = 60_000
/** Far ahead: what is scheduled there never becomes due during a test. */
const later = Math.ceil((Date.now() + 1000 * minute) / minute) * minute

async function planned(sourceId: number) {
  await schedulePolls.plan(env, later)
  const list = await ledgerOf(env, 'polls').list({ state: 'scheduled', size: 100 })
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

  test('schedules the same polls once even if it runs twice', async () => {
    const group = await makeGroup()
    await makeWatch(await makeRecipient(), await makeSection(group, 'B1'))
    await planned(group.source_id)
    expect(await planned(group.source_id)).toHaveLength(1)
  })

  test('adds polls for a source that gets its first watch during the minute', async () => {
    const group = await makeGroup({ poll_seconds: 15 })
    await planRestOfMinute(env, { id: group.source_id, poll_seconds: 15 }, later + 20_000)
    const list = await ledgerOf(env, 'polls').list({ state: 'scheduled', size: 100 })
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

/** Everything Harbor State teaches in mathematics, loaded through the app's own refresh. */
async function learn(): Promise<{ source_id: number; sections: { id: number; section_key: string }[] }> {
  const source_id = await addSource('harbor')
  await runJob(refreshTerms, { by: 'test', source_ids: [source_id] })
  const [place] = await rows<{ school_id: number; term_id: number }>(
    'SELECT t.school_id, t.term_id FROM school s JOIN school_term t ON t.school_id = s.id WHERE s.source_id = ? AND t.is_available ORDER BY t.id LIMIT 1',
    source_id,
  )
  if (!place) throw new Error('the school was not learned')
  await runJob(refreshSubjects, { by: 'test', ...place })
  const subjects = await rows<{ id: number }>(
    'SELECT id FROM subject WHERE school_id = ? ORDER BY id LIMIT 4',
    place.school_id,
  )
  for (const { id } of subjects) {
    await runJob(refreshSections, { ...place, by: 'test', subject_id: id })
  }
  const sections = await rows<{ id: number; section_key: string }>(
    `SELECT s.id, s.section_key FROM section s JOIN section_group g ON g.id = s.group_id
     WHERE g.source_id = ? GROUP BY g.id`,
    source_id,
  )
  return { source_id, sections }
}
const poll = (source_id: number) => runJob(pollSource, { source_id })
const forget = () => env.DB.prepare('UPDATE section_group SET asked_at = 0').run()

describe('a poll', () => {
  beforeEach(async () => {
    await world.clearFaults()
    await rows('DELETE FROM watch')
    await rows('DELETE FROM source')
  })

  test('asks for each watched group once, with at most two requests per search and one per session', async () => {
    const { source_id, sections } = await learn()
    for (const section of sections) await makeWatch(await makeRecipient(), section.id)
    await forget()
    const before = (await world.requests()).length
    await poll(source_id)
    const asked = (await world.requests()).slice(before)
    expect(asked.length).toBeLessThanOrEqual(2 * sections.length + 1)
    const [source] = await rows<{ requests_a_round: number }>(
      'SELECT requests_a_round FROM source WHERE id = ?',
      source_id,
    )
    expect(source?.requests_a_round).toBe(asked.length)
  })

  test('of one failing group still reads the others', async () => {
    const { source_id, sections } = await learn()
    for (const section of sections) await makeWatch(await makeRecipient(), section.id)
    const [bad] = await rows<{ id: number; subject_id: number }>(
      'SELECT id, subject_id FROM section_group WHERE source_id = ? AND watch_count > 0 ORDER BY id',
      source_id,
    )
    await env.DB.prepare("UPDATE subject SET key = 'NOPE' WHERE id = ?").bind(bad?.subject_id).run()
    await env.DB.prepare('UPDATE section_group SET asked_at = 0, read_at = 0 WHERE source_id = ?').bind(source_id).run()
    await poll(source_id)
    const read = await rows<{ id: number; read_at: number }>(
      'SELECT id, read_at FROM section_group WHERE source_id = ? AND watch_count > 0',
      source_id,
    )
    for (const group of read) if (group.id !== bad?.id) expect(group.read_at).toBeGreaterThan(0)
    expect(await rows("SELECT status FROM section WHERE group_id = ? AND status = 'unknown'", bad?.id)).toEqual([])
  })

  test('of a school that is down pauses after the fifth failure, and resumes when it answers', async () => {
    const { source_id, sections } = await learn()
    await makeWatch(await makeRecipient(), sections[0]?.id ?? 0)
    await world.fault('Harbor State University', 'http_500')
    for (let failure = 1; failure <= 5; failure += 1) {
      await forget()
      await env.DB.prepare('UPDATE section_group SET failures = 0').run()
      await poll(source_id)
      const [source] = await rows<{ failures: number; paused_until: number | null }>(
        'SELECT failures, paused_until FROM source WHERE id = ?',
        source_id,
      )
      expect(source?.failures).toBe(failure)
      expect(source?.paused_until === null).toBe(failure < 5)
    }
    await world.clearFaults()
    await forget()
    await env.DB.prepare('UPDATE source SET paused_until = 1').run()
    await env.DB.prepare('UPDATE section_group SET failures = 0').run()
    await poll(source_id)
    expect(await rows('SELECT failures, paused_until, last_error FROM source WHERE id = ?', source_id)).toEqual([
      { failures: 0, paused_until: null, last_error: null },
    ])
  })

  test('with an exhausted budget continues later with the remaining groups', async () => {
    const { source_id, sections } = await learn()
    for (const section of sections) await makeWatch(await makeRecipient(), section.id)
    await forget()
    await env.DB.prepare('UPDATE source SET requests_per_minute = 1 WHERE id = ?').bind(source_id).run()
    const asked = await enqueue(env, pollSource, { source_id })
    const job = await until(
      () => waitForJob(env, asked.name, 1),
      (record) => record?.state === 'scheduled',
      'the wait for the budget',
    )
    expect(job?.due_at).toBeGreaterThan(Date.now())
    await ledgerOf(env, 'polls').cancel(asked.name, 'test')
  })

  test('follows at once when somebody starts to watch, and notifies them of open sections', async () => {
    const { sections } = await learn()
    const id = sections[0]?.id ?? 0
    const [section] = await rows<{ section_key: string; full_term_name: string }>(
      'SELECT s.section_key, e.full_term_name FROM section s JOIN school_term t ON t.id = s.school_term_id JOIN term e ON e.id = t.term_id WHERE s.id = ?',
      id,
    )
    const [there] = (
      await world.sections({ school: 'Harbor State University', term: section?.full_term_name ?? '' })
    ).filter((one) => one.section === section?.section_key)
    if (!there) throw new Error('the world does not have it')
    await world.set(there, { status: 'open' })
    const phone = '+12025557001'
    const recipient = await makeRecipient([{ kind: 'phone', address: phone }])
    const staff = await Visitor.signedInAs(await addUser({ isSuperuser: true }))
    await staff.see('/class_tracker/add_classes/')
    const answer = await staff.call('POST', `/class_tracker/add_watched_section/${recipient}/${id}`)
    expect(answer.status).toBe(200)
    await until(
      async () => (await world.outbox()).sms.filter((message) => message.to === phone),
      (sent) => sent.length === 1,
      'the message',
    )
  })
})
