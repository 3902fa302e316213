import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, test } from 'vitest'
import { getSchools } from '../../src/class-tracker/courses/schools.ts'
import { writeTerms } from '../../src/class-tracker/refresh/write-terms.ts'
import { Desk } from '../worker/admin-desk.ts'
import { type MadeGroup, makeAnotherSection, makeGroup, makeRecipient, makeWatch } from '../worker/catalog.ts'
import { addressOf, arrivedAt } from '../worker/deliveries.ts'
import { one, rows } from '../worker/rows.ts'
import { until } from '../worker/world.ts'

let desk: Desk
let group: MadeGroup
let number = 900_000

beforeAll(async () => {
  desk = await Desk.open()
  group = await makeGroup()
})

const section = (status?: 'open' | 'closed', place = group) => makeAnotherSection(place, status)

describe('schools', () => {
  test('that are preferred come first', async () => {
    const { school_id } = await makeGroup()
    expect((await desk.act('schools', 'prefer', school_id)).text).toContain('1 school changed')
    const [first] = await getSchools(env.DB)
    expect(first?.id).toBe(school_id)
    expect(await desk.entry('school')).toMatchObject({ before: { is_preferred: 0 }, after: { is_preferred: 1 } })
    await desk.act('schools', 'unprefer', school_id)
    expect((await getSchools(env.DB))[0]?.id).not.toBe(school_id)
  })

  test('have a code only if their source has several schools', async () => {
    const cuny = await makeGroup({ kind: 'cuny', url: 'https://x.example.edu/CFGlobalSearchTool' })
    const of = (source: number, code: string) => ({ source_id: String(source), code, name: `School of ${code}` })
    expect((await desk.add('schools', of(cuny.source_id, ''))).text).toContain('enter the code it uses for this one')
    expect((await desk.add('schools', of(group.source_id, 'X1'))).text).toContain('This source is a single school')
    expect((await desk.add('schools', of(cuny.source_id, 'QNS01'))).status).toBe(303)
    const twice = await desk.add('schools', of(cuny.source_id, 'QNS01'))
    expect(twice.status).toBe(422)
    expect(twice.text).toContain('Another school already has this code')
    expect((await desk.add('schools', of(987_654, 'Q'))).status).toBe(422)
  })

  test('can be renamed, and deleting one names its waiting recipients', async () => {
    const place = await makeGroup()
    await makeWatch(await makeRecipient(), await section('closed', place))
    expect((await desk.change('schools', place.school_id, { name: 'New Name' })).status).toBe(303)
    expect(await desk.entry('school')).toMatchObject({ after: { name: 'New Name' } })
    const { asked, status } = await desk.delete('schools', place.school_id)
    expect(asked).toContain('these people will no longer be notified when a seat opens Recipient')
    expect(status).toBe(303)
    expect(await rows('SELECT id FROM subject WHERE school_id = ?', place.school_id)).toEqual([])
    expect(await desk.entry('school')).toMatchObject({ act: 'deleted', before: { name: 'New Name' } })
  })
})

describe('terms', () => {
  test('are unique by year and season', async () => {
    const fields = { year: '2031', season: 'winter' }
    expect((await desk.add('terms', fields)).status).toBe(303)
    const made = await one<{ id: number; full_term_name: string }>('SELECT * FROM term WHERE year = 2031')
    expect(made.full_term_name).toBe('2031 Winter Term')
    expect((await desk.add('terms', fields)).status).toBe(422)
    expect((await desk.add('terms', { year: '1850', season: 'fall' })).text).toContain('greater than or equal to 2000')
    expect((await desk.add('terms', { year: '2032', season: 'autumn' })).text).toContain('Select a valid choice.')
    expect((await desk.change('terms', made.id, { season: 'fall' })).status).toBe(303)
    expect(await one('SELECT full_term_name FROM term WHERE id = ?', made.id)).toEqual({
      full_term_name: '2031 Fall Term',
    })
    expect((await desk.delete('terms', made.id)).status).toBe(303)
  })

  test('that a school has cannot be deleted', async () => {
    const { status, text } = await desk.delete('terms', group.term_id)
    expect(status).toBe(422)
    expect(text).toMatch(/\d+ schools? (has|have) this term: delete it there first\./)
  })

  test('that staff make unavailable stay so, whatever the school says, until control is returned to the school', async () => {
    const place = await makeGroup()
    const source = { id: place.source_id, name: 'S', time_zone: 'America/New_York' }
    const { code } = await one<{ code: string }>('SELECT code FROM school WHERE id = ?', place.school_id)
    const term = {
      code: '202610',
      year: 2026,
      season: 'fall' as const,
      name: 'Fall 2026',
      is_available: true,
      ends_on: '',
    }
    const refresh = () =>
      writeTerms(
        env.DB,
        source,
        { terms: [term], schools: [{ code, name: 'S' }] },
        { by: 'nightly', now: Date.UTC(2026, 8, 1) },
      )
    const available = () =>
      one('SELECT is_available, is_availability_kept FROM school_term WHERE id = ?', place.school_term_id)
    await desk.act('school-terms', 'make_unavailable', place.school_term_id)
    await refresh()
    expect(await available()).toEqual({ is_available: 0, is_availability_kept: 1 })
    await desk.act('school-terms', 'follow_school', place.school_term_id)
    await refresh()
    expect(await available()).toEqual({ is_available: 1, is_availability_kept: 0 })
    await desk.change('school-terms', place.school_term_id, { is_available: '' })
    await refresh()
    expect(await available()).toEqual({ is_available: 0, is_availability_kept: 1 })
    expect(await desk.entry('school_term')).toMatchObject({ after: { is_available: 0, is_availability_kept: 1 } })
    await desk.change('school-terms', place.school_term_id, { is_availability_kept: '' })
    await refresh()
    expect(await available()).toEqual({ is_available: 1, is_availability_kept: 0 })
    const said = await desk.act('terms', 'make_unavailable', place.term_id)
    expect(said.text).toMatch(/Now unavailable at \d+ more schools?/)
    expect(await available()).toEqual({ is_available: 0, is_availability_kept: 1 })
    expect(await one("SELECT after FROM audit WHERE table_name = 'school_term' ORDER BY id DESC LIMIT 1")).toEqual({
      after: '{"is_available":0,"is_availability_kept":1}',
    })
    const watch = await desk.add('watches', {
      recipient_id: String(await makeRecipient()),
      section_id: String(await section('closed', place)),
    })
    expect(watch.text).toContain('is over or no longer offered')
    await desk.act('terms', 'make_available', place.term_id)
    expect(await available()).toEqual({ is_available: 1, is_availability_kept: 1 })
    expect((await desk.act('terms', 'make_available', place.term_id)).text).toContain('at 0 more schools')
  })

  test('of a school are added and deleted with their sections', async () => {
    const place = await makeGroup()
    const fields = {
      school_id: String(place.school_id),
      term_id: String(place.term_id),
      code: '202699',
      name: 'Fall, second half',
      is_available: '1',
      ends_at: '2027-01-01 00:00',
    }
    expect((await desk.add('school-terms', fields)).status).toBe(303)
    expect((await desk.add('school-terms', fields)).status).toBe(422)
    expect((await desk.add('school-terms', { ...fields, code: 'B', ends_at: 'soon' })).status).toBe(422)
    await makeWatch(await makeRecipient(), await section('closed', place))
    const { asked, status } = await desk.delete('school-terms', place.school_term_id)
    expect(asked).toContain('these people will no longer be notified')
    expect(status).toBe(303)
    expect(await rows('SELECT id FROM section_group WHERE id = ?', place.group_id)).toEqual([])
  })
})

test('subjects can be added, renamed and deleted', async () => {
  const fields = { school_id: String(group.school_id), key: 'HIST', name: 'History' }
  expect((await desk.add('subjects', fields)).status).toBe(303)
  const { id } = await one<{ id: number }>("SELECT id FROM subject WHERE key = 'HIST'")
  expect((await desk.add('subjects', fields)).text).toContain('Another subject already has this key')
  expect((await desk.change('subjects', id, { name: 'Histories' })).status).toBe(303)
  expect(await desk.titles('subjects/?q=histories')).toEqual([expect.stringContaining('Histories (HIST)')])
  expect((await desk.delete('subjects', id)).status).toBe(303)
  expect(await desk.entry('subject')).toMatchObject({ act: 'deleted', before: { name: 'Histories' } })
})

test('courses are found by code and level; a new level applies to their sections', async () => {
  const fields = { subject_id: String(group.subject_id), code: 'ZOO', level: '101', title: 'Animals' }
  expect((await desk.add('courses', fields)).status).toBe(303)
  expect((await desk.add('courses', fields)).status).toBe(422)
  const { id } = await one<{ id: number }>("SELECT id FROM course WHERE code = 'ZOO'")
  expect(await desk.titles('courses/?q=zoo 1')).toEqual([expect.stringContaining('ZOO 101 – Animals')])
  const watched = await section('closed', { ...group, course_id: id })
  expect((await desk.change('courses', id, { level: '102H' })).status).toBe(303)
  expect(await one('SELECT course_level FROM section WHERE id = ?', watched)).toEqual({ course_level: '102H' })
  await makeWatch(await makeRecipient(), watched)
  const before = await one<{ watch_count: number }>(
    'SELECT watch_count FROM section_group WHERE id = ?',
    group.group_id,
  )
  expect((await desk.delete('courses', id)).asked).toContain('these people will no longer be notified')
  const after = await one<{ watch_count: number }>('SELECT watch_count FROM section_group WHERE id = ?', group.group_id)
  expect(after.watch_count).toBe(before.watch_count - 1)
})

describe('sections', () => {
  const fields = () => ({
    school_term_id: String(group.school_term_id),
    course_id: String(group.course_id),
    section_key: String((number += 1)),
    section: '007',
    topic: 'Spies',
    meetings: 'Ada Lovelace | MoWe 9:05AM - 10:20AM\nGrace Hopper | Fr 1:00PM - 2:00PM',
    instruction_mode: 'Online',
  })

  test('are added with one meeting per line', async () => {
    const wanted = fields()
    const { status, text } = await desk.add('sections', wanted)
    expect(status, text).toBe(303)
    const made = await one<Record<string, unknown>>('SELECT * FROM section WHERE section_key = ?', wanted.section_key)
    expect(made).toMatchObject({ group_id: group.group_id, course_level: '101', status: 'unknown', topic: 'Spies' })
    expect(JSON.parse(String(made['instruction_list']))).toEqual([
      { name: 'Ada Lovelace', days_times: 'MoWe 9:05AM - 10:20AM' },
      { name: 'Grace Hopper', days_times: 'Fr 1:00PM - 2:00PM' },
    ])
    const again = await desk.add('sections', wanted)
    expect(again.status).toBe(422)
    expect(again.text).toContain('Another section already has this number')
    const id = Number(made['id'])
    expect((await desk.change('sections', id, { meetings: 'Alan Turing | Tu 6PM - 9PM' })).status).toBe(303)
    expect(await one('SELECT instruction_list, topic FROM section WHERE id = ?', id)).toEqual({
      instruction_list: '[{"name":"Alan Turing","days_times":"Tu 6PM - 9PM"}]',
      topic: 'Spies',
    })
    expect(await desk.entry('section')).toMatchObject({
      act: 'changed',
      after: { meetings: 'Alan Turing | Tu 6PM - 9PM' },
    })
  })

  test('show their days and notes in words', async () => {
    const id = await section()
    const days = { starts_on: '2027-01-05', ends_on: 'in May', flags: '["linked","permission"]' }
    await env.DB.prepare('UPDATE section SET starts_on = ?, ends_on = ?, flags = ? WHERE id = ?')
      .bind(...Object.values(days), id)
      .run()
    const text = await (await desk.visitor.get(`/admin/sections/${id}/`)).text()
    expect(text).toContain('>Jan 5, 2027</span>')
    expect(text).toContain('>in May</span>')
    expect(text).toContain('>Linked: must be taken with another section, Permission required</span>')
  })

  test("with another school's course or malformed meetings are rejected", async () => {
    const other = await makeGroup()
    const elsewhere = await desk.add('sections', { ...fields(), course_id: String(other.course_id) })
    expect(elsewhere.status).toBe(422)
    expect(elsewhere.text).toContain('This course and this term belong to different schools.')
    const shapeless = await desk.add('sections', { ...fields(), meetings: 'Ada | Mo\nwhenever' })
    expect(shapeless.text).toContain('Line 2 must look like this')
  })

  test('move to the group of their new course', async () => {
    const { id: subject } = await one<{ id: number }>(
      "INSERT INTO subject (school_id, key, name) VALUES (?, 'BIO', 'Biology') RETURNING id",
      group.school_id,
    )
    const { id: course } = await one<{ id: number }>(
      "INSERT INTO course (subject_id, code, level, title) VALUES (?, 'BIO', '300', 'Cells') RETURNING id",
      subject,
    )
    const moved = await section()
    await makeWatch(await makeRecipient(), moved)
    expect((await desk.change('sections', moved, { course_id: String(course) })).status).toBe(303)
    expect(
      await one(
        'SELECT s.course_level, g.subject_id, g.watch_count FROM section s JOIN section_group g ON g.id = s.group_id WHERE s.id = ?',
        moved,
      ),
    ).toEqual({ course_level: '300', subject_id: subject, watch_count: 1 })
  })

  test('are deleted with their watches and removed from the search', async () => {
    const place = await makeGroup()
    const gone = await section('closed', place)
    await makeWatch(await makeRecipient(), gone)
    await makeWatch(await makeRecipient(), gone)
    const { asked, status } = await desk.delete('sections', gone)
    expect(asked).toContain('these people will no longer be notified')
    expect(status).toBe(303)
    expect(await one('SELECT watch_count FROM section_group WHERE id = ?', place.group_id)).toEqual({ watch_count: 0 })
  })

  test('that staff open alert every watcher once, as if the school had reported it', async () => {
    const address = addressOf('phone')
    const opened = await section()
    const recipient = await makeRecipient([{ kind: 'phone', address }])
    await makeWatch(recipient, opened)
    const { text } = await desk.act('sections', 'set_status', opened, { status: 'open', seats_available: '3' })
    expect(text).toContain('Open: 1 section changed. 1 opened, and 1 message is being sent.')
    const arrived = await until(
      () => arrivedAt(address),
      (messages) => messages.length > 0,
      'the message',
    )
    expect(arrived).toHaveLength(1)
    expect(arrived[0]).toContain('3 left')
    expect(await one('SELECT status, seats_available, version FROM section WHERE id = ?', opened)).toEqual({
      status: 'open',
      seats_available: 3,
      version: 2,
    })
    expect(await rows('SELECT status FROM seat_change WHERE section_id = ?', opened)).toEqual([{ status: 'open' }])
    expect(await rows('SELECT kind FROM class_alert WHERE recipient_id = ?', recipient)).toEqual([{ kind: 'opening' }])
    expect(await desk.entry('section')).toMatchObject({
      act: 'changed',
      area: 'class_tracker',
      row_key: String(opened),
      before: { status: 'closed', seats_available: 0 },
      after: { status: 'open', seats_available: 3 },
    })
    const again = await desk.act('sections', 'set_status', opened, { status: 'open', seats_available: '3' })
    expect(again.text).toContain('0 sections changed. 1 skipped (already set')
    expect(await rows('SELECT id FROM opening WHERE section_id = ?', opened)).toHaveLength(1)
  })

  test('that staff close alert no one; a section no longer listed can be listed again', async () => {
    const closed = await section('open')
    const recipient = await makeRecipient([{ kind: 'phone', address: addressOf('phone') }])
    await makeWatch(recipient, closed)
    await rows('UPDATE section SET missing_since = 1 WHERE id = ?', closed)
    await desk.act('sections', 'set_status', closed, { status: 'waitlisted', seats_available: '4' })
    expect(await one('SELECT status, seats_available, missing_since FROM section WHERE id = ?', closed)).toEqual({
      status: 'waitlisted',
      seats_available: 0,
      missing_since: null,
    })
    expect(await rows('SELECT id FROM class_alert WHERE recipient_id = ?', recipient)).toEqual([])
  })

  test('ask for confirmation first, and an invalid status is rejected', async () => {
    const unsure = await section()
    const asked = await desk.act('sections', 'set_status', unsure, { confirmed: '' })
    expect(asked.text).toContain('watchers are notified if a section opens')
    const refused = await desk.act('sections', 'set_status', unsure, { status: 'unknown' })
    expect(refused.status).toBe(422)
    const full = await desk.act('sections', 'set_status', unsure, { status: 'open', seats_available: '0' })
    expect(full.text).toContain('An open section has at least one free seat.')
    expect(await one('SELECT status FROM section WHERE id = ?', unsure)).toEqual({ status: 'closed' })
  })

  test('are found by number, by course, and by recipient', async () => {
    const place = await makeGroup()
    const found = await section('closed', place)
    const { section_key } = await one<{ section_key: string }>('SELECT section_key FROM section WHERE id = ?', found)
    const titles = [expect.stringContaining(`(${section_key})`)]
    expect(await desk.titles(`sections/?q=${section_key}`)).toEqual(titles)
    const { code } = await one<{ code: string }>('SELECT code FROM course WHERE id = ?', place.course_id)
    expect(await desk.titles(`sections/?q=${code} 101`)).toEqual(titles)
    for (const filter of ['school_term_id', 'school', 'course_id'] as const) {
      const key = { school_term_id: place.school_term_id, school: place.school_id, course_id: place.course_id }[filter]
      expect(await desk.titles(`sections/?${filter}=${key}`), filter).toEqual(titles)
    }
    expect(await desk.titles(`sections/?school=${place.school_id}&watched=yes`)).toEqual([])
    await makeWatch(await makeRecipient(), found)
    expect(await desk.titles(`sections/?school=${place.school_id}&watched=yes`)).toEqual(titles)
  })
})
