import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import {
  Done,
  Instructors,
  type NoticesProps,
  ServerInvites,
  ServerUses,
  Subjects,
  Courses,
} from '../../src/classcords/contract.ts'
import { refreshInstructors, scheduleInstructors } from '../../src/classcords/schools/refresh-instructors.ts'
import { selectSchool } from '../../src/classcords/schools/select-school.ts'
import type { Palette } from '../../src/web/contract.ts'
import { asked, openCampus } from '../worker/campus.ts'
import { type MadeGroup, makeSection } from '../worker/catalog.ts'
import { addPerson, guilds, linkOf, makePending, makeSchool, makeServer, type Person } from '../worker/directory.ts'
import { one, rows } from '../worker/rows.ts'
import { addUser, browserOf, stranger, type Visitor } from '../worker/visitor.ts'
import { runJob, until, world } from '../worker/world.ts'
import { strict } from '../worker/strict.ts'

let school: MadeGroup
let other: MadeGroup
let regular: Person
let student: Visitor
let boss: Visitor

beforeEach(async () => {
  ;({ school, regular, student, boss } = await openCampus())
  other = await makeSchool()
})

describe('a call', () => {
  it.each([
    ['POST', 'validate-discord-invite'],
    ['POST', 'submit-invite'],
    ['GET', 'schools/1/subjects/'],
    ['GET', 'schools/1/subjects/1/courses/'],
    ['GET', 'schools/1/subjects/1/instructors/'],
    ['POST', 'select-school'],
    ['POST', 'servers/1/report/'],
    ['GET', 'servers/1/uses/'],
    ['POST', 'invites/1/approve/'],
    ['POST', 'invites/1/reject/'],
    ['POST', 'invites/1/withdraw/'],
    ['GET', 'notices/'],
  ])('%s %s requires a login', async (method, path) => {
    const body = method === 'POST' ? { invite_url: 'x', reason: 'x', school: '1' } : undefined
    expect(await asked(await stranger(), method, path, body)).toMatchObject({
      status: 401,
      answer: ['You must be logged in'],
    })
    expect((await asked(await browserOf(await addUser()), method, path, body)).status).toBe(403)
  })

  it.each(['approve', 'reject', 'withdraw'])(
    'to %s is for managers; a superuser without the role is refused',
    async (act) => {
      const pending = await makePending()
      const superuser = await browserOf(await addPerson({ school: school.school_id, isSuperuser: true }))
      for (const visitor of [student, superuser])
        expect((await asked(visitor, 'POST', `invites/${pending.id}/${act}/`)).status).toBe(403)
    },
  )

  it('with a malformed or unknown id is 404', async () => {
    for (const path of [
      'servers/abc/invites/',
      'servers/0/invites/',
      'servers/999999/invites/',
      'schools/999999/subjects/',
    ])
      expect((await asked(boss, 'GET', path)).status).toBe(404)
    for (const act of ['approve', 'reject', 'withdraw'])
      expect((await asked(boss, 'POST', `invites/999999/${act}/`)).status).toBe(404)
    expect((await asked(boss, 'PUT', 'invites/999999/track-usage/')).status).toBe(404)
  })

  it('with another method is 405, without a token 403', async () => {
    expect((await asked(boss, 'GET', 'submit-invite')).status).toBe(405)
    const response = await boss.fetch('/classcords/ajax/invites/1/approve/', {
      method: 'POST',
      headers: { origin: boss.origin },
    })
    expect([response.status, Array.isArray(await response.json())]).toEqual([403, true])
  })
})

describe('options', () => {
  it("are a school's subjects, courses and instructors, in order", async () => {
    await makeSection(school, '10001')
    await rows('UPDATE school_term SET sections_refreshed_at = 5 WHERE id = ?', school.school_term_id)
    await scheduleInstructors.plan(env, 0)
    await runJob(refreshInstructors, { school_term_id: school.school_term_id, sections_refreshed_at: 5 })
    const path = `schools/${school.school_id}/subjects/`
    expect(strict(Subjects).parse((await asked(student, 'GET', path)).answer)).toEqual({
      subjects: [{ id: school.subject_id, name: expect.any(String) }],
      message: 'Subjects fetched successfully.',
    })
    expect(
      strict(Courses).parse((await asked(student, 'GET', `${path}${school.subject_id}/courses/`)).answer),
    ).toMatchObject({
      courses: [{ id: school.course_id, level: '101', title: 'Introduction' }],
    })
    const { instructors } = strict(Instructors).parse(
      (await asked(student, 'GET', `${path}${school.subject_id}/instructors/`)).answer,
    )
    expect(instructors.map(({ name }) => name)).toEqual(['Ada Lovelace'])
    expect((await asked(student, 'GET', `${path}${other.subject_id}/courses/`)).status).toBe(404)
  })

  it('of a search come from the visible servers', async () => {
    await makeServer({
      schools: [school.school_id],
      subjects: [school.subject_id],
      courses: [school.course_id],
      privacy: 'private',
    })
    await makeServer({ schools: [other.school_id], subjects: [other.subject_id], courses: [other.course_id] })
    const ids = async (visitor: Visitor) =>
      Subjects.parse((await asked(visitor, 'GET', 'subjects/')).answer).subjects.map(({ id }) => id)
    expect(await ids(student)).toEqual([school.subject_id])
    expect(await ids(await stranger())).toEqual([other.subject_id])
    const courses = async (visitor: Visitor, subject: number) =>
      Courses.parse((await asked(visitor, 'GET', `subjects/${subject}/courses/`)).answer).courses.length
    expect([await courses(student, school.subject_id), await courses(student, other.subject_id)]).toEqual([1, 0])
    expect(await courses(await stranger(), other.subject_id)).toBe(1)
  })

  it('of an unknown subject are a 404 for everyone', async () => {
    for (const visitor of [student, await stranger()]) {
      const { status, answer } = await asked(visitor, 'GET', 'subjects/987654/courses/')
      expect([status, answer]).toEqual([404, ['There is no such subject.']])
    }
  })
})

describe("a server's invites", () => {
  it('are approved and valid, newest first, with notes as safe HTML', async () => {
    const server = await makeServer({ schools: [school.school_id], notes: '**Hi** <script>' })
    const { status, answer } = await asked(await stranger(), 'GET', `servers/${server.id}/invites/`)
    expect([status, strict(ServerInvites).parse(answer).invites]).toEqual([
      200,
      [
        {
          id: server.invite,
          invite_url: linkOf(server.code),
          notes_md: '**Hi** <script>',
          notes_html: '<p><strong>Hi</strong> &lt;script&gt;</p>',
          expires_at: null,
          uses_count: 0,
          is_valid: true,
          is_unlimited: true,
        },
      ],
    ])
  })

  it('of a private server are for members of its schools, managers and superusers', async () => {
    const { id, invite } = await makeServer({ schools: [school.school_id], privacy: 'private' })
    const status = async (visitor: Visitor) => [
      (await asked(visitor, 'GET', `servers/${id}/invites/`)).status,
      (await asked(visitor, 'PUT', `invites/${invite}/track-usage/`)).status,
    ]
    const foreign = await browserOf(await addPerson({ school: other.school_id }))
    const foreignBoss = await browserOf(await addPerson({ role: 'manager', school: other.school_id }))
    const superuser = await browserOf(await addUser({ isSuperuser: true }))
    expect(await status(await stranger())).toEqual([401, 401])
    expect((await asked(await stranger(), 'GET', `servers/${id}/invites/`)).answer).toEqual([
      'You must log in to view server invites.',
    ])
    expect(await status(foreign)).toEqual([403, 403])
    expect(await status(await browserOf(await addUser()))).toEqual([403, 403])
    for (const visitor of [student, foreignBoss, superuser]) expect(await status(visitor)).toEqual([200, 200])
  })
})

describe('joining', () => {
  it('counts once per hour and person', async () => {
    const { id, invite } = await makeServer({ schools: [school.school_id] })
    const visitors = [student, boss, await stranger(), await stranger()]
    for (const visitor of [...visitors, ...visitors])
      expect(await asked(visitor, 'PUT', `invites/${invite}/track-usage/`)).toMatchObject({ status: 200, answer: {} })
    // The person who joins does not wait for the count.
    const expectUses = (count: number) =>
      vi.waitFor(
        async () =>
          expect(await one('SELECT uses_count FROM invite WHERE id = ?', invite)).toEqual({ uses_count: count }),
        60_000,
      )
    await expectUses(4)
    await rows('UPDATE invite_use SET used_at = used_at - 3600001')
    await asked(student, 'PUT', `invites/${invite}/track-usage/`)
    await expectUses(5)
    const answer = strict(ServerUses).parse((await asked(boss, 'GET', `servers/${id}/uses/`)).answer)
    expect([answer.total, answer.days.length, answer.days.reduce((sum, day) => sum + day.uses, 0)]).toEqual([5, 30, 5])
    expect((await asked(student, 'GET', `servers/${id}/uses/`)).status).toBe(403)
  })

  it('with a dead invite is refused', async () => {
    const { invite } = await makeServer({ schools: [school.school_id], isListed: false })
    expect(await asked(student, 'PUT', `invites/${invite}/track-usage/`)).toMatchObject({
      status: 422,
      answer: ['This invite is no longer valid'],
    })
  })
})

describe('selecting a school', () => {
  it('is possible once, then every 30 days; superusers are exempt', async () => {
    const visitor = await browserOf(await addPerson())
    const choose = (who: Visitor, id: string | number) => asked(who, 'POST', 'select-school', { school: String(id) })
    expect(await choose(visitor, '')).toMatchObject({ status: 422, answer: ['school: This field is required.'] })
    expect(await choose(visitor, 999_999)).toMatchObject({ status: 422, answer: ['school: Select a valid choice.'] })
    const { status, answer } = await choose(visitor, school.school_id)
    expect([status, strict(Done).parse(answer)]).toEqual([
      200,
      { success: true, message: 'School selected successfully!' },
    ])
    expect((await visitor.see('/classcords/profile/')).data.context.user.discord_user?.school?.id).toBe(
      school.school_id,
    )
    expect(await choose(visitor, other.school_id)).toMatchObject({
      status: 422,
      answer: ['school: You can change your school again in 30 days.'],
    })
    await rows('UPDATE school_choice SET chosen_at = chosen_at - 30 * 86400000')
    expect((await choose(visitor, other.school_id)).status).toBe(200)
    const superuser = await browserOf(await addPerson({ isSuperuser: true }))
    for (const { school_id } of [school, other, school]) expect((await choose(superuser, school_id)).status).toBe(200)
  })

  it('counts only the first of two selections in the same millisecond', async () => {
    const { discordUserId } = await addPerson()
    const choose = ({ school_id }: MadeGroup) =>
      selectSchool(env.DB, { discordUserId, isSuperuser: false }, String(school_id), 5)
    await choose(school)
    await expect(choose(other)).rejects.toMatchObject({ status: 422 })
    expect(await one('SELECT school_id FROM discord_user WHERE id = ?', discordUserId)).toEqual({
      school_id: school.school_id,
    })
  })
})

describe('a report', () => {
  it('reaches the managers, once per day, server and person', async () => {
    const { id } = await makeServer({ name: 'Bad place', schools: [school.school_id] })
    const report = (visitor: Visitor, reason: string) => asked(visitor, 'POST', `servers/${id}/report/`, { reason })
    expect((await report(student, ' ')).status).toBe(400)
    expect((await report(student, 'x'.repeat(1001))).status).toBe(422)
    expect((await report(student, 'Spam')).status).toBe(200)
    const again = await report(student, 'Spam')
    expect([again.status, Number(again.response.headers.get('retry-after'))]).toEqual([429, 86_400])
    expect((await report(boss, 'Yes, spam')).status).toBe(200)
    await rows('UPDATE server_report SET created_at = created_at - 86400001')
    expect((await report(student, 'Still spam')).status).toBe(200)
    const { notices } = (await asked(boss, 'GET', 'notices/')).answer as { notices: { body: string }[] }
    expect(notices.map(({ body }) => body)).toEqual([
      'Bad place: Still spam',
      'Bad place: Yes, spam',
      'Bad place: Spam',
    ])
    expect((await asked(student, 'POST', 'servers/999999/report/', { reason: 'x' })).status).toBe(404)
  })
})

describe('notices', () => {
  it('are marked as read one by one or together, only by their recipient', async () => {
    for (let n = 0; n < 3; n += 1) {
      const { id } = await makePending({ submitter: regular.discordUserId })
      await asked(boss, 'POST', `invites/${id}/approve/`)
    }
    const list = async () =>
      (await asked(student, 'GET', 'notices/')).answer as { notices: { id: number }[]; unread_count: number }
    const before = await list()
    expect(before.unread_count).toBe(3)
    const path = `notices/${before.notices[0]?.id}/read/`
    expect((await asked(boss, 'PUT', path)).status).toBe(404)
    expect(await asked(student, 'PUT', path)).toMatchObject({ status: 200, answer: {} })
    expect((await list()).unread_count).toBe(2)
    const { data } = await student.see<NoticesProps>('/classcords/notices/')
    await rows(
      "INSERT INTO notice (discord_user_id, kind, title, body, created_at) VALUES (?, 'rejected', 'Came later', '', ?)",
      regular.discordUserId,
      Date.now() + 1000,
    )
    const read = await asked(student, 'POST', 'notices/read/', { until: data.props.newest_at ?? '' })
    expect(read.answer).toEqual({ unread_count: 1 })
    expect(await rows('SELECT title FROM notice WHERE read_at IS NULL')).toEqual([{ title: 'Came later' }])
    expect((await asked(student, 'POST', 'notices/read/', { until: 'x' })).status).toBe(400)
    await asked(student, 'POST', 'notices/read/')
    expect((await list()).unread_count).toBe(0)
    expect((await student.see<NoticesProps>('/classcords/notices/')).data.props.notices).toHaveLength(4)
  })
})

it("a manager's search for an invite leads to its server or to the queue, and finds none that are on neither", async () => {
  const pending = await makePending({ code: 'found-pending' })
  const approved = await makeServer({ code: 'found-approved' })
  await makeServer({ code: 'found-dead', isListed: false })
  const removed = await makeServer({ code: 'found-removed' })
  await rows('UPDATE discord_server SET is_active = 0 WHERE id = ?', removed.id)
  for (const state of ['rejected', 'expired']) {
    const { id } = await makePending({ code: `found-${state}` })
    await rows('UPDATE invite SET state = ? WHERE id = ?', state, id)
  }
  const { groups } = await (await boss.call('GET', '/classcords/ajax/palette/?q=found-')).json<Palette>()
  expect(groups.flatMap(({ entries }) => entries.map(({ title, href }) => [title, href])).toSorted()).toEqual([
    [approved.code, `/classcords/server/${approved.id}/`],
    [pending.code, '/classcords/unapproved-invites/'],
  ])
})

it("a manager's search for a server finds only those that have a page", async () => {
  for (let hidden = 0; hidden < 6; hidden += 1) await makeServer({ name: 'Named hidden', isListed: false })
  const shown = await makeServer({ name: 'Named shown' })
  const { groups } = await (await boss.call('GET', '/classcords/ajax/palette/?q=named')).json<Palette>()
  expect(groups.flatMap(({ entries }) => entries.map(({ href }) => href))).toEqual([`/classcords/server/${shown.id}/`])
})

describe('a pending invite that does not work', () => {
  const act = (who: Visitor, id: number, what: string) => who.call('POST', `/classcords/ajax/invites/${id}/${what}/`)

  it('is checked again and can be approved if it works', async () => {
    const broken = await makePending({ submitter: regular.discordUserId, isValid: false })
    expect((await act(boss, broken.id, 'check')).status).toBe(422)
    await rows('UPDATE invite SET code = ? WHERE id = ?', guilds.algebra.code, broken.id)
    await rows('UPDATE discord_server SET server_id = ? WHERE id = ?', guilds.algebra.id, broken.server)
    expect(await (await act(boss, broken.id, 'check')).json()).toEqual({
      errorMessages: [],
      data: { id: broken.id, status: 'pending' },
    })
    expect((await act(boss, broken.id, 'close')).status).toBe(422)
    expect((await act(boss, broken.id, 'approve')).status).toBe(200)
    expect((await act(boss, broken.id, 'check')).status).toBe(409)
  })

  it('is answered as it is stored, if something else was decided during the check', async () => {
    const submitter = regular.discordUserId
    const decided = await makePending({ submitter, isValid: false, code: guilds.calculus.code })
    await rows('UPDATE discord_server SET server_id = ? WHERE id = ?', guilds.calculus.id, decided.server)
    const checks = async () => (await world.requests()).filter(({ path }) => path.includes(guilds.calculus.code)).length
    const before = await checks()
    await world.fault('discord', 'slow', 1)
    const answer = act(boss, decided.id, 'check')
    await until(checks, (count) => count > before, 'the check')
    expect((await act(boss, decided.id, 'close')).status).toBe(200)
    expect(await (await answer).json()).toEqual(['This invite has expired'])
    const failing = await makePending({ submitter, isValid: false })
    await rows('UPDATE invite SET failures = 2, first_failed_at = 5 WHERE id = ?', failing.id)
    expect(await (await act(boss, failing.id, 'check')).json()).toMatchObject({ data: { status: 'expired' } })
  })

  it('is closed by a manager, once, and its submitter is notified', async () => {
    const broken = await makePending({ submitter: regular.discordUserId, isValid: false })
    expect((await act(student, broken.id, 'close')).status).toBe(403)
    expect((await act(student, broken.id, 'check')).status).toBe(403)
    const both = await Promise.all([act(boss, broken.id, 'close'), act(boss, broken.id, 'close')])
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409])
    expect(await one('SELECT state FROM invite WHERE id = ?', broken.id)).toEqual({ state: 'expired' })
    expect(await rows('SELECT title FROM notice WHERE invite_id = ?', broken.id)).toEqual([
      { title: 'Your pending invite has expired' },
    ])
    expect((await act(boss, 999_999, 'close')).status).toBe(404)
  })
})
