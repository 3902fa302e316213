import { env } from 'cloudflare:workers'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { answerRefresh } from '../../src/class-tracker/refresh/refresh-calls.ts'
import {
  JobHandle,
  RefreshedSections,
  RefreshedSubjects,
  RefreshedTerms,
} from '../../src/class-tracker/refresh/contract.ts'
import { RefreshInput } from '../../src/class-tracker/refresh/refresh-run.ts'
import { refreshSections, refreshedCourses } from '../../src/class-tracker/refresh/refresh-sections.ts'
import { refreshSubjects } from '../../src/class-tracker/refresh/refresh-subjects.ts'
import { refreshTerms } from '../../src/class-tracker/refresh/refresh-terms.ts'
import { enqueue } from '../../src/jobs/enqueue.ts'
import { ledgerOf } from '../../src/jobs/ledgers.ts'
import { makeGroup, makeSection } from '../worker/catalog.ts'
import { loadSubject } from '../worker/loaded-subject.ts'
import { runContext } from '../worker/job-context.ts'
import { rows } from '../worker/rows.ts'
import { addUser, browserOf, type Visitor } from '../worker/visitor.ts'
import { answerInstead } from '../worker/tampered-school.ts'
import { addSource, runJob, world } from '../worker/world.ts'

let staff: Visitor
let username: string

beforeAll(async () => {
  const user = await addUser({ isSuperuser: true })
  username = user.username
  staff = await browserOf(user)
})

test('the courses of a refresh list the section numbers that people know, not the keys', async () => {
  const group = await makeGroup()
  await makeSection(group, 'key 1')
  const numbered = await makeSection(group, 'key 2')
  await rows("UPDATE section SET number = '0042' WHERE id = ?", numbered)
  const { courses } = await refreshedCourses(env.DB, [group.school_term_id], group.subject_id)
  expect(courses.map(({ sections }) => sections)).toEqual([[{ number: '0042' }, { number: 'key 1' }]])
})

test('the courses of a refresh fit into the result of a job, however many sections they have', async () => {
  const group = await makeGroup()
  await rows(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
     INSERT INTO course (subject_id, code, level, title) SELECT ?, 'MANY', i, 'Calculus I with Analytic Geometry' FROM n`,
    group.subject_id,
  )
  await rows(
    `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 4)
     INSERT INTO section (school_term_id, group_id, course_id, section_key, section, topic, status,
       instruction_list, instruction_mode, fingerprint, created_at)
     SELECT ?, ?, id, 100000 + 5 * id + i, i, '', 'closed', '[]', '', '', 0 FROM course JOIN n WHERE subject_id = ? AND code = 'MANY'`,
    group.school_term_id,
    group.group_id,
    group.subject_id,
  )
  const { courses, courses_count } = await refreshedCourses(env.DB, [group.school_term_id], group.subject_id)
  expect(courses_count).toBe(500)
  expect(courses.length).toBeGreaterThan(300)
  // A longer result of a job is cut off, so that it is no answer (src/jobs/run-job.ts).
  expect(JSON.stringify(courses).length).toBeLessThan(90_000)
})

/** What a refresh of all schools has read so far: none of the `count` other schools answered. */
const unanswered = (count: number) =>
  Array.from(
    { length: count },
    (_, n) =>
      `School number ${n} of the whole directory, 2026 Fall Term: The school says: ${'The class search is closed. '.repeat(3)}`,
  )

/** A longer result of a job is cut off, so that it is no answer (src/jobs/run-job.ts). */
function expectToFit(result: unknown): void {
  expect(JSON.stringify(result).length).toBeLessThan(100_000)
}

test('the failures of a refresh of all sections fit into the result of a job, however many schools there are', async () => {
  const group = await makeGroup()
  const [scope] = await rows<{ school_id: number; term_id: number }>(
    'SELECT school_id, term_id FROM school_term WHERE id = ?',
    group.school_term_id,
  )
  const result = await refreshSections.run(
    runContext(),
    RefreshInput.parse({
      ...scope,
      subject_id: 0,
      by: 'test',
      after_group: group.group_id,
      by_group: [group.school_term_id],
      believed: 1,
      failures: unanswered(100),
      skipped: unanswered(700),
      kept: Object.fromEntries(unanswered(700).map((label) => [label, 3])),
    }),
  )
  expectToFit(result)
  const { failures, warnings } = RefreshedSections.parse(result)
  expect([failures.length, failures.at(-1)]).toEqual([expect.any(Number), `And ${801 - failures.length} others.`])
  expect(failures.slice(0, -1)).toEqual(unanswered(failures.length - 1))
  expect(warnings.at(-1)).toBe(`And ${701 - warnings.length} others.`)
})

test('the failures of a refresh of all terms fit into the result of a job, however many sources there are', async () => {
  const added = await rows<{ id: number }>(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 765)
     INSERT INTO source (kind, name, url, time_zone, created_at)
     SELECT 'banner9', 'Unanswered ' || i, 'https://school.example', 'UTC', 0 FROM n RETURNING id`,
  )
  const done = (await rows<{ id: number }>('SELECT id FROM source')).map(({ id }) => id)
  const input = { source_ids: null, by: 'test', done, new_terms_count: 0, failures: unanswered(764), stuck: 0 }
  const result = await refreshTerms.run(runContext(), input)
  await rows(
    'DELETE FROM source WHERE id IN (SELECT value FROM json_each(?))',
    JSON.stringify(added.map(({ id }) => id)),
  )
  expectToFit(result)
  expect(RefreshedTerms.parse(result).failures.at(-1)).toMatch(/^And 7\d\d others\.$/)
})

describe('a refresh', () => {
  let school: number
  let term: number
  let subject: number

  beforeAll(async () => {
    // The sources added above are not real schools.
    await env.DB.prepare('UPDATE source SET is_enabled = 0').run()
    await addSource('harbor')
  })

  afterEach(async () => {
    await world.clearFaults()
    await ledgerOf(env, 'refresh').resume('test')
  })

  const post = (path: string) => staff.call('POST', `/class_tracker/${path}`)
  const withJob = <Shape extends z.core.$ZodShape>(shape: z.ZodMiniObject<Shape>) => z.extend(shape, { job: JobHandle })

  test('of terms returns schools and terms, and how many are new', async () => {
    const response = await post('refresh_available_terms')
    expect(response.status).toBe(200)
    const answer = withJob(RefreshedTerms).parse(await response.json())
    expect(answer.job).toMatchObject({ url: `/scheduler/jobs/${answer.job.id}/`, status: 'finished' })
    expect(answer.job.progress).toEqual({ done: 1, total: 1, label: 'Done' })
    expect(answer.new_terms_count).toBeGreaterThan(0)
    const [harbor] = await rows<{ id: number }>("SELECT id FROM school WHERE name = 'Harbor State University'")
    school = harbor?.id ?? 0
    expect(answer.available_schools.map(({ id }) => id)).toContain(school)
    const [offered] = await rows<{ term_id: number }>(
      'SELECT term_id FROM school_term WHERE school_id = ? AND is_available ORDER BY ends_at LIMIT 1',
      school,
    )
    term = offered?.term_id ?? 0
    expect(answer.available_terms.map(({ id }) => id)).toContain(term)
    const again = withJob(RefreshedTerms).parse(await (await post('refresh_available_terms')).json())
    expect(again.new_terms_count).toBe(0)
    expect(await rows("SELECT terms_refreshed_by AS by FROM source WHERE name = 'Harbor State University'")).toEqual([
      { by: username },
    ])
  })

  test('of all subjects or one subject returns what the school offers', async () => {
    const subjects = await post(`refresh_semester_data/${school}/${term}`)
    expect(subjects.status).toBe(200)
    const { available_subjects, job } = withJob(RefreshedSubjects).parse(await subjects.json())
    expect(job.progress).toEqual({ done: 1, total: 1, label: 'Done' })
    expect(available_subjects.length).toBeGreaterThan(5)
    subject = available_subjects[0]?.id ?? 0
    const name = available_subjects[0]?.name
    for (const asked of [school, 0]) {
      const response = await post(`fetch_new_semester_course_sections/${asked}/${term}/${subject}`)
      expect(response.status).toBe(200)
      const answer = withJob(RefreshedSections).parse(await response.json())
      expect(answer.courses_count).toBe(answer.courses.length)
      expect(answer.job.progress).toEqual({ done: 1, total: 1, label: 'Done' })
      expect(answer.courses[0]?.sections[0]?.number).toMatch(/^\d+$/)
      expect(new Set(answer.courses.map((course) => course.subject))).toEqual(new Set([name]))
    }
  })

  test('of all schools returns at once with the same keys, and the job reports the rest', async () => {
    const response = await post(`refresh_semester_data/0/${term}`)
    expect(response.status).toBe(202)
    const { available_subjects, job } = withJob(RefreshedSubjects).parse(await response.json())
    expect(available_subjects).toEqual([])
    const ended = await ledgerOf(env, 'refresh').wait(job.id, 60_000)
    expect(ended?.state).toBe('finished')
    expect(RefreshedSubjects.parse(ended?.result).available_subjects.length).toBeGreaterThan(5)
  })

  test('joins one that is already running', async () => {
    await ledgerOf(env, 'refresh').pause('test')
    const asked = await Promise.all(
      Array.from({ length: 4 }, () => post(`fetch_new_semester_course_sections/0/${term}/0`)),
    )
    const jobs = await Promise.all(
      asked.map(async (response) => withJob(RefreshedSections).parse(await response.json()).job.id),
    )
    expect(new Set(jobs).size).toBe(1)
    expect(asked.every(({ status }) => status === 202)).toBe(true)
    expect((await ledgerOf(env, 'refresh').get(jobs[0] ?? ''))?.priority).toBe(10)
    await ledgerOf(env, 'refresh').act('cancel', jobs[0] ?? '', 'test')
  })

  test('of subjects that waits does not swallow the nightly one, which continues with the sections', async () => {
    await ledgerOf(env, 'refresh').pause('test')
    const { job } = withJob(RefreshedSubjects).parse(
      await (await post(`refresh_semester_data/${school}/${term}`)).json(),
    )
    const [source] = await rows<{ id: number }>("SELECT id FROM source WHERE name = 'Harbor State University'")
    const context = runContext({ job: { id: 'nightly', attempt: 1, queue: 'refresh' } })
    await refreshTerms.runWithRawInput(context, { source_ids: [source?.id], by: 'nightly', then_all: true })
    const { jobs } = await ledgerOf(env, 'refresh').list({ registry: 'queued', task: refreshSubjects.name })
    const asked = await Promise.all(jobs.map(async ({ id }) => (await ledgerOf(env, 'refresh').get(id))?.input))
    expect(asked).toContainEqual({ school_id: school, term_id: term, by: username })
    expect(asked).toContainEqual({ school_id: school, term_id: term, by: 'nightly', then_sections: true })
    for (const { id } of jobs) await ledgerOf(env, 'refresh').act('cancel', id, 'test')
    expect(jobs.map(({ id }) => id)).toContain(job.id)
  })

  test('stopped by a person is shown as stopped', async () => {
    const input = { source_ids: null, by: 'test' }
    const job = await enqueue(env, refreshTerms, input, { at: Date.now() + 600_000 })
    const empty = { available_schools: [], available_terms: [], new_terms_count: 0, failures: [] }
    const refused = expect(answerRefresh(env, job, { shape: RefreshedTerms, empty })).rejects.toMatchObject({
      status: 409,
      messages: ['The refresh was stopped before it was done.'],
    })
    await ledgerOf(env, 'refresh').act('cancel', job.id, 'test')
    await refused
  })

  test('of a failing school is a 502 with the reason', async () => {
    await world.fault('Harbor State University', 'http_500')
    const response = await post(`refresh_semester_data/${school}/${term}`)
    const messages = await response.json<string[]>()
    expect([response.status, messages]).toEqual([502, [expect.stringContaining('Harbor State University')]])
  })

  test.each([
    ['subjects', () => `refresh_semester_data/${school}/${term}`],
    ['sections', () => `fetch_new_semester_course_sections/${school}/${term}/${subject}`],
    ['terms', () => 'refresh_available_terms'],
  ])('of %s at a school that does not answer in time is a 504 with the reason', async (_, path) => {
    await rows("INSERT OR REPLACE INTO setting (name, value, changed_at) VALUES ('school_timeout_ms', '500', 0)")
    await world.fault('Harbor State University', 'timeout')
    const response = await post(path())
    await rows("DELETE FROM setting WHERE name = 'school_timeout_ms'")
    expect([response.status, await response.json()]).toEqual([
      504,
      [expect.stringMatching(/Harbor State University.*: No answer within 500 ms\.$/)],
    ])
  })

  test('that partly succeeds names the schools that failed, and why', async () => {
    const added = await addSource('northfield')
    expect(await (await post('refresh_available_terms')).json()).toMatchObject({ failures: [] })
    await world.fault('Northfield Technical University', 'http_500')
    const failures = [expect.stringMatching(/^Northfield Technical University.*: The school returned status 500\.$/)]
    const terms = await post('refresh_available_terms')
    expect([terms.status, await terms.json()]).toEqual([200, expect.objectContaining({ failures, new_terms_count: 0 })])
    const subjects = await post(`refresh_semester_data/0/${term}`)
    expect(subjects.status).toBe(202)
    const { job, failures: none } = withJob(RefreshedSubjects).parse(await subjects.json())
    expect(none).toEqual([])
    const ended = await ledgerOf(env, 'refresh').wait(job.id, 60_000)
    expect(RefreshedSubjects.parse(ended?.result)).toEqual({ available_subjects: expect.any(Array), failures })
    await rows('UPDATE source SET is_enabled = 0 WHERE id = ?', added)
  })

  test('of a term the school does not offer finds nothing, and of an unknown term is a 404', async () => {
    const [other] = await rows<{ id: number }>(
      "INSERT INTO term (year, season, full_term_name) VALUES (2032, 'fall', '2032 Fall Term') RETURNING id",
    )
    const subjects = await post(`refresh_semester_data/${school}/${other?.id}`)
    expect([subjects.status, (await subjects.json<RefreshedSubjects>()).available_subjects]).toEqual([200, []])
    const sections = await post(`fetch_new_semester_course_sections/${school}/${other?.id}/0`)
    expect([sections.status, (await sections.json<RefreshedSections>()).courses]).toEqual([200, []])
    for (const path of [
      `refresh_semester_data/${school}/98765`,
      `refresh_semester_data/98765/${term}`,
      `fetch_new_semester_course_sections/0/98765/0`,
      `fetch_new_semester_course_sections/${school}/${term}/98765`,
    ]) {
      expect((await post(path)).status, path).toBe(404)
    }
    const foreign = await makeGroup()
    expect((await post(`fetch_new_semester_course_sections/${school}/${term}/${foreign.subject_id}`)).status).toBe(404)
  })
})

test('a subject with a course whose sections the school keeps back is loaded without them, and none of it counts as gone', async () => {
  const { school_id, term_id, subject_id, group_id } = await loadSubject(
    'northfieldCourses',
    'Northfield Technical University',
    'MATH',
    { ourName: 'Northfield by course' },
  )
  const refresh = async () => {
    const { result } = await runJob(refreshSections, { school_id, term_id, subject_id, by: 'test' })
    return RefreshedSections.parse(result).failures
  }
  const stored = () =>
    rows<{ n: number; missing: number }>(
      'SELECT count(*) AS n, count(missing_since) AS missing FROM section WHERE group_id = ?',
      group_id,
    )
  const [whole] = await stored()
  let courses = 0
  const restore = answerInstead((url) => {
    if (!url.pathname.endsWith('/Courses/Sections')) return null
    courses += 1
    return courses === 1 ? Promise.resolve(Response.json({ TermsAndSections: [] })) : null
  })
  const lost = [expect.stringMatching(/: We asked for \d+ sections of a course, and 0 came\.$/)]
  expect(await refresh()).toEqual(lost)
  expect(await stored()).toEqual([whole])
  await rows('DELETE FROM section WHERE group_id = ?', group_id)
  courses = 0
  expect(await refresh()).toEqual(lost)
  const [part] = await stored()
  expect(part?.n).toBeGreaterThan(0)
  expect(part?.n).toBeLessThan(whole?.n ?? 0)
  restore()
  expect(await refresh()).toEqual([])
  expect(await stored()).toEqual([whole])
})
