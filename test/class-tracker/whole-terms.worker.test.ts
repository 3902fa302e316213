import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { releaseDueAlerts } from '../../src/class-tracker/alerts/release-alerts.ts'
import { listWatchedSections } from '../../src/class-tracker/recipients/list-recipients.ts'
import { readWholeTerm, type TermWalk } from '../../src/class-tracker/refresh/read-whole-term.ts'
import type { SchoolTerm } from '../../src/class-tracker/refresh/school-terms.ts'
import { schoolTermsOf } from '../../src/class-tracker/refresh/school-terms.ts'
import { SectionWriter } from '../../src/class-tracker/refresh/section-writer.ts'
import { known, unknown } from '../../src/sources/answer.ts'
import { NO_FIGURES } from '../../src/sources/judge.ts'
import { termEnd } from '../../src/sources/term-end.ts'
import { BudgetSpent, type Lane, type SourceSection } from '../../src/sources/source.ts'
import { type MadeGroup, makeGroup, makeRecipient, makeWatch } from '../worker/catalog.ts'
import { runContext } from '../worker/job-context.ts'
import { inserted, rows } from '../worker/rows.ts'

function listed(number: number, subject: string, change: Partial<SourceSection> = {}): SourceSection {
  return {
    section_key: String(10_000 + number),
    number: String(10_000 + number),
    subject,
    code: subject,
    level: String(100 + (number % 7)),
    title: `Course ${number % 7}`,
    section: String(number),
    topic: '',
    stated: 'closed',
    figures: NO_FIGURES,
    doubts: [],
    instruction_list: [{ name: 'Ada Lovelace', days_times: 'Mo 9:00AM - 9:50AM' }],
    instruction_mode: 'In Person',
    ...change,
  }
}

/** A school that returns its sections page by page; `fail` is thrown or returned before the page at that position. */
function laneOf(pages: SourceSection[][], fail: Record<number, 'budget' | 'broken' | 'limited'> = {}) {
  const asked: (string | null)[] = []
  const wholeTerm: Lane['wholeTerm'] = async function* (_scope, from) {
    asked.push(from ?? null)
    for (let at = Number(from ?? 0); at < pages.length; at++) {
      if (fail[at] === 'budget') throw new BudgetSpent(77_000)
      if (fail[at] === 'limited') {
        yield unknown('limited', 'The school asked us to wait.', 30)
        return
      }
      if (fail[at] === 'broken') {
        yield unknown('incomplete', 'The answer broke off.')
        return
      }
      yield known({
        sections: pages[at] ?? [],
        next: at + 1 < pages.length ? String(at + 1) : null,
      })
    }
  }
  // The only call used here.
  return { asked, lane: { wholeTerm } as Partial<Lane> as Lane }
}

interface Made {
  group: MadeGroup
  schoolTerm: SchoolTerm
  subject: string
}

async function makeTerm(): Promise<Made> {
  const group = await makeGroup()
  const found = await schoolTermsOf(env.DB, 0, group.term_id)
  const schoolTerm = found.find(({ id }) => id === group.school_term_id)
  const [subject] = await rows<{ key: string }>('SELECT key FROM subject WHERE id = ?', group.subject_id)
  if (!schoolTerm || !subject) throw new Error('the term was not made')
  return { group, schoolTerm, subject: subject.key }
}

async function readTerm({ schoolTerm }: Made, lane: Lane, walk: TermWalk | null = null) {
  const context = runContext({ job: { id: 'whole', attempt: 1, queue: 'refresh' } })
  const writer = new SectionWriter(context, { opened: {}, watched_read: {}, kept: {} })
  const counts: number[] = []
  const end = await readWholeTerm(context, {
    schoolTerm,
    lane,
    writer,
    walk,
    stopAt: Date.now() + 10_000,
    onPage: async (count) => {
      counts.push(count)
    },
  })
  return { end, counts }
}

const sectionsOf = ({ group }: Made) =>
  rows('SELECT * FROM section WHERE school_term_id = ? ORDER BY id', group.school_term_id)
const stateOf = ({ group }: Made) =>
  rows<{ section_key: string; unlisted: number; missing: number }>(
    'SELECT section_key, unlisted_at IS NOT NULL AS unlisted, missing_since IS NOT NULL AS missing FROM section WHERE school_term_id = ? ORDER BY section_key',
    group.school_term_id,
  )
const absentIn = async (made: Made) =>
  (await stateOf(made)).flatMap(({ section_key, unlisted, missing }) =>
    unlisted + missing > 0 ? [`${section_key}: ${missing ? 'missing' : 'not listed once'}`] : [],
  )

describe('a whole term', () => {
  test('ends on the last day that its pages report', async () => {
    const made = await makeTerm()
    const { year, time_zone } = made.schoolTerm
    const term_ends_on = `${year}-12-22`
    const wholeTerm: Lane['wholeTerm'] = async function* () {
      yield known({ sections: [listed(1, made.subject)], next: null, term_ends_on })
    }
    // The only call used here.
    await readTerm(made, { wholeTerm } as Partial<Lane> as Lane)
    const [ends] = await rows('SELECT ends_on, ends_at FROM school_term WHERE id = ?', made.schoolTerm.id)
    const ends_at = termEnd({ ...made.schoolTerm, ends_on: term_ends_on }, time_zone)
    expect(ends).toEqual({ ends_on: term_ends_on, ends_at })
  })

  test('keeps its last day if most classes of all its pages end later, even if those of the first do not', async () => {
    const made = await makeTerm()
    const { year } = made.schoolTerm
    const ending = (number: number, day: string) => listed(number, made.subject, { ends_on: `${year}-${day}` })
    const wholeTerm: Lane['wholeTerm'] = async function* () {
      const term_ends_on = `${year}-10-15`
      yield known({ sections: [ending(1, '10-15')], next: '1', term_ends_on })
      yield known({ sections: [ending(2, '12-15'), ending(3, '12-15')], next: null, term_ends_on })
    }
    // The only call used here.
    await readTerm(made, { wholeTerm } as Partial<Lane> as Lane)
    expect(await rows('SELECT ends_on FROM school_term WHERE id = ?', made.schoolTerm.id)).toEqual([{ ends_on: '' }])
  })

  test('is written page by page, and a second reading with the same answer writes no section', async () => {
    const made = await makeTerm()
    const { subject } = made
    const pages = [0, 1, 2].map((page) => Array.from({ length: 50 }, (_, index) => listed(page * 50 + index, subject)))
    expect(await readTerm(made, laneOf(pages).lane)).toEqual({ end: { kind: 'done' }, counts: [50, 100, 150] })
    const written = await sectionsOf(made)
    expect(written).toHaveLength(150)
    const [first] = await rows<{ listed_at: number; section_count: number }>(
      'SELECT listed_at, section_count FROM section_group WHERE id = ?',
      made.group.group_id,
    )
    expect(first?.section_count).toBe(150)
    await scheduler.wait(2)
    expect((await readTerm(made, laneOf(pages).lane)).end).toEqual({ kind: 'done' })
    expect(await sectionsOf(made)).toEqual(written)
    const [later] = await rows<{ listed_at: number }>(
      'SELECT listed_at FROM section_group WHERE id = ?',
      made.group.group_id,
    )
    expect(later?.listed_at).toBeGreaterThan(first?.listed_at ?? Infinity)
  })

  test.each(['budget', 'limited'] as const)(
    'stopped by %s resumes at its cursor, remembers what was listed, and marks nothing before',
    async (why) => {
      const made = await makeTerm()
      const { subject } = made
      const pages = [[listed(1, subject), listed(2, subject)], [listed(3, subject)], [listed(4, subject)]]
      await readTerm(made, laneOf(pages).lane)
      await scheduler.wait(2)
      const { end } = await readTerm(made, laneOf(pages, { 2: why }).lane)
      expect(end).toMatchObject({ kind: 'later', at: expect.any(Number), walk: { cursor: '2', count: 3 } })
      expect(await absentIn(made)).toEqual([])
      if (end.kind !== 'later') throw new Error('it did not stop')
      const rest = laneOf(pages)
      expect((await readTerm(made, rest.lane, end.walk)).end).toEqual({ kind: 'done' })
      expect(rest.asked).toEqual(['2'])
      expect(await absentIn(made)).toEqual([])
    },
  )

  test('marks a section as missing if two consecutive readings do not list it, and never deletes it', async () => {
    const made = await makeTerm()
    const { subject } = made
    const all = [listed(1, subject), listed(2, subject), listed(3, subject)]
    const read = async (sections: SourceSection[]) => {
      await scheduler.wait(2)
      return (await readTerm(made, laneOf([sections]).lane)).end
    }
    await read(all)
    await read(all.slice(0, 2))
    expect(await absentIn(made)).toEqual(['10003: not listed once'])
    await read(all)
    expect(await absentIn(made)).toEqual([])
    await read(all.slice(0, 2))
    await read(all.slice(0, 2))
    expect(await absentIn(made)).toEqual(['10003: missing'])
    expect(await sectionsOf(made)).toHaveLength(3)
    await read(all)
    expect(await absentIn(made)).toEqual([])
  })

  test('lists a section whose subject it no longer names', async () => {
    const made = await makeTerm()
    const { subject } = made
    for (const named of [subject, '', '']) {
      await scheduler.wait(2)
      await readTerm(made, laneOf([[listed(1, subject), listed(2, named)]]).lane)
    }
    expect(await absentIn(made)).toEqual([])
  })

  test('does not make a section that it did not list look freshly read, so nothing is sent on its strength', async () => {
    const made = await makeTerm()
    const { subject } = made
    const open = [listed(1, subject), listed(2, subject, { stated: 'open' }), listed(3, subject, { stated: 'open' })]
    await readTerm(made, laneOf([open]).lane)
    const recipient = await makeRecipient([{ kind: 'email', address: `unlisted-${made.subject}@example.com` }])
    const [watched, other] = await rows<{ id: number }>(
      "SELECT id FROM section WHERE school_term_id = ? AND status = 'open' ORDER BY section_key",
      made.group.school_term_id,
    )
    if (!watched || !other) throw new Error('the sections were not written')
    await makeWatch(recipient, watched.id)
    const old = Date.now() - 2 * 3600_000
    await rows('UPDATE section_group SET read_at = ?1, listed_at = ?1 WHERE id = ?2', old, made.group.group_id)
    await rows(
      "INSERT INTO opening (section_id, version, poll_id, seen_open_at) VALUES (?, 1, 'p', ?)",
      watched.id,
      old,
    )
    await rows(
      `INSERT INTO class_alert (opening_id, recipient_id, section_id, kind, created_at, release_at)
       SELECT id, ?1, section_id, 'opening', ?2, ?2 FROM opening WHERE section_id = ?3`,
      recipient,
      Date.now() - 60_000,
      watched.id,
    )
    const shown = async () =>
      (await listWatchedSections(env.DB, recipient, Date.now())).map(({ status, observed_at }) => [status, observed_at])
    const unread = () => rows('SELECT unknown_since FROM section WHERE id = ?', other.id)

    expect((await readTerm(made, laneOf([[listed(1, subject)]]).lane)).end).toEqual({ kind: 'done' })
    expect(await shown()).toEqual([['unknown', new Date(old).toISOString()]])
    expect(await unread()).toEqual([{ unknown_since: old }])
    expect(await releaseDueAlerts(env.DB, 'first', Date.now())).toMatchObject({ released: 0 })

    await scheduler.wait(2)
    const again = Date.now()
    await readTerm(made, laneOf([open]).lane)
    const [[status, observed_at] = []] = await shown()
    expect(status).toBe('open')
    expect(Date.parse(String(observed_at))).toBeGreaterThanOrEqual(again)
    expect(await unread()).toEqual([{ unknown_since: null }])
    expect(await releaseDueAlerts(env.DB, 'second', Date.now())).toMatchObject({ released: 1 })
  })

  test('reads the seats of a known section whose subject it no longer names', async () => {
    const made = await makeTerm()
    const { subject } = made
    await readTerm(made, laneOf([[listed(1, subject), listed(2, subject)]]).lane)
    await scheduler.wait(2)
    await readTerm(made, laneOf([[listed(1, subject), listed(2, '', { code: subject, stated: 'open' })]]).lane)
    expect(
      await rows(
        'SELECT section_key, status FROM section WHERE group_id = ? ORDER BY section_key',
        made.group.group_id,
      ),
    ).toEqual([
      { section_key: '10001', status: 'closed' },
      { section_key: '10002', status: 'open' },
    ])
  })

  test('that stops early keeps what arrived, and marks nothing as missing', async () => {
    const made = await makeTerm()
    const { subject } = made
    const pages = [[listed(1, subject)], [listed(2, subject)], [listed(3, subject)]]
    await readTerm(made, laneOf(pages).lane)
    await scheduler.wait(2)
    const broken = laneOf([[listed(1, subject, { title: 'Renamed' })], [], []], { 1: 'broken' })
    expect((await readTerm(made, broken.lane)).end).toMatchObject({
      kind: 'refused',
      unknown: { reason: 'incomplete' },
    })
    expect(await absentIn(made)).toEqual([])
    expect(
      await rows(
        "SELECT 1 FROM section s JOIN course c ON c.id = s.course_id WHERE c.title = 'Renamed' AND s.school_term_id = ?",
        made.group.school_term_id,
      ),
    ).toHaveLength(1)
  })

  test('without an end is refused after 5,000 pages, counted over all runs, and marks nothing as missing', async () => {
    const made = await makeTerm()
    const { subject } = made
    await readTerm(made, laneOf([[listed(1, subject)]]).lane)
    const cut = await readTerm(made, laneOf([[listed(1, subject)], []], { 1: 'budget' }).lane)
    if (cut.end.kind !== 'later') throw new Error('it did not stop')
    expect(cut.end.walk.pages).toBe(1)
    let pages = 0
    const endless: Lane['wholeTerm'] = async function* () {
      for (;;) yield known({ sections: [], next: `page ${++pages}` })
    }
    // The only call used here.
    const lane = { wholeTerm: endless } as Partial<Lane> as Lane
    const { end } = await readTerm(made, lane, { ...cut.end.walk, listed: '', pages: 4990 })
    expect(end).toMatchObject({
      kind: 'refused',
      unknown: { reason: 'incomplete', why: "The school's list of the term goes on after 5000 pages." },
    })
    expect(pages).toBe(11)
    expect(await absentIn(made)).toEqual([])
  })

  test('of exactly 5,000 pages is read to its end', async () => {
    const made = await makeTerm()
    const { subject } = made
    const cut = await readTerm(made, laneOf([[listed(1, subject)], []], { 1: 'budget' }).lane)
    if (cut.end.kind !== 'later') throw new Error('it did not stop')
    const last = laneOf([[], [listed(2, subject)]])
    expect((await readTerm(made, last.lane, { ...cut.end.walk, pages: 4999 })).end).toEqual({ kind: 'done' })
    expect(
      (await readTerm(made, laneOf([[], [listed(2, subject)]]).lane, { ...cut.end.walk, pages: 5000 })).end.kind,
    ).toBe('refused')
  })

  test('with an unknown subject adds it', async () => {
    const made = await makeTerm()
    expect(
      (await readTerm(made, laneOf([[listed(1, 'ASTR'), listed(2, made.subject), listed(3, '')]]).lane)).end.kind,
    ).toBe('done')
    expect(
      await rows(
        `SELECT j.key, s.section_key FROM section s JOIN section_group g ON g.id = s.group_id JOIN subject j ON j.id = g.subject_id
         WHERE s.school_term_id = ? ORDER BY s.section_key`,
        made.group.school_term_id,
      ),
    ).toEqual([
      { key: 'ASTR', section_key: '10001' },
      { key: made.subject, section_key: '10002' },
    ])
  })

  test('whose subjects were not read yet keeps the stored names of its subjects', async () => {
    const made = await makeTerm()
    const { subject } = made
    const later = await inserted(
      `INSERT INTO term (year, season, full_term_name) VALUES (2031, 'fall', 'x')
       ON CONFLICT DO UPDATE SET year = excluded.year RETURNING id`,
    )
    await rows(
      "INSERT INTO school_term (school_id, term_id, code, name, is_available, ends_at) VALUES (?, ?, '203110', 'x', 1, ?)",
      made.group.school_id,
      later,
      Date.now() + 1e10,
    )
    const [schoolTerm] = await schoolTermsOf(env.DB, made.group.school_id, later)
    if (!schoolTerm) throw new Error('the term was not made')
    const { end } = await readTerm({ ...made, schoolTerm }, laneOf([[listed(1, subject), listed(2, 'NEW')]]).lane)
    expect(end).toEqual({ kind: 'done' })
    expect(await rows('SELECT key, name FROM subject WHERE school_id = ? ORDER BY id', made.group.school_id)).toEqual([
      { key: subject, name: `Subject ${subject}` },
      { key: 'NEW', name: 'NEW' },
    ])
    expect(
      await rows('SELECT section_key FROM section WHERE school_term_id = ? ORDER BY section_key', schoolTerm.id),
    ).toHaveLength(2)
    expect(await rows('SELECT subjects_refreshed_at FROM school_term WHERE id = ?', schoolTerm.id)).toEqual([
      { subjects_refreshed_at: null },
    ])
  })

  test('returned as one answer is dated from its request, on every page', async () => {
    const made = await makeTerm()
    const { subject } = made
    const [first, second] = [listed(1, subject), listed(2, subject)]
    await readTerm(made, laneOf([[first, second]]).lane)
    const section = await rows<{ id: number }>(
      "SELECT id FROM section WHERE school_term_id = ? AND section_key = '10002'",
      made.group.school_term_id,
    )
    await makeWatch(await makeRecipient(), section[0]?.id ?? 0)
    await scheduler.wait(2)
    const asked_at = Date.now()
    await scheduler.wait(2)
    const stale = { ...second, stated: 'open' as const }
    const wholeTerm: Lane['wholeTerm'] = async function* () {
      yield known({ sections: [first], next: '2', asked_at })
      // A poll reads the group in the meantime, and finds the section as it is: closed.
      await rows(
        'UPDATE section_group SET asked_at = ?, read_at = ? WHERE id = ?',
        Date.now(),
        Date.now(),
        made.group.group_id,
      )
      yield known({ sections: [stale], next: null, asked_at })
    }
    await readTerm(made, { wholeTerm } as Partial<Lane> as Lane)
    expect(await rows('SELECT status FROM section WHERE id = ?', section[0]?.id)).toEqual([{ status: 'closed' }])
  })

  test('opens a watched section like a poll, once', async () => {
    const made = await makeTerm()
    const { subject } = made
    await readTerm(made, laneOf([[listed(1, subject)]]).lane)
    const [section] = await rows<{ id: number }>(
      'SELECT id FROM section WHERE school_term_id = ?',
      made.group.school_term_id,
    )
    if (!section) throw new Error('the section was not written')
    await makeWatch(await makeRecipient(), section.id)
    const opened = [[listed(1, subject, { stated: 'open' })]]
    for (const _ of [1, 2]) {
      await scheduler.wait(2)
      await readTerm(made, laneOf(opened).lane)
    }
    expect(await rows('SELECT status, version FROM section WHERE id = ?', section.id)).toEqual([
      { status: 'open', version: 2 },
    ])
    expect(await rows('SELECT count(*) AS n FROM opening WHERE section_id = ?', section.id)).toEqual([{ n: 1 }])
  })
})
