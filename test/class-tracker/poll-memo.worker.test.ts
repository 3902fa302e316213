import { afterEach, beforeAll, expect, test } from 'vitest'
import { pollSource } from '../../src/class-tracker/polling/poll-source.ts'
import { RunAgain } from '../../src/jobs/job.ts'
import { runContext } from '../worker/job-context.ts'
import { arrivedFor, loadSubject, type LoadedSubject, wait, type Waiting } from '../worker/loaded-subject.ts'
import { one, rows } from '../worker/rows.ts'
import { answerInstead } from '../worker/tampered-school.ts'
import { allIsWell, comeRound, open, poll } from '../worker/two-schools.ts'
import { until, world } from '../worker/world.ts'

/**
 * A school that lists the open sections of a whole term: each round compares the list's length with the previous one.
 */

let rutgers: LoadedSubject
let restore = () => {}

beforeAll(async () => {
  await world.clearFaults()
  rutgers = await loadSubject('rutgers', 'Harbor State University', 'ANTH', {
    ourName: 'Rutgers University–New Brunswick',
  })
})
afterEach(async () => {
  restore()
  restore = () => {}
  await allIsWell()
})

type Memo = Record<string, { believed: number; short?: { count: number; at: number } }>

const source = () => one<{ poll_memo: string | null }>('SELECT poll_memo FROM source WHERE id = ?', rutgers.source_id)
async function memo(): Promise<Memo[string]> {
  const { poll_memo } = await source()
  const [length] = Object.values(JSON.parse(poll_memo ?? '{}') as Memo)
  return length ?? expect.fail(`nothing is remembered: ${poll_memo}`)
}

/** Less than two thirds of what is open in the whole term. */
const SHORT_LENGTH = 70

/** More than a third of the list is lost, and the section with it. */
function shorten({ section }: Waiting): void {
  restore()
  restore = answerInstead((url, real) => {
    if (!url.pathname.endsWith('/openSections.json')) return null
    return real().then(async (response) => {
      const others = (await response.json<string[]>()).filter((index) => index !== section.section)
      return Response.json(others.slice(0, SHORT_LENGTH))
    })
  })
}

/** Someone waits for a section that is open, and known to be. */
async function waitAtOpen(): Promise<Waiting> {
  const waiting = await wait(rutgers)
  await poll(rutgers)
  await open(waiting)
  await poll(rutgers)
  expect(await statusOf(waiting)).toBe('open')
  return waiting
}

const statusOf = async ({ section }: Waiting) =>
  (await one<{ status: string }>('SELECT status FROM section WHERE id = ?', section.id)).status

test('a list that loses half its rows is believed by a later round, a minute after it was first seen', async () => {
  const waiting = await waitAtOpen()
  const { believed } = await memo()
  expect(believed).toBeGreaterThan(2 * SHORT_LENGTH)
  shorten(waiting)
  await poll(rutgers)
  const first = await memo()
  expect(first).toMatchObject({ believed, short: { count: SHORT_LENGTH } })
  expect(await statusOf(waiting)).toBe('open')
  await poll(rutgers)
  expect(await memo()).toEqual(first)
  expect(await statusOf(waiting)).toBe('open')
  await rows(
    'UPDATE source SET poll_memo = replace(poll_memo, ?, ?)',
    String(first.short?.at),
    String(Date.now() - 60_000),
  )
  await allIsWell()
  await poll(rutgers)
  expect(await statusOf(waiting)).toBe('closed')
  expect(await memo()).toEqual({ believed: SHORT_LENGTH })
})

test('a list that is complete again is used as before, and no one is notified twice', async () => {
  restore()
  await poll(rutgers)
  const waiting = await waitAtOpen()
  const before = await source()
  shorten(waiting)
  await poll(rutgers)
  restore()
  await allIsWell()
  await poll(rutgers)
  expect(await source()).toEqual(before)
  await until(
    () => arrivedFor(waiting),
    ({ sms }) => sms > 0,
    'a message',
  )
  expect(await arrivedFor(waiting)).toEqual({ sms: 1, email: 1 })
})

test('what is remembered is written only if it changed', async () => {
  await poll(rutgers)
  await rows("UPDATE source SET poll_memo = poll_memo || ' ' WHERE id = ?", rutgers.source_id)
  const { poll_memo } = await source()
  await poll(rutgers)
  expect((await source()).poll_memo).toBe(poll_memo?.trim())
  await rows(
    `CREATE TRIGGER refuse_memo BEFORE UPDATE OF poll_memo ON source BEGIN SELECT raise(ABORT, 'the memo was written'); END`,
  )
  try {
    await poll(rutgers)
  } finally {
    await rows('DROP TRIGGER refuse_memo')
  }
})

test('a list with too many openings is read again only when the school has made a new one', async () => {
  const waiting = await wait(rutgers)
  await poll(rutgers)
  await open(waiting)
  await comeRound()
  const startedAt = Date.now()
  const found = await pollSource.runWithRawInput(runContext({ deadline: Date.now() + 20_000 }), {
    source_id: rutgers.source_id,
    round_started_at: startedAt,
    opened: 20,
  })
  if (!(found instanceof RunAgain)) throw new Error('nothing is read again')
  expect(found).toMatchObject({ input: { reread: { groups: [rutgers.group_id] } } })
  expect(found.at).toBeGreaterThanOrEqual(startedAt + 60_000)
  expect(await statusOf(waiting)).toBe('closed')
  const now = () => Date.now() + found.at - startedAt
  await pollSource.runWithRawInput(runContext({ now, deadline: now() + 20_000 }), found.input)
  expect(await statusOf(waiting)).toBe('open')
})
