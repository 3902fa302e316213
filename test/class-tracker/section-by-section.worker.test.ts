import { env } from 'cloudflare:workers'
import { eq } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { observedAtOf, statusNowOf } from '../../src/class-tracker/courses/observed-at.ts'
import { pollSource } from '../../src/class-tracker/polling/poll-source.ts'
import { refreshSections } from '../../src/class-tracker/refresh/refresh-sections.ts'
import { query, readFirst } from '../../src/db/query.ts'
import { section as sectionTable, sectionGroup } from '../../src/db/schema/index.ts'
import { runContext } from '../worker/job-context.ts'
import { arrivedFor, loadSubject, type LoadedSubject, wait } from '../worker/loaded-subject.ts'
import { rows } from '../worker/rows.ts'
import { answerInstead } from '../worker/tampered-school.ts'
import { comeRound, poll } from '../worker/two-schools.ts'
import { runJob, until, world } from '../worker/world.ts'

/**
 * A school whose lists have no seats: each watched section is requested separately, and a refresh learns only texts.
 */

let harbor: LoadedSubject

beforeAll(async () => {
  await world.clearFaults()
  harbor = await loadSubject('harborPages', 'Harbor State University', 'MATH')
})

const refresh = () =>
  runJob(refreshSections, {
    school_id: harbor.school_id,
    term_id: harbor.term_id,
    subject_id: harbor.subject_id,
    by: 'test',
  })
const stored = () => rows('SELECT * FROM section WHERE group_id = ? ORDER BY id', harbor.group_id)
const shown = (id: number) =>
  readFirst(
    env.DB,
    query
      .select({ status: statusNowOf(sectionTable), observed_at: observedAtOf(sectionTable, sectionGroup) })
      .from(sectionTable)
      .innerJoin(sectionGroup, eq(sectionGroup.id, sectionTable.groupId))
      .where(eq(sectionTable.id, id)),
  )

test('a list gives no section a status, and changes nothing the second time', async () => {
  expect(harbor.sections.length).toBeGreaterThan(10)
  await refresh()
  const before = await stored()
  expect(new Set(before.map(({ status }) => status))).toEqual(new Set(['unknown']))
  await refresh()
  expect(await stored()).toEqual(before)
})

test('a poll reads only the watched sections; a refresh after it makes nothing look fresher', async () => {
  const { section } = await wait(harbor)
  await rows("UPDATE section SET status = 'unknown' WHERE id = ?", section.id)
  await poll(harbor)
  const polled = await shown(section.id)
  expect(polled?.status).toBe('closed')
  await refresh()
  expect(await shown(section.id)).toEqual({ status: 'unknown', observed_at: polled?.observed_at })
  await poll(harbor)
  const again = await shown(section.id)
  expect(again?.status).toBe('closed')
  expect(again?.observed_at).toBeGreaterThan(polled?.observed_at ?? Infinity)
  const read = await rows("SELECT id FROM section WHERE group_id = ? AND status <> 'unknown'", harbor.group_id)
  expect(read).toEqual([{ id: section.id }])
})

test('an opening causes one message, even with a refresh in between', async () => {
  const waiting = await wait(harbor)
  await poll(harbor)
  await world.set(waiting.section, { status: 'open' })
  await refresh()
  await poll(harbor)
  await poll(harbor)
  await until(
    () => arrivedFor(waiting),
    ({ sms, email }) => sms > 0 && email > 0,
    'a message',
  )
  expect(await arrivedFor(waiting)).toEqual({ sms: 1, email: 1 })
})

test('a poll that is cut off writes what it has read, and the next one begins with the section that did not come', async () => {
  await rows('DELETE FROM watch')
  const keys = new Set<string>()
  for (let count = 0; count < 3; count++) keys.add((await wait(harbor)).section.section)
  const asked: string[] = []
  let isStuck = true
  const restore = answerInstead((url, real) => {
    const key = url.searchParams.get('crn_in') ?? ''
    if (!keys.has(key)) return null
    asked.push(key)
    return isStuck && asked.length > 1 ? new Promise(() => {}) : real()
  })
  const observed = async () =>
    (
      await rows<{ section_key: string }>(
        'SELECT section_key FROM section WHERE group_id = ? AND watch_count > 0 AND unknown_since IS NULL',
        harbor.group_id,
      )
    ).map(({ section_key }) => section_key)
  try {
    await comeRound()
    // Five seconds of a run are for what comes after the reading.
    await pollSource.runWithRawInput(runContext({ deadline: Date.now() + 8000 }), { source_id: harbor.source_id })
    const [first, second] = asked
    expect(await observed()).toEqual([first])
    isStuck = false
    asked.length = 0
    await poll(harbor)
    expect(asked[0]).toBe(second)
    expect(new Set(await observed())).toEqual(keys)
  } finally {
    restore()
  }
})
