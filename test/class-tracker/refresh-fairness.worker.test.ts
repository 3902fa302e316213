import { afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { refreshSections } from '../../src/class-tracker/refresh/refresh-sections.ts'
import { refreshTerms } from '../../src/class-tracker/refresh/refresh-terms.ts'
import { type JobContext, RunAgain } from '../../src/jobs/job.ts'
import { runContext } from '../worker/job-context.ts'
import { rows } from '../worker/rows.ts'
import { answerInstead } from '../worker/tampered-school.ts'
import { allIsWell, learnTwoSchools, type TwoSchools } from '../worker/two-schools.ts'
import { runJob, world } from '../worker/world.ts'

let schools: TwoSchools
let restore = () => {}
let passed = 0

beforeAll(async () => {
  schools = await learnTwoSchools()
})
afterEach(async () => {
  restore()
  passed = 0
  await allIsWell()
})

const input = (school_id: number) => {
  const { term_id } = schools.harbor
  return { school_id, term_id, subject_id: 0, by: 'test' }
}
/** Its terms are read group by group. */
const byGroup = async (school_id: number) => {
  const terms = await rows<{ id: number }>('SELECT id FROM school_term WHERE school_id = ?', school_id)
  return { ...input(school_id), by_group: terms.map(({ id }) => id) }
}
const groupsOf = async (school: number, condition: string) =>
  (
    await rows<{ id: number }>(
      `SELECT g.id FROM section_group g JOIN school_term t ON t.id = g.school_term_id
       WHERE t.school_id = ? AND t.term_id = ? AND ${condition} ORDER BY g.id`,
      school,
      schools.harbor.term_id,
    )
  ).map(({ id }) => id)
const harborTerms = () => ({ source_ids: [schools.harbor.source_id], by: 'test' })
const forget = () => rows('UPDATE section_group SET read_at = NULL, asked_at = NULL, failures = 0')
const refreshedAt = async (school: number) =>
  rows(
    'SELECT sections_refreshed_at IS NOT NULL AS is_done FROM school_term WHERE school_id = ? AND term_id = ?',
    school,
    schools.harbor.term_id,
  )

/** The school never answers these calls: as soon as it is asked, the time of the run is up. */
function neverAnswer(call: string): void {
  let time = new AbortController()
  const timeouts = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
    time = new AbortController()
    return time.signal
  })
  onTestFinished(() => timeouts.mockRestore())
  restore = answerInstead((url) => {
    if (!url.pathname.includes(call)) return null
    passed += 60_000
    time.abort()
    return new Promise(() => {})
  })
}

/** A run with this much time, in ms. */
const shortRun = (ms: number, parts: Partial<JobContext> = {}): JobContext => {
  const now = () => Date.now() + passed
  return runContext({ ...parts, now, deadline: now() + ms })
}

test('a school that is down does not prevent other refreshes, and does not count as refreshed', async () => {
  await forget()
  await rows('UPDATE school_term SET sections_refreshed_at = NULL')
  await world.fault('Harbor State University', 'http_500')
  const ended = await runJob(refreshSections, input(0))
  expect(ended.state).toBe('finished')
  const { failures } = ended.result as { failures: string[] }
  expect(failures).toHaveLength(6)
  expect(failures.at(-1)).toMatch(/^Harbor State University, .+: Skipped after 5 failures in a row: \d+ subjects\.$/)
  const { harbor, northfield } = schools
  expect(await groupsOf(harbor.school_id, 'g.read_at IS NOT NULL')).toEqual([])
  expect(await groupsOf(northfield.school_id, 'g.read_at IS NULL')).toEqual([])
  expect(await refreshedAt(harbor.school_id)).toEqual([{ is_done: 0 }])
  expect(await refreshedAt(northfield.school_id)).toEqual([{ is_done: 1 }])
  expect(await runJob(refreshSections, input(harbor.school_id))).toMatchObject({ state: 'failed' })
})

test("groups that a school does not answer do not prevent others' refresh, however many there are", async () => {
  await forget()
  const { school_id } = schools.harbor
  const all = await groupsOf(school_id, '1')
  const subjects = await rows<{ key: string }>(
    'SELECT j.key FROM section_group g JOIN subject j ON j.id = g.subject_id WHERE g.id IN (SELECT value FROM json_each(?))',
    JSON.stringify(all.slice(0, 7)),
  )
  const gone = new Set(subjects.map(({ key }) => key))
  restore = answerInstead((url) =>
    url.pathname.includes('searchResults') && gone.has(url.searchParams.get('txt_subject') ?? '')
      ? Promise.resolve(
          Response.json({ success: true, totalCount: 1, data: [{ nothing: 'known' }], pathMode: 'search' }),
        )
      : null,
  )
  expect(await runJob(refreshSections, await byGroup(school_id))).toMatchObject({ state: 'finished' })
  expect(await groupsOf(school_id, 'g.read_at IS NULL')).toEqual(all.slice(0, 7))
})

test('a group that never returns its whole answer within a run is finally skipped', async () => {
  const { school_id } = schools.harbor
  await rows("UPDATE setting SET value = '9000' WHERE name = 'school_timeout_ms'")
  neverAnswer('searchResults')
  const [first] = await groupsOf(school_id, '1')
  const asked = await byGroup(school_id)
  // The minimum that a run still uses for a request.
  const run = (stuck: number) =>
    refreshSections.runWithRawInput(shortRun(8500, { job: { id: 'stuck', attempt: 1, queue: 'refresh' } }), {
      ...asked,
      stuck,
    })
  expect(await run(1)).toMatchObject({ input: { stuck: 2, after_group: 0 } })
  const late = await run(2)
  expect(late).toBeInstanceOf(RunAgain)
  expect(late).toMatchObject({ input: { stuck: 0, after_group: first, done: 1 } })
})

test('a school whose list of terms never fits into a run is finally skipped', async () => {
  await rows("UPDATE setting SET value = '9000' WHERE name = 'school_timeout_ms'")
  neverAnswer('getTerms')
  const run = (stuck: number) => refreshTerms.runWithRawInput(shortRun(3500), { ...harborTerms(), stuck })
  expect(await run(3)).toMatchObject({ input: { stuck: 4, done: [] } })
  await expect(run(4)).rejects.toThrow('Harbor State University: No whole answer within one run.')
})

test('a school that is never asked, because other jobs use up the requests of its host, is not skipped', async () => {
  // So short that no request may begin.
  const context = runContext({ deadline: Date.now() + 2000 })
  expect(await refreshTerms.runWithRawInput(context, { ...harborTerms(), stuck: 4 })).toMatchObject({
    input: { stuck: 4, done: [], failures: [] },
  })
})

test('a group that the school refuses with 429 in every run is finally skipped, and the failure says so', async () => {
  restore = answerInstead((url) =>
    url.pathname.includes('searchResults')
      ? Promise.resolve(new Response('', { status: 429, headers: { 'retry-after': '30' } }))
      : null,
  )
  const asked = await byGroup(schools.harbor.school_id)
  const context = runContext({ job: { id: 'limited', attempt: 1, queue: 'refresh' } })
  expect(await refreshSections.runWithRawInput(context, { ...asked, stuck: 1 })).toMatchObject({
    input: { stuck: 2, failures: [] },
  })
  // The 30 s have passed.
  await rows('UPDATE source SET paused_until = NULL, limited_until = NULL')
  expect(await refreshSections.runWithRawInput(context, { ...asked, stuck: 2 })).toMatchObject({
    input: {
      stuck: 0,
      done: 1,
      failures: [expect.stringMatching(/: The school returned status 429: ask again in 30 s\.$/)],
      failing: { in_a_row: 1 },
    },
  })
})

async function harborTermId(): Promise<number> {
  const { school_id, term_id } = schools.harbor
  const [term] = await rows<{ id: number }>(
    'SELECT id FROM school_term WHERE school_id = ? AND term_id = ?',
    school_id,
    term_id,
  )
  return term?.id ?? 0
}

/** A run whose time is up after its first page. */
function onePage(): JobContext {
  let passed = 0
  return runContext({
    job: { id: crypto.randomUUID(), attempt: 1, queue: 'refresh' },
    now: () => Date.now() + passed,
    checkpoint: async () => {
      passed = 60_000
    },
  })
}

function answerInShortPages(): void {
  restore = answerInstead((url, real) =>
    url.pathname.includes('searchResults/searchResults')
      ? real().then(async (response) => {
          const answer = await response.json<{ data: unknown[] }>()
          return Response.json({ ...answer, data: answer.data.slice(0, 20) })
        })
      : null,
  )
}

const walkOf = (schoolTermId: number) => ({
  school_term_id: schoolTermId,
  started_at: Date.now(),
  cursor: 'start',
  listed: '',
  set_aside: [],
  count: 0,
  pages: 1,
})

test('a term that takes many runs is not given up while each of them reads a page', async () => {
  const walk = walkOf(await harborTermId())
  answerInShortPages()
  expect(
    await refreshSections.runWithRawInput(onePage(), { ...input(schools.harbor.school_id), walk, stuck: 2 }),
  ).toMatchObject({
    input: { stuck: 0, walk: { cursor: expect.stringMatching(/^\d+\/\d+\/\d+$/), pages: 2 } },
  })
})

test('a term that left the refresh between two runs does not keep others from being read as a whole', async () => {
  answerInShortPages()
  const id = await harborTermId()
  const walk = walkOf(id + 100_000)
  expect(await refreshSections.runWithRawInput(onePage(), { ...input(schools.harbor.school_id), walk })).toMatchObject({
    input: { walk: { school_term_id: id } },
  })
})

test('a term that never fits into a run is finally read group by group', async () => {
  const { school_id } = schools.harbor
  await rows("UPDATE setting SET value = '9000' WHERE name = 'school_timeout_ms'")
  neverAnswer('searchResults')
  const job = { id: 'stuck-term', attempt: 1, queue: 'refresh' } as const
  const run = (stuck: number) =>
    refreshSections.runWithRawInput(shortRun(11_000, { job }), { ...input(school_id), stuck })
  expect(await run(1)).toMatchObject({ input: { stuck: 2, walk: { cursor: null } } })
  expect(await run(2)).toMatchObject({ input: { stuck: 0, by_group: [await harborTermId()] } })
})
