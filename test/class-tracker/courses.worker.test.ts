import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, test } from 'vitest'
import type * as z from 'zod/mini'
import {
  GetCourseSections,
  GetSchools,
  GetSubjects,
  ManageCourseListProps,
} from '../../src/class-tracker/courses/contract.ts'
import { makeGroup, makeRecipient, makeSection, makeWatch } from '../worker/catalog.ts'
import { rows } from '../worker/rows.ts'
import { addUser, browserOf, type Visitor } from '../worker/visitor.ts'
import { strict } from '../worker/strict.ts'

let staff: Visitor

beforeAll(async () => {
  staff = await browserOf(await addUser({ isSuperuser: true }))
})

async function get<Shape>(path: string, shape: z.ZodMiniType<Shape>): Promise<Shape> {
  const response = await staff.call('GET', `/class_tracker/${path}`)
  expect(response.status).toBe(200)
  return shape.parse(await response.json())
}

describe('catalog', () => {
  test('lists schools by name', async () => {
    const [one, two] = [await makeGroup(), await makeGroup()]
    await env.DB.prepare("UPDATE school SET name = 'a first' WHERE id = ?").bind(two.school_id).run()
    const { schools } = await get('get_schools', strict(GetSchools))
    expect(schools[0]).toEqual({ id: two.school_id, name: 'a first' })
    expect(schools.map(({ id }) => id)).toContain(one.school_id)
  })

  test('marks exactly the schools whose source is off', async () => {
    const [on, off] = [await makeGroup(), await makeGroup()]
    await env.DB.prepare('UPDATE source SET is_enabled = 0 WHERE id = ?').bind(off.source_id).run()
    const { schools } = await get('get_schools', strict(GetSchools))
    const marked = new Map(schools.map((school) => [school.id, school.is_off]))
    expect([marked.get(on.school_id), marked.get(off.school_id)]).toEqual([undefined, true])
  })

  test('lists the subjects a school offers in the term, and those of all schools with their school', async () => {
    const [one, two] = [await makeGroup(), await makeGroup()]
    await env.DB.prepare(
      "INSERT INTO section_group (source_id, school_term_id, subject_id, career) VALUES (?, ?, ?, 'GRAD')",
    )
      .bind(one.source_id, one.school_term_id, one.subject_id)
      .run()
    await env.DB.prepare("INSERT INTO subject (school_id, key, name) VALUES (?, 'OLD', 'Not offered')")
      .bind(one.school_id)
      .run()
    await env.DB.batch([
      env.DB.prepare("UPDATE subject SET name = 'Computer Science' WHERE id IN (?, ?)").bind(
        one.subject_id,
        two.subject_id,
      ),
      env.DB.prepare("UPDATE school SET name = 'Queens College' WHERE id = ?").bind(one.school_id),
    ])
    const mine = await get(`get_subjects/${one.school_id}/${one.term_id}`, strict(GetSubjects))
    expect(mine.subjects).toEqual([{ id: one.subject_id, name: 'Computer Science' }])
    const all = await get(`get_subjects/0/${one.term_id}`, strict(GetSubjects))
    expect(all.subjects).toContainEqual({ id: one.subject_id, name: 'Computer Science (Queens College)' })
    expect(all.subjects.filter(({ id }) => id === two.subject_id)).toHaveLength(1)
  })

  test('is empty for a term the school does not offer, and a 404 for an unknown term or school', async () => {
    const group = await makeGroup()
    const [other] = await rows<{ id: number }>(
      "INSERT INTO term (year, season, full_term_name) VALUES (2031, 'fall', '2031 Fall Term') RETURNING id",
    )
    expect(await get(`get_subjects/${group.school_id}/${other?.id}`, GetSubjects)).toEqual({ subjects: [] })
    expect(await get(`get_subjects/0/${other?.id}`, GetSubjects)).toEqual({ subjects: [] })
    expect(await get(`get_course_sections/${other?.id}/${group.subject_id}`, GetCourseSections)).toEqual({
      sections: [],
    })
    for (const [path, message] of [
      [`get_subjects/${group.school_id}/98765`, 'Term id 98765 not found'],
      [`get_subjects/0/98765`, 'Term id 98765 not found'],
      [`get_subjects/98765/${group.term_id}`, 'School id 98765 not found'],
      [`get_course_sections/98765/${group.subject_id}`, 'Term id 98765 not found'],
      [`get_course_sections/${group.term_id}/98765`, 'Subject id 98765 not found'],
    ]) {
      const response = await staff.call('GET', `/class_tracker/${path}`)
      expect([response.status, await response.json()]).toEqual([404, [message]])
    }
  })

  test('lists sections in natural order with their last known status, and unknown figures as null', async () => {
    const group = await makeGroup({ read_at: Date.UTC(2026, 8, 1) })
    const ids = {
      ten: await makeSection(group, '300'),
      two: await makeSection(group, '100', 'unknown', null),
      gone: await makeSection(group, '200'),
    }
    await env.DB.batch([
      env.DB.prepare("UPDATE section SET section = '10' WHERE id = ?").bind(ids.ten),
      env.DB.prepare("UPDATE section SET section = '2', capacity = NULL, waitlist_available = NULL WHERE id = ?").bind(
        ids.two,
      ),
      env.DB.prepare('UPDATE section SET missing_since = 5 WHERE id = ?').bind(ids.gone),
    ])
    const { sections } = await get(
      `get_course_sections/${group.term_id}/${group.subject_id}`,
      strict(GetCourseSections),
    )
    expect(sections.map(({ id }) => id)).toEqual([ids.two, ids.ten])
    const [course] = await rows<{ code: string; subject: string }>(
      'SELECT c.code, j.name AS subject FROM course c JOIN subject j ON j.id = c.subject_id WHERE c.id = ?',
      group.course_id,
    )
    expect(sections[0]).toEqual({
      id: ids.two,
      number: '100',
      section: '2',
      topic: 'Introduction',
      status: 'unknown',
      seats_available: null,
      capacity: null,
      waitlist_available: null,
      number_label: 'CRN',
      observed_at: null,
      term: { id: group.term_id, full_term_name: '2026 Fall Term' },
      course: {
        id: group.course_id,
        code: course?.code,
        level: '101',
        title: 'Introduction',
        subject: course?.subject,
      },
      instruction_list: [{ name: 'Ada Lovelace', days_times: 'MoWe 9:05AM - 10:20AM' }],
    })
  })
})

describe('Manage Course List', () => {
  test('shows when each source was refreshed, by whom, when it is next due, and its health', async () => {
    const group = await makeGroup({ poll_seconds: 20, requests_per_minute: 60 })
    const refreshed = Date.UTC(2026, 8, 1, 12)
    await env.DB.prepare(
      `UPDATE source SET name = 'zz', terms_refreshed_at = ?, terms_refreshed_by = 'nightly', sections_refreshed_at = ?, sections_refreshed_by = 'ada',
         failures = 2, last_error = 'HTTP 500', requests_a_round = 90 WHERE id = ?`,
    )
      .bind(refreshed - 5, refreshed, group.source_id)
      .run()
    const shown = async () => {
      const props = strict(ManageCourseListProps).parse(
        (await staff.see('/class_tracker/manage_course_list/')).data.props,
      )
      return props.sources.at(-1)
    }
    expect(await shown()).toEqual({
      id: group.source_id,
      name: 'zz',
      kind: 'banner9',
      system: 'Ellucian Banner 9',
      last_refreshed: '2026-09-01T12:00:00.000Z',
      by: 'ada',
      next_due: '2026-09-02T07:30:00.000Z',
      health: 'failing',
      last_error: 'HTTP 500',
      failures: 2,
      checked_at: null,
      last_good_at: null,
      next_try_at: null,
      watches: 0,
      unread_sections: 0,
      unread_since: null,
      effective_interval: null,
      poll_seconds: 20,
    })
    await makeWatch(await makeRecipient(), await makeSection(group, '1'))
    expect(await shown()).toMatchObject({ effective_interval: 90 })
    await env.DB.prepare('UPDATE source SET is_enabled = 0 WHERE id = ?').bind(group.source_id).run()
    expect(await shown()).toMatchObject({ health: 'disabled', next_due: null })
  })
})
