import { env } from 'cloudflare:workers'
import { eq } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { observedAtOf, statusNowOf } from '../../src/class-tracker/courses/observed-at.ts'
import {
  type StoredSection,
  compareSections,
  type GroupRead,
  type JudgedSection,
} from '../../src/class-tracker/refresh/compare-sections.ts'
import { readStoredSections } from '../../src/class-tracker/refresh/write-sections.ts'
import type { Absence } from '../../src/class-tracker/polling/absence.ts'
import { recordObservations } from '../../src/class-tracker/polling/record-observations.ts'
import { setStatus } from '../../src/class-tracker/polling/set-status.ts'
import { NO_FIGURES } from '../../src/sources/judge.ts'
import { type MadeGroup, makeGroup, makeRecipient, makeWatch, readOf } from '../worker/catalog.ts'
import { unheard } from '../worker/job-context.ts'
import { type FlatSection, alreadyJudged, writeReads } from '../worker/judged-section.ts'
import { loadSubject, wait, type LoadedSubject } from '../worker/loaded-subject.ts'
import { inserted, rows } from '../worker/rows.ts'
import { poll } from '../worker/two-schools.ts'
import { Killed, killedAt } from '../worker/watched-database.ts'
import { world } from '../worker/world.ts'
import { query, readFirst } from '../../src/db/query.ts'
import { section as sectionTable, sectionGroup } from '../../src/db/schema/index.ts'
import { trackerStaff } from '../worker/tracker-staff.ts'

/** The time shown beside a status is never later than its last believed read. */

let group: MadeGroup

const section = (change: Partial<FlatSection> = {}): JudgedSection =>
  alreadyJudged({
    section_key: '10001',
    subject: 'CS',
    code: 'CS',
    level: '101',
    title: 'Rings',
    number: '10001',
    section: '1',
    topic: 'Rings',
    status: 'closed',
    seats_available: 0,
    seats_for_anyone: null,
    capacity: 30,
    waitlist_available: null,
    instruction_list: [{ name: 'Noether', days_times: 'MoWe 9:05AM - 10:20AM' }],
    instruction_mode: 'In Person',
    stated: null,
    figures: NO_FIGURES,
    doubts: [],
    why_unknown: null,
    ...change,
  })
const open = { status: 'open', seats_available: 2 } as const

/** Writes an answer that was requested at `asked_at`, based on what was known then. */
async function write(to: MadeGroup, asked_at: number, known: StoredSection[], sections: JudgedSection[]) {
  const { group_id, subject_id, school_term_id } = to
  const read: GroupRead = { group_id, subject_id, asked_at, seen_at: asked_at, known_at: asked_at, known, sections }
  return writeReads(env.DB, school_term_id, asked_at, [read])
}
const known = (of = group) => readStoredSections(env.DB, [of.group_id])
const refresh = async (asked_at: number, change: Partial<FlatSection> = {}, of = group) =>
  write(of, asked_at, await known(of), [section(change)])
const shown = (id: number) =>
  readFirst(
    env.DB,
    query
      .select({ status: statusNowOf(sectionTable), observed_at: observedAtOf(sectionTable, sectionGroup) })
      .from(sectionTable)
      .innerJoin(sectionGroup, eq(sectionGroup.id, sectionTable.groupId))
      .where(eq(sectionTable.id, id)),
  )
const idOf = async (of = group) => {
  const [row] = await rows<{ id: number }>(
    'SELECT id FROM section WHERE school_term_id = ? ORDER BY id',
    of.school_term_id,
  )
  return row?.id ?? 0
}

beforeEach(async () => {
  group = await makeGroup()
})

/** Another group of the same subject and term. */
const otherGroup = async (): Promise<MadeGroup> => ({
  ...group,
  group_id: await inserted(
    "INSERT INTO section_group (source_id, school_term_id, subject_id, career) VALUES (?, ?, ?, 'GRAD') RETURNING id",
    group.source_id,
    group.school_term_id,
    group.subject_id,
  ),
})

describe('a section that no one watches', () => {
  test('keeps what a newer refresh confirmed without a change', async () => {
    await refresh(1000)
    const before = await known()
    await refresh(3000)
    await write(group, 2000, before, [section(open)])
    expect(await shown(await idOf())).toEqual({ status: 'closed', observed_at: 3000 })
  })

  test('counts as unread by an answer that does not name its course', async () => {
    await refresh(1000)
    await refresh(2000, { ...open, level: '' })
    expect(await shown(await idOf())).toEqual({ status: 'unknown', observed_at: 1000 })
    await refresh(3000, open)
    expect(await shown(await idOf())).toEqual({ status: 'open', observed_at: 3000 })
  })
})

describe('a watched section', () => {
  const watch = async () => makeWatch(await makeRecipient(), await idOf())

  test('counts as read by an answer that does not name its course', async () => {
    await refresh(1000)
    await watch()
    await refresh(2000, { ...open, level: '' })
    expect(await shown(await idOf())).toEqual({ status: 'open', observed_at: 2000 })
  })

  test('with different seats is written only by its own proposal', async () => {
    await refresh(1000)
    await watch()
    const { group_id, subject_id } = group
    const times = { asked_at: 2000, seen_at: 2000, known_at: 2000 }
    const read: GroupRead = { group_id, subject_id, ...times, known: await known(), sections: [section(open)] }
    const changes = compareSections([read])
    expect([changes.writes, changes.proposals.length]).toEqual([[], 1])
  })

  test.each([
    ['removed', 'DELETE FROM watch WHERE section_id = ?'],
    ['archived', 'UPDATE watch SET archived_at = 3000 WHERE section_id = ?'],
  ])('was read by the last poll before its watch was %s, until a refresh reads it', async (_what, end) => {
    await refresh(1000)
    await watch()
    await rows('UPDATE section_group SET read_at = 2500 WHERE id = ?', group.group_id)
    await rows(end, await idOf())
    expect(await shown(await idOf())).toEqual({ status: 'closed', observed_at: 2500 })
    await refresh(4000, open)
    expect(await shown(await idOf())).toEqual({ status: 'open', observed_at: 4000 })
  })

  test('whose watch ends before its first poll does not count as read by polls of its group', async () => {
    await refresh(1000)
    await rows(
      'INSERT INTO watch (recipient_id, section_id, is_new, created_at) VALUES (?, ?, 1, 1500)',
      await makeRecipient(),
      await idOf(),
    )
    await rows('UPDATE section_group SET read_at = 2500 WHERE id = ?', group.group_id)
    await rows('DELETE FROM watch WHERE section_id = ?', await idOf())
    expect(await shown(await idOf())).toEqual({ status: 'closed', observed_at: 1000 })
  })

  describe('newly watched, in a group that was read later than a refresh asked', () => {
    beforeEach(async () => {
      await refresh(1000)
      await rows(
        'INSERT INTO watch (recipient_id, section_id, is_new, created_at) VALUES (?, ?, 1, 1500)',
        await makeRecipient(),
        await idOf(),
      )
      await rows('UPDATE section_group SET read_at = 5000 WHERE id = ?', group.group_id)
    })

    test('is unknown after that refresh found another status, until a newer refresh', async () => {
      await refresh(3000, open)
      expect(await shown(await idOf())).toEqual({ status: 'unknown', observed_at: 1000 })
      await refresh(6000, open)
      expect(await shown(await idOf())).toEqual({ status: 'open', observed_at: 6000 })
    })

    test('counts as read by that refresh if it found the same status', async () => {
      await refresh(3000)
      expect(await shown(await idOf())).toEqual({ status: 'closed', observed_at: 3000 })
    })

    test('is as a person sets it, whatever an earlier refresh found', async () => {
      const before = await known()
      await setStatus(
        { ...env, LEDGER: unheard },
        trackerStaff,
        [await idOf()],
        { status: 'waitlisted', seats_available: 0 },
        5500,
      )
      await write(group, 4000, before, [section(open)])
      expect(await shown(await idOf())).toMatchObject({ status: 'waitlisted' })
    })

    test('stays missing if it was missing before', async () => {
      await rows('UPDATE section SET missing_since = 900 WHERE id = ?', await idOf())
      await refresh(3000, open)
      expect(await shown(await idOf())).toEqual({ status: 'unknown', observed_at: 900 })
      await refresh(6000, open)
      expect(await shown(await idOf())).toEqual({ status: 'open', observed_at: 6000 })
    })
  })

  test('missing when its watch ended keeps its earlier time', async () => {
    await refresh(1000)
    await watch()
    await rows('UPDATE section_group SET read_at = 2500 WHERE id = ?', group.group_id)
    await rows('UPDATE section SET missing_since = 1500 WHERE id = ?', await idOf())
    await rows('DELETE FROM watch WHERE section_id = ?', await idOf())
    expect(await shown(await idOf())).toEqual({ status: 'unknown', observed_at: 1500 })
    expect(await rows('SELECT watched_read_at FROM section WHERE id = ?', await idOf())).toEqual([
      { watched_read_at: null },
    ])
  })
})

describe('an answer based on a state from before another read', () => {
  const readTimes = async () => {
    const [row] = await rows('SELECT read_at, listed_at FROM section_group WHERE id = ?', group.group_id)
    return row
  }
  /** Recorded at 4000: requested at 3000, based on what was known at 1500. */
  const late = async (absence: Pick<Absence, 'missing' | 'unknown' | 'observed'>) =>
    recordObservations(env.DB, {
      pollId: crypto.randomUUID(),
      now: 4000,
      proposals: [],
      groups: [{ ...readOf(group, 1500), asked_at: 3000, seen_at: 3000, absence: { ...absence, why: null } }],
    })

  beforeEach(async () => {
    await refresh(1000)
    await makeWatch(await makeRecipient(), await idOf())
    await refresh(2000)
  })

  test('of a poll does not change the time', async () => {
    await late({ missing: [], unknown: [], observed: [] })
    expect(await readTimes()).toEqual({ read_at: 2000, listed_at: 2000 })
  })

  test('of a refresh does not change the times', async () => {
    const { group_id, subject_id, school_term_id } = group
    const read = { group_id, subject_id, asked_at: 3000, seen_at: 3000, known_at: 1500, known: await known() }
    await writeReads(env.DB, school_term_id, 4000, [{ ...read, sections: [section()] }])
    expect(await readTimes()).toEqual({ read_at: 2000, listed_at: 2000 })
  })

  test.each(['missing', 'unknown'] as const)('undoes no later observation (%s)', async (what) => {
    const none = { missing: [], unknown: [], observed: [] }
    await rows('UPDATE section_group SET listed_at = 1000 WHERE id = ?', group.group_id)
    await late({ ...none, [what]: [await idOf()] })
    expect(await shown(await idOf())).toEqual({ status: 'closed', observed_at: 2000 })
  })

  test.each(['missing_since', 'unknown_since'])(
    'does not count as an observation of what was not observed since (%s)',
    async (column) => {
      await rows(`UPDATE section SET ${column} = 1000 WHERE id = ?`, await idOf())
      await late({ missing: [], unknown: [], observed: [await idOf()] })
      expect(await shown(await idOf())).toEqual({ status: 'unknown', observed_at: 1000 })
    },
  )
})

describe('a section listed by another group', () => {
  test('is not missing because its former group, whose sections were read before, no longer lists it', async () => {
    await refresh(1000)
    const former = await known()
    await refresh(2000, open, await otherGroup())
    await write(group, 3000, former, [section({ section_key: '10002', number: '10002' })])
    expect(await shown(await idOf())).toEqual({ status: 'open', observed_at: 2000 })
  })

  test('that is watched keeps the time of its former group until a poll finds it', async () => {
    await refresh(1000)
    await makeWatch(await makeRecipient(), await idOf())
    await refresh(1500)
    await refresh(2000, open, await otherGroup())
    expect(await shown(await idOf())).toEqual({ status: 'unknown', observed_at: 1500 })
  })

  test('with contradictory figures there counts as unread', async () => {
    await refresh(1000)
    const doubt = { status: 'unknown', seats_available: null, capacity: null, doubt: 'It says so.' } as const
    await refresh(2000, doubt, await otherGroup())
    expect(await shown(await idOf())).toEqual({ status: 'unknown', observed_at: 1000 })
  })

  test('counts as unread by a refresh in which its former group lists only others', async () => {
    await refresh(1000)
    await makeWatch(await makeRecipient(), await idOf())
    await rows('UPDATE section SET unknown_since = 1000 WHERE id = ?', await idOf())
    const other = await otherGroup()
    const { subject_id, school_term_id } = group
    const times = { subject_id, asked_at: 2000, seen_at: 2000, known_at: 2000 }
    const another = section({ section_key: '10002', number: '10002' })
    await writeReads(env.DB, school_term_id, 2000, [
      { ...times, group_id: group.group_id, known: await known(), sections: [another] },
      { ...times, group_id: other.group_id, known: await known(other), sections: [section(open)] },
    ])
    expect(await shown(await idOf())).toEqual({ status: 'unknown', observed_at: 1000 })
  })

  test('that no one watches gets what the other group says', async () => {
    await refresh(1000)
    await refresh(1500, open)
    await refresh(2000, {}, await otherGroup())
    expect(await shown(await idOf())).toEqual({ status: 'closed', observed_at: 2000 })
  })
})

describe('a watched section that was not observed before it was watched', () => {
  let harbor: LoadedSubject

  beforeAll(async () => {
    await world.clearFaults()
    harbor = await loadSubject('harbor', 'Harbor State University', 'CSCI')
  })

  test.each(['missing_since', 'unknown_since'])('shows what a poll finds (%s)', async (column) => {
    const { section: watched } = await wait(harbor)
    await rows(`UPDATE section SET ${column} = 1000 WHERE id = ?`, watched.id)
    await rows('UPDATE section_group SET read_at = 1000, last_error = NULL WHERE id = ?', harbor.group_id)
    await poll(harbor)
    const now = await shown(watched.id)
    expect(now?.status).toBe('closed')
    expect(now?.observed_at).toBeGreaterThan(1000)
  })
})

describe('a person who sets the status of a section that the school no longer lists', () => {
  test.each([1, 2, 3, 4])('is believed at once or not at all if the server dies after %d round trips', async (trip) => {
    await refresh(1000)
    await makeWatch(await makeRecipient([{ kind: 'email', address: `said${trip}@example.com` }]), await idOf())
    await rows('UPDATE section SET missing_since = 1000 WHERE id = ?', await idOf())
    const dying = { ...env, DB: killedAt(trip, 'after'), LEDGER: unheard }
    const entered = { status: 'open', seats_available: 2 } as const
    await setStatus(dying, trackerStaff, [await idOf()], entered, 2000).catch((error: unknown) => {
      if (!(error instanceof Killed)) throw error
    })
    const alerts = await rows('SELECT id FROM class_alert WHERE section_id = ?', await idOf())
    expect([(await shown(await idOf()))?.status, alerts.length]).toEqual(trip === 1 ? ['unknown', 0] : ['open', 1])
  })
})
