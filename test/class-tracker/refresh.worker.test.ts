import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { type GroupRead, judgedSection, type JudgedSection } from '../../src/class-tracker/refresh/compare-sections.ts'
import { readStoredSections } from '../../src/class-tracker/refresh/write-sections.ts'
import { schoolTermsOf } from '../../src/class-tracker/refresh/school-terms.ts'
import {
  keepTermEnd,
  MIN_ABSENCE_MS,
  termsWorthKeeping,
  writeSubjects,
  writeTerms,
} from '../../src/class-tracker/refresh/write-terms.ts'
import { nightly } from '../../src/class-tracker/refresh/require-answers.ts'
import { NO_FIGURES } from '../../src/sources/judge.ts'
import type { TermsAndSchools } from '../../src/sources/source.ts'
import { type MadeGroup, makeGroup, makeRecipient, makeWatch } from '../worker/catalog.ts'
import { type FlatSection, alreadyJudged, writeReads } from '../worker/judged-section.ts'
import { one, rows } from '../worker/rows.ts'

const section = (number: number, change: Partial<FlatSection> = {}): JudgedSection =>
  alreadyJudged({
    section_key: String(10_000 + number),
    subject: 'CS',
    code: 'CS',
    level: String(100 + (number % 7)),
    title: `Course ${number % 7}`,
    number: String(10_000 + number),
    section: String(number),
    topic: `Topic ${number}`,
    status: 'closed',
    seats_available: 0,
    seats_for_anyone: null,
    capacity: 30,
    waitlist_available: null,
    instruction_list: [{ name: "O'Brien, Zoë", days_times: 'MoWe 9:05AM - 10:20AM' }],
    instruction_mode: 'In Person',
    stated: null,
    figures: NO_FIGURES,
    doubts: [],
    why_unknown: null,
    ...change,
  })

async function refresh(group: MadeGroup, sections: JudgedSection[], now = 1000) {
  const known = await readStoredSections(env.DB, [group.group_id])
  const { group_id, subject_id } = group
  const read: GroupRead = { group_id, subject_id, asked_at: now, seen_at: now, known_at: now, known, sections }
  return writeReads(env.DB, group.school_term_id, now, [read])
}
const all = (group: MadeGroup) =>
  rows(
    'SELECT s.*, c.code, c.level, c.title FROM section s JOIN course c ON c.id = s.course_id WHERE group_id = ? ORDER BY s.id',
    group.group_id,
  )

describe('a refresh', () => {
  test('keeps details that an answer leaves out, and does not write unchanged rows', async () => {
    const group = await makeGroup()
    const details = {
      number: '0060289',
      component: 'Lecture',
      session: 'Seven Wk 2',
      session_code: '7W2',
      campus: 'Main',
      place: 'Hudson Hall 210',
      starts_on: '2026-08-28',
      ends_on: '2026-12-21',
      credits: '3',
    }
    const columns = () =>
      rows(
        'SELECT number, component, session, session_code, campus, place, starts_on, ends_on, credits, flags FROM section WHERE group_id = ?',
        group.group_id,
      )
    await refresh(group, [section(1, { ...details, flags: ['combined'] })], 1000)
    expect(await columns()).toEqual([{ ...details, flags: '["combined"]' }])
    const [before] = await all(group)
    await refresh(group, [section(1, { ...details, flags: ['combined'] })], 2000)
    expect(await all(group)).toEqual([before])
    // The answer does not mention them, so they all stay. It does say that there are no flags anymore.
    await refresh(group, [section(1)], 3000)
    expect(await columns()).toEqual([{ ...details, flags: '["combined"]' }])
    await refresh(group, [section(1, { place: 'Online', flags: [] })], 4000)
    expect(await columns()).toEqual([{ ...details, place: 'Online', flags: '[]' }])
  })

  test('writes every section once, whatever their number', async () => {
    const group = await makeGroup()
    const sections = Array.from({ length: 2345 }, (_, number) => section(number))
    await refresh(group, sections)
    const written = await all(group)
    expect(written).toHaveLength(2345)
    expect(written[0]).toMatchObject({
      section_key: '10000',
      code: 'CS',
      level: '100',
      title: 'Course 0',
      status: 'closed',
    })
    expect(await rows('SELECT section_count, read_at FROM section_group WHERE id = ?', group.group_id)).toEqual([
      { section_count: 2345, read_at: 1000 },
    ])
  })

  test('truncates absurdly long texts, so that the other sections are still written', async () => {
    const group = await makeGroup()
    const long = 'x'.repeat(1_000_000)
    const instruction_list = [{ name: long, days_times: long }]
    const listed = { title: long, topic: long, place: long, instruction_mode: long, campus: long, instruction_list }
    await refresh(group, [judgedSection(section(1, listed).listed), section(2)])
    const [written, other] = await all(group)
    for (const name of ['title', 'topic', 'place', 'instruction_mode', 'campus'])
      expect(written).toHaveProperty(name, `${'x'.repeat(499)}…`)
    expect(written).toHaveProperty('instruction_list', expect.stringMatching(/^.{1000,1100}$/))
    expect(other).toMatchObject({ title: 'Course 2' })
    await writeSubjects(
      env.DB,
      { id: group.school_term_id, school_id: group.school_id, source_id: group.source_id },
      { subjects: [{ key: 'LONG', name: long }], careers: [''] },
      1,
    )
    expect(await one("SELECT length(name) AS length FROM subject WHERE key = 'LONG'")).toEqual({ length: 500 })
  })

  test('with the same answer does not change any section', async () => {
    const group = await makeGroup()
    const sections = [section(1), section(2, { seats_available: null, status: 'waitlisted' })]
    await refresh(group, sections)
    const before = await all(group)
    await refresh(group, sections, 2000)
    expect(await all(group)).toEqual(before)
  })

  test('corrects what changed and keeps the rest', async () => {
    const group = await makeGroup()
    await refresh(group, [section(1), section(2)])
    await refresh(
      group,
      [section(1, { topic: 'Rings & Fields', seats_available: 4, seats_for_anyone: 1, status: 'open' }), section(2)],
      2000,
    )
    expect(await all(group)).toMatchObject([
      { topic: 'Rings & Fields', status: 'open', seats_available: 4, seats_for_anyone: 1, version: 2 },
      { topic: 'Topic 2', version: 1 },
    ])
  })

  test('of a watched section applies the same checks as a poll', async () => {
    const group = await makeGroup()
    await refresh(group, [section(1)])
    const [row] = await rows<{ id: number }>('SELECT id FROM section WHERE group_id = ?', group.group_id)
    const ada = await makeRecipient([{ kind: 'phone', address: '+12025554001' }])
    await makeWatch(ada, row?.id ?? 0)
    const recorded = await refresh(group, [section(1, { status: 'open', seats_available: 2 })], 2000)
    expect(recorded).toMatchObject({ openings: 1, delivery_ids: [expect.any(Number)] })
    const again = await refresh(group, [section(1, { status: 'open', seats_available: 2 })], 3000)
    expect(again.delivery_ids).toEqual([])
    expect(await rows('SELECT count(*) AS alerts FROM class_alert WHERE recipient_id = ?', ada)).toEqual([
      { alerts: 1 },
    ])
  })

  test('started while a section was watched does not overwrite it after the watch ended', async () => {
    const group = await makeGroup()
    await refresh(group, [section(1)])
    const [row] = await rows<{ id: number }>('SELECT id FROM section WHERE group_id = ?', group.group_id)
    await makeWatch(await makeRecipient(), row?.id ?? 0)
    const known = await readStoredSections(env.DB, [group.group_id])
    await rows('UPDATE section_group SET read_at = 9000 WHERE id = ?', group.group_id)
    await rows('DELETE FROM watch WHERE section_id = ?', row?.id)
    const { group_id, subject_id, school_term_id } = group
    const sections = [section(1, { topic: 'Rings', status: 'open', seats_available: 3 })]
    const read: GroupRead = { group_id, subject_id, asked_at: 2000, seen_at: 2000, known_at: 2000, known, sections }
    await writeReads(env.DB, school_term_id, 9500, [read])
    expect(await all(group)).toMatchObject([{ topic: 'Rings', status: 'closed', version: 1 }])
  })

  test('marks a section as missing since it was last listed, and finds it again', async () => {
    const group = await makeGroup()
    await refresh(group, [section(1), section(2)])
    await refresh(group, [section(1)], 2000)
    expect(await all(group)).toMatchObject([{ missing_since: null }, { missing_since: 1000, status: 'closed' }])
    await refresh(group, [section(1)], 2500)
    expect(await all(group)).toMatchObject([{ missing_since: null }, { missing_since: 1000 }])
    await refresh(group, [section(1), section(2)], 3000)
    expect(await all(group)).toMatchObject([{ missing_since: null }, { missing_since: null }])
  })

  test('with an empty list removes nothing', async () => {
    const group = await makeGroup()
    await refresh(group, [section(1)])
    await refresh(group, [], 2000)
    expect(await all(group)).toMatchObject([{ missing_since: null }])
  })

  test('moves a section, with its watches, to the group that lists it now', async () => {
    const group = await makeGroup()
    await refresh(group, [section(1)])
    const [row] = await rows<{ id: number }>('SELECT id FROM section WHERE group_id = ?', group.group_id)
    await makeWatch(await makeRecipient(), row?.id ?? 0)
    const [graduate] = await rows<{ id: number }>(
      "INSERT INTO section_group (source_id, school_term_id, subject_id, career) VALUES (?, ?, ?, 'GRAD') RETURNING id",
      group.source_id,
      group.school_term_id,
      group.subject_id,
    )
    await refresh({ ...group, group_id: graduate?.id ?? 0 }, [section(1)], 2000)
    expect(
      await rows('SELECT watch_count FROM section_group WHERE id IN (?, ?) ORDER BY id', group.group_id, graduate?.id),
    ).toEqual([{ watch_count: 0 }, { watch_count: 1 }])
  })
})

describe('terms and subjects', () => {
  const term = (code: string, year: number, season: 'spring' | 'fall', is_available = true) => ({
    code,
    year,
    season,
    name: `${season} ${year}`,
    is_available,
  })
  async function keepTerms(source: Parameters<typeof writeTerms>[1], found: TermsAndSchools, now: number, by = 'test') {
    const terms = await termsWorthKeeping(env.DB, source, found.terms, now)
    return writeTerms(env.DB, source, { ...found, terms }, { by, now })
  }

  test('are shared by schools, each with its own code, and become unavailable when they disappear', async () => {
    const group = await makeGroup()
    const source = { id: group.source_id, name: 'One School', time_zone: 'America/New_York' }
    const now = Date.UTC(2026, 10, 1)
    const schools = [
      { code: 'A', name: 'A College' },
      { code: 'B', name: 'B College' },
    ]
    const fresh = await keepTerms(
      source,
      { schools, terms: [term('1272', 2027, 'spring'), term('1249', 2024, 'fall')] },
      now,
    )
    expect(fresh).toBe(1)
    expect(await keepTerms(source, { schools, terms: [term('1272', 2027, 'spring')] }, now)).toBe(0)
    const offered = () =>
      rows(
        `SELECT s.name, t.code, t.is_available FROM school s JOIN school_term t ON t.school_id = s.id WHERE s.source_id = ? AND s.code IN ('A', 'B') ORDER BY s.name, t.code`,
        source.id,
      )
    expect(await offered()).toEqual([
      { name: 'A College', code: '1272', is_available: 1 },
      { name: 'B College', code: '1272', is_available: 1 },
    ])
    for (const at of [now, now + MIN_ABSENCE_MS])
      await keepTerms(source, { schools, terms: [term('1279', 2027, 'fall')] }, at)
    expect(await offered()).toContainEqual({ name: 'A College', code: '1272', is_available: 0 })
  })

  test('stay available when a single reading leaves them out, because a broken school returns short lists', async () => {
    const group = await makeGroup()
    const source = { id: group.source_id, name: 'One School', time_zone: 'America/New_York' }
    const schools = [{ code: 'SHORT', name: 'S College' }]
    const now = Date.UTC(2026, 10, 1)
    const whole = { schools, terms: [term('1272', 2027, 'spring'), term('1279', 2027, 'fall')] }
    const short = { schools, terms: [term('1279', 2027, 'fall')] }
    const isAvailable = async () =>
      one(
        "SELECT is_available FROM school_term WHERE code = '1272' AND school_id = (SELECT id FROM school WHERE source_id = ? AND code = 'SHORT')",
        source.id,
      )
    await keepTerms(source, whole, now, nightly)
    await keepTerms(source, short, now + 1, nightly)
    expect(await isAvailable()).toEqual({ is_available: 1 })
    await keepTerms(source, whole, now + 2, nightly)
    await keepTerms(source, short, now + 3, nightly)
    expect(await isAvailable()).toEqual({ is_available: 1 })
    await keepTerms(source, short, now + 3, nightly)
    expect(await isAvailable()).toEqual({ is_available: 1 })
    // A job that is repeated.
    await keepTerms(source, short, now + 4, nightly)
    expect(await isAvailable()).toEqual({ is_available: 1 })
    await keepTerms(source, short, now + 3 + MIN_ABSENCE_MS, nightly)
    expect(await isAvailable()).toEqual({ is_available: 0 })
    await keepTerms(source, whole, now + 5 + MIN_ABSENCE_MS, nightly)
    expect(await isAvailable()).toEqual({ is_available: 1 })
    await keepTerms(source, short, now + 6 + MIN_ABSENCE_MS)
    expect(await isAvailable(), 'after a person has refreshed them').toEqual({ is_available: 1 })
  })

  test('end on the day that the school reports, and are not kept after it', async () => {
    const group = await makeGroup()
    const source = { id: group.source_id, name: 'One School', time_zone: 'America/New_York' }
    const schools = [{ code: 'A', name: 'A College' }]
    const read = (ends_on: string) => ({ schools, terms: [{ ...term('1272', 2027, 'spring'), ends_on }] })
    const ends = () =>
      rows(
        'SELECT ends_at, is_available FROM school_term WHERE code = ? AND school_id IN (SELECT id FROM school WHERE source_id = ?)',
        '1272',
        source.id,
      )
    const over = Date.UTC(2027, 4, 22, 4)
    await keepTerms(source, read('2027-06-30'), over - 1)
    await keepTerms(source, read('2027-05-21'), over - 1)
    expect(await ends()).toEqual([{ ends_at: over, is_available: 1 }])
    await keepTerms(source, read('2027-05-21'), over)
    expect(await ends()).toEqual([{ ends_at: over, is_available: 0 }])
  })

  test('listed twice are merged, and a changed code adds another term beside the old one, which is no longer offered', async () => {
    const group = await makeGroup()
    const source = { id: group.source_id, name: 'One School', time_zone: 'America/New_York' }
    const schools = [{ code: 'TWICE', name: 'T College' }]
    let now = 0
    const write = (...terms: ReturnType<typeof term>[]) =>
      keepTerms(source, { schools, terms }, (now += MIN_ABSENCE_MS))
    const offered = () =>
      rows(
        `SELECT t.code, t.is_available FROM school_term t JOIN school s ON s.id = t.school_id
         WHERE s.source_id = ? AND s.code = 'TWICE' ORDER BY t.code`,
        source.id,
      )
    await write(term('202710', 2027, 'fall'), term('202710', 2027, 'fall'), term('202715', 2027, 'fall'))
    expect(await offered()).toEqual([
      { code: '202710', is_available: 1 },
      { code: '202715', is_available: 1 },
    ])
    for (const _ of ['first', 'second']) await write(term('2027FA', 2027, 'fall'), term('202715', 2027, 'fall'))
    expect(await offered()).toEqual([
      { code: '202710', is_available: 0 },
      { code: '202715', is_available: 1 },
      { code: '2027FA', is_available: 1 },
    ])
  })

  test('move to the year and season that a school corrects them to', async () => {
    const group = await makeGroup()
    const source = { id: group.source_id, name: 'One School', time_zone: 'America/New_York' }
    const schools = [{ code: 'MOVED', name: 'M College' }]
    const now = Date.UTC(2026, 5, 1)
    const isIn = async () =>
      one(
        `SELECT e.full_term_name FROM school_term t JOIN term e ON e.id = t.term_id JOIN school s ON s.id = t.school_id
         WHERE s.source_id = ? AND s.code = 'MOVED'`,
        source.id,
      )
    await keepTerms(source, { schools, terms: [term('202710', 2027, 'fall')] }, now)
    expect(await isIn()).toEqual({ full_term_name: '2027 Fall Term' })
    await keepTerms(source, { schools, terms: [term('202710', 2026, 'fall')] }, now + 1)
    expect(await isIn()).toEqual({ full_term_name: '2026 Fall Term' })
  })

  test('keep the last day that sections report, even if a list of terms has none', async () => {
    const group = await makeGroup()
    const source = { id: group.source_id, name: 'One School', time_zone: 'America/New_York' }
    const found = await schoolTermsOf(env.DB, 0, group.term_id)
    const schoolTerm = found.find(({ id }) => id === group.school_term_id)
    if (!schoolTerm) throw new Error('the term was not made')
    const { year, season, scope } = schoolTerm
    const schools = [{ code: scope.school, name: scope.school_name }]
    const listed = { schools, terms: [{ code: scope.term, year, season, name: 'As listed', is_available: true }] }
    const stored = async () => {
      const [found] = await rows(
        'SELECT name, ends_on, ends_at, is_available FROM school_term WHERE id = ?',
        schoolTerm.id,
      )
      return found
    }
    const last = `${year}-12-22`
    const over = Date.UTC(year, 11, 23, 5)
    await keepTermEnd(env.DB, schoolTerm, { sections: [], term_ends_on: last })
    await keepTerms(source, listed, over - 1)
    expect(await stored()).toEqual({ name: 'As listed', ends_on: last, ends_at: over, is_available: 1 })
    const lateClasses = [1, 2].map((number) => section(number, { ends_on: `${year}-12-01` }))
    for (const mistaken of [`${year}-01-01`, `${year - 2}-12-22`, `${year + 2}-12-22`, 'soon', '']) {
      await keepTermEnd(env.DB, schoolTerm, {
        sections: lateClasses.map(({ listed }) => listed),
        term_ends_on: mistaken,
      })
    }
    await keepTermEnd(env.DB, schoolTerm, { sections: [] })
    expect(await stored()).toMatchObject({ ends_on: last, ends_at: over })
    await keepTerms(source, listed, over)
    expect(await stored()).toMatchObject({ is_available: 0 })
  })

  test('keep their last day if the stored classes end later, whatever the classes of one page say', async () => {
    const group = await makeGroup()
    const found = await schoolTermsOf(env.DB, 0, group.term_id)
    const schoolTerm = found.find(({ id }) => id === group.school_term_id)
    if (!schoolTerm) throw new Error('the term was not made')
    const { year } = schoolTerm
    const stored = () => one('SELECT ends_on FROM school_term WHERE id = ?', schoolTerm.id)
    const late = [1, 2, 3].map((number) => section(number, { ends_on: `${year}-12-15` }))
    const [early] = [section(4, { ends_on: `${year}-10-10` })]
    await refresh(group, [...late, early])
    await keepTermEnd(env.DB, schoolTerm, { sections: [early.listed], term_ends_on: `${year}-12-20` })
    // As another page of the same walk, and as one whose sections an earlier page has had.
    for (const sections of [[early.listed], []])
      await keepTermEnd(env.DB, schoolTerm, { sections, term_ends_on: `${year}-10-15` })
    expect(await stored()).toEqual({ ends_on: `${year}-12-20` })
    await keepTermEnd(env.DB, schoolTerm, { sections: [], term_ends_on: `${year}-12-15` })
    expect(await stored()).toEqual({ ends_on: `${year}-12-15` })
  })

  test('make one group per career of each subject, once', async () => {
    const group = await makeGroup()
    const scope = { id: group.school_term_id, school_id: group.school_id, source_id: group.source_id }
    const read = {
      subjects: [
        { key: 'CMSC', name: 'Computer Science' },
        { key: 'ACCT', name: 'Accounting' },
      ],
      careers: ['UGRD', 'GRAD'],
    }
    await writeSubjects(env.DB, scope, read, 1)
    await writeSubjects(env.DB, scope, read, 2)
    expect(
      await rows(
        "SELECT count(*) AS groups FROM section_group WHERE school_term_id = ? AND career <> ''",
        group.school_term_id,
      ),
    ).toEqual([{ groups: 4 }])
  })
})
