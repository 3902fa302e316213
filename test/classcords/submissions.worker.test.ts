import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  ExistingServer,
  type ProfileProps,
  SubmitInvite,
  type UnapprovedInvitesProps,
  ValidateDiscordInvite,
  type WelcomeProps,
} from '../../src/classcords/contract.ts'
import { readSubmission } from '../../src/classcords/invites/submission-form.ts'
import { submitInvite } from '../../src/classcords/invites/submit-invite.ts'
import type { Member } from '../../src/classcords/viewer.ts'
import { asked, inviteForm, lastInvite, openCampus } from '../worker/campus.ts'
import { type MadeGroup } from '../worker/catalog.ts'
import { addPerson, guilds, linkOf, makePending, makeSchool, makeServer, type Person } from '../worker/directory.ts'
import { one, rows } from '../worker/rows.ts'
import { browserOf, type Visitor } from '../worker/visitor.ts'
import { watchedDatabase } from '../worker/watched-database.ts'
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

const form = (change: Record<string, string> = {}) => inviteForm(school, change)
const submit = (visitor: Visitor, change: Record<string, string> = {}) =>
  asked(visitor, 'POST', 'submit-invite', form(change))

/** What the server knows about a logged-in member. */
async function memberOf({ id, name, discordUserId }: Person): Promise<Member> {
  const { user } = (await student.see('/classcords/profile/')).data.context
  const { discord_user: discordUser } = user
  if (discordUser === null) throw new Error('no Discord account')
  return {
    user: { ...user, id, username: name, email: null, discord_user: discordUser },
    discordUser,
    discordUserId,
    schoolId: school.school_id,
    isManager: false,
    isSuperuser: false,
    role: 'member',
    audit: { userId: id, who: name, ipAddress: null, country: null },
  }
}

describe('validating', () => {
  it("returns the server behind a link and one's own school", async () => {
    const { status, answer } = await asked(student, 'POST', 'validate-discord-invite', {
      invite_url: linkOf(guilds.calculus.code),
    })
    expect(status).toBe(200)
    expect(strict(ValidateDiscordInvite).parse(answer)).toMatchObject({
      guild_info: { id: guilds.calculus.id, name: guilds.calculus.name },
      existing_server_info: null,
      is_new_server: true,
      available_schools: [{ id: school.school_id }],
    })
  })

  it('offers managers every school that has subjects', async () => {
    const { answer } = await asked(boss, 'POST', 'validate-discord-invite', {
      invite_url: linkOf(guilds.calculus.code),
    })
    const ids = ValidateDiscordInvite.parse(answer).available_schools.map(({ id }) => id)
    expect(ids).toEqual(expect.arrayContaining([school.school_id, other.school_id]))
  })

  it("recognizes a listed server of one's own school", async () => {
    await submit(boss)
    const { answer } = await asked(student, 'POST', 'validate-discord-invite', { invite_url: linkOf('vanity') })
    expect(answer).toMatchObject({ is_new_server: true, guild_info: { id: guilds.commons.id } })
    await submit(boss, {
      invite_url: linkOf(guilds.commons.code),
      guild_id: guilds.commons.id,
      guild_name: guilds.commons.name,
    })
    const again = await asked(student, 'POST', 'validate-discord-invite', { invite_url: linkOf('vanity') })
    expect(again.answer).toMatchObject({ is_new_server: false, existing_server_info: { server_id: guilds.commons.id } })
    strict(ExistingServer).parse(ValidateDiscordInvite.parse(again.answer).existing_server_info)
    const stranger_ = await browserOf(await addPerson({ school: other.school_id }))
    const elsewhere = await asked(stranger_, 'POST', 'validate-discord-invite', { invite_url: linkOf('vanity') })
    expect(elsewhere.answer).toMatchObject({ is_new_server: true, existing_server_info: null })
  })

  it.each([
    ['whose only invite died', "UPDATE invite SET is_valid = 0 WHERE state = 'approved'"],
    ['that was removed', 'UPDATE discord_server SET is_active = 0'],
    ['whose approved invites were all deleted', "DELETE FROM invite WHERE state = 'approved'"],
  ])('recognizes a server %s, and keeps it private', async (_which, change) => {
    const commons = { guild_id: guilds.commons.id, guild_name: guilds.commons.name }
    await submit(boss, { ...commons, invite_url: linkOf(guilds.commons.code), privacy_level: 'private' })
    await rows(change)
    const validate = async (visitor: Visitor) =>
      (await asked(visitor, 'POST', 'validate-discord-invite', { invite_url: linkOf('vanity') })).answer
    for (const visitor of [student, boss])
      expect(await validate(visitor)).toMatchObject({
        is_new_server: false,
        existing_server_info: { privacy_level_info: { value: 'private' }, schools: [{ id: school.school_id }] },
      })
    const elsewhere = await browserOf(await addPerson({ school: other.school_id }))
    expect(await validate(elsewhere)).toMatchObject({ is_new_server: true, existing_server_info: null })
    await submit(student, { ...commons, invite_url: linkOf('vanity') })
    const { data } = await boss.see<UnapprovedInvitesProps>('/classcords/unapproved-invites/')
    expect(data.props.unapproved_invites).toMatchObject([{ is_new_server: false, changes_privacy: true }])
  })

  it.each([
    ['', 400, 'Invite URL is required'],
    ['hello', 400, 'Invalid Discord invite URL provided'],
    ['https://example.com/abc', 400, 'Invalid Discord invite URL provided'],
    [linkOf('nobody-has-this'), 422, 'Failed to verify Discord server: this invite does not exist or has expired'],
    [linkOf('group-chat'), 422, 'Failed to verify Discord server: this invite does not lead to a server'],
    [
      linkOf('expires-soon'),
      422,
      'Only permanent Discord invites are allowed. Please create a permanent invite that never expires',
    ],
  ])('%j is %d', async (invite_url, status, message) => {
    expect(await asked(student, 'POST', 'validate-discord-invite', { invite_url })).toMatchObject({
      status,
      answer: [message],
    })
  })

  it('requires a school, except for managers', async () => {
    const body = { invite_url: linkOf(guilds.calculus.code) }
    expect(await asked(await browserOf(await addPerson()), 'POST', 'validate-discord-invite', body)).toMatchObject({
      status: 403,
      answer: ['Select your school first'],
    })
    expect(
      (await asked(await browserOf(await addPerson({ role: 'manager' })), 'POST', 'validate-discord-invite', body))
        .status,
    ).toBe(200)
  })

  it('says that an invite was already submitted, in any spelling', async () => {
    await submit(student)
    for (const invite_url of [
      `discord.com/invite/${guilds.calculus.code}`,
      `http://www.discordapp.com/invite/${guilds.calculus.code}/`,
    ])
      expect(await asked(boss, 'POST', 'validate-discord-invite', { invite_url })).toMatchObject({
        status: 409,
        answer: ['This Discord invite has already been submitted'],
      })
  })
})

describe('submitting', () => {
  it('waits for approval, and is listed on the profile', async () => {
    const { status, answer } = await submit(student, {
      subject_id: String(school.subject_id),
      course_id: String(school.course_id),
    })
    expect(status).toBe(200)
    expect(strict(SubmitInvite).parse(answer).discord_server).toMatchObject({
      server_id: guilds.calculus.id,
      courses: [],
    })
    expect(await lastInvite()).toMatchObject({ state: 'pending' })
    const { data } = await student.see<WelcomeProps>('/classcords/')
    expect(data.props.servers).toEqual([])
    expect(data.context.messages).toEqual([
      {
        level_tag: 'info',
        message: 'Invite submitted! It will need to be approved by a site admin before it is visible',
      },
    ])
  })

  it('by a manager is listed at once, with everything submitted', async () => {
    const second = await one<{ id: number }>(
      "INSERT INTO course (subject_id, code, level, title) VALUES (?, 'CS', '202', 'More') RETURNING id",
      school.subject_id,
    )
    const teacher = await one<{ id: number }>(
      "INSERT INTO instructor (school_id, name) VALUES (?, 'Ada Lovelace') RETURNING id",
      school.school_id,
    )
    const body = new URLSearchParams(form({ subject_id: String(school.subject_id), privacy_level: 'private' }))
    body.append('course_id', String(school.course_id))
    body.append('course_id', String(second.id))
    body.append('instructor_ids', String(teacher.id))
    const { answer } = await asked(boss, 'POST', 'submit-invite', body)
    expect(SubmitInvite.parse(answer).discord_server).toMatchObject({
      privacy_level_info: { value: 'private', label: 'Private Server' },
      schools: [{ id: school.school_id }],
      subjects: [{ id: school.subject_id }],
      courses: [{ id: second.id }, { id: school.course_id }],
      instructors: [{ name: 'Ada Lovelace' }],
    })
    expect(await lastInvite()).toMatchObject({ state: 'approved' })
    expect((await student.see<WelcomeProps>('/classcords/')).data.props.servers).toHaveLength(1)
    const { data } = await student.see<{ servers: unknown[] }>('/classcords/all/?q=lovelace')
    expect(data.props.servers).toHaveLength(1)
  })

  it("answers nothing that is stored about another school's private server", async () => {
    const commons = { guild_id: guilds.commons.id, guild_name: guilds.commons.name }
    const subject_id = String(school.subject_id)
    await submit(boss, { ...commons, invite_url: linkOf(guilds.commons.code), privacy_level: 'private', subject_id })
    await rows("UPDATE discord_server SET custom_title = 'Secret society', is_required_for_trust = 1")
    const elsewhere = await browserOf(await addPerson({ school: other.school_id }))
    const link = { invite_url: linkOf('vanity'), school_id: String(other.school_id) }
    expect(await submit(elsewhere, { ...commons, ...link, subject_id })).toMatchObject({
      status: 422,
      answer: ['This subject is not taught at the school'],
    })
    const { status, answer } = await submit(elsewhere, { ...commons, ...link })
    expect(status).toBe(200)
    expect(strict(SubmitInvite).parse(answer).discord_server).toMatchObject({
      display_name: guilds.commons.name,
      privacy_level_info: { value: 'public' },
      is_required_for_trust: false,
      schools: [],
      subjects: [],
    })
    await rows('UPDATE discord_server SET is_active = 0')
    const shown = async (visitor: Visitor) =>
      (await visitor.see<ProfileProps>('/classcords/profile/')).data.props.submissions[0]?.discord_server
    expect(await shown(elsewhere)).toMatchObject({ display_name: guilds.commons.name, is_active: true })
    expect(await shown(boss)).toMatchObject({ display_name: 'Secret society', is_active: false })
    const { invite } = await one<{ invite: number }>("SELECT id AS invite FROM invite WHERE code = 'vanity'")
    await asked(boss, 'POST', `invites/${invite}/reject/`)
    const { notices } = (await asked(elsewhere, 'GET', 'notices/')).answer as { notices: { body: string }[] }
    expect(notices[0]?.body).toContain(guilds.commons.name)
    expect(JSON.stringify(notices)).not.toContain('Secret')
  })

  it.each([
    [
      { invite_url: '', guild_id: '', school_id: '' },
      400,
      ['Invite URL is required', 'Server id is required', 'School is required'],
    ],
    [{ privacy_level: 'secret' }, 400, ["Invalid privacy level. Must be 'public' or 'private'"]],
    [{ school_id: 'abc' }, 400, ['Invalid school selected']],
    [{ subject_id: 'abc' }, 400, ['Invalid subject selected']],
    [{ invite_url: 'https://example.com/x' }, 400, ['Invalid Discord invite URL provided']],
    [{ notes: 'x'.repeat(256) }, 422, ['Notes may have at most 255 characters']],
    [{ course_id: '1' }, 422, ['A course can be chosen only after a subject']],
    [{ instructor_ids: '1' }, 422, ['Instructors can be chosen only after a subject']],
    [{ subject_id: '999999' }, 422, ['This subject is not taught at the school']],
    [
      { guild_name: 'Something else' },
      422,
      ['Internally validated discord server information does not match what the client provided'],
    ],
    [
      { guild_id: '1' },
      422,
      ['Internally validated discord server information does not match what the client provided'],
    ],
  ])('%j is %d', async (change, status, answer) => {
    expect(await submit(student, change as Record<string, string>)).toMatchObject({ status, answer })
    expect(await rows('SELECT 1 FROM invite')).toEqual([])
  })

  it("is for one's own school, or for managers any school", async () => {
    const foreign = { school_id: String(other.school_id) }
    expect(await submit(student, foreign)).toMatchObject({
      status: 403,
      answer: ["You don't have permission to associate servers with this school"],
    })
    expect((await submit(boss, { school_id: '999999' })).answer).toEqual(['Invalid school selected'])
    expect((await submit(boss, foreign)).status).toBe(200)
  })

  it('accepts 255 characters of any kind', async () => {
    expect((await submit(student, { notes: '🎓'.repeat(255) })).status).toBe(200)
    expect((await lastInvite()).notes_md).toBe('🎓'.repeat(255))
  })

  it('counts a line break once, although browsers send two characters', async () => {
    expect((await submit(student, { notes: 'x\r\n'.repeat(128) })).status).toBe(200)
    expect((await lastInvite()).notes_md).toBe('x\n'.repeat(128).trim())
    const { id } = await makePending()
    const reason = 'x\r\n'.repeat(128)
    expect((await asked(boss, 'POST', `invites/${id}/reject/`, { reason })).status).toBe(200)
  })

  it('keeps no control characters, neither in notes nor in a reason', async () => {
    await submit(student, { notes: 'a\0b\u001b[31m\n\tc' })
    const { id, notes_md } = await lastInvite()
    expect(notes_md).toBe('ab[31m\n\tc')
    await asked(boss, 'POST', `invites/${id}/reject/`, { reason: 'no\0pe' })
    expect(await one('SELECT reason FROM invite WHERE id = ?', id)).toEqual({ reason: 'nope' })
  })

  it('keeps nothing that disguises a text, neither in notes nor in a reason', async () => {
    const marks = '\u0301'.repeat(30)
    const burmese = 'လျှော့ဈေး'
    const typed = `[safe\u202E](https://a.test) i\u200Bn\u2066vi\u00ADsible z${marks}\n👩\u200D🎓 ${burmese}`
    await submit(student, { notes: typed })
    const { id, notes_md } = await lastInvite()
    expect(notes_md).toBe(`[safe](https://a.test) invisible ź${marks.slice(0, 5)}\n👩\u200D🎓 ${burmese}`)
    const reason = `no\u202Epe z${'\u0301\u200D'.repeat(30)}`
    await asked(boss, 'POST', `invites/${id}/reject/`, { reason })
    const kept = `nope ź${'\u200D\u0301'.repeat(5)}\u200D`
    expect(await one('SELECT reason FROM invite WHERE id = ?', id)).toEqual({ reason: kept })
  })

  it('never adds what belongs to another subject', async () => {
    const subject_id = String(school.subject_id)
    expect((await submit(student, { subject_id, course_id: String(other.course_id) })).status).toBe(422)
  })

  it('of a listed server repeats what is stored about it, even of several subjects and schools', async () => {
    const commons = { guild_id: guilds.commons.id, guild_name: guilds.commons.name }
    await submit(boss, { ...commons, invite_url: linkOf(guilds.commons.code) })
    const { server_id } = await lastInvite()
    const teacher = await one<{ id: number }>(
      "INSERT INTO instructor (school_id, name) VALUES (?, 'Emmy Noether') RETURNING id",
      other.school_id,
    )
    const again = new URLSearchParams(form({ ...commons, invite_url: linkOf('vanity') }))
    again.append('subject_id', String(other.subject_id))
    for (const { course_id } of [school, other]) again.append('course_id', String(course_id))
    again.append('instructor_ids', String(teacher.id))
    expect((await asked(student, 'POST', 'submit-invite', again)).status).toBe(422)
    for (const { subject_id, course_id } of [school, other]) {
      await rows('INSERT INTO server_subject (server_id, subject_id) VALUES (?, ?)', server_id, subject_id)
      await rows('INSERT INTO server_course (server_id, course_id) VALUES (?, ?)', server_id, course_id)
    }
    await rows('INSERT INTO server_instructor (server_id, instructor_id) VALUES (?, ?)', server_id, teacher.id)
    expect((await asked(student, 'POST', 'submit-invite', again)).status).toBe(200)
  })
})

describe('a link that now leads to another server', () => {
  const quarantine = (id: number) => rows('UPDATE invite SET is_valid = 0, quarantined_at = 5 WHERE id = ?', id)
  const states = () => rows('SELECT state, is_valid FROM invite ORDER BY id')

  it('can be submitted for that server', async () => {
    const { invite } = await makeServer({ code: guilds.calculus.code })
    const validate = () => asked(student, 'POST', 'validate-discord-invite', { invite_url: form().invite_url })
    expect([(await validate()).status, (await submit(student)).status]).toEqual([409, 409])
    await quarantine(invite)
    expect([(await validate()).status, (await submit(student)).status]).toEqual([200, 200])
    expect(await states()).toEqual([
      { state: 'expired', is_valid: 0 },
      { state: 'pending', is_valid: 1 },
    ])
    expect((await submit(student)).status).toBe(409)
  })

  it('can be submitted by a manager, also if its former server is only pending', async () => {
    await quarantine((await makePending({ code: guilds.calculus.code })).id)
    expect((await submit(boss)).status).toBe(200)
    expect((await states())[0]).toEqual({ state: 'expired', is_valid: 0 })
  })

  it('is closed by no one in the records, and its former server stays private when a later approval is undone', async () => {
    const former = await makeServer({ code: guilds.calculus.code, privacy: 'private' })
    await rows('UPDATE invite SET decided_by = ? WHERE id = ?', regular.discordUserId, former.invite)
    await quarantine(former.invite)
    expect((await submit(student)).status).toBe(200)
    expect(await one('SELECT state, decided_by FROM invite WHERE id = ?', former.invite)).toEqual({
      state: 'expired',
      decided_by: null,
    })
    expect(await rows('SELECT decision, decided_by FROM invite_decision WHERE invite_id = ?', former.invite)).toEqual([
      { decision: 'closed', decided_by: null },
    ])
    const { id } = await makePending()
    await rows("UPDATE invite SET server_id = ?, privacy_level = 'public' WHERE id = ?", former.id, id)
    const privacy = () => rows('SELECT privacy_level FROM discord_server WHERE id = ?', former.id)
    await asked(boss, 'POST', `invites/${id}/approve/`)
    expect(await privacy()).toEqual([{ privacy_level: 'public' }])
    await asked(boss, 'POST', `invites/${id}/withdraw/`)
    expect(await privacy()).toEqual([{ privacy_level: 'private' }])
  })

  it('is still that of its server if it leads there again', async () => {
    await submit(boss)
    await quarantine((await lastInvite()).id)
    expect((await submit(student)).status).toBe(409)
  })
})

describe("one's own pending invite", () => {
  const pending = () =>
    rows<{ id: number; notes_md: string; created_at: number; privacy_level: string }>(
      "SELECT * FROM invite WHERE state = 'pending'",
    )
  const validate = async (fields: Record<string, string>) =>
    (await asked(student, 'POST', 'validate-discord-invite', fields)).status

  it('is edited in place: the same link, the same position in the queue', async () => {
    expect((await submit(student)).status).toBe(200)
    await rows("UPDATE invite SET created_at = 12345 WHERE state = 'pending'")
    const [before] = await pending()
    const replaces = String(before?.id)
    expect(await validate({ invite_url: form().invite_url })).toBe(409)
    expect(await validate({ invite_url: form().invite_url, replaces })).toBe(200)
    expect(await validate({ invite_url: linkOf(guilds.algebra.code), replaces })).toBe(409)
    const edited = { notes: 'Second thoughts', privacy_level: 'private', replaces }
    expect((await submit(boss, edited)).status).toBe(409)
    expect((await submit(student, edited)).status).toBe(200)
    expect(await pending()).toMatchObject([
      { notes_md: 'Second thoughts', privacy_level: 'private', created_at: 12345 },
    ])
  })

  it('is not edited once a manager has decided', async () => {
    await submit(student)
    const { id } = await lastInvite()
    await rows("UPDATE invite SET state = 'approved' WHERE id = ?", id)
    expect((await submit(student, { replaces: String(id) })).status).toBe(409)
  })

  it.each([
    ['rejected it', (id: number) => rows("UPDATE invite SET state = 'rejected' WHERE id = ?", id)],
    ['approved it', (id: number) => rows("UPDATE invite SET state = 'approved' WHERE id = ?", id)],
    ['withdrew it', (id: number) => rows('DELETE FROM invite WHERE id = ?', id)],
  ])('is not edited if someone %s while the edit was being checked', async (_what, decide) => {
    await submit(student)
    const { id } = await lastInvite()
    const sent = new FormData()
    for (const [name, value] of Object.entries(form({ notes: 'Late', replaces: String(id) }))) sent.set(name, value)
    const db = watchedDatabase({ before: async (trip) => void (trip === 4 && (await decide(id))) })
    await expect(
      submitInvite({ ...env, DB: db }, await memberOf(regular), readSubmission(sent), Date.now()),
    ).rejects.toMatchObject({
      status: 409,
    })
    expect(await pending()).toEqual([])
  })

  it('is one of at most 20 of its submitter', async () => {
    for (let n = 1; n < 20; n += 1) await makePending({ submitter: regular.discordUserId })
    expect((await submit(student)).status).toBe(200)
    const last = await lastInvite()
    const algebra = {
      invite_url: linkOf(guilds.algebra.code),
      guild_id: guilds.algebra.id,
      guild_name: guilds.algebra.name,
    }
    expect(await submit(student, algebra)).toMatchObject({
      status: 422,
      answer: ['You already have 20 invites in review. Wait for a decision, or withdraw one on your profile.'],
    })
    expect(await rows('SELECT 1 FROM discord_server WHERE server_id = ?', guilds.algebra.id)).toEqual([])
    await makePending({ submitter: regular.discordUserId })
    // An edit adds none, however many there are.
    expect((await submit(student, { notes: 'Edited', replaces: String(last.id) })).status).toBe(200)
    expect((await submit(boss, algebra)).status).toBe(200)
  })

  it('leaves no server behind that nothing is known about', async () => {
    const servers = () => rows('SELECT server_id FROM discord_server')
    await submit(student)
    await asked(student, 'POST', `invites/${(await lastInvite()).id}/cancel/`)
    expect(await servers()).toEqual([])
    await submit(student)
    await rows(
      `INSERT INTO server_report (server_id, reporter_id, reason, created_at) SELECT id, ?, 'It sells exams.', 0 FROM discord_server`,
      regular.discordUserId,
    )
    await asked(student, 'POST', `invites/${(await lastInvite()).id}/cancel/`)
    expect(await servers()).toEqual([{ server_id: guilds.calculus.id }])
    await rows('DELETE FROM server_report')
    await submit(student)
    await rows("UPDATE discord_server SET admin_privacy_level = 'private', admin_privacy_at = 0")
    await asked(student, 'POST', `invites/${(await lastInvite()).id}/cancel/`)
    expect(await servers()).toEqual([{ server_id: guilds.calculus.id }])
  })

  it('can be withdrawn only by its submitter and before a decision', async () => {
    await submit(student)
    const { id } = await lastInvite()
    const cancel = (who: Visitor, invite = id) => asked(who, 'POST', `invites/${invite}/cancel/`)
    expect((await cancel(boss)).status).toBe(404)
    expect((await cancel(student)).status).toBe(200)
    expect(await pending()).toEqual([])
    expect((await cancel(student)).status).toBe(404)
    expect((await submit(student)).status).toBe(200)
    const again = await lastInvite()
    await rows("UPDATE invite SET state = 'approved' WHERE id = ?", again.id)
    const late = await cancel(student, again.id)
    expect([late.status, late.answer]).toEqual([409, ['This invite has already been approved']])
  })

  it('never passes its id on, so that no one decides about an invite they have not seen', async () => {
    const algebra = {
      invite_url: linkOf(guilds.algebra.code),
      guild_id: guilds.algebra.id,
      guild_name: guilds.algebra.name,
    }
    const seen = async () => {
      const { data } = await boss.see<UnapprovedInvitesProps>('/classcords/unapproved-invites/')
      return data.props.unapproved_invites[0]?.id ?? 0
    }
    await submit(student)
    const withdrawn = await seen()
    await asked(student, 'POST', `invites/${withdrawn}/cancel/`)
    await submit(student, algebra)
    expect(await asked(boss, 'POST', `invites/${withdrawn}/approve/`)).toMatchObject({
      status: 404,
      answer: ['There is no such invite. It may have been withdrawn or changed'],
    })
    const edited = await seen()
    await submit(student, { ...algebra, notes: 'Unseen', privacy_level: 'private', replaces: String(edited) })
    for (const decision of ['approve', 'reject'])
      expect((await asked(boss, 'POST', `invites/${edited}/${decision}/`)).status).toBe(404)
    expect(await pending()).toMatchObject([{ notes_md: 'Unseen' }])
  })
})
