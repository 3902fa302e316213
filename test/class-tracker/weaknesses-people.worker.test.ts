import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, test } from 'vitest'
import { ledgerOf } from '../../src/jobs/ledgers.ts'
import { untilSettled } from '../worker/dying-consumers.ts'
import { arrivedFor, wait, type LoadedSubject } from '../worker/loaded-subject.ts'
import { rows } from '../worker/rows.ts'
import { alertsOf, comeRound, learnTwoSchools, open, poll } from '../worker/two-schools.ts'
import type { Visitor } from '../worker/visitor.ts'
import { tick, until, world } from '../worker/world.ts'

/** What made an earlier product unreliable: each of these tests would fail on it. */

let harbor: LoadedSubject
let northfield: LoadedSubject
let staff: Visitor

beforeAll(async () => {
  ;({ harbor, northfield, staff } = await learnTwoSchools())
})

describe('a recipient', () => {
  test('is messaged on every enabled contact; with texts off, on every other one, and no one else is messaged instead', async () => {
    const waiting = await wait(harbor)
    await rows(
      "INSERT INTO contact (recipient_id, kind, address, address_key, created_at) VALUES (?, 'phone', '+12025568888', '+12025568888', 0)",
      waiting.recipient,
    )
    await open(waiting)
    await poll(harbor)
    await untilSettled([waiting.recipient])
    expect(await arrivedFor(waiting)).toEqual({ sms: 1, email: 1 })
    expect(await arrivedFor({ phone: '+12025568888', email: '' })).toEqual({ sms: 1, email: 0 })
    const silent = await wait(harbor)
    await rows('UPDATE recipient SET is_contact_by_phone = 0 WHERE id = ?', silent.recipient)
    await world.emptyOutbox()
    await open(silent)
    await poll(harbor)
    await untilSettled([silent.recipient])
    expect(await arrivedFor(silent)).toEqual({ sms: 0, email: 1 })
    const { sms, discord } = await world.outbox()
    expect([sms, discord]).toEqual([[], []])
  })

  test('has contacts that are enabled and validated and can be removed, and no address contains a number', async () => {
    const add = (fields: Record<string, string>) => staff.call('POST', '/class_tracker/add_recipient/0', fields)
    const nonsense = await add({ 'recipient-name': 'Ada', 'contact-new-kind': 'phone', 'contact-new-number': '12' })
    expect(nonsense.status).toBe(422)
    const added = await add({
      'recipient-name': 'Ada',
      'contact-new-kind': 'phone',
      'contact-new-number': '202-555-0177',
      'contact-new-is_enabled': 'on',
    })
    expect(added.status).toBe(200)
    const { recipient } = await added.json<{ recipient: { id: number; phone_numbers: unknown[] } }>()
    expect(recipient.phone_numbers).toMatchObject([{ number: '+12025550177', is_enabled: true, opted_out: false }])
    const removed = await staff.call('POST', `/class_tracker/remove_recipient/${recipient.id}`)
    expect(removed.status).toBe(200)
    expect(await rows('SELECT 1 FROM contact WHERE recipient_id = ?', recipient.id)).toEqual([])
    const waiting = await wait(harbor, ['phone'])
    await open(waiting)
    await poll(harbor)
    await untilSettled([waiting.recipient])
    const sent = (await world.requests()).filter(({ service, method }) => service === 'sms' && method === 'POST')
    expect(sent.length).toBeGreaterThan(0)
    expect(sent.filter(({ path }) => path.includes(waiting.phone.slice(1)) || path.includes('token'))).toEqual([])
  })
})

describe('a term that is over', () => {
  test('is no longer polled', async () => {
    await wait(harbor)
    const end = (at: number) => rows('UPDATE school_term SET ends_at = ? WHERE school_id = ?', at, harbor.school_id)
    await end(Date.now() - 1)
    const asked = async () =>
      (await world.requests()).filter(({ service }) => service === 'Harbor State University').length
    const before = await asked()
    await comeRound()
    await tick()
    await poll(harbor)
    expect(await asked()).toBe(before)
    await end(Date.now() + 24 * 3600_000)
    await poll(harbor)
    expect(await asked()).toBeGreaterThan(before)
  })
})

describe('a refresh of all schools', () => {
  const path = () => `/class_tracker/fetch_new_semester_course_sections/0/${harbor.term_id}/0`

  test('is a job that the call does not wait for, and reports the courses of every school', async () => {
    const answer = await staff.call('POST', path())
    expect(answer.status).toBe(202)
    const { job } = await answer.json<{ job: { id: string } }>()
    const ended = await until(
      () => ledgerOf(env, 'refresh').get(job.id),
      (record) => record?.state === 'finished',
      'the refresh',
    )
    const { courses, courses_count } = Object(ended?.result) as { courses: { id: number }[]; courses_count: number }
    expect(courses_count).toBeGreaterThanOrEqual(courses.length)
    const schools = await rows<{ school_id: number }>(
      'SELECT DISTINCT j.school_id FROM course c JOIN subject j ON j.id = c.subject_id WHERE c.id IN (SELECT value FROM json_each(?))',
      JSON.stringify(courses.map(({ id }) => id)),
    )
    expect(schools.map(({ school_id }) => school_id).toSorted()).toEqual(
      [harbor.school_id, northfield.school_id].toSorted(),
    )
  })

  test("needs a POST with the page's own token", async () => {
    expect((await staff.call('GET', path())).status).toBe(405)
    const token = staff.csrfToken
    staff.csrfToken = ''
    expect((await staff.call('POST', path())).status).toBe(403)
    staff.csrfToken = token
  })
})

describe('the list of sections', () => {
  test("contains only the subject's own school, and a section without a meeting is listed and alerted like any other", async () => {
    const list = async ({ term_id, subject_id }: LoadedSubject) => {
      const answer = await staff.call('GET', `/class_tracker/get_course_sections/${term_id}/${subject_id}`)
      expect(answer.status).toBe(200)
      return (await answer.json<{ sections: { id: number; instruction_list: unknown[] }[] }>()).sections
    }
    const waiting = await wait(harbor, ['phone'])
    await rows("UPDATE section SET instruction_list = '[]' WHERE id = ?", waiting.section.id)
    const [here, there] = [await list(harbor), await list(northfield)]
    const ids = async (loaded: LoadedSubject) =>
      (
        await rows<{ id: number }>(
          'SELECT id FROM section WHERE group_id = ? AND missing_since IS NULL',
          loaded.group_id,
        )
      ).map(({ id }) => id)
    expect(here.map(({ id }) => id).toSorted()).toEqual((await ids(harbor)).toSorted())
    expect(there.map(({ id }) => id).toSorted()).toEqual((await ids(northfield)).toSorted())
    expect(here.find(({ id }) => id === waiting.section.id)).toMatchObject({ instruction_list: [] })
    await open(waiting)
    await poll(harbor)
    await untilSettled([waiting.recipient])
    expect(await arrivedFor(waiting)).toEqual({ sms: 1, email: 0 })
    expect(await alertsOf(staff, waiting.recipient)).toMatchObject([{ course_section: { id: waiting.section.id } }])
  })
})
