import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { ExploreAllListingsProps, UnapprovedInvitesProps, WelcomeProps } from '../../src/classcords/contract.ts'
import { recordCheck, type CheckedInvite } from '../../src/classcords/health/record-check.ts'
import { checkInvites } from '../../src/classcords/health/check-invites.ts'
import { approveInvite, approveInvites, rejectInvite } from '../../src/classcords/invites/decide-invite.ts'
import { indexServers } from '../../src/classcords/search/index-servers.ts'
import { serverUses } from '../../src/classcords/servers/server-page.ts'
import { enqueue } from '../../src/jobs/enqueue.ts'
import { hurry } from '../worker/hurry.ts'
import { lastInvite, openCampus } from '../worker/campus.ts'
import { type MadeGroup } from '../worker/catalog.ts'
import { deleteAllAccounts } from '../worker/discord-people.ts'
import { addPerson, guilds, linkOf, makePending, makeSchool, makeServer, type Person } from '../worker/directory.ts'
import { one, rows } from '../worker/rows.ts'
import { browserOf, stranger, type Visitor } from '../worker/visitor.ts'
import { failingAt } from '../worker/watched-database.ts'
import { runJob, until, world } from '../worker/world.ts'
import { undoDecision } from '../../src/classcords/invites/undo-decision.ts'

/** Known faults of similar products, which must not happen here. */

let school: MadeGroup
let regular: Person
let manager: Person
let student: Visitor
let boss: Visitor

beforeEach(async () => {
  await deleteAllAccounts()
  ;({ school, regular, manager, student, boss } = await openCampus())
})

const submit = (
  visitor: Visitor,
  guild: { id: string; name: string; code: string },
  change: Record<string, string> = {},
) =>
  visitor.call('POST', '/classcords/ajax/submit-invite', {
    invite_url: linkOf(guild.code),
    guild_id: guild.id,
    guild_name: guild.name,
    school_id: String(school.school_id),
    privacy_level: 'public',
    ...change,
  })
const act = (visitor: Visitor, id: number, verb: string) =>
  visitor.call('POST', `/classcords/ajax/invites/${id}/${verb}/`)
const exploreOf = async (visitor: Visitor, query = '') =>
  (await visitor.see<ExploreAllListingsProps>(`/classcords/all/${query}`)).data.props

describe("a manager's decisions", () => {
  it('may be about their own invite, which stays rejected', async () => {
    await submit(boss, guilds.calculus)
    const { id } = await lastInvite()
    expect((await act(boss, id, 'withdraw')).status).toBe(200)
    expect((await act(boss, id, 'reject')).status).toBe(200)
    await rows("UPDATE invite SET notes_md = 'saved again' WHERE id = ?", id)
    expect(await lastInvite()).toMatchObject({ state: 'rejected' })
    expect((await exploreOf(boss)).servers).toEqual([])
  })

  it('are not made by becoming a manager', async () => {
    await submit(student, guilds.calculus)
    await rows("UPDATE discord_user SET role = 'manager' WHERE id = ?", regular.discordUserId)
    await rows("UPDATE invite SET notes_md = 'saved again'")
    expect(await lastInvite()).toMatchObject({ state: 'pending' })
  })
})

describe('a listed server', () => {
  it('is not changed by a submission before its approval', async () => {
    await submit(boss, guilds.commons)
    await rows("UPDATE discord_server SET name = 'Kept', description = 'Kept', member_count = 77, icon = 'abc'")
    const before = await one('SELECT name, description, icon, member_count, privacy_level FROM discord_server')
    await submit(student, guilds.commons, {
      invite_url: linkOf('vanity'),
      privacy_level: 'private',
      subject_id: String(school.subject_id),
      course_id: String(school.course_id),
    })
    expect(await one('SELECT name, description, icon, member_count, privacy_level FROM discord_server')).toEqual(before)
    expect((await exploreOf(student)).servers).toMatchObject([
      { privacy_level_info: { value: 'public' }, subjects: [], courses: [] },
    ])
    await act(boss, (await lastInvite()).id, 'approve')
    expect((await exploreOf(student)).servers).toMatchObject([
      {
        privacy_level_info: { value: 'private' },
        subjects: [{ id: school.subject_id }],
        courses: [{ id: school.course_id }],
      },
    ])
  })

  it('keeps a count that Discord leaves out', async () => {
    const server = await makeServer({ code: 'quiet' })
    await rows('UPDATE discord_server SET member_count = 55 WHERE id = ?', server.id)
    const invite = await one<CheckedInvite>(
      'SELECT i.*, s.server_id AS guild_id FROM invite i JOIN discord_server s ON s.id = i.server_id WHERE i.id = ?',
      server.invite,
    )
    const found = {
      code: 'quiet',
      guild_id: server.guild,
      name: 'Quiet',
      description: '',
      icon: null,
      member_count: null,
      online_count: null,
      expires_at: null,
      is_permanent: true,
    }
    await recordCheck(env.DB, invite, { kind: 'guild', invite: found }, Date.now())
    expect(await one('SELECT name, member_count FROM discord_server WHERE id = ?', server.id)).toEqual({
      name: 'Quiet',
      member_count: 55,
    })
  })
})

describe("Discord's answers", () => {
  const validate = (invite_url: string) =>
    student.call('POST', '/classcords/ajax/validate-discord-invite', { invite_url })

  it('may be without an inviter, as for vanity invites', async () => {
    expect((await validate(linkOf('vanity'))).status).toBe(200)
  })

  it.each([
    ['http_500', 502],
    ['http_429', 502],
    ['reset', 502],
    ['empty', 502],
    ['maintenance_html', 502],
    ['truncated', 502],
    ['timeout', 504],
  ])('%s from Discord is a %d with a message', async (mode, status) => {
    await world.fault('discord', mode)
    if (mode === 'timeout') hurry(5000)
    const [answer, submission] = await Promise.all([
      validate(linkOf(guilds.calculus.code)),
      submit(student, guilds.calculus),
    ])
    expect([answer.status, submission.status]).toEqual([status, status])
    expect(await answer.json()).toEqual([expect.stringMatching(/^Failed to verify Discord server: .*try again/)])
    expect(await rows('SELECT 1 FROM invite')).toEqual([])
  })

  it("each person's requests are limited", async () => {
    const statuses = []
    for (let n = 0; n < 61; n += 1) statuses.push((await validate('not a link')).status)
    expect([statuses[0], statuses.at(-1)]).toEqual([400, 429])
  })
})

describe('health checks', () => {
  it('every invite is checked, an outage disables nothing, and counts can fall', async () => {
    const servers = []
    for (const guild of [guilds.calculus, guilds.algebra, guilds.commons]) {
      const server = await makeServer({ code: guild.code })
      await rows('UPDATE discord_server SET server_id = ?, member_count = 999999 WHERE id = ?', guild.id, server.id)
      servers.push(server)
    }
    await rows('UPDATE invite SET due_at = 0')
    await world.fault('discord', 'http_500')
    // The run notices the outage and waits; the invites in question are checked again later.
    await enqueue(env, checkInvites, {})
    const due = () => rows('SELECT 1 FROM invite WHERE due_at = 0')
    await until(due, (left) => left.length === 0, 'asking about each')
    expect(await rows('SELECT 1 FROM listing WHERE school_id = 0')).toHaveLength(3)
    await world.clearFaults()
    await rows('UPDATE invite SET due_at = 0')
    await runJob(checkInvites, {})
    expect(await rows('SELECT 1 FROM invite WHERE checked_at IS NOT NULL')).toHaveLength(3)
    expect(await rows('SELECT 1 FROM discord_server WHERE member_count = 999999')).toEqual([])
  })
})

describe('lists', () => {
  it('have one card for a server with many courses, and correct totals', async () => {
    const courses = [school.course_id]
    for (let n = 0; n < 5; n += 1)
      courses.push(
        (
          await one<{ id: number }>(
            'INSERT INTO course (subject_id, code, level, title) VALUES (?, ?, ?, ?) RETURNING id',
            school.subject_id,
            'CS',
            `30${n}`,
            'T',
          )
        ).id,
      )
    for (let n = 0; n < 16; n += 1)
      await makeServer({ schools: [school.school_id], subjects: [school.subject_id], courses })
    for (const query of ['', `?subject_id=${school.subject_id}`, '?q=cs']) {
      const { servers, pagination } = await exploreOf(student, query)
      expect([servers.length, new Set(servers.map(({ id }) => id)).size, pagination.total_pages]).toEqual([15, 15, 2])
    }
  })

  it('have no server that is disabled, without a working invite, or private at another school', async () => {
    const elsewhere = await makeSchool()
    await makeServer({ schools: [school.school_id], isListed: false })
    const inactive = await makeServer({ schools: [school.school_id] })
    await rows('UPDATE discord_server SET is_active = 0 WHERE id = ?', inactive.id)
    const foreign = await makeServer({ schools: [elsewhere.school_id], privacy: 'private' })
    expect((await exploreOf(student)).servers).toEqual([])
    const status = async (id: number) => (await student.call('GET', `/classcords/ajax/servers/${id}/invites/`)).status
    expect([await status(inactive.id), await status(foreign.id)]).toEqual([404, 403])
  })
})

describe('approvals', () => {
  it('stay valid when the approver is deleted', async () => {
    await submit(student, guilds.calculus)
    const { id } = await lastInvite()
    await act(boss, id, 'approve')
    await rows('DELETE FROM user WHERE id = ?', manager.id)
    expect(await lastInvite()).toMatchObject({ state: 'approved', decided_by: null })
    expect((await exploreOf(student)).servers).toHaveLength(1)
  })
})

describe('uses', () => {
  it('store only a hash or an id of a person and are counted once an hour', async () => {
    const { invite } = await makeServer({ schools: [school.school_id] })
    const visitor = await stranger()
    for (const who of [visitor, visitor, student, student])
      await who.call('PUT', `/classcords/ajax/invites/${invite}/track-usage/`)
    const uses = await rows<{ visitor: string }>('SELECT visitor FROM invite_use ORDER BY id')
    expect(uses.map((use) => use.visitor)).toEqual([expect.stringMatching(/^[\w-]{43}$/), `user:${regular.id}`])
    expect(JSON.stringify(await rows('SELECT * FROM invite_use'))).not.toContain(visitor.cookies.get('csrf'))
  })

  describe('by a client with fresh cookies each time', () => {
    const joins = async (address: string, invite: number) => {
      const visitor = await stranger()
      visitor.address = address
      expect((await visitor.call('PUT', `/classcords/ajax/invites/${invite}/track-usage/`)).status).toBe(200)
    }
    const usesOf = (invite: number) =>
      rows<{ visitor: string; used_at: number }>('SELECT visitor, used_at FROM invite_use WHERE invite_id = ?', invite)

    it('count once an hour, whatever the cookies and the address within an IPv6 network', async () => {
      const { invite } = await makeServer({ schools: [school.school_id] })
      for (let time = 0; time < 30; time += 1) await joins('203.0.113.77', invite)
      expect(await usesOf(invite)).toHaveLength(1)
      await Promise.all(Array.from({ length: 20 }, (_unused, host) => joins(`2001:db8:77:1::${host + 1}`, invite)))
      expect(await usesOf(invite)).toHaveLength(2)
    })

    it('count again an hour after the last, not before', async () => {
      const { invite } = await makeServer({ schools: [school.school_id] })
      const now = vi.spyOn(Date, 'now')
      const hour = 3600_000
      // A minute before a full hour: the next one must not begin a new count.
      const start = Math.ceil(Date.now() / hour) * hour - 60_000
      for (const [after, expected] of [
        [0, 1],
        [120_000, 1],
        [hour - 1, 1],
        [hour, 2],
        [2 * hour - 1, 2],
        [2 * hour, 3],
      ] as const) {
        now.mockReturnValue(start + after)
        await joins('203.0.113.78', invite)
        expect(await usesOf(invite), String(after)).toHaveLength(expected)
      }
      now.mockRestore()
    })

    it('have nothing in common between two invites or two hours', async () => {
      const invites = [(await makeServer()).invite, (await makeServer()).invite]
      for (const invite of invites) await joins('203.0.113.79', invite)
      const [one, two] = await Promise.all(invites.map(usesOf))
      expect(one?.[0]?.visitor).toMatch(/^[\w-]{43}$/)
      expect(one?.[0]?.visitor).not.toBe(two?.[0]?.visitor)
    })
  })
})

describe('referrals', () => {
  it('never answer 500, whatever the code', async () => {
    for (const code of ['x', "'; DROP TABLE referral; --", '%F0%28%8C%28', '../../', '0', 'a'.repeat(2000)]) {
      const visitor = await stranger()
      for (const path of [
        `/classcords/referral/${encodeURIComponent(code)}/`,
        `/classcords/ajax/referral-redeem/?referral=${encodeURIComponent(code)}`,
        `/classcords/login/?referral=${encodeURIComponent(code)}`,
      ])
        expect((await visitor.get(path)).status, path).toBeLessThan(500)
    }
  })

  it('keep their expiry when they are changed otherwise', async () => {
    await student.see('/classcords/referrals/')
    await student.submit('/classcords/referrals/', {})
    const expiry = () => one('SELECT expires_at FROM referral')
    const before = await expiry()
    await rows('UPDATE referral SET max_uses = 50')
    expect(await expiry()).toEqual(before)
  })

  it('still work when their owner is no longer a manager', async () => {
    await boss.see('/classcords/referrals/')
    await boss.submit('/classcords/referrals/', { max_uses_choice: '0', expiry_timeframe: 'permanent' })
    await rows("UPDATE discord_user SET role = 'regular' WHERE id = ?", manager.discordUserId)
    const { code } = await one<{ code: string }>('SELECT code FROM referral')
    expect((await (await stranger()).get(`/classcords/referral/${code}/`)).headers.get('location')).toContain(code)
    expect((await boss.see('/classcords/referrals/')).response.status).toBe(200)
  })
})

describe('odd input', () => {
  it('is ignored if it is not a valid number in a query', async () => {
    await makeServer({ schools: [school.school_id] })
    for (const odd of ['abc', '-1', '0', '1.5', '99999999999999999999', '%00'])
      expect((await exploreOf(student, `?page=${odd}&subject_id=${odd}&course_id=${odd}`)).servers, odd).toHaveLength(1)
  })

  it('breaks no page, wherever it is in a query', async () => {
    const server = await makeServer({ schools: [school.school_id] })
    const hostile = [
      "'",
      '"*',
      'a OR b NEAR(',
      '%_\\',
      '\0',
      '\u202Eabc',
      '<img src=x>',
      '__proto__',
      '\r\nSet-Cookie: a=b',
      '{}',
      '👩‍🎓',
    ]
    const lists = [
      '/classcords/all/',
      '/classcords/login/',
      `/classcords/server/${server.id}/`,
      '/classcords/ajax/subjects/',
    ]
    const names = ['q', 'sort', 'page', 'school_id', 'referral', 'next']
    for (const words of [...hostile.map(encodeURIComponent), '%20a'.repeat(2000), '%ED%A0%80'])
      for (const path of lists) {
        const answer = await student.get(`${path}?${names.map((name) => `${name}=${words}`).join('&')}`)
        expect(answer.status, `${path} ${words}`).toBeLessThan(400)
        expect(await answer.text(), path).not.toContain('<img src=x>')
        expect(answer.headers.get('location') ?? '/', path).toMatch(/^\/(?!\/)/)
      }
  })

  it('may be a person without discriminator or picture', async () => {
    await rows("UPDATE discord_user SET discriminator = '', avatar = NULL WHERE id = ?", regular.discordUserId)
    const { data } = await student.see('/classcords/profile/')
    expect(data.context.user.discord_user?.avatar_url).toMatch(/embed\/avatars\/\d\.png$/)
  })
})

describe('search', () => {
  it('covers all servers, not just the current page', async () => {
    for (let n = 0; n < 20; n += 1) await makeServer({ name: `A ${n}`, schools: [school.school_id] })
    await makeServer({ name: 'Zoology friends', schools: [school.school_id], notes: 'Bring a stethoscope' })
    expect((await exploreOf(student)).servers.map(({ name }) => name)).not.toContain('Zoology friends')
    for (const word of ['zoo', 'stetho', 'FRIENDS zoology'])
      expect((await exploreOf(student, `?q=${word}`)).servers).toMatchObject([{ name: 'Zoology friends' }])
  })
})

describe('an operation', () => {
  it('refuses everyone without the right', async () => {
    const { id } = await makePending({ submitter: regular.discordUserId, school: school.school_id })
    const { id: server } = await makeServer({ schools: [school.school_id] })
    const audit = { userId: regular.id, who: regular.name, ipAddress: null, country: null }
    const member = { role: 'member', discordUserId: regular.discordUserId, audit } as const
    const now = Date.now()
    const calls = [
      approveInvites(env.DB, member, [id], { now }),
      rejectInvite(env.DB, member, { inviteId: id, reason: '' }, now),
      undoDecision(env.DB, member, { inviteId: id }, now),
      serverUses(env.DB, member, server, now),
    ]
    for (const call of calls) await expect(call).rejects.toMatchObject({ status: 403 })
    expect(await one('SELECT state FROM invite WHERE id = ?', id)).toEqual({ state: 'pending' })
    const superuser = { role: 'superuser', discordUserId: null, audit } as const
    await approveInvite(env.DB, superuser, id, { now })
    expect(await one('SELECT state, decided_by FROM invite WHERE id = ?', id)).toEqual({
      state: 'approved',
      decided_by: null,
    })
  })
})

describe('a change whose search words cannot be updated', () => {
  const now = Date.now()
  const isOutdated = async () =>
    (
      await one<{ outdated: number }>(
        'SELECT count(*) AS outdated FROM discord_server WHERE version <> indexed_version OR words_version <> 1',
      )
    ).outdated

  it('of a decision is reported as made, and they are updated later', async () => {
    const { id } = await makePending({ submitter: regular.discordUserId, school: school.school_id })
    const by = {
      role: 'manager',
      discordUserId: manager.discordUserId,
      audit: { userId: manager.id, who: manager.name, ipAddress: null, country: null },
    } as const
    expect(await approveInvite(failingAt(2, 'before'), by, id, { now })).toMatchObject({ data: { status: 'approved' } })
    expect(await isOutdated()).toBe(1)
    expect(await undoDecision(failingAt(2, 'before'), by, { inviteId: id }, now)).toMatchObject({
      data: { status: 'pending' },
    })
    expect(await isOutdated()).toBe(1)
    await indexServers(env.DB, 10)
    expect(await isOutdated()).toBe(0)
  })
})

describe('simultaneous requests', () => {
  it('of two managers make one decision', async () => {
    const second = await addPerson({ role: 'manager' })
    const decider = ({ id, discordUserId, name }: Person) => ({
      role: 'manager' as const,
      discordUserId,
      audit: { userId: id, who: name, ipAddress: null, country: null },
    })
    for (let round = 0; round < 5; round += 1) {
      const { id } = await makePending({ submitter: regular.discordUserId, school: school.school_id })
      const answers = await Promise.allSettled([
        approveInvite(env.DB, decider(manager), id, { now: Date.now() }),
        rejectInvite(env.DB, decider(second), { inviteId: id, reason: '' }, Date.now()),
        approveInvite(env.DB, decider(second), id, { now: Date.now() }),
      ])
      expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      expect(await rows('SELECT decision FROM invite_decision WHERE invite_id = ?', id)).toHaveLength(1)
      const { state } = await one<{ state: string }>('SELECT state FROM invite WHERE id = ?', id)
      expect(
        await rows('SELECT 1 FROM server_school l JOIN invite i ON i.id = l.invite_id WHERE i.id = ?', id),
      ).toHaveLength(state === 'approved' ? 1 : 0)
      expect(await rows('SELECT 1 FROM notice WHERE invite_id = ?', id)).toHaveLength(1)
    }
  })

  it('submit a link once, and a server with two links once', async () => {
    const fellow = await browserOf(await addPerson({ school: school.school_id }))
    const same = await Promise.all([student, fellow].map((visitor) => submit(visitor, guilds.calculus)))
    expect(same.map(({ status }) => status).toSorted()).toEqual([200, 409])
    const two = await Promise.all([
      submit(student, guilds.commons),
      submit(fellow, guilds.commons, { invite_url: linkOf('vanity') }),
    ])
    expect(two.map(({ status }) => status)).toEqual([200, 200])
    expect(await rows('SELECT 1 FROM discord_server WHERE server_id = ?', guilds.commons.id)).toHaveLength(1)
    const { unapproved_invites } = (await boss.see<UnapprovedInvitesProps>('/classcords/unapproved-invites/')).data
      .props
    expect(unapproved_invites).toHaveLength(3)
  })

  it('of one user to track a use count once', async () => {
    const { invite } = await makeServer({ schools: [school.school_id] })
    await Promise.all(
      Array.from({ length: 10 }, () => student.call('PUT', `/classcords/ajax/invites/${invite}/track-usage/`)),
    )
    expect(await one('SELECT uses_count FROM invite WHERE id = ?', invite)).toEqual({ uses_count: 1 })
  })
})

describe('hostile guilds', () => {
  it('are shown as text, with pictures only from Discord', async () => {
    const name = '</script><script>alert(1)</script><img src=x onerror=alert(1)>'
    const server = await makeServer({ name, schools: [school.school_id] })
    await rows(
      'UPDATE discord_server SET description = ?, custom_title = ? WHERE id = ?',
      `"><svg onload=alert(1)>`,
      name,
      server.id,
    )
    const { html, data } = await student.see<WelcomeProps>('/classcords/')
    expect(data.props.servers[0]?.name).toBe(name)
    const outside = html.replaceAll(
      /<script[^>]*><\/script>|<script type="application\/json" id="page-data">.*?<\/script>/gs,
      '',
    )
    expect(outside).not.toMatch(/<script|<img src=x|<svg onload/)
    expect(html.match(/<script type="application\/json"/g)).toHaveLength(1)
  })
})
