import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { CourseSection } from '../../src/class-tracker/courses/contract.ts'
import { pollSource } from '../../src/class-tracker/polling/poll-source.ts'
import { arrivedFor, loadSubject, wait, type LoadedSubject, type Waiting } from '../worker/loaded-subject.ts'
import { rows } from '../worker/rows.ts'
import { answerInstead } from '../worker/tampered-school.ts'
import { allIsWell, comeRound, open, poll } from '../worker/two-schools.ts'
import { untilSettled } from '../worker/dying-consumers.ts'
import { addUser, Visitor } from '../worker/visitor.ts'
import { runJob, world } from '../worker/world.ts'

/** Sections that a school leaves out of an apparently successful answer. */

let queens: LoadedSubject
let harbor: LoadedSubject
let staff: Visitor
let restore = () => {}

beforeAll(async () => {
  await world.clearFaults()
  staff = await Visitor.loggedInAs(await addUser({ isSuperuser: true }))
  await staff.see('/class_tracker/manage_course_list/')
  queens = await loadSubject('cuny', 'Queens College', 'CMSC')
  harbor = await loadSubject('harbor', 'Harbor State University', 'MATH')
})
afterEach(async () => {
  restore()
  restore = () => {}
  await allIsWell()
})

/** The sections of the loaded subject as the app shows them, by their id. */
async function shown({ term_id, subject_id }: LoadedSubject): Promise<Map<number, CourseSection>> {
  const answer = await staff.call('GET', `/class_tracker/get_course_sections/${term_id}/${subject_id}`)
  const { sections } = await answer.json<{ sections: CourseSection[] }>()
  return new Map(sections.map((section) => [section.id, section]))
}
async function watchedSection({ recipient }: Waiting): Promise<CourseSection | undefined> {
  const page = await staff.see<{ recipients: { id: number; watched_sections: CourseSection[] }[] }>(
    '/class_tracker/add_classes/',
  )
  return page.data.props.recipients.find(({ id }) => id === recipient)?.watched_sections[0]
}
const sourceOf = ({ source_id }: LoadedSubject) =>
  rows('SELECT failures, last_error FROM source WHERE id = ?', source_id).then(([row]) => row)
/** The group was read long ago, so that any later read is visible. */
const longAgo = ({ group_id }: LoadedSubject) => rows('UPDATE section_group SET read_at = 1000 WHERE id = ?', group_id)
const then = new Date(1000).toISOString()
const fetchSections = ({ school_id, term_id, subject_id }: LoadedSubject) =>
  staff.call('POST', `/class_tracker/fetch_new_semester_course_sections/${school_id}/${term_id}/${subject_id}`)

describe('"no results" for a subject', () => {
  test('with a watched section counts as unknown: nothing was observed, and the source is failing', async () => {
    const waiting = await wait(queens)
    await poll(queens)
    await longAgo(queens)
    await open(waiting)
    await world.fault('CUNY Global Search', 'empty')
    await comeRound()
    const job = await runJob(pollSource, { source_id: queens.source_id })
    expect(job).toMatchObject({ state: 'finished', result: { asked: 1, believed: 0, openings: 0 } })
    expect(await watchedSection(waiting)).toMatchObject({ status: 'closed', observed_at: then })
    expect(await sourceOf(queens)).toEqual({
      failures: 1,
      last_error: expect.stringMatching(/^We watch sections of .+ and the school says there are none\.$/),
    })
    await world.clearFaults()
    await poll(queens)
    await untilSettled([waiting.recipient])
    expect(await arrivedFor(waiting)).toEqual({ sms: 1, email: 1 })
    expect(await sourceOf(queens)).toEqual({ failures: 0, last_error: null })
  })

  test('of Banner counts as unknown, too: a watched section does not count as one that the school no longer lists', async () => {
    const waiting = await wait(harbor)
    await poll(harbor)
    restore = answerInstead((url, real) => (url.pathname.includes('searchResults/searchResults') ? noRows(real) : null))
    await comeRound()
    const job = await runJob(pollSource, { source_id: harbor.source_id })
    expect(job).toMatchObject({ state: 'finished', result: { asked: 1, believed: 0, openings: 0 } })
    expect(await watchedSection(waiting)).toMatchObject({ status: 'closed' })
    expect((await shown(harbor)).has(waiting.section.id)).toBe(true)
    expect(await sourceOf(harbor)).toEqual({
      failures: 1,
      last_error: expect.stringMatching(/^We watch sections of .+ and the school says there are none\.$/),
    })
    restore()
    await poll(harbor)
    expect(await sourceOf(harbor)).toEqual({ failures: 0, last_error: null })
  })

  test('with known sections fails its refresh and changes nothing', async () => {
    await longAgo(queens)
    const before = await shown(queens)
    expect(before.size).toBeGreaterThan(1)
    await world.fault('CUNY Global Search', 'empty')
    const response = await fetchSections(queens)
    expect([response.status, await response.json()]).toEqual([
      502,
      [expect.stringMatching(/The school lists no sections, but we know of \d+ sections\./)],
    ])
    expect(await shown(queens)).toEqual(before)
  })

  test('without known sections is believed', async () => {
    const [bare] = await rows<{ group_id: number; subject_id: number }>(
      `SELECT g.id AS group_id, g.subject_id FROM section_group g JOIN school_term t ON t.id = g.school_term_id
       WHERE g.source_id = ? AND t.term_id = ? AND g.subject_id <> ? AND g.read_at IS NULL ORDER BY g.id LIMIT 1`,
      queens.source_id,
      queens.term_id,
      queens.subject_id,
    )
    await world.fault('CUNY Global Search', 'empty')
    const response = await fetchSections({ ...queens, subject_id: bare?.subject_id ?? 0 })
    expect([response.status, await response.json()]).toEqual([
      200,
      expect.objectContaining({ courses: [], failures: [] }),
    ])
    expect(await rows('SELECT read_at IS NULL AS is_unread FROM section_group WHERE id = ?', bare?.group_id)).toEqual([
      { is_unread: 0 },
    ])
  })
})

async function noRows(real: () => Promise<Response>): Promise<Response> {
  const answer = await (await real()).json<Record<string, unknown>>()
  return Response.json({ ...answer, data: [], totalCount: 0 })
}

/** Harbor's searches leave one section out. */
function leaveOut(key: string): () => void {
  return answerInstead((url, real) => (url.pathname.includes('searchResults/searchResults') ? without(real) : null))
  async function without(real: () => Promise<Response>): Promise<Response> {
    const answer = await (await real()).json<{ data: Record<string, unknown>[]; totalCount: number }>()
    const data = answer.data.filter((row) => row['courseReferenceNumber'] !== key)
    return Response.json({ ...answer, data, totalCount: answer.totalCount - (answer.data.length - data.length) })
  }
}

describe('a section left out of an answer', () => {
  test('of a poll is not observed, unlike the others, and its opening is announced when it is back', async () => {
    const left = await wait(harbor)
    const there = await wait(harbor)
    await poll(harbor)
    await longAgo(harbor)
    await open(left)
    await open(there)
    restore = leaveOut(left.section.section)
    await poll(harbor)
    await poll(harbor)
    expect(await watchedSection(left)).toMatchObject({ status: 'unknown', observed_at: then })
    const seen = await watchedSection(there)
    expect(seen?.status).toBe('open')
    expect(Date.parse(seen?.observed_at ?? '')).toBeGreaterThan(1000)
    expect(await rows('SELECT last_error FROM section_group WHERE id = ?', harbor.group_id)).toEqual([
      { last_error: `The answer does not list ${left.section.section}, which is watched.` },
    ])
    restore()
    await poll(harbor)
    const back = await watchedSection(left)
    expect(back?.status).toBe('open')
    expect(Date.parse(back?.observed_at ?? '')).toBeGreaterThan(1000)
    await untilSettled([left.recipient, there.recipient])
    expect(await arrivedFor(left)).toEqual({ sms: 1, email: 1 })
    expect(await rows('SELECT last_closed_at FROM opening WHERE section_id = ?', left.section.id)).toEqual([
      { last_closed_at: 1000 },
    ])
    expect(await rows('SELECT last_error FROM section_group WHERE id = ?', harbor.group_id)).toEqual([
      { last_error: null },
    ])
  })

  test('of a refresh is not observed either, until a poll finds it', async () => {
    const left = await wait(harbor)
    await poll(harbor)
    await longAgo(harbor)
    restore = leaveOut(left.section.section)
    expect((await fetchSections(harbor)).status).toBe(200)
    expect((await fetchSections(harbor)).status).toBe(200)
    expect(await watchedSection(left)).toMatchObject({ status: 'unknown', observed_at: then })
    restore()
    await poll(harbor)
    const back = await watchedSection(left)
    expect(back?.status).toBe('closed')
    expect(Date.parse(back?.observed_at ?? '')).toBeGreaterThan(1000)
  })
})
