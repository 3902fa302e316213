import { env } from 'cloudflare:workers'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { pollSource } from '../../src/class-tracker/polling/poll-source.ts'
import { refreshSections } from '../../src/class-tracker/refresh/refresh-sections.ts'
import { untilSettled } from '../worker/dying-consumers.ts'
import { runContext, unheard } from '../worker/job-context.ts'
import {
  arrivedFor,
  loadSubject,
  loadHarbor,
  wait,
  type LoadedSubject,
  type Waiting,
} from '../worker/loaded-subject.ts'
import { one, rows } from '../worker/rows.ts'
import { answerInstead } from '../worker/tampered-school.ts'
import { allIsWell, close, comeRound, open, poll } from '../worker/two-schools.ts'
import { Killed, killedAt } from '../worker/watched-database.ts'
import { runJob, world } from '../worker/world.ts'
import { hostOf } from '../../src/sources/address.ts'
import { limitOf } from '../../src/web/limits/limits.ts'

/** A school whose list says open, with configurable enrollment details. */

let harbor: LoadedSubject
let subjects: LoadedSubject[]
let restore = () => {}
let looks = 0

beforeAll(async () => {
  await world.clearFaults()
  const loaded = await loadHarbor()
  subjects = loaded
  harbor = loaded[0]
})
beforeEach(() => {
  looks = 0
})
afterEach(async () => {
  restore()
  restore = () => {}
  await allIsWell()
  await rows('DELETE FROM watch')
  await rows('DELETE FROM doubted_opening')
  await rows('DELETE FROM source_notice')
  // A refresh of the whole term learns its size; otherwise polls would read it as one page.
  await rows('UPDATE school_term SET section_count = NULL')
  await rows(
    'UPDATE source SET is_second_look_on = 1, overruled_look_count = 0, flicker_count = 0, requests_per_minute = 6000',
  )
})

interface Details {
  capacity: number
  enrolled: number
  waiting?: number
}

const details = ({ capacity, enrolled, waiting = 0 }: Details): string =>
  [
    ['Enrollment Actual', enrolled],
    ['Enrollment Maximum', capacity],
    ['Enrollment Seats Available', capacity - enrolled],
    ['Waitlist Capacity', 10],
    ['Waitlist Actual', waiting],
    ['Waitlist Seats Available', 10 - waiting],
  ]
    .map(([label, value]) => `<span class="status-bold">${label}:</span> <span dir="ltr"> ${value} </span><br/>`)
    .join('\n')

/** The school's enrollment details answer this, or never. */
function answerLooksWith(answer: Details | 'nothing' | 'maintenance'): void {
  restore()
  restore = answerInstead((url) => {
    if (!url.pathname.includes('getEnrollmentInfo')) return null
    looks += 1
    if (answer === 'nothing') return new Promise(() => {})
    const html = answer === 'maintenance' ? '<html><body>We will be back soon.</body></html>' : details(answer)
    return Promise.resolve(new Response(html, { headers: { 'content-type': 'text/html' } }))
  })
}

const later = (ms: number) => rows('UPDATE doubted_opening SET doubted_at = doubted_at - ?', ms)

/** A round, long enough after the last one to count as another, even if the clock was set back a little in between. */
async function round(loaded = harbor): Promise<void> {
  await later(91_000)
  await poll(loaded)
}

/** A refresh of all subjects of the term. */
const refreshTerm = ({ school_id, term_id }: LoadedSubject) =>
  runJob(refreshSections, { school_id, term_id, subject_id: 0, by: 'test' })

const full = ({ section }: Waiting): Details => ({ capacity: section.capacity, enrolled: section.capacity })

/** The list says that the section opened, and the second look that it is full. */
async function openContradicted(waiting: Waiting): Promise<void> {
  await poll(harbor)
  await open(waiting)
  answerLooksWith(full(waiting))
  await poll(harbor)
}

const sectionOf = ({ section }: Waiting) =>
  rows('SELECT status, missing_since, unknown_since FROM section WHERE id = ?', section.id).then(([row]) => row)
const sourceNow = () =>
  rows('SELECT is_second_look_on, overruled_look_count, flicker_count FROM source WHERE id = ?', harbor.source_id).then(
    ([row]) => row,
  )

const alertsOf = ({ recipient }: Waiting) => rows('SELECT id FROM class_alert WHERE recipient_id = ?', recipient)

async function arrived(waiting: Waiting): Promise<{ sms: number; email: number }> {
  await untilSettled([waiting.recipient])
  return arrivedFor(waiting)
}

describe('a second look', () => {
  test('that agrees changes nothing: the message is sent after one more request', async () => {
    const waiting = await wait(harbor)
    await poll(harbor)
    await open(waiting)
    answerLooksWith({ capacity: waiting.section.capacity, enrolled: waiting.section.capacity - 1 })
    await poll(harbor)
    expect(await arrived(waiting)).toEqual({ sms: 1, email: 1 })
    expect(looks).toBe(1)
    await round()
    expect(looks).toBe(1)
  })

  test('that disagrees keeps the section closed and no one is notified; the disagreement is counted once', async () => {
    const waiting = await wait(harbor)
    await openContradicted(waiting)
    expect(await sectionOf(waiting)).toEqual({ status: 'closed', missing_since: null, unknown_since: null })
    await round()
    expect(looks).toBe(2)
    expect(await alertsOf(waiting)).toEqual([])
    expect(await sourceNow()).toMatchObject({ flicker_count: 1, overruled_look_count: 0 })
  })

  test('is overruled by a list that says open in three consecutive rounds', async () => {
    const waiting = await wait(harbor)
    await openContradicted(waiting)
    await round()
    await round()
    expect(await arrived(waiting)).toEqual({ sms: 1, email: 1 })
    expect(looks).toBe(2)
    expect(await sourceNow()).toMatchObject({ overruled_look_count: 1, is_second_look_on: 1 })
    expect(await rows('SELECT * FROM doubted_opening')).toEqual([])
  })

  test('is not overruled before three minutes have passed, however many rounds they have', async () => {
    const waiting = await wait(harbor)
    await openContradicted(waiting)
    for (let seconds = 15; seconds < 180; seconds += 15) {
      await later(15_000)
      await poll(harbor)
      expect(await alertsOf(waiting)).toEqual([])
    }
    // Each round asks, so that a seat that is really free is announced at once.
    expect(looks).toBe(12)
    await later(15_000)
    await poll(harbor)
    expect(await alertsOf(waiting)).toHaveLength(1)
    expect(await sourceNow()).toMatchObject({ overruled_look_count: 1 })
  })

  test('starts over after the list said closed in between', async () => {
    const waiting = await wait(harbor)
    await openContradicted(waiting)
    await round()
    await world.set(waiting.section, { status: 'closed' })
    await round()
    expect(await rows('SELECT * FROM doubted_opening')).toEqual([])
    await open(waiting)
    await round()
    expect(await alertsOf(waiting)).toEqual([])
    expect(looks).toBe(3)
  })

  test('that finds only its own page in maintenance pauses nothing; one that is asked to wait does', async () => {
    const limitAfterLook = async (status: number) => {
      const waiting = await wait(harbor)
      await poll(harbor)
      await open(waiting)
      restore()
      restore = answerInstead((url) => {
        if (!url.pathname.includes('getEnrollmentInfo')) return null
        looks += 1
        return Promise.resolve(new Response('', { status, headers: { 'retry-after': '3600' } }))
      })
      await poll(harbor)
      expect(await alertsOf(waiting)).toHaveLength(1)
      await world.set(waiting.section, { status: 'closed' })
      return one('SELECT paused_until, limited_until FROM source WHERE id = ?', harbor.source_id)
    }
    expect(await limitAfterLook(503)).toEqual({ paused_until: null, limited_until: null })
    expect(await limitAfterLook(429)).toEqual({ paused_until: expect.any(Number), limited_until: expect.any(Number) })
    expect(looks).toBe(2)
    await rows('UPDATE source SET paused_until = NULL, limited_until = NULL')
  })

  test('that disagrees and then agrees leaves no doubt behind', async () => {
    const waiting = await wait(harbor)
    await openContradicted(waiting)
    answerLooksWith({ capacity: waiting.section.capacity, enrolled: waiting.section.capacity - 1 })
    await round()
    expect(await arrived(waiting)).toEqual({ sms: 1, email: 1 })
    expect(await rows('SELECT * FROM doubted_opening')).toEqual([])
  })

  test('is not taken at a section that is known to be open, for new watchers', async () => {
    const waiting = await wait(harbor)
    await open(waiting)
    await rows("UPDATE section SET status = 'open' WHERE id = ?", waiting.section.id)
    await rows('UPDATE watch SET is_new = 1 WHERE section_id = ?', waiting.section.id)
    answerLooksWith(full(waiting))
    await poll(harbor)
    expect(looks).toBe(0)
    expect(await arrived(waiting)).toEqual({ sms: 1, email: 1 })
  })

  test('does not start over after an implausible row', async () => {
    const waiting = await wait(harbor)
    await openContradicted(waiting)
    restore()
    restore = answerInstead((url, real) => {
      if (!url.pathname.includes('searchResults/searchResults')) return null
      return real().then(async (response) => {
        const answer = await response.json<{ data: Record<string, unknown>[] }>()
        return Response.json({ ...answer, data: answer.data.map((row) => ({ ...row, seatsAvailable: 0.5 })) })
      })
    })
    await round()
    expect(await rows('SELECT rounds FROM doubted_opening')).toEqual([{ rounds: 1 }])
  })

  test('is not counted twice within one round', async () => {
    const waiting = await wait(harbor)
    await poll(harbor)
    await open(waiting)
    answerLooksWith(full(waiting))
    for (let again = 0; again < 4; again += 1) await poll(harbor)
    expect(looks).toBe(1)
    expect(await alertsOf(waiting)).toEqual([])
    expect(await rows('SELECT rounds FROM doubted_opening')).toEqual([{ rounds: 1 }])
  })

  test.each([
    ['of another capacity', { capacity: 1, enrolled: 1 }],
    ['full of zeros', { capacity: 0, enrolled: 0 }],
    ['that is a maintenance page', 'maintenance' as const],
  ])('%s is no disagreement', async (_, answer) => {
    const waiting = await wait(harbor)
    await poll(harbor)
    await open(waiting)
    answerLooksWith(answer)
    await poll(harbor)
    expect(await arrived(waiting)).toEqual({ sms: 1, email: 1 })
  })

  test('disagrees about a class that was enlarged and whose new seats are already taken', async () => {
    const waiting = await wait(harbor)
    await poll(harbor)
    await rows('UPDATE section SET capacity = capacity - 5 WHERE id = ?', waiting.section.id)
    await open(waiting)
    answerLooksWith(full(waiting))
    await poll(harbor)
    expect(looks).toBe(1)
    expect(await sectionOf(waiting)).toMatchObject({ status: 'closed' })
    expect(await alertsOf(waiting)).toEqual([])
  })

  test('that gets no answer delays the message by two seconds at most', async () => {
    const waiting = await wait(harbor)
    await poll(harbor)
    await open(waiting)
    answerLooksWith('nothing')
    const startedAt = Date.now()
    await poll(harbor)
    // Any other request waits ten seconds.
    expect(Date.now() - startedAt).toBeLessThan(9000)
    expect(await arrived(waiting)).toEqual({ sms: 1, email: 1 })
    // The seat was seen when the list said so, not when the second look ended.
    const [sent] = await rows<{ ms: number }>(
      `SELECT a.created_at - o.seen_open_at AS ms FROM opening o JOIN class_alert a ON a.opening_id = o.id
       WHERE a.recipient_id = ?`,
      waiting.recipient,
    )
    expect(sent?.ms).toBeGreaterThanOrEqual(1900)
  })

  test('is turned off, and staff are notified, after five consecutive ones were overruled', async () => {
    await rows('UPDATE source SET overruled_look_count = 4 WHERE id = ?', harbor.source_id)
    const waiting = await wait(harbor)
    await openContradicted(waiting)
    await round()
    await round()
    expect(await arrived(waiting)).toEqual({ sms: 1, email: 1 })
    expect(await sourceNow()).toMatchObject({ is_second_look_on: 0, overruled_look_count: 5 })
    expect(await rows('SELECT kind, body FROM source_notice')).toEqual([
      {
        kind: 'second_look_off',
        body: expect.stringContaining('Harbor State University: openings are no longer double-checked'),
      },
    ])
    const another = await wait(harbor)
    await poll(harbor)
    const before = looks
    await open(another)
    await poll(harbor)
    expect(looks).toBe(before)
    expect(await arrived(another)).toEqual({ sms: 1, email: 1 })
  })

  test('is not turned off before the notice to staff is stored', async () => {
    await rows('UPDATE source SET overruled_look_count = 4 WHERE id = ?', harbor.source_id)
    const waiting = await wait(harbor)
    await openContradicted(waiting)
    await round()
    await later(90_000)
    await comeRound()
    const polls = { source_id: harbor.source_id }
    for (let trip = 1, isDone = false; !isDone; trip += 1) {
      expect(trip).toBeLessThan(20)
      const killed = { ...env, DB: killedAt(trip, 'after'), LEDGER: unheard }
      isDone = await pollSource.runWithRawInput(runContext({ env: killed, deadline: Date.now() + 20_000 }), polls).then(
        () => true,
        (error: unknown) => {
          if (error instanceof Killed) return false
          throw error
        },
      )
      const [source] = await rows('SELECT is_second_look_on FROM source WHERE id = ?', harbor.source_id)
      const notices = await rows('SELECT kind FROM source_notice')
      if (source?.['is_second_look_on'] === 0) expect(notices).toEqual([{ kind: 'second_look_off' }])
    }
    expect(await sourceNow()).toMatchObject({ is_second_look_on: 0 })
  })

  test('that is overruled in two subjects of one refresh is counted twice', async () => {
    const everyone = [await wait(harbor), await wait(subjects[1] ?? harbor)]
    await poll(harbor)
    for (const waiting of everyone) await open(waiting)
    answerLooksWith({ capacity: 30, enrolled: 30 })
    for (const { section } of everyone) {
      await rows(
        'INSERT INTO doubted_opening (section_id, source_id, rounds, doubted_at) VALUES (?, ?, 2, ?)',
        section.id,
        harbor.source_id,
        Date.now() - 90_000,
      )
    }
    await refreshTerm(harbor)
    expect(await sourceNow()).toMatchObject({ overruled_look_count: 2 })
  })

  test('that disagreed is forgotten when a refresh finds the section closed, unless its answer is older', async () => {
    const waiting = await wait(harbor)
    await openContradicted(waiting)
    const doubts = () => rows('SELECT section_id FROM doubted_opening')
    await close(waiting)
    await rows('UPDATE doubted_opening SET doubted_at = doubted_at + 60000')
    await refreshTerm(harbor)
    expect(await doubts()).toEqual([{ section_id: waiting.section.id }])
    await rows('UPDATE doubted_opening SET doubted_at = doubted_at - 60000')
    await refreshTerm(harbor)
    expect(await doubts()).toEqual([])
  })

  test('that disagreed long ago is taken again', async () => {
    const waiting = await wait(harbor)
    await openContradicted(waiting)
    await round()
    await later(7 * 86_400_000)
    await poll(harbor)
    expect(looks).toBe(3)
    expect(await alertsOf(waiting)).toEqual([])
    expect(await rows('SELECT rounds FROM doubted_opening')).toEqual([{ rounds: 1 }])
    expect(await sourceNow()).toMatchObject({ overruled_look_count: 0, flicker_count: 2 })
  })

  test('that agrees once resets the count of overruled ones', async () => {
    await rows('UPDATE source SET overruled_look_count = 4 WHERE id = ?', harbor.source_id)
    const waiting = await wait(harbor)
    await poll(harbor)
    await open(waiting)
    answerLooksWith({ capacity: waiting.section.capacity, enrolled: waiting.section.capacity - 1 })
    await poll(harbor)
    expect(await sourceNow()).toMatchObject({ is_second_look_on: 1, overruled_look_count: 0 })
  })

  test('is also taken before a refresh opens a section', async () => {
    const waiting = await wait(harbor)
    await poll(harbor)
    await open(waiting)
    answerLooksWith(full(waiting))
    const { school_id, term_id, subject_id } = harbor
    const input = { school_id, term_id, subject_id, by: 'test' }
    await runJob(refreshSections, input)
    expect(looks).toBe(1)
    expect(await sectionOf(waiting)).toMatchObject({ status: 'closed' })
    answerLooksWith({ capacity: waiting.section.capacity, enrolled: waiting.section.capacity - 1 })
    await later(15_000)
    await runJob(refreshSections, input)
    expect(await arrived(waiting)).toEqual({ sms: 1, email: 1 })
  })
})

/** More openings in one group would be read again first. */
const PLAUSIBLE = 9

test("second looks use at most a sixth of a source's requests, so polling continues", async () => {
  await rows('UPDATE source SET requests_per_minute = 24 WHERE id = ?', harbor.source_id)
  const { url } = await one<{ url: string }>('SELECT url FROM source WHERE id = ?', harbor.source_id)
  await (await limitOf(env, 'source', hostOf(url))).clear()
  await (await limitOf(env, 'source-looks', String(harbor.source_id))).clear()
  const all = await Promise.all(harbor.sections.slice(0, PLAUSIBLE).map(() => wait(harbor, ['phone'])))
  await poll(harbor)
  for (const waiting of all) await open(waiting)
  answerLooksWith(full(all[0] ?? expect.fail('nobody waits')))
  for (let rounds = 0; rounds < 4; rounds += 1) {
    await comeRound()
    await later(90_000)
    const input = { source_id: harbor.source_id, may_walk_term: false }
    const run = await pollSource.runWithRawInput(runContext({ deadline: Date.now() + 20_000 }), input)
    expect(run).toMatchObject({ asked: 1, left: 0 })
  }
  expect(all.length).toBeGreaterThan(4)
  expect(looks).toBe(4)
})

test('sections at which people still wait leave half of the looks for new openings', async () => {
  await rows('UPDATE source SET requests_per_minute = 24 WHERE id = ?', harbor.source_id)
  const { url } = await one<{ url: string }>('SELECT url FROM source WHERE id = ?', harbor.source_id)
  await (await limitOf(env, 'source', hostOf(url))).clear()
  await (await limitOf(env, 'source-looks', String(harbor.source_id))).clear()
  const all = await Promise.all(harbor.sections.slice(0, 5).map(() => wait(harbor, ['phone'])))
  await poll(harbor)
  const [fresh = expect.fail('nobody waits'), ...doubted] = all
  for (const waiting of doubted) {
    await open(waiting)
    await rows(
      'INSERT INTO doubted_opening (section_id, source_id, rounds, doubted_at) VALUES (?, ?, 0, ?)',
      waiting.section.id,
      harbor.source_id,
      Date.now() - 100_000,
    )
  }
  answerLooksWith(full(fresh))
  const run = () =>
    pollSource.runWithRawInput(runContext({ deadline: Date.now() + 20_000 }), {
      source_id: harbor.source_id,
      may_walk_term: false,
    })
  await comeRound()
  await run()
  expect(looks).toBe(2)
  await open(fresh)
  await comeRound()
  await run()
  expect(looks).toBe(3)
  expect(await alertsOf(fresh)).toEqual([])
})

test('openings that no look was left for are doubted if every look disagrees with the list', async () => {
  await rows('UPDATE source SET requests_per_minute = 24 WHERE id = ?', harbor.source_id)
  const { url } = await one<{ url: string }>('SELECT url FROM source WHERE id = ?', harbor.source_id)
  await (await limitOf(env, 'source', hostOf(url))).clear()
  await (await limitOf(env, 'source-looks', String(harbor.source_id))).clear()
  const all = await Promise.all(harbor.sections.slice(0, PLAUSIBLE).map(() => wait(harbor, ['phone'])))
  await poll(harbor)
  for (const waiting of all) await open(waiting)
  restore = answerInstead((url) => {
    const crn = url.searchParams.get('courseReferenceNumber')
    const asked = url.pathname.includes('getEnrollmentInfo') && all.find(({ section }) => section.section === crn)
    if (!asked) return null
    looks += 1
    return Promise.resolve(new Response(details(full(asked)), { headers: { 'content-type': 'text/html' } }))
  })
  await poll(harbor)
  expect(all.length).toBeGreaterThan(4)
  expect(looks).toBe(4)
  expect(await Promise.all(all.map(alertsOf))).toEqual(all.map(() => []))
  // No look is left in the second round either. The list insists for three rounds, so it is believed.
  await round()
  expect(await Promise.all(all.map(alertsOf))).toEqual(all.map(() => []))
  expect(await sourceNow()).toMatchObject({ flicker_count: 4 })
  await round()
  expect(await Promise.all(all.map(alertsOf))).toEqual(all.map(() => [{ id: expect.any(Number) }]))
})

describe('a school that never answers', () => {
  test("leaves a poll's run five seconds for second looks and for writing", async () => {
    await wait(harbor)
    await comeRound()
    restore = answerInstead(() => new Promise(() => {}))
    const deadline = Date.now() + 6000
    await pollSource.runWithRawInput(runContext({ deadline }), { source_id: harbor.source_id })
    expect(deadline - Date.now()).toBeGreaterThan(4000)
  })
})

describe('a second look at CUNY', () => {
  let queens: LoadedSubject
  beforeAll(async () => {
    await world.clearFaults()
    queens = await loadSubject('cuny', 'Queens College', 'CMSC', { career: 'UGRD' })
  })

  /** Someone waits for a class outside the regular session; also returns which class pages were requested. */
  async function waitInSession() {
    const sessions = new Map(
      (
        await rows<{ id: number; session_code: string }>(
          "SELECT id, session_code FROM section WHERE group_id = ? AND session_code NOT IN ('', '1')",
          queens.group_id,
        )
      ).map(({ id, session_code }) => [id, session_code]),
    )
    const sections = queens.sections.filter(({ id }) => sessions.has(id))
    const waiting = await wait({ ...queens, sections })
    const asked: (string | null)[] = []
    restore = answerInstead((url) => {
      if (url.searchParams.has('class_number_searched')) asked.push(url.searchParams.get('session_searched'))
      return null
    })
    return { waiting, asked, session: btoa(sessions.get(waiting.section.id) ?? '') }
  }

  test('requests a class in its own session: a stale list opens nothing', async () => {
    const { waiting, asked, session } = await waitInSession()
    await poll(queens)
    await open(waiting)
    await world.fault('CUNY Global Search', 'stale_list')
    await close(waiting)
    await poll(queens)
    expect(asked).toEqual([session])
    expect(await sectionOf(waiting)).toMatchObject({ status: 'closed' })
    expect(await alertsOf(waiting)).toEqual([])
  })

  test('agrees with the list if a seat is free', async () => {
    const { waiting, asked, session } = await waitInSession()
    await poll(queens)
    await open(waiting)
    await poll(queens)
    expect(asked).toEqual([session])
    expect(await arrived(waiting)).toEqual({ sms: 1, email: 1 })
  })

  test.each([20, 30])('is taken again where people waited, even with %s requests a minute', async (most) => {
    const waiting = await wait(queens, ['phone'])
    await poll(queens)
    await open(waiting)
    await rows(
      'INSERT INTO doubted_opening (section_id, source_id, rounds, doubted_at) VALUES (?, ?, 0, ?)',
      waiting.section.id,
      queens.source_id,
      Date.now() - 100_000,
    )
    await rows(
      'UPDATE source SET requests_per_minute = ?, requests_a_round = NULL WHERE id = ?',
      most,
      queens.source_id,
    )
    const { url } = await one<{ url: string }>('SELECT url FROM source WHERE id = ?', queens.source_id)
    await (await limitOf(env, 'source', hostOf(url))).clear()
    await (await limitOf(env, 'source-looks', String(queens.source_id))).clear()
    await poll(queens)
    expect(await alertsOf(waiting)).toHaveLength(1)
  })
})

describe('a second look at a school whose list has no figures', () => {
  let cedar: LoadedSubject
  beforeAll(async () => {
    await world.clearFaults()
    const school = 'Cedar Valley Community College'
    const [first] = await world.sections({ school })
    cedar = await loadSubject('fose', school, first?.subject ?? '')
  })

  /** The details call the section open, and show these figures. */
  function answerDetailsWith(seats: string): void {
    restore()
    restore = answerInstead((url, real) => {
      if (url.searchParams.get('route') !== 'details') return null
      looks += 1
      return real().then(async (response) => {
        const details = await response.json<Record<string, unknown>>()
        return Response.json({ ...details, stat: 'A', enrl_stat_html: 'Open', seats })
      })
    })
  }

  /** Seats are free, and people who come first wait for them. */
  const OWED =
    '<strong>Maximum Enrollment</strong>: 28 / <strong>Seats Avail</strong>: 2<br/><strong>Waitlist Total</strong>: 6'
  const FREE = '<strong>Maximum Enrollment</strong>: 28 / <strong>Seats Avail</strong>: 2'
  const FULL = '<strong>Maximum Enrollment</strong>: 28 / <strong>Seats Avail</strong>: 0'

  test('disagrees if no seat is free, even if the school still calls the section open', async () => {
    const waiting = await wait(cedar)
    await poll(cedar)
    await open(waiting)
    answerDetailsWith(FULL)
    await poll(cedar)
    expect(looks).toBe(1)
    expect(await sectionOf(waiting)).toMatchObject({ status: 'closed' })
    expect(await alertsOf(waiting)).toEqual([])
  })
  test('that tells of people waiting is never overruled: the list cannot know of them', async () => {
    await rows('UPDATE source SET overruled_look_count = 4 WHERE id = ?', cedar.source_id)
    const waiting = await wait(cedar)
    await poll(cedar)
    await open(waiting)
    answerDetailsWith(OWED)
    await poll(cedar)
    for (let rounds = 0; rounds < 5; rounds += 1) await round(cedar)
    expect(looks).toBe(6)
    // Nor do rounds without an answer count.
    answerDetailsWith('<strong>Seats Avail</strong>: many')
    for (let rounds = 0; rounds < 5; rounds += 1) await round(cedar)
    expect(looks).toBe(11)
    expect(await sectionOf(waiting)).toMatchObject({ status: 'closed' })
    expect(await alertsOf(waiting)).toEqual([])
    const [source] = await rows(
      'SELECT is_second_look_on, overruled_look_count, flicker_count FROM source WHERE id = ?',
      cedar.source_id,
    )
    expect(source).toEqual({ is_second_look_on: 1, overruled_look_count: 4, flicker_count: 1 })
    answerDetailsWith(FREE)
    await round(cedar)
    expect(await alertsOf(waiting)).toHaveLength(1)
    expect(await rows('SELECT * FROM doubted_opening')).toEqual([])
  })

  test('that told of people waiting an hour ago, and nothing since, keeps no one waiting', async () => {
    const waiting = await wait(cedar)
    await poll(cedar)
    await open(waiting)
    answerDetailsWith(OWED)
    await poll(cedar)
    answerDetailsWith('<strong>Seats Avail</strong>: many')
    await later(3_500_000)
    await poll(cedar)
    expect(await alertsOf(waiting)).toEqual([])
    await later(150_000)
    await poll(cedar)
    expect(await alertsOf(waiting)).toHaveLength(1)
  })

  test('that tells of people waiting is counted like any other once it only says that no seat is free', async () => {
    const waiting = await wait(cedar)
    await poll(cedar)
    await open(waiting)
    answerDetailsWith(OWED)
    await poll(cedar)
    answerDetailsWith(FULL)
    await round(cedar)
    await round(cedar)
    expect(await alertsOf(waiting)).toEqual([])
    await round(cedar)
    expect(await alertsOf(waiting)).toHaveLength(1)
  })
})
