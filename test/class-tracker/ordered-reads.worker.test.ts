import { env } from 'cloudflare:workers'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { CourseSection } from '../../src/class-tracker/courses/contract.ts'
import { pollSource } from '../../src/class-tracker/polling/poll-source.ts'
import { setStatus } from '../../src/class-tracker/polling/set-status.ts'
import { refreshSections } from '../../src/class-tracker/refresh/refresh-sections.ts'
import { RunAgain } from '../../src/jobs/job.ts'
import { untilSettled } from '../worker/dying-consumers.ts'
import { runContext } from '../worker/job-context.ts'
import { arrivedFor, loadSubject, wait, type LoadedSubject, type Waiting } from '../worker/loaded-subject.ts'
import { rows } from '../worker/rows.ts'
import { answerInstead } from '../worker/tampered-school.ts'
import { trackerStaff } from '../worker/tracker-staff.ts'
import { allIsWell, close, comeRound, open, poll } from '../worker/two-schools.ts'
import { addUser, Visitor } from '../worker/visitor.ts'
import { runJob, until, world } from '../worker/world.ts'

/** Answers that arrive later than newer ones, and answers with less content than the previous one. */

let harbor: LoadedSubject
let staff: Visitor
let restore = () => {}

beforeAll(async () => {
  await world.clearFaults()
  staff = await Visitor.loggedInAs(await addUser({ isSuperuser: true }))
  await staff.see('/class_tracker/manage_course_list/')
  harbor = await loadSubject('harbor', 'Harbor State University', 'CSCI')
  await rows('UPDATE source SET is_second_look_on = 0')
})
afterEach(async () => {
  restore()
  restore = () => {}
  await allIsWell()
  await rows('DELETE FROM watch')
})

const isSearch = (url: URL) => url.pathname.includes('searchResults/searchResults')

/** The next search (of one subject) gets its answer now and returns it when released. */
function holdNextSearch(subject: string | null = null): { asked: Promise<void>; release: () => void } {
  const asked = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  let isHeld = false
  restore = answerInstead((url, real) => {
    if (
      !isSearch(url) ||
      isHeld ||
      url.searchParams.get('txt_subject') !== (subject ?? url.searchParams.get('txt_subject'))
    )
      return null
    isHeld = true
    return real().then(async (response) => {
      const body = await response.text()
      asked.resolve()
      await gate.promise
      return new Response(body, response)
    })
  })
  return { asked: asked.promise, release: gate.resolve }
}

/** The rows of every search, changed. */
function change(alter: (row: Record<string, unknown>) => Record<string, unknown>): void {
  restore = answerInstead((url, real) => {
    if (!isSearch(url)) return null
    return real().then(async (response) => {
      const answer = await response.json<{ data: Record<string, unknown>[] }>()
      return Response.json({ ...answer, data: answer.data.map(alter) })
    })
  })
}

const inputOf = ({ school_id, term_id, subject_id }: LoadedSubject) => ({ school_id, term_id, subject_id, by: 'test' })
const refresh = (loaded: LoadedSubject) => runJob(refreshSections, inputOf(loaded))
/** A refresh that runs here, so that the test can delay its answers. */
const refreshHere = (loaded: LoadedSubject) =>
  refreshSections.runWithRawInput(runContext({ deadline: Date.now() + 20_000 }), inputOf(loaded))
const openingsOf = ({ section }: Waiting) => rows('SELECT id FROM opening WHERE section_id = ?', section.id)
const statusOf = ({ section }: Waiting) => rows('SELECT status FROM section WHERE id = ?', section.id)
const readAt = ({ group_id }: LoadedSubject) =>
  rows<{ read_at: number }>('SELECT read_at FROM section_group WHERE id = ?', group_id).then(
    ([row]) => row?.read_at ?? 0,
  )

describe("an answer that is older than a person's edit", () => {
  const setTo = (waiting: Waiting, status: 'open' | 'closed') =>
    setStatus(env, trackerStaff, [waiting.section.id], { status, seats_available: null }, Date.now())
  /** Polls and refreshes that run here, so that the test can delay their answers. */
  const ways: [string, (loaded: LoadedSubject) => Promise<unknown>][] = [
    [
      'poll',
      async ({ source_id }) => {
        await comeRound()
        return pollSource.runWithRawInput(runContext({ deadline: Date.now() + 20_000 }), { source_id })
      },
    ],
    ['refresh', refreshHere],
  ]

  test.each(ways)('is ignored, even if the edit changed nothing: %s', async (_, ask) => {
    const waiting = await wait(harbor)
    await poll(harbor)
    await setTo(waiting, 'closed')
    await open(waiting)
    const held = holdNextSearch()
    const asking = ask(harbor)
    await held.asked
    await setTo(waiting, 'closed')
    held.release()
    await asking
    expect(await statusOf(waiting)).toEqual([{ status: 'closed' }])
    expect(await openingsOf(waiting)).toEqual([])
    await poll(harbor)
    await untilSettled([waiting.recipient])
    expect(await arrivedFor(waiting)).toEqual({ sms: 1, email: 1 })
  })

  test('still opens the other sections of the subject', async () => {
    const [edited, opened] = [await wait(harbor), await wait(harbor)]
    await poll(harbor)
    await open(opened)
    await comeRound()
    const held = holdNextSearch()
    const asking = pollSource.runWithRawInput(runContext({ deadline: Date.now() + 20_000 }), {
      source_id: harbor.source_id,
    })
    await held.asked
    await setTo(edited, 'closed')
    held.release()
    await asking
    expect(await openingsOf(opened)).toHaveLength(1)
    expect(await openingsOf(edited)).toEqual([])
    // Messages say that it was checked then, and not when it was last seen closed.
    const [seen] = await rows<{ read_at: number; last_closed_at: number }>(
      `SELECT read_at, last_closed_at FROM opening JOIN section ON section.id = section_id
       JOIN section_group ON section_group.id = group_id WHERE section_id = ?`,
      opened.section.id,
    )
    expect(seen?.read_at).toBeGreaterThan(seen?.last_closed_at ?? Infinity)
  })

  test('does not close a section that no one watches, either', async () => {
    const waiting = await wait(harbor)
    await rows('DELETE FROM watch')
    await open(waiting)
    await refreshHere(harbor)
    await setTo(waiting, 'open')
    await close(waiting)
    const held = holdNextSearch()
    const asking = refreshHere(harbor)
    await held.asked
    await setTo(waiting, 'open')
    held.release()
    await asking
    expect(await statusOf(waiting)).toEqual([{ status: 'open' }])
  })
})

test("free seats that a person entered end with the school's next answer, even if it gives none", async () => {
  const school = 'Cedar Valley Community College'
  const [first] = await world.sections({ school })
  const cedar = await loadSubject('fose', school, first?.subject ?? '')
  await rows('UPDATE source SET is_second_look_on = 0')
  const input = { school_id: cedar.school_id, term_id: cedar.term_id, subject_id: cedar.subject_id, by: 'test' }
  for (const read of [() => poll(cedar), () => runJob(refreshSections, input)]) {
    const waiting = await wait(cedar)
    const { id } = waiting.section
    await open(waiting)
    await setStatus(env, trackerStaff, [id], { status: 'open', seats_available: 3 }, Date.now())
    expect(await rows('SELECT status, seats_available FROM section WHERE id = ?', id)).toEqual([
      { status: 'open', seats_available: 3 },
    ])
    await read()
    expect(await rows('SELECT status, seats_available FROM section WHERE id = ?', id)).toEqual([
      { status: 'open', seats_available: null },
    ])
  }
})

describe('a refresh with an older answer than a poll', () => {
  test('does not close what the poll opened: one opening is one message', async () => {
    const waiting = await wait(harbor)
    await poll(harbor)
    const held = holdNextSearch()
    const refreshing = refreshHere(harbor)
    await held.asked
    await open(waiting)
    await poll(harbor)
    const newest = await readAt(harbor)
    held.release()
    await refreshing
    expect(await readAt(harbor)).toBe(newest)
    expect(await statusOf(waiting)).toEqual([{ status: 'open' }])
    await poll(harbor)
    expect(await openingsOf(waiting)).toHaveLength(1)
    await untilSettled([waiting.recipient])
    expect(await arrivedFor(waiting)).toEqual({ sms: 1, email: 1 })
    expect(await rows('SELECT count(*) AS alerts FROM class_alert WHERE recipient_id = ?', waiting.recipient)).toEqual([
      { alerts: 1 },
    ])
  })

  test('notifies no one of a seat that was taken again, and the real opening is notified', async () => {
    const waiting = await wait(harbor)
    await open(waiting)
    const held = holdNextSearch()
    const refreshing = refreshHere(harbor)
    await held.asked
    await close(waiting)
    await poll(harbor)
    held.release()
    await refreshing
    expect(await openingsOf(waiting)).toEqual([])
    expect(await statusOf(waiting)).toEqual([{ status: 'closed' }])
    await open(waiting)
    await poll(harbor)
    await untilSettled([waiting.recipient])
    expect(await arrivedFor(waiting)).toEqual({ sms: 1, email: 1 })
  })
})

describe('a watched section with an implausible status', () => {
  test('counts as unobserved: it keeps the time of its last plausible read, and the group says why', async () => {
    const waiting = await wait(harbor)
    await poll(harbor)
    await rows('UPDATE section_group SET read_at = 1000 WHERE id = ?', harbor.group_id)
    change((row) => ({ ...row, seatsAvailable: 5, enrollment: Number(row['maximumEnrollment']) + 3 }))
    await poll(harbor)
    await poll(harbor)
    const page = await staff.see<{ recipients: { id: number; watched_sections: CourseSection[] }[] }>(
      '/class_tracker/add_classes/',
    )
    const [shown] = page.data.props.recipients.find(({ id }) => id === waiting.recipient)?.watched_sections ?? []
    expect(shown).toMatchObject({ status: 'unknown', observed_at: new Date(1000).toISOString() })
    expect(await rows('SELECT last_error FROM section_group WHERE id = ?', harbor.group_id)).toEqual([
      { last_error: expect.stringContaining(`The status of ${waiting.section.section} is not credible: `) },
    ])
    restore()
    await open(waiting)
    await poll(harbor)
    expect(await rows('SELECT last_closed_at FROM opening WHERE section_id = ?', waiting.section.id)).toEqual([
      { last_closed_at: 1000 },
    ])
    expect(await rows('SELECT last_error FROM section_group WHERE id = ?', harbor.group_id)).toEqual([
      { last_error: null },
    ])
  })

  test('is still offered for selection, as unknown', async () => {
    change((row) => ({ ...row, seatsAvailable: 0.5 }))
    await refresh(harbor)
    const answer = await staff.call('GET', `/class_tracker/get_course_sections/${harbor.term_id}/${harbor.subject_id}`)
    const { sections } = await answer.json<{ sections: CourseSection[] }>()
    expect(sections).toHaveLength(harbor.sections.length)
    expect(new Set(sections.map(({ status }) => status))).toEqual(new Set(['unknown']))
  })
})

describe('an answer with less text than the previous one', () => {
  test('overwrites no text, and the refresh reports it', async () => {
    await refresh(harbor)
    const texts = () =>
      rows(
        `SELECT s.id, s.topic, s.section, s.instruction_list, s.instruction_mode, s.course_level, c.title
         FROM section s JOIN course c ON c.id = s.course_id WHERE s.group_id = ? ORDER BY s.id`,
        harbor.group_id,
      )
    const before = await texts()
    change(({ courseTitle: _title, faculty: _faculty, meetingsFaculty: _meetings, ...row }) => row)
    const job = await refresh(harbor)
    expect(job).toMatchObject({
      state: 'finished',
      result: {
        warnings: [
          expect.stringMatching(
            /: \d+ sections came without a title, meetings or course\. The stored data was kept\.$/,
          ),
        ],
      },
    })
    expect(await texts()).toEqual(before)
    restore()
    expect(await refresh(harbor)).toMatchObject({ result: { warnings: [] } })
    expect(await texts()).toEqual(before)
  })

  test('without course numbers moves nothing to another course', async () => {
    const before = await rows('SELECT count(*) AS courses FROM course')
    change(({ courseNumber: _number, ...row }) => row)
    expect(await refresh(harbor)).toMatchObject({ state: 'finished', result: { warnings: [expect.any(String)] } })
    expect(await rows('SELECT count(*) AS courses FROM course')).toEqual(before)
    expect(await rows("SELECT id FROM section WHERE course_level = ''")).toEqual([])
  })
})

describe('a school that asks us to wait', () => {
  test('for 3 000 years is asked again within an hour', async () => {
    restore = answerInstead((url) =>
      isSearch(url)
        ? Promise.resolve(new Response('', { status: 429, headers: { 'retry-after': '99999999999' } }))
        : null,
    )
    const again = await refreshHere(harbor)
    if (!(again instanceof RunAgain)) throw new Error('the refresh does not run again')
    expect(again.at).toBeLessThanOrEqual(Date.now() + 3_600_000)
  })
})

describe('an opening', () => {
  test('does not wait for a slow answer about another subject', async () => {
    const other = await loadSubject('harbor', 'Harbor State University', 'MATH', { source: harbor.source_id })
    await wait(other)
    const waiting = await wait(harbor)
    await poll(harbor)
    await rows('UPDATE section_group SET asked_at = 1 WHERE id = ?', harbor.group_id)
    await open(waiting)
    const held = holdNextSearch('MATH')
    await rows('UPDATE section_group SET asked_at = asked_at - 100000')
    const input = { source_id: harbor.source_id, may_walk_term: false }
    const polling = pollSource.runWithRawInput(runContext({ deadline: Date.now() + 20_000 }), input)
    await held.asked
    await until(
      () => arrivedFor(waiting),
      ({ sms, email }) => sms === 1 && email === 1,
      'the messages',
    )
    held.release()
    expect(await polling).toMatchObject({ asked: 2, believed: 2, openings: 1 })
  })
})
