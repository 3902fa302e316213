import { beforeEach, describe, expect, it } from 'vitest'
import { Decision, type UnapprovedInvitesProps, type WelcomeProps } from '../../src/classcords/contract.ts'
import { asked, inviteForm, lastInvite, openCampus } from '../worker/campus.ts'
import { type MadeGroup } from '../worker/catalog.ts'
import { guilds, linkOf, makePending, makeSchool } from '../worker/directory.ts'
import { one, rows } from '../worker/rows.ts'
import { strict } from '../worker/strict.ts'
import type { Visitor } from '../worker/visitor.ts'

let school: MadeGroup
let other: MadeGroup
let student: Visitor
let boss: Visitor

beforeEach(async () => {
  ;({ school, student, boss } = await openCampus())
  other = await makeSchool()
})

const submit = (visitor: Visitor, change: Record<string, string> = {}) =>
  asked(visitor, 'POST', 'submit-invite', inviteForm(school, change))

describe('reviewing', () => {
  it('approves once and notifies the submitter', async () => {
    await submit(student, { privacy_level: 'private' })
    const { id } = await lastInvite()
    const { status, answer } = await asked(boss, 'POST', `invites/${id}/approve/`)
    expect([status, strict(Decision).parse(answer)]).toEqual([
      200,
      { errorMessages: [], data: { id, status: 'approved' } },
    ])
    expect((await student.see<WelcomeProps>('/classcords/')).data.props.servers).toMatchObject([
      { server_id: guilds.calculus.id, privacy_level_info: { value: 'private' } },
    ])
    expect(await asked(boss, 'POST', `invites/${id}/approve/`)).toMatchObject({
      status: 409,
      answer: ['This invite has already been approved'],
    })
    expect((await asked(boss, 'POST', `invites/${id}/reject/`)).status).toBe(409)
    expect((await asked(student, 'GET', 'notices/')).answer).toMatchObject({
      unread_count: 1,
      notices: [{ title: 'Your invite was approved', is_read: false }],
    })
  })

  it('is of a server as Discord shows it now, if no one can see the old one', async () => {
    await submit(student)
    await asked(boss, 'POST', `invites/${(await lastInvite()).id}/reject/`)
    await rows("UPDATE discord_server SET name = 'Former', icon = 'abc', member_count = 0, online_count = 0")
    expect((await submit(student)).status).toBe(200)
    const { data } = await boss.see<UnapprovedInvitesProps>('/classcords/unapproved-invites/')
    expect(data.props.unapproved_invites).toMatchObject([
      { discord_server: { display_name: guilds.calculus.name }, members: { total: 24 } },
    ])
    expect(data.props.unapproved_invites[0]?.discord_server.icon_url).not.toContain('/abc.')
  })

  it('rejects with a reason for the submitter; the link may be submitted again', async () => {
    await submit(student)
    const { id } = await lastInvite()
    expect((await asked(boss, 'POST', `invites/${id}/reject/`, { reason: 'x'.repeat(256) })).status).toBe(422)
    const { answer } = await asked(boss, 'POST', `invites/${id}/reject/`, { reason: 'Not a class' })
    expect(Decision.parse(answer).data).toEqual({ id, status: 'rejected' })
    const { data } = await student.see<{ submissions: unknown[] }>('/classcords/profile/')
    expect(data.props.submissions).toMatchObject([{ id, state: 'rejected', reason: 'Not a class', can_resubmit: true }])
    expect((await asked(boss, 'POST', `invites/${id}/approve/`)).answer).toEqual([
      'This invite has already been rejected',
    ])
    expect((await submit(student)).status).toBe(200)
    // Once it is pending again there is nothing to submit again.
    const { data: later } = await student.see<{ submissions: unknown[] }>('/classcords/profile/')
    expect(later.props.submissions).toMatchObject([{ state: 'pending' }, { id, can_resubmit: false }])
    expect(await asked(boss, 'POST', `invites/${id}/withdraw/`)).toMatchObject({
      status: 409,
      answer: ['This Discord invite has already been submitted'],
    })
  })

  it('never decides on an invalid invite', async () => {
    const { id } = await makePending({ isValid: false })
    expect(await asked(boss, 'POST', `invites/${id}/approve/`)).toMatchObject({
      status: 422,
      answer: ['Cannot approve an invalid invite'],
    })
    expect((await asked(boss, 'POST', `invites/${id}/reject/`)).status).toBe(422)
  })

  it('says when an approval would change the privacy that an administrator chose', async () => {
    await submit(student)
    const changes = async () => {
      const { data } = await boss.see<UnapprovedInvitesProps>('/classcords/unapproved-invites/')
      return data.props.unapproved_invites.map(({ changes_privacy }) => changes_privacy)
    }
    await rows("UPDATE discord_server SET privacy_level = 'private'")
    expect(await changes()).toEqual([false])
    await rows("UPDATE discord_server SET admin_privacy_level = 'private', admin_privacy_at = 0")
    expect(await changes()).toEqual([true])
  })

  it('says when an approval would show a private server to another school', async () => {
    const [first, second] = [await makePending({ school: other.school_id }), await makePending()]
    await asked(boss, 'POST', `invites/${first.id}/approve/`)
    await rows("UPDATE discord_server SET privacy_level = 'private' WHERE id = ?", first.server)
    const card = async (school: number) => {
      await rows(
        "UPDATE invite SET server_id = ?, privacy_level = 'private', school_id = ? WHERE id = ?",
        first.server,
        school,
        second.id,
      )
      const { data } = await boss.see<UnapprovedInvitesProps>('/classcords/unapproved-invites/')
      return data.props.unapproved_invites.find((invite) => invite.id === second.id)?.private_to
    }
    const { name } = await one<{ name: string }>('SELECT name FROM school WHERE id = ?', other.school_id)
    expect(await card(school.school_id)).toEqual([name])
    expect(await card(other.school_id)).toEqual([])
  })

  it('never changes a privacy unless the card said so', async () => {
    const [first, second] = [await makePending(), await makePending()]
    await rows("UPDATE invite SET server_id = ?, privacy_level = 'public' WHERE id = ?", first.server, second.id)
    const card = async (id: number) => {
      const { data } = await boss.see<UnapprovedInvitesProps>('/classcords/unapproved-invites/')
      return data.props.unapproved_invites.find((invite) => invite.id === id)?.changes_privacy
    }
    const approve = (id: number, changes_privacy: string) =>
      asked(boss, 'POST', `invites/${id}/approve/`, { changes_privacy })
    const privacy = () => one('SELECT privacy_level FROM discord_server WHERE id = ?', first.server)
    expect([await card(first.id), await card(second.id)]).toEqual([false, false])
    expect((await approve(first.id, '0')).status).toBe(200)
    expect(await approve(second.id, '0')).toMatchObject({
      status: 409,
      answer: [
        'The server is private. Approving this invite shows it to everyone.',
        'Approve it again if you want that.',
      ],
    })
    expect(await privacy()).toEqual({ privacy_level: 'private' })
    expect(await card(second.id)).toBe(true)
    expect((await approve(second.id, '1')).status).toBe(200)
    expect(await privacy()).toEqual({ privacy_level: 'public' })
  })

  it('never changes a privacy that a manager who submits did not see', async () => {
    const commons = { guild_id: guilds.commons.id, guild_name: guilds.commons.name }
    await submit(student, { ...commons, invite_url: linkOf(guilds.commons.code), privacy_level: 'private' })
    const { id } = await lastInvite()
    await asked(boss, 'POST', `invites/${id}/approve/`)
    const privacy = () => one('SELECT privacy_level FROM discord_server WHERE server_id = ?', guilds.commons.id)
    const link = { ...commons, invite_url: linkOf('vanity'), privacy_level: 'public' }
    expect(await submit(boss, { ...link, changes_privacy: '0' })).toMatchObject({
      status: 409,
      answer: [
        'The server is private. Approving this invite shows it to everyone.',
        'Submit it again if you want that.',
      ],
    })
    expect(await privacy()).toEqual({ privacy_level: 'private' })
    expect((await submit(boss, { ...link, changes_privacy: '1' })).status).toBe(200)
    expect(await privacy()).toEqual({ privacy_level: 'public' })
  })

  it('is not undone by someone who means another decision', async () => {
    const { id } = await makePending()
    const undo = (was: string) => asked(boss, 'POST', `invites/${id}/withdraw/`, { was })
    await asked(boss, 'POST', `invites/${id}/approve/`)
    expect((await undo('approved')).status).toBe(200)
    await asked(boss, 'POST', `invites/${id}/reject/`, { reason: 'Not a class' })
    expect(await undo('approved')).toMatchObject({ status: 409, answer: [expect.stringContaining('rejected')] })
    expect(await one('SELECT state, reason FROM invite WHERE id = ?', id)).toEqual({
      state: 'rejected',
      reason: 'Not a class',
    })
    expect((await undo('rejected')).status).toBe(200)
  })

  it('can be undone: the invite is pending again and its server is as before', async () => {
    await submit(boss, { subject_id: String(school.subject_id) })
    const first = await lastInvite()
    await submit(student, {
      invite_url: linkOf(guilds.algebra.code),
      guild_id: guilds.algebra.id,
      guild_name: guilds.algebra.name,
      privacy_level: 'private',
    })
    const { id, server_id } = await lastInvite()
    await asked(boss, 'POST', `invites/${id}/approve/`)
    const { answer } = await asked(boss, 'POST', `invites/${id}/withdraw/`)
    expect(Decision.parse(answer).data).toEqual({ id, status: 'pending' })
    expect(await rows('SELECT 1 FROM listing WHERE server_id = ?', server_id)).toEqual([])
    expect(await rows('SELECT 1 FROM server_school WHERE server_id = ?', server_id)).toEqual([])
    expect((await asked(boss, 'POST', `invites/${id}/withdraw/`)).status).toBe(409)
    expect((await asked(student, 'GET', 'notices/')).answer).toMatchObject({ unread_count: 0 })
    expect(await rows('SELECT 1 FROM listing WHERE server_id = ?', first.server_id)).toHaveLength(2)
    expect((await asked(boss, 'POST', `invites/${id}/approve/`)).status).toBe(200)
    expect(await rows('SELECT decision FROM invite_decision WHERE invite_id = ? ORDER BY id', id)).toEqual([
      { decision: 'approved' },
      { decision: 'withdrawn' },
      { decision: 'approved' },
    ])
  })

  it('undoes only what no other approved invite also added', async () => {
    await submit(boss, {
      invite_url: linkOf(guilds.commons.code),
      guild_id: guilds.commons.id,
      guild_name: guilds.commons.name,
    })
    await submit(student, {
      invite_url: linkOf('vanity'),
      guild_id: guilds.commons.id,
      guild_name: guilds.commons.name,
      subject_id: String(school.subject_id),
      privacy_level: 'private',
    })
    const { id, server_id } = await lastInvite()
    await asked(boss, 'POST', `invites/${id}/approve/`)
    expect(await rows('SELECT subject_id FROM server_subject WHERE server_id = ?', server_id)).toHaveLength(1)
    await asked(boss, 'POST', `invites/${id}/withdraw/`)
    expect(await rows('SELECT subject_id FROM server_subject WHERE server_id = ?', server_id)).toEqual([])
    expect(await rows('SELECT school_id FROM server_school WHERE server_id = ?', server_id)).toHaveLength(1)
    expect(await one('SELECT privacy_level FROM discord_server WHERE id = ?', server_id)).toEqual({
      privacy_level: 'public',
    })
  })
})
