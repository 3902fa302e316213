import { env } from 'cloudflare:workers'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readOverview } from '../../src/class-tracker/alerts/read-overview.ts'
import { findUnreadSources } from '../../src/class-tracker/courses/unread-sections.ts'
import { read } from '../../src/db/query.ts'
import { ManageCourseListProps, type PausedQueue } from '../../src/class-tracker/courses/contract.ts'
import { AddClassesProps } from '../../src/class-tracker/recipients/contract.ts'
import { ClassAlertsProps } from '../../src/class-tracker/alerts/contract.ts'
import { type QueueName, queueNames } from '../../src/jobs/job.ts'
import { ledgerOf } from '../../src/jobs/ledgers.ts'
import { MAX_PAUSE_WAIT_MS, queueEffects } from '../../src/jobs/paused-queues.ts'
import { askWith, isoDate, silent, write } from '../worker/job-fixtures.ts'
import { type MadeGroup, makeGroup, makeRecipient, makeSection, makeWatch } from '../worker/catalog.ts'
import { countedReads } from '../worker/counted-reads.ts'
import { rows } from '../worker/rows.ts'
import { addUser, browserOf, type Visitor } from '../worker/visitor.ts'
import { strict } from '../worker/strict.ts'

const minute = 60_000
let staff: Visitor

beforeAll(async () => {
  staff = await browserOf(await addUser({ username: 'olga', isSuperuser: true }))
})

const pages = {
  add_classes: strict(AddClassesProps),
  class_alerts: strict(ClassAlertsProps),
  manage_course_list: strict(ManageCourseListProps),
} as const
type PageName = keyof typeof pages

async function paused(page: PageName): Promise<PausedQueue[]> {
  const { data } = await staff.see(`/class_tracker/${page}/`)
  return pages[page].parse(data.props).paused_queues ?? []
}

describe('a paused queue', () => {
  afterEach(async () => {
    await Promise.all(queueNames.map((queue) => ledgerOf(env, queue).resume(null)))
  })

  test.each<[QueueName, PageName[]]>([
    ['polls', ['add_classes', 'class_alerts', 'manage_course_list']],
    ['alerts', ['add_classes', 'class_alerts']],
    ['refresh', ['manage_course_list']],
    ['maintenance', []],
  ])('%s is shown on every page that depends on it, since when and by whom', async (queue, dependent) => {
    await staff.see('/scheduler/queues/')
    await staff.submit(`/scheduler/queues/${queue}/pause/`, {})
    const expected = [{ queue, since: expect.stringMatching(isoDate), by: 'olga', ...queueEffects[queue] }]
    for (const page of Object.keys(pages) as PageName[])
      expect([page, await paused(page)]).toEqual([page, dependent.includes(page) ? expected : []])
    const { html } = await staff.see('/class_tracker/')
    expect(html.includes(`href="/scheduler/queues/${queue}/queued/jobs"`)).toBe(queue !== 'maintenance')
    await ledgerOf(env, queue).resume('olga')
    for (const page of Object.keys(pages) as PageName[]) expect(await paused(page)).toEqual([])
    expect((await staff.see('/class_tracker/')).html).not.toContain('paused')
  })

  test('of polls leaves no source on time, on both front pages of staff', async () => {
    const paths = ['/', '/class_tracker/']
    const shown = async (path: string) => (await staff.see(path)).html.replaceAll(/<!-- -->|<[^>]+>/g, '')
    for (const path of paths) expect(await shown(path)).not.toContain('Seats are not checked')
    await ledgerOf(env, 'polls').pause('olga')
    for (const path of paths) {
      const text = await shown(path)
      for (const said of ['Seats are not checked: the polls queue', 'Sources on timePausedno seats are checked'])
        expect(text).toContain(said)
      for (const claim of ['all respond', 'All sources are responding']) expect(text).not.toContain(claim)
    }
  })

  test('that is paused again keeps its first time; a pause by an older version has an unknown time', async () => {
    const ledger = ledgerOf(env, 'polls')
    await ledger.pause('ada')
    const first = await ledger.currentPause()
    await ledger.pause('bob')
    expect(await ledger.currentPause()).toEqual({ at: first?.at, by: 'ada' })
    await write('polls', "DELETE FROM setting WHERE name = 'paused_at'")
    expect(await paused('add_classes')).toMatchObject([{ queue: 'polls', since: null, by: null }])
  })

  test('leaves no source healthy, and none due', async () => {
    const { source_id } = await makeGroup()
    const shown = async () => {
      const { data } = await staff.see<ManageCourseListProps>('/class_tracker/manage_course_list/')
      return data.props.sources.find(({ id }) => id === source_id)
    }
    expect(await shown()).toMatchObject({ health: 'healthy', next_due: expect.stringMatching(isoDate) })
    await ledgerOf(env, 'polls').pause('olga')
    expect(await shown()).toMatchObject({ health: 'paused', next_due: expect.stringMatching(isoDate) })
    await ledgerOf(env, 'refresh').pause('olga')
    expect(await shown()).toMatchObject({ health: 'paused', next_due: null })
  })

  test('makes a refresh report the pause at once', async () => {
    await ledgerOf(env, 'refresh').pause('olga')
    const begun = Date.now()
    const response = await staff.call('POST', '/class_tracker/refresh_available_terms')
    expect(response.status).toBe(202)
    expect(await response.json()).toMatchObject({
      available_schools: [],
      job: { status: 'queued', progress: { label: 'The queue refresh is paused' } },
    })
    // Otherwise a refresh waits 25 seconds.
    expect(Date.now() - begun).toBeLessThan(20_000)
  })

  test('counts as running if its ledger does not answer in time, and the page is shown', async () => {
    await ledgerOf(env, 'alerts').pause('olga')
    for (const page of ['add_classes', 'class_alerts']) {
      const begun = Date.now()
      const answer = await askWith({ LEDGER: silent('polls') }, `/class_tracker/${page}/`, {
        visitor: staff,
        headers: { accept: 'application/json' },
      })
      const { props } = await answer.json<{ props: { paused_queues: PausedQueue[] } }>()
      expect(props.paused_queues.map(({ queue }) => queue)).toEqual(['alerts'])
      // Other calls wait ten seconds for a ledger.
      expect(Date.now() - begun).toBeLessThan(MAX_PAUSE_WAIT_MS + 8000)
    }
  })
})

describe('watched sections that are not observed', () => {
  beforeEach(async () => {
    await rows('DELETE FROM source')
  })

  const now = Date.now()
  const fresh = now - 10_000

  async function watched(group: MadeGroup, key: string): Promise<number> {
    const section = await makeSection(group, key)
    await makeWatch(await makeRecipient(), section)
    return section
  }
  const unread = async () =>
    ((await readOverview(env, 'UTC', now)).problems.unread_sources ?? []).map(({ id, sections, since }) => [
      id,
      sections,
      since,
    ])
  const miss = (section: number, since: number) =>
    rows('UPDATE section SET missing_since = ? WHERE id = ?', since, section)
  /** Listed, but its figures contradict each other. */
  const doubt = (section: number, since: number) =>
    rows('UPDATE section SET unknown_since = ? WHERE id = ?', since, section)
  const healths = async () => {
    const { data } = await staff.see<ManageCourseListProps>('/class_tracker/manage_course_list/')
    return data.props.sources.map(({ health, unread_sections: sections }) => [health, sections])
  }

  test('are counted: those left out of answers, and those of groups that are not read', async () => {
    const group = await makeGroup({ read_at: fresh })
    const other = await makeGroup({ source_id: group.source_id, read_at: now - 7 * minute })
    await watched(group, '1')
    await miss(await watched(group, '2'), now - 5 * minute)
    await miss(await makeSection(group, '3'), now - 5 * minute)
    await watched(other, '4')
    await miss(await watched(other, '5'), now - 9 * minute)
    await makeSection(other, '6')
    await doubt(await watched(group, '7'), now - 4 * minute)
    const since = new Date(now - 9 * minute).toISOString()
    expect(await unread()).toEqual([[group.source_id, 4, since]])
    expect(await healths()).toEqual([['partial', 4]])
    for (const page of ['add_classes', 'class_alerts'] as const) {
      const { data } = await staff.see<AddClassesProps>(`/class_tracker/${page}/`)
      expect(data.props.unread_sources).toMatchObject([{ id: group.source_id, sections: 4, since }])
    }
    expect((await staff.see('/class_tracker/')).html).toContain('is partly checked')
    const admin = await staff.see(`/admin/sources/${group.source_id}/`)
    expect(admin.html).toContain('Partly checked')
  })

  test('count after three intervals, at least two minutes', async () => {
    const quick = await makeGroup({ read_at: fresh, poll_seconds: 15 })
    const slow = await makeGroup({ read_at: fresh, poll_seconds: 60, requests_per_minute: 60 })
    await rows('UPDATE source SET requests_a_round = 600 WHERE id = ?', slow.source_id)
    const [one, two] = [await watched(quick, '1'), await watched(slow, '1')]
    const at = async (age: number) => {
      await Promise.all([miss(one, now - age), miss(two, now - age)])
      return (await unread()).map(([id]) => id)
    }
    expect(await at(119_000)).toEqual([])
    expect(await at(121_000)).toEqual([quick.source_id])
    expect(await at(29 * minute)).toEqual([quick.source_id])
    expect((await at(31 * minute)).toSorted()).toEqual([quick.source_id, slow.source_id].toSorted())
  })

  test('are reported of the last of many sources, too', async () => {
    await rows(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
       INSERT INTO source (name, kind, url, time_zone, created_at)
       SELECT 'A' || i, 'banner9', 'https://other.example/' || i, 'UTC', 0 FROM n`,
    )
    const last = await makeGroup({ read_at: now - 7 * minute })
    await rows("UPDATE source SET name = 'Z' WHERE id = ?", last.source_id)
    await watched(last, '1')
    expect((await unread()).map(([id]) => id)).toEqual([last.source_id])
    const shown = await healths()
    expect([shown.length, shown.at(-1)]).toEqual([1001, ['partial', 1]])
    await rows("DELETE FROM source WHERE name GLOB 'A*'")
  })

  test('exclude newly watched ones, those of an ended term and of a source that is off', async () => {
    const group = await makeGroup({ read_at: now - 600 * minute })
    await watched(group, '1')
    expect(await unread()).toHaveLength(1)
    await rows('UPDATE watch SET created_at = ?', now - minute)
    expect(await unread()).toEqual([])
    await rows('UPDATE watch SET created_at = 0')
    await rows('UPDATE school_term SET ends_at = ? WHERE id = ?', now - 1, group.school_term_id)
    expect(await unread()).toEqual([])
    await rows('UPDATE school_term SET ends_at = ? WHERE id = ?', now + minute, group.school_term_id)
    await rows('UPDATE source SET is_enabled = 0')
    expect(await unread()).toEqual([])
  })

  test('cost two rows per group if there are none, however many sections are watched', async () => {
    const groups = 30
    let source_id: number | undefined
    for (let index = 0; index < groups; index += 1) {
      const group = await makeGroup({ read_at: fresh, ...(source_id !== undefined && { source_id }) })
      source_id = group.source_id
      await rows(
        `INSERT INTO section (school_term_id, group_id, course_id, section_key, section, topic, status, instruction_list,
           instruction_mode, fingerprint, created_at, watch_count)
         SELECT ?, ?, ?, 'K' || value, '1', '', 'closed', '[]', '', '', 0, 1 FROM json_each(?)`,
        group.school_term_id,
        group.group_id,
        group.course_id,
        JSON.stringify(Array.from({ length: 100 }, (_, number) => number)),
      )
      await rows('UPDATE section_group SET watch_count = 100 WHERE id = ?', group.group_id)
    }
    const { db, reads } = countedReads()
    await read(db, findUnreadSources({ now }))
    expect(reads.rows).toBeLessThan(groups * 5)
  })
})

describe('a notice about a source', () => {
  test('is shown until someone dismisses it, which is audited once', async () => {
    const group = await makeGroup()
    const body = 'Harbor: at 2026-11-22 10:02 UTC 24 of 30 watched sections seemed to open at once.'
    const [notice] = await rows<{ id: number }>(
      "INSERT INTO source_notice (source_id, kind, body, created_at) VALUES (?, 'mass_opening', ?, 1000) RETURNING id",
      group.source_id,
      body,
    )
    const id = notice?.id ?? 0
    const { data } = await staff.see<ManageCourseListProps>('/class_tracker/manage_course_list/')
    expect(data.props.source_notices).toEqual([{ id, body, created_at: new Date(1000).toISOString() }])
    expect((await staff.see('/class_tracker/')).html).toContain(body)
    for (const _ of ['once', 'again']) {
      await staff.see('/class_tracker/')
      const answer = await staff.submit(`/class_tracker/source_notices/${id}/dismiss/`, { next: '/class_tracker/' })
      expect([answer.status, answer.headers.get('location')]).toEqual([303, '/class_tracker/'])
    }
    expect((await staff.see('/class_tracker/')).html).not.toContain(body)
    expect(await rows("SELECT who, title FROM audit WHERE act = 'dismissed'")).toEqual([{ who: 'olga', title: body }])
    const gone = await staff.submit('/class_tracker/source_notices/999999/dismiss/', {})
    expect(gone.status).toBe(404)
  })
})
