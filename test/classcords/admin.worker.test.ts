import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, test } from 'vitest'
import { approvalWarnings } from '../../src/classcords/admin/invite-actions.ts'
import { Desk } from '../worker/admin-desk.ts'
import type { UnapprovedInvitesProps } from '../../src/classcords/contract.ts'
import { openCampus } from '../worker/campus.ts'
import type { MadeGroup } from '../worker/catalog.ts'
import { addPerson, makePending, makeSchool, makeServer, type Person } from '../worker/directory.ts'
import { one, rows } from '../worker/rows.ts'
import { stranger, type Visitor } from '../worker/visitor.ts'
import { until, world } from '../worker/world.ts'

const inviteRow = (id: number) =>
  one<{ state: string; decided_by: number | null; reason: string; due_at: number; notes_md: string }>(
    'SELECT state, decided_by, reason, due_at, notes_md FROM invite WHERE id = ?',
    id,
  )
const versionOf = async (school: number) =>
  (await one<{ version: string }>('SELECT version FROM site_version WHERE school_id = ?', school)).version
const decisionsOn = (id: number) =>
  rows<{ decision: string; decided_by: number | null }>(
    'SELECT decision, decided_by FROM invite_decision WHERE invite_id = ? ORDER BY id',
    id,
  )
const listed = (server: number) => rows('SELECT school_id FROM listing WHERE server_id = ? ORDER BY 1', server)

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
    expect(await listed(invite.server)).toEqual([{ school_id: 0 }, { school_id: school.school_id }])
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
    expect(await listed(invite.server)).toEqual([])
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
    expect(await listed(invite.server)).toEqual([])
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

describe('servers', () => {
  test('are disabled and enabled: unlisted and listed again, with updated pages', async () => {
    const server = await makeServer({ schools: [school.school_id] })
    const shown = async () => (await (await stranger()).get(`/classcords/server/${server.id}/`)).status
    const [before, status] = [await versionOf(school.school_id), await shown()]
    await desk.act('servers', 'disable', server.id)
    expect([await listed(server.id), (await versionOf(school.school_id)) === before]).toEqual([[], false])
    expect(await shown()).not.toBe(status)
    expect(await desk.entry('discord_server')).toMatchObject({ before: { is_active: 1 }, after: { is_active: 0 } })
    expect(await desk.titles('servers/?which=disabled')).toHaveLength(1)
    await desk.act('servers', 'enable', server.id)
    expect(await listed(server.id)).toHaveLength(2)
    expect(await shown()).toBe(status)
  })

  test('change the page of every school when one gets its first server or loses its last, because pages name other schools', async () => {
    const [first, second] = [await makeSchool(), await makeSchool()]
    const versions = async () => [await versionOf(first.school_id), await versionOf(second.school_id)]
    const [before] = await versions()
    const server = await makeServer({ schools: [second.school_id] })
    const [listedFirst] = await versions()
    expect(listedFirst).not.toBe(before)
    await makeServer({ schools: [second.school_id], privacy: 'private' })
    const another = await makeServer({ schools: [second.school_id] })
    await desk.act('servers', 'disable', another.id)
    expect((await versions())[0]).toBe(listedFirst)
    await desk.act('servers', 'disable', server.id)
    expect((await versions())[0]).not.toBe(listedFirst)
  })

  test('that are disabled are not featured, so that enabling one never lets its members sign up', async () => {
    const server = await makeServer({ schools: [school.school_id], featured: true })
    await desk.act('servers', 'disable', server.id)
    await desk.act('servers', 'enable', server.id)
    const state = 'SELECT is_active, is_required_for_trust FROM discord_server WHERE id = ?'
    expect(await one(state, server.id)).toEqual({ is_active: 1, is_required_for_trust: 0 })
    await rows('UPDATE discord_server SET is_required_for_trust = 1 WHERE id = ?', server.id)
    await desk.change('servers', server.id, { is_active: '' })
    expect(await one(state, server.id)).toEqual({ is_active: 0, is_required_for_trust: 0 })
    expect(await desk.entry('discord_server')).toMatchObject({
      before: { is_active: 1, is_required_for_trust: 1 },
      after: { is_active: 0, is_required_for_trust: 0 },
    })
  })

  test('have title, notes and links edited together, and their search words and pages updated', async () => {
    const server = await makeServer({ schools: [school.school_id], name: 'Plain name' })
    const before = await versionOf(school.school_id)
    const said = await desk.change('servers', server.id, {
      custom_title: 'Wombat <society>',
      [`invites-${server.invite}-notes_md`]: 'Numbat notes',
      'subjects-new-subject_id': String(school.subject_id),
      'courses-new-course_id': String(school.course_id),
    })
    expect(said.text).toContain('was saved')
    expect(await versionOf(school.school_id)).not.toBe(before)
    const words = await rows<{ word: string }>('SELECT word FROM server_word WHERE server_id = ?', server.id)
    for (const word of ['wombat', 'numbat']) expect(words.map((row) => row.word)).toContain(word)
    expect(await rows('SELECT subject_id, invite_id FROM server_subject WHERE server_id = ?', server.id)).toEqual([
      { subject_id: school.subject_id, invite_id: null },
    ])
    const page = await desk.visitor.get(`/admin/servers/${server.id}/`)
    expect(await page.text()).not.toContain('<society>')
    const { rowid } = await one<{ rowid: number }>('SELECT rowid FROM server_course WHERE server_id = ?', server.id)
    await desk.change('servers', server.id, { [`courses-${rowid}-remove`]: '1' })
    expect(await rows('SELECT 1 FROM server_course WHERE server_id = ?', server.id)).toEqual([])
  })

  test('cannot be linked to what their school does not teach, with the same messages as for a submission', async () => {
    const other = await makeSchool()
    const server = await makeServer({ schools: [school.school_id] })
    for (const [fields, why] of [
      [{ 'subjects-new-subject_id': String(other.subject_id) }, 'This subject is not taught at the school'],
      [{ 'courses-new-course_id': String(school.course_id) }, 'A course does not belong to the subject'],
      [{ 'courses-new-course_id': '999999' }, 'This no longer exists.'],
      [{ privacy_level: 'secret' }, 'Select a valid choice.'],
      [{ custom_title: 'x'.repeat(101) }, 'at most 100 characters'],
    ] as const) {
      const said = await desk.change('servers', server.id, fields)
      expect([said.status, said.text.includes(why)], why).toEqual([422, true])
    }
    expect(await rows('SELECT 1 FROM server_subject WHERE server_id = ?', server.id)).toEqual([])
  })

  test('are added by their Discord ID, once', async () => {
    const fields = {
      server_id: '1150000000000099999',
      name: 'By hand',
      'schools-new-school_id': String(school.school_id),
    }
    expect((await desk.add('servers', { ...fields, server_id: '12' })).text).toContain(
      'A Discord ID has 17 to 20 digits.',
    )
    expect((await desk.add('servers', { ...fields, is_active: '1' })).text).toContain('By hand was added')
    expect((await desk.add('servers', fields)).text).toContain('already has this Discord ID')
    const { id } = await one<{ id: number }>("SELECT id FROM discord_server WHERE server_id = '1150000000000099999'")
    expect(await rows('SELECT school_id FROM server_school WHERE server_id = ?', id)).toEqual([
      { school_id: school.school_id },
    ])
    expect(await desk.titles('servers/?q=by+hand')).toEqual(['By hand'])
  })

  test('lose nothing by the deletion of an invite that was approved after the question', async () => {
    const { id, server } = await makePending({ school: school.school_id })
    const confirm = await desk.ask('invites', 'delete', id)
    await boss.call('POST', `/classcords/ajax/invites/${id}/approve/`)
    const { status, text } = await confirm()
    expect([status, text]).toEqual([409, expect.stringMatching(/of its server/)])
    expect(await rows('SELECT school_id FROM server_school WHERE server_id = ?', server)).toHaveLength(1)
  })

  describe('keep what an administrator corrected when an approval is undone', () => {
    /** Two public invites to one server, for the same school; only the first is approved. */
    async function makeTwo() {
      const [first, second] = [
        await makePending({ school: school.school_id }),
        await makePending({ school: school.school_id }),
      ]
      const ids = [first.id, second.id]
      await rows("UPDATE invite SET server_id = ?, privacy_level = 'public' WHERE id IN (?, ?)", first.server, ...ids)
      await desk.act('invites', 'approve', first.id)
      return { server: first.server, first: first.id, second: second.id }
    }
    const withdraw = (id: number) => boss.call('POST', `/classcords/ajax/invites/${id}/withdraw/`)
    const schoolsOf = (server: number) => rows('SELECT school_id FROM server_school WHERE server_id = ?', server)
    const privacyOf = async (server: number) =>
      (await one<{ privacy_level: string }>('SELECT privacy_level FROM discord_server WHERE id = ?', server))
        .privacy_level
    async function removeSchool(server: number) {
      const { rowid } = await one<{ rowid: number }>('SELECT rowid FROM server_school WHERE server_id = ?', server)
      await desk.change('servers', server, { [`schools-${rowid}-remove`]: '1' })
    }

    test.each([
      ['withdrawn', withdraw],
      ['deleted', (id: number) => desk.delete('invites', id)],
    ])('because its invite is %s', async (_how, undo) => {
      for (const undone of ['first', 'second'] as const) {
        const made = await makeTwo()
        await desk.act('invites', 'approve', made.second)
        await desk.change('servers', made.server, { privacy_level: 'private' })
        await removeSchool(made.server)
        await undo(made[undone])
        expect([await privacyOf(made.server), await schoolsOf(made.server)], undone).toEqual(['private', []])
        expect(await listed(made.server)).toEqual([{ school_id: 0 }])
      }
    })

    test.each([
      ['deleted', 0, 'private', (id: number) => desk.delete('invites', id)],
      ['withdrawn at once', 0, 'public', withdraw],
      ['withdrawn an hour later', 3_600_000, 'private', withdraw],
    ])('a private server whose private invite is %s (%i ms later) is %s', async (_how, later, privacy, undo) => {
      const { server, second } = await makeTwo()
      await rows("UPDATE invite SET privacy_level = 'private' WHERE id = ?", second)
      await desk.act('invites', 'approve', second)
      await rows('UPDATE invite_decision SET created_at = created_at - ? WHERE invite_id = ?', later, second)
      expect(await privacyOf(server)).toBe('private')
      await undo(second)
      expect(await privacyOf(server)).toBe(privacy)
    })

    test('that repeated the correction', async () => {
      const { server, second } = await makeTwo()
      await desk.change('servers', server, { privacy_level: 'private' })
      await rows("UPDATE invite SET privacy_level = 'private' WHERE id = ?", second)
      await desk.act('invites', 'approve', second)
      await withdraw(second)
      expect(await privacyOf(server)).toBe('private')
    })

    test('that replaced the correction', async () => {
      const { server, second } = await makeTwo()
      await desk.change('servers', server, { privacy_level: 'private' })
      await removeSchool(server)
      await desk.act('invites', 'approve', second)
      expect([await privacyOf(server), await schoolsOf(server)]).toEqual(['public', [{ school_id: school.school_id }]])
      await withdraw(second)
      expect([await privacyOf(server), await schoolsOf(server)]).toEqual(['private', []])
    })

    test('but not what another approval replaced, nor links that a later one also gives', async () => {
      const { server, first, second } = await makeTwo()
      await desk.change('servers', server, { privacy_level: 'private' })
      await desk.act('invites', 'approve', second)
      await withdraw(first)
      expect([await privacyOf(server), await schoolsOf(server)]).toEqual(['public', [{ school_id: school.school_id }]])
    })
  })

  test('list what a delete includes', async () => {
    const server = await makeServer({ schools: [school.school_id] })
    await rows(
      "INSERT INTO server_report (server_id, reporter_id, reason, created_at) VALUES (?, ?, 'Spam', 0)",
      server.id,
      regular.discordUserId,
    )
    const said = await desk.delete('servers', server.id)
    for (const words of [`discord.gg/${server.code}`, 'Reports : 1', 'Spam', 'Listings by school : 1'])
      expect(said.asked).toContain(words)
    expect(await rows('SELECT 1 FROM invite WHERE id = ?', server.invite)).toEqual([])
  })

  test('have all their invites checked now', async () => {
    const server = await makeServer()
    expect((await desk.act('servers', 'check', server.id)).text).toContain('1 invite is being checked.')
  })
})

describe('referrals', () => {
  const add = (owner: Person, max_uses: string, expiry_timeframe = '1w') =>
    desk.add('referrals', { owner_id: String(owner.discordUserId), max_uses, expiry_timeframe })
  const newest = (owner: Person) =>
    one<{ id: number; code: string; max_uses: number; num_uses: number; revoked_at: number | null }>(
      'SELECT id, code, max_uses, num_uses, revoked_at FROM referral WHERE owner_id = ? ORDER BY id DESC LIMIT 1',
      owner.discordUserId,
    )

  test("follow their owner's limits, and their code is never shown", async () => {
    const owner = await addPerson()
    expect((await add(owner, '100')).text).toContain('The referral was added.')
    const { code } = await newest(owner)
    expect((await add(owner, '20')).text).toContain('active referrals may total 100 uses')
    expect((await add(owner, '0')).text).toContain('Only manager users can create unlimited referrals.')
    expect((await add(owner, '20', 'permanent')).text).toContain('Only manager users can create permanent referrals.')
    expect((await add(owner, '7')).text).toContain('Select a valid choice.')
    expect(await rows('SELECT 1 FROM referral WHERE owner_id = ?', owner.discordUserId)).toHaveLength(1)
    expect((await add(manager, '0', 'permanent')).text).toContain('The referral was added.')
    for (const page of ['referrals/', `referrals/?owner_id=${owner.discordUserId}`, 'referrals/export.csv', 'audit/']) {
      const text = await (await desk.visitor.get(`/admin/${page}`)).text()
      expect(text, page).not.toContain(code)
    }
    expect(await desk.titles(`referrals/?q=${code}`)).toEqual([`Referral of ${owner.name}`])
  })

  test('can be revoked until they end, with their uses kept, and deleted only if unused', async () => {
    const owner = await addPerson()
    await add(owner, '20')
    const { id } = await newest(owner)
    expect((await desk.act('referrals', 'revoke', id)).text).toContain('1 referral revoked.')
    expect((await newest(owner)).revoked_at).toBeGreaterThan(0)
    expect(await desk.entry('referral')).toMatchObject({ act: 'revoked', area: 'classcords', row_key: String(id) })
    expect((await desk.act('referrals', 'revoke', id)).text).toContain('This referral has already ended')
    expect((await desk.delete('referrals', id)).text).toContain('was deleted')
    await add(owner, '20')
    const used = await newest(owner)
    await rows("INSERT INTO redemption (referral_id, discord_id, created_at) VALUES (?, '77', 0)", used.id)
    const link = async () =>
      (await (await stranger()).get(`/classcords/referral/${used.code}/`)).headers.get('location')
    expect(await link()).toContain(used.code)
    expect((await desk.delete('referrals', used.id)).text).toContain(
      'This referral was used, so it is kept as a record of who joined. Revoke it instead.',
    )
    expect((await desk.act('referrals', 'revoke', used.id)).text).toContain('1 referral revoked.')
    expect(await newest(owner)).toMatchObject({ id: used.id, num_uses: 1, revoked_at: expect.any(Number) as number })
    expect(await link()).toBe('/classcords/login/')
    expect(await desk.entry('referral')).toMatchObject({ act: 'revoked', row_key: String(used.id) })
    await add(owner, '20')
    const full = await newest(owner)
    await rows('UPDATE referral SET num_uses = max_uses WHERE id = ?', full.id)
    expect((await desk.act('referrals', 'revoke', full.id)).text).toContain('1 referral revoked.')
    await add(owner, '20')
    const ended = await newest(owner)
    await rows('UPDATE referral SET expires_at = 1 WHERE id = ?', ended.id)
    expect((await desk.act('referrals', 'revoke', ended.id)).text).toContain('This referral has already ended')
  })

  test("cannot exceed their maximum, nor an owner's total", async () => {
    const owner = await addPerson()
    await add(owner, '50')
    const { id } = await newest(owner)
    await rows(
      `INSERT INTO redemption (referral_id, discord_id, created_at)
       SELECT ?, value, 0 FROM json_each('["1","2","3","4","5","6","7","8","9","10","11","12","13","14","15","16","17","18","19","20","21"]')`,
      id,
    )
    expect((await desk.change('referrals', id, { max_uses: '20' })).text).toContain(
      'It has already been used more times than that.',
    )
    expect((await desk.change('referrals', id, { max_uses: '100' })).text).toContain('was saved')
    await add(owner, '20')
    await rows('UPDATE referral SET max_uses = 50 WHERE id = ?', id)
    await add(owner, '50')
    expect((await desk.change('referrals', id, { max_uses: '100' })).text).toContain(
      'active referrals may total 100 uses',
    )
    expect((await one<{ max_uses: number }>('SELECT max_uses FROM referral WHERE id = ?', id)).max_uses).toBe(50)
  })
})

test('instructors are added, renamed and deleted; their subjects belong to their school', async () => {
  const other = await makeSchool()
  const fields = { school_id: String(school.school_id), name: 'Grace Hopper' }
  const wrong = await desk.add('instructors', { ...fields, 'subjects-new-subject_id': String(other.subject_id) })
  expect([wrong.status, wrong.text.includes('This subject is not taught at the school')]).toEqual([422, true])
  await desk.add('instructors', { ...fields, 'subjects-new-subject_id': String(school.subject_id) })
  expect((await desk.add('instructors', fields)).text).toContain('Another instructor already has this name and school.')
  const { id } = await one<{ id: number }>("SELECT id FROM instructor WHERE name = 'Grace Hopper'")
  expect(await rows('SELECT subject_id FROM instructor_subject WHERE instructor_id = ?', id)).toEqual([
    { subject_id: school.subject_id },
  ])
  const server = await makeServer({ schools: [school.school_id] })
  await desk.change('servers', server.id, { 'instructors-new-instructor_id': String(id) })
  const before = await versionOf(school.school_id)
  await desk.change('instructors', id, { name: 'Rear Admiral Hopper' })
  expect(await versionOf(school.school_id)).not.toBe(before)
  expect(await rows("SELECT 1 FROM server_word WHERE server_id = ? AND word = 'admiral'", server.id)).toHaveLength(1)
  expect(await desk.titles('instructors/?q=rear')).toEqual(['Rear Admiral Hopper'])
  expect((await desk.delete('instructors', id)).asked).toContain('Servers : 1')
  expect(await rows('SELECT 1 FROM instructor WHERE id = ?', id)).toEqual([])
})
