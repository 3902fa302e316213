import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, test } from 'vitest'
import { approvalWarnings } from '../../src/classcords/admin/invite-actions.ts'
import type { UnapprovedInvitesProps } from '../../src/classcords/contract.ts'
import { Desk } from '../worker/admin-desk.ts'
import { openCampus } from '../worker/campus.ts'
import type { MadeGroup } from '../worker/catalog.ts'
import { listingsOf, makePending, makeSchool, makeServer, type Person, versionOf } from '../worker/directory.ts'
import { one, rows } from '../worker/rows.ts'
import type { Visitor } from '../worker/visitor.ts'
import { until, world } from '../worker/world.ts'

const inviteRow = (id: number) =>
  one<{ state: string; decided_by: number | null; reason: string; due_at: number; notes_md: string }>(
    'SELECT state, decided_by, reason, due_at, notes_md FROM invite WHERE id = ?',
    id,
  )
const decisionsOn = (id: number) =>
  rows<{ decision: string; decided_by: number | null }>(
    'SELECT decision, decided_by FROM invite_decision WHERE invite_id = ? ORDER BY id',
    id,
  )

const approveAll = (invites: { id: number }[]) =>
  desk.visitor.fetch('/admin/invites/act/', {
    method: 'POST',
    headers: { origin: desk.visitor.origin, 'sec-fetch-site': 'same-origin', accept: 'text/html' },
    body: new URLSearchParams([
      ['csrf_token', desk.visitor.csrfToken],
      ['act', 'approve'],
      ...invites.map(({ id }) => ['key', String(id)]),
    ]),
  })

let desk: Desk
let regular: Person
let manager: Person
let boss: Visitor
let school: MadeGroup

beforeAll(async () => {
  desk = await Desk.open()
  ;({ school, regular, manager, boss } = await openCampus())
})

describe('invites', () => {
  test('are approved once, as a manager would; the server is listed and its pages are updated', async () => {
    const invite = await makePending({ submitter: regular.discordUserId, school: school.school_id })
    expect((await desk.act('invites', 'approve', invite.id)).text).toContain('1 invite approved.')
    expect(await inviteRow(invite.id)).toMatchObject({ state: 'approved', decided_by: null })
    expect(await listingsOf(invite.server)).toEqual([{ school_id: 0 }, { school_id: school.school_id }])
    expect(await decisionsOn(invite.id)).toEqual([{ decision: 'approved', decided_by: null }])
    expect(await rows("SELECT 1 FROM notice WHERE invite_id = ? AND kind = 'approved'", invite.id)).toHaveLength(1)
    expect(await desk.entry('invite')).toMatchObject({
      act: 'approved',
      area: 'classcords',
      row_key: String(invite.id),
      title: `discord.gg/${invite.code}`,
      before: { state: 'pending' },
      after: { state: 'approved' },
    })
    const before = await versionOf(0)
    await desk.change('servers', invite.server, { privacy_level: 'public' })
    expect(await versionOf(0)).not.toBe(before)

    const audits = await rows("SELECT 1 FROM audit WHERE table_name = 'invite'")
    for (const act of ['approve', 'reject'])
      expect((await desk.act('invites', act, invite.id)).text).toContain('This invite has already been approved')
    expect(await rows("SELECT 1 FROM audit WHERE table_name = 'invite'")).toHaveLength(audits.length)
    expect((await boss.call('POST', `/classcords/ajax/invites/${invite.id}/approve/`)).status).toBe(409)
  })

  test('offer the possible actions on their page', async () => {
    const invite = await makePending({ submitter: regular.discordUserId, school: school.school_id })
    const acts = async () => {
      const { html } = await desk.see(`invites/${invite.id}/`)
      return [...html.matchAll(/<button value="(\w+)"[^>]* name="act"/g)].flatMap(([, act]) =>
        act === 'save' ? [] : [act],
      )
    }
    expect(await acts()).toEqual(['approve', 'reject', 'check'])
    await desk.act('invites', 'approve', invite.id)
    expect(await acts()).toEqual(['withdraw', 'check'])
  })

  test("are decided under the superuser's own Discord account if there is one", async () => {
    const own = await one<{ id: number }>(
      `INSERT INTO discord_user (user_id, discord_id, username, discriminator, display_name, is_verified, login_count, first_login_at,
         last_login_at) VALUES (?, '1', 'desk', '0', 'Desk', 1, 1, 0, 0) RETURNING id`,
      desk.user.id,
    )
    const invite = await makePending({ submitter: regular.discordUserId })
    await desk.act('invites', 'approve', invite.id)
    expect((await inviteRow(invite.id)).decided_by).toBe(own.id)
    await rows('DELETE FROM discord_user WHERE id = ?', own.id)
  })

  test('are rejected with a reason for their submitter; one that is too long is refused', async () => {
    const invite = await makePending({ submitter: regular.discordUserId })
    const long = await desk.act('invites', 'reject', invite.id, { reason: 'x'.repeat(256) })
    expect([long.status, long.text.includes('at most 255 characters')]).toEqual([422, true])
    expect((await inviteRow(invite.id)).state).toBe('pending')
    expect((await desk.act('invites', 'reject', invite.id, { reason: 'Not ours' })).text).toContain(
      '1 invite rejected.',
    )
    expect(await inviteRow(invite.id)).toMatchObject({ state: 'rejected', reason: 'Not ours' })
    expect(await desk.entry('invite')).toMatchObject({
      act: 'rejected',
      after: { state: 'rejected', reason: 'Not ours' },
    })
    expect((await desk.act('invites', 'approve', invite.id)).text).toContain('This invite has already been rejected')
  })

  test('that are dead, expired or unknown cannot be approved', async () => {
    const [dead, expired] = [await makePending({ isValid: false }), await makePending()]
    await rows("UPDATE invite SET state = 'expired' WHERE id = ?", expired.id)
    expect((await desk.act('invites', 'approve', dead.id)).text).toContain('Cannot approve an invalid invite')
    expect((await desk.act('invites', 'approve', expired.id)).text).toContain('This invite has expired')
    expect((await desk.act('invites', 'approve', 999_999)).text).toContain('There is no such invite.')
    expect((await inviteRow(dead.id)).state).toBe('pending')
  })

  test('whose school was deleted can only be rejected', async () => {
    const gone = await makeSchool()
    const [waiting, other] = [
      await makePending({ school: gone.school_id }),
      await makePending({ school: gone.school_id }),
    ]
    await rows('UPDATE invite SET school_id = NULL WHERE id IN (?, ?)', waiting.id, other.id)
    const answer = await boss.call('POST', `/classcords/ajax/invites/${waiting.id}/approve/`)
    expect([answer.status, await answer.json()]).toEqual([
      422,
      ['The school of this invite was deleted, so it can only be rejected'],
    ])
    expect((await desk.act('invites', 'approve', other.id)).text).toContain('The school of this invite was deleted')
    expect(await inviteRow(waiting.id)).toMatchObject({ state: 'pending' })
    expect((await desk.act('invites', 'reject', other.id)).text).toContain('1 invite rejected.')
  })

  test('can be approved together, with messages for those that cannot be', async () => {
    const pending = [await makePending(), await makePending(), await makePending()]
    const dead = await makePending({ isValid: false })
    await desk.act('invites', 'reject', pending[0]?.id ?? 0)
    const answer = await approveAll([...pending, dead])
    expect(answer.status).toBe(303)
    const { text } = await desk.see('invites/')
    expect(text).toContain('2 invites approved. 2 others skipped:')
    expect(text).toContain('This invite has already been rejected')
    expect(text).toContain('Cannot approve an invalid invite')
    const ids = pending.map(({ id }) => id)
    expect(await Promise.all([...ids, dead.id].map(async (id) => (await inviteRow(id)).state))).toEqual([
      'rejected',
      'approved',
      'approved',
      'pending',
    ])
    expect(
      await rows("SELECT 1 FROM audit WHERE act = 'approved' AND row_key IN (?, ?)", String(ids[1]), String(ids[2])),
    ).toHaveLength(2)
    expect(
      await rows('SELECT 1 FROM discord_server WHERE id = ? AND version = indexed_version', pending[1]?.server),
    ).toHaveLength(1)
  })

  test('that make one server public and private are not approved together', async () => {
    const [secret, open, other] = [await makePending(), await makePending(), await makePending()]
    await rows("UPDATE invite SET server_id = ?, privacy_level = 'public' WHERE id = ?", secret.server, open.id)
    await approveAll([secret, open, other])
    const { text } = await desk.see('invites/')
    expect(text).toContain(
      '1 invite approved. 2 others skipped: Invites that make one server public and private must be approved one at a time.',
    )
    for (const { id } of [secret, open]) expect((await inviteRow(id)).state).toBe('pending')
  })

  test('have only their decision withdrawn', async () => {
    const invite = await makePending({ school: school.school_id })
    expect((await desk.act('invites', 'withdraw', invite.id)).text).toContain('This invite has no decision to undo')
    await desk.act('invites', 'approve', invite.id)
    expect((await desk.act('invites', 'withdraw', invite.id)).text).toContain('the invite is pending again')
    expect((await inviteRow(invite.id)).state).toBe('pending')
    expect(await listingsOf(invite.server)).toEqual([])
    expect(await desk.entry('invite')).toMatchObject({
      act: 'withdrew',
      before: { state: 'approved' },
      after: { state: 'pending' },
    })
  })

  test('can be checked now if they are pending or approved', async () => {
    const [invite, rejected] = [await makePending(), await makePending()]
    await desk.act('invites', 'reject', rejected.id)
    expect((await desk.act('invites', 'check', rejected.id)).text).toContain(
      'Only pending and approved invites can be checked.',
    )
    expect((await desk.act('invites', 'check', invite.id)).text).toContain('1 invite is being checked.')
    expect(await desk.entry('invite')).toMatchObject({ act: 'checked', row_key: String(invite.id) })
    await until(
      () => rows('SELECT 1 FROM invite WHERE id = ? AND checked_at IS NOT NULL', invite.id),
      (found) => found.length === 1,
      'the check',
    )
  })

  test('are checked now even while others are', async () => {
    const [first, second] = [await makePending({ code: 'checked-first' }), await makePending()]
    await world.fault('discord', 'slow', 1)
    await desk.act('invites', 'check', first.id)
    const isAsked = async () => (await world.requests()).filter(({ path }) => path.includes('checked-first'))
    await until(isAsked, (calls) => calls.length > 0, 'the first check')
    await desk.act('invites', 'check', second.id)
    await until(
      () => rows('SELECT 1 FROM invite WHERE id = ? AND checked_at IS NOT NULL', second.id),
      (found) => found.length === 1,
      'the second check',
    )
  })

  test('can be found by their notes right after editing; too much text is refused', async () => {
    const server = await makeServer()
    expect((await desk.change('invites', server.invite, { notes_md: 'x'.repeat(256) })).status).toBe(422)
    await desk.change('invites', server.invite, { notes_md: 'Quokka lovers' })
    expect((await inviteRow(server.invite)).notes_md).toBe('Quokka lovers')
    expect(await rows("SELECT 1 FROM server_word WHERE server_id = ? AND word = 'quokka'", server.id)).toHaveLength(1)
  })

  test('are deleted with what their approval added', async () => {
    const invite = await makePending({ school: school.school_id, submitter: regular.discordUserId })
    await desk.act('invites', 'approve', invite.id)
    await rows("INSERT INTO invite_use (invite_id, visitor, used_at) VALUES (?, 'user:1', 0)", invite.id)
    const said = await desk.delete('invites', invite.id)
    for (const words of ['Uses : 1', 'Decisions : 1', 'Notifications : 1', 'Schools of its server : 1'])
      expect(said.asked).toContain(words)
    expect(said.text).toContain('was deleted')
    expect(await listingsOf(invite.server)).toEqual([])
    expect(await rows('SELECT 1 FROM server_school WHERE server_id = ?', invite.server)).toEqual([])
    expect(await desk.entry('invite')).toMatchObject({ act: 'deleted' })
  })

  test('that change a server’s privacy are approved only after a warning', async () => {
    const [server, other] = [await makeServer({ privacy: 'private' }), await makeServer()]
    const [open, hidden, plain] = [await makePending(), await makePending(), await makePending()]
    for (const [{ id }, level, of] of [
      [open, 'public', server.id],
      [hidden, 'private', other.id],
      [plain, 'public', other.id],
    ] as const)
      await rows('UPDATE invite SET server_id = ?, privacy_level = ? WHERE id = ?', of, level, id)
    const shown = 'The server is private. Approving this invite shows it to everyone.'
    const asked = await desk.act('invites', 'approve', open.id, { confirmed: '' })
    expect([asked.status, asked.text.includes(shown), (await inviteRow(open.id)).state]).toEqual([200, true, 'pending'])
    expect(await approvalWarnings(env.DB, [open.id, hidden.id, plain.id])).toEqual([
      `discord.gg/${open.code}: ${shown}`,
      `discord.gg/${hidden.code}: The server is public. Approving this invite hides it from people outside its schools.`,
    ])
    expect((await desk.act('invites', 'approve', plain.id, { confirmed: '' })).text).toContain('1 invite approved.')
    expect((await desk.act('invites', 'approve', open.id)).text).toContain('1 invite approved.')
  })

  test('that are a server’s last leave it what was decided about it', async () => {
    const isChanging = async (code: string) => {
      const { data } = await boss.see<UnapprovedInvitesProps>('/classcords/unapproved-invites/')
      const found = data.props.unapproved_invites.find(({ invite_url }) => invite_url.endsWith(code))
      return [found?.is_new_server, found?.changes_privacy]
    }
    const invite = await makePending({ school: school.school_id, submitter: regular.discordUserId })
    await rows("UPDATE invite SET privacy_level = 'private' WHERE id = ?", invite.id)
    await desk.act('invites', 'approve', invite.id)
    await desk.delete('invites', invite.id)
    const next = await makePending({ code: 'NextOfLast', school: school.school_id })
    await rows("UPDATE invite SET server_id = ?, privacy_level = 'public' WHERE id = ?", invite.server, next.id)
    expect(await isChanging('NextOfLast')).toEqual([true, true])
    await rows('INSERT INTO server_school (server_id, school_id) VALUES (?, ?)', invite.server, school.school_id)
    expect(await isChanging('NextOfLast')).toEqual([false, true])
  })

  test('are found by the start of their code, by state, server, submitter and school', async () => {
    const invite = await makePending({ code: 'QuiteRare', submitter: manager.discordUserId, school: school.school_id })
    const title = 'discord.gg/QuiteRare'
    expect(await desk.titles('invites/?q=quiter')).toEqual([title])
    for (const query of [`server_id=${invite.server}`, `submitter_id=${manager.discordUserId}`])
      expect(await desk.titles(`invites/?${query}`)).toEqual([title])
    expect(await desk.titles(`invites/?school_id=${school.school_id}`)).toContain(title)
    expect(await desk.titles('invites/?state=pending')).toContain(title)
    expect(await desk.titles('invites/?state=approved')).not.toContain(title)
  })
})
