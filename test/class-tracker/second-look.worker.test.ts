import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { pollSource } from '../../src/class-tracker/polling/poll-source.ts'
import { refreshSections } from '../../src/class-tracker/refresh/jobs.ts'
import { untilSettled } from '../worker/doomed.ts'
import { arrivedFor, learn, wait, type Learned, type Waiting } from '../worker/learned.ts'
import { rows } from '../worker/rows.ts'
import { answerInstead } from '../worker/tampered-school.ts'
import { allIsWell, comeRound, open, poll } from '../worker/two-schools.ts'
import { runJob, world } from '../worker/world.ts'

/** A school whose list says open, and whose enrollment details say what they like. */

let harbor: Learned
let subjects: Learned[]
let restore = () => {}
let looks = 0

beforeAll(async () => {
  await world.clearFaults()
  harbor = await learn('harbor', 'Harbor State University', 'CSCI')
  const others = { source: harbor.source_id }
  subjects = [
    harbor,
    await learn('harbor', 'Harbor State University', 'MATH', others),
    await learn('harbor', 'Harbor State University', 'ENG', others),
  ]
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
  await rows('UPDATE source SET is_second_look_on = 1, overruled_look_count = 0, flicker_count = 0')
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
function say(answer: Details | 'nothing' | 'maintenance'): void {
  restore()
  restore = answerInstead((url) => {
    if (!url.pathname.includes('getEnrollmentInfo')) return null
    looks += 1
    if (answer === 'nothing') return new Promise(() => {})
    const html = answer === 'maintenance' ? '<html><body>We will be back soon.</body></html>' : details(answer)
    return Promise.resolve(new Response(html, { headers: { 'content-type': 'text/html' } }))
  })
}

/** A round, long enough after the last to be one of its own. */
async function round(): Promise<void> {
  await rows('UPDATE doubted_opening SET doubted_at = doubted_at - 15000')
  await poll(harbor)
}

const full = ({ section }: Waiting): Details => ({ capacity: section.capacity, enrolled: section.capacity })
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
  test('that agrees changes nothing: the message goes out after one more request', async () => {
    const waiting = await wait(harbor)
    await poll(harbor)
    await open(waiting)
    say({ capacity: waiting.section.capacity, enrolled: waiting.section.capacity - 1 })
    await poll(harbor)
    expect(await arrived(waiting)).toEqual({ sms: 1, email: 1 })
    expect(looks).toBe(1)
    await round()
    expect(looks).toBe(1)
  })

  test('that disagrees keeps the section closed and nobody is notified; the flicker is counted once', async () => {
    const waiting = await wait(harbor)
    await poll(harbor)
    await open(waiting)
    say(full(waiting))
    await poll(harbor)
    expect(await sectionOf(waiting)).toEqual({ status: 'closed', missing_since: null, unknown_since: null })
    await round()
    expect(looks).toBe(2)
    expect(await alertsOf(waiting)).toEqual([])
    expect(await sourceNow()).toMatchObject({ flicker_count: 1, overruled_look_count: 0 })
  })

  test('is overruled by a list that says open three rounds running', async () => {
    const waiting = await wait(harbor)
    await poll(harbor)
    await open(waiting)
    say(full(waiting))
    await poll(harbor)
    await round()
    await round()
    expect(await arrived(waiting)).toEqual({ sms: 1, email: 1 })
    expect(looks).toBe(2)
    expect(await sourceNow()).toMatchObject({ overruled_look_count: 1, is_second_look_on: 1 })
    expect(await rows('SELECT * FROM doubted_opening')).toEqual([])
  })

  test('starts anew after the list said closed in between', async () => {
    const waiting = await wait(harbor)
    await poll(harbor)
    await open(waiting)
    say(full(waiting))
    await poll(harbor)
    await round()
    await world.set(waiting.section, { status: 'closed' })
    await round()
    expect(await rows('SELECT * FROM doubted_opening')).toEqual([])
    await open(waiting)
    await round()
    expect(await alertsOf(waiting)).toEqual([])
    expect(looks).toBe(3)
  })

  test('is not counted twice within one round', async () => {
    const waiting = await wait(harbor)
    await poll(harbor)
    await open(waiting)
    say(full(waiting))
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
    say(answer)
    await poll(harbor)
    expect(await arrived(waiting)).toEqual({ sms: 1, email: 1 })
  })

  test('that never comes holds the message up two seconds at most', async () => {
    const waiting = await wait(harbor)
    await poll(harbor)
    await open(waiting)
    say('nothing')
    const startedAt = Date.now()
    await poll(harbor)
    expect(Date.now() - startedAt).toBeLessThan(5000)
    expect(await arrived(waiting)).toEqual({ sms: 1, email: 1 })
    // The seat was seen when the list said so, not when the second look was over.
    const [sent] = await rows<{ ms: number }>(
      `SELECT a.created_at - o.seen_open_at AS ms FROM opening o JOIN class_alert a ON a.opening_id = o.id
       WHERE a.recipient_id = ?`,
      waiting.recipient,
    )
    expect(sent?.ms).toBeGreaterThanOrEqual(1900)
  })

  test('is turned off, and staff are notified, after five in a row were overruled', async () => {
    await rows('UPDATE source SET overruled_look_count = 4 WHERE id = ?', harbor.source_id)
    const waiting = await wait(harbor)
    await poll(harbor)
    await open(waiting)
    say(full(waiting))
    await poll(harbor)
    await round()
    await round()
    expect(await arrived(waiting)).toEqual({ sms: 1, email: 1 })
    expect(await sourceNow()).toMatchObject({ is_second_look_on: 0, overruled_look_count: 5 })
    expect(await rows('SELECT kind, body FROM source_notice')).toEqual([
      { kind: 'second_look_off', body: expect.stringContaining('Harbor State University: the second look') },
    ])
    const another = await wait(harbor)
    await poll(harbor)
    const before = looks
    await open(another)
    await poll(harbor)
    expect(looks).toBe(before)
    expect(await arrived(another)).toEqual({ sms: 1, email: 1 })
  })

  test('that agrees once starts the count of the overruled anew', async () => {
    await rows('UPDATE source SET overruled_look_count = 4 WHERE id = ?', harbor.source_id)
    const waiting = await wait(harbor)
    await poll(harbor)
    await open(waiting)
    say({ capacity: waiting.section.capacity, enrolled: waiting.section.capacity - 1 })
    await poll(harbor)
    expect(await sourceNow()).toMatchObject({ is_second_look_on: 1, overruled_look_count: 0 })
  })

  test('is taken before a refresh opens a section, too', async () => {
    const waiting = await wait(harbor)
    await poll(harbor)
    await open(waiting)
    say(full(waiting))
    const { school_id, term_id, subject_id } = harbor
    const input = { school_id, term_id, subject_id, by: 'test', after_group: 0, done: 0, failures: [] }
    await runJob(refreshSections, input)
    expect(looks).toBe(1)
    expect(await sectionOf(waiting)).toMatchObject({ status: 'closed' })
    say({ capacity: waiting.section.capacity, enrolled: waiting.section.capacity - 1 })
    await rows('UPDATE doubted_opening SET doubted_at = doubted_at - 15000')
    await runJob(refreshSections, input)
    expect(await arrived(waiting)).toEqual({ sms: 1, email: 1 })
  })
})

describe('openings too many to believe at once', () => {
  /** Somebody waits for every section of three subjects. */
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

  beforeEach(async () => {
    await rows('DELETE FROM class_alert')
    await rows('UPDATE source SET is_second_look_on = 0')
  })

  test('are read a second time; what that read confirms is sent, and staff are told', async () => {
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

  test('of a school that lies once are sent to nobody', async () => {
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
    expect(notice?.body).toContain('A second read did not confirm it, and nobody was notified.')
    expect(all.length).toBeGreaterThan(20)
  })

  test('do not hold up a few seats that open in one poll', async () => {
    const all = await crowd()
    const some = all.slice(0, 5)
    for (const waiting of some) await open(waiting)
    await comeRound()
    const job = await runJob(pollSource, { source_id: harbor.source_id, requests: 0, may_walk_term: true })
    expect(job.result).toMatchObject({ openings: 5 })
    expect(await notices()).toEqual([])
  })
})
