import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import type { InviteGoneProps } from '../../src/classcords/contract.ts'
import { joinInvite } from '../../src/classcords/join/join-invite.ts'
import { addPerson, emptyDirectory, guilds, linkOf, makePending, makeServer, makeSchool } from '../worker/directory.ts'
import { one, rows } from '../worker/rows.ts'
import { Visitor } from '../worker/visitor.ts'
import { failingAt } from '../worker/watched-database.ts'
import { world } from '../worker/world.ts'

/** GET /classcords/join/{invite_id}/ */

let submitter: Awaited<ReturnType<typeof addPerson>>
let manager: Awaited<ReturnType<typeof addPerson>>

beforeEach(async () => {
  await emptyDirectory()
  await world.clearFaults()
  submitter = await addPerson()
  manager = await addPerson({ role: 'manager' })
})

type Made = Awaited<ReturnType<typeof makeServer>>

/** A server whose invite leads to a server of the local Discord. */
async function listed(guild: { id: string; code: string }, server: Parameters<typeof makeServer>[0] = {}) {
  const made = await makeServer({ code: guild.code, submitter: submitter.discordUserId, ...server })
  await rows('UPDATE discord_server SET server_id = ? WHERE id = ?', guild.id, made.id)
  return made
}

const join = (made: Pick<Made, 'invite'>, visitor = new Visitor()) => visitor.get(`/classcords/join/${made.invite}/`)
const asked = async (code: string) =>
  (await world.requests()).filter(({ service, path }) => service === 'discord' && path.includes(`/invites/${code}`))
    .length
const noticesOf = (discordUserId: number) =>
  rows<{ title: string }>('SELECT title FROM notice WHERE discord_user_id = ?', discordUserId)

/** How long ago Discord was last asked. */
const lastAsked = (code: string, answer: string | null, ago: number) =>
  rows(
    'INSERT OR REPLACE INTO invite_lookup (code, answer, fetched_at) VALUES (?, ?, ?)',
    code,
    answer,
    Date.now() - ago,
  )

const answerOf = (guild: { id: string; code: string }) =>
  JSON.stringify({
    code: guild.code,
    guild_id: guild.id,
    name: 'x',
    description: '',
    icon: null,
    member_count: 1,
    online_count: 1,
    expires_at: null,
    is_permanent: true,
  })

describe('a check that cannot be recorded', () => {
  const anonymous = { user: null, discordUser: null, schoolId: null, isManager: false, isSuperuser: false }
  const joinOnce = ({ invite }: Made) =>
    joinInvite({ ...env, DB: failingAt(2, 'before') }, anonymous, invite, { now: Date.now(), later: () => undefined })

  it('still leads to Discord if the invite works again', async () => {
    const made = await listed(guilds.commons)
    await rows('UPDATE invite SET is_valid = 0 WHERE id = ?', made.invite)
    expect(await joinOnce(made)).toEqual({ to: linkOf(guilds.commons.code) })
  })

  it('still shows that the invite no longer works', async () => {
    const made = await listed({ id: guilds.commons.id, code: 'nowhere-at-all' })
    expect(await joinOnce(made)).toMatchObject({ gone: { server: { id: made.id } } })
  })
})

describe('a working invite', () => {
  it('leads to Discord after one request that everyone shares', async () => {
    const started = Date.now() - 1
    const made = await listed(guilds.commons)
    const before = await asked(guilds.commons.code)
    const answers = await Promise.all(Array.from({ length: 30 }, () => join(made)))
    for (const answer of answers)
      expect([answer.status, answer.headers.get('location')]).toEqual([302, linkOf(guilds.commons.code)])
    expect((await asked(guilds.commons.code)) - before).toBeLessThanOrEqual(1)
    expect(await one('SELECT is_valid FROM invite WHERE id = ?', made.invite)).toEqual({ is_valid: 1 })
    // The number online is updated as well; more would renew every cached page.
    await expect
      .poll(() =>
        one(
          'SELECT online_count > 1 AND online_counted_at > ? AS counted FROM discord_server WHERE id = ?',
          started,
          made.id,
        ),
      )
      .toEqual({ counted: 1 })
  })

  it('is not checked again within a minute', async () => {
    const made = await listed({ id: guilds.calculus.id, code: 'only-in-the-table' })
    await lastAsked('only-in-the-table', answerOf({ id: guilds.calculus.id, code: 'only-in-the-table' }), 50_000)
    expect((await join(made)).status).toBe(302)
    expect(await asked('only-in-the-table')).toBe(0)
  })
})

describe('a dead invite', () => {
  it("is marked at once, with one notice each, and offers the server's other invites", async () => {
    const made = await listed({ id: guilds.algebra.id, code: 'died-a-moment-ago' })
    const other = await one<{ id: number }>(
      `INSERT INTO invite (code, server_id, submitter_id, state, notes_md, privacy_level, created_at, decided_at, due_at)
       VALUES ('still-good', ?, NULL, 'approved', 'Come in', 'public', 1, 1, 9e15) RETURNING id`,
      made.id,
    )
    const answers = await Promise.all([join(made), join(made), join(made)])
    expect(answers.map(({ status }) => status)).toEqual([410, 410, 410])
    const { html, data } = await new Visitor().read<InviteGoneProps>(await join(made))
    expect([data.page, data.props.invites.map(({ id }) => id)]).toEqual(['InviteGone', [other.id]])
    expect(html).toContain(`href="/classcords/join/${other.id}/"`)
    expect(html).toContain('This invite no longer works.')
    // Checked again soon, because Discord may have been mistaken.
    expect(
      await one('SELECT is_valid, state, due_at - checked_at AS wait FROM invite WHERE id = ?', made.invite),
    ).toEqual({ is_valid: 0, state: 'approved', wait: 3_600_000 })
    for (const { discordUserId } of [submitter, manager])
      expect(await noticesOf(discordUserId)).toEqual([{ title: 'An invite no longer works' }])
    const seen = await (await new Visitor().get(`/classcords/server/${made.id}/`)).text()
    expect(seen).not.toContain('died-a-moment-ago')
    const json = await new Visitor().get(`/classcords/join/${made.invite}/`, { accept: 'application/json' })
    expect([json.status, await json.json()]).toEqual([410, ['This invite no longer works.']])
  })

  it('is also marked if its link leads to another server', async () => {
    const made = await makeServer({ code: guilds.calculus.code, submitter: submitter.discordUserId })
    const answer = await join(made)
    expect([answer.status, (await answer.text()).includes('points to a different server')]).toEqual([410, true])
    expect(await noticesOf(manager.discordUserId)).toEqual([{ title: 'An invite now points to a different server' }])
  })

  it('does not lead anywhere, even if it once led to another server', async () => {
    const made = await listed({ id: guilds.commons.id, code: 'moved-then-died' })
    await rows('UPDATE invite SET is_valid = 0, quarantined_at = 1 WHERE id = ?', made.invite)
    expect(await (await join(made)).text()).toContain('This invite no longer works.')
  })

  it('that works again leads to Discord, and is listed again', async () => {
    const made = await listed({ id: guilds.calculus.id, code: 'made-again' }, { isListed: false })
    await lastAsked('made-again', null, 61_000)
    expect((await join(made)).status).toBe(410)
    const alive = await listed(guilds.commons, { isListed: false })
    expect((await join(alive)).status).toBe(302)
    expect(await one('SELECT is_valid FROM invite WHERE id = ?', alive.invite)).toEqual({ is_valid: 1 })
  })
})

it('joining leads to Discord if Discord cannot be asked, and marks nothing', async () => {
  await world.fault('discord', 'http_500')
  const made = await listed({ id: guilds.calculus.id, code: 'nobody-knows' })
  expect((await join(made)).status).toBe(302)
  expect(await one('SELECT is_valid FROM invite WHERE id = ?', made.invite)).toEqual({ is_valid: 1 })
})

it('joining is for people who may see the invite', async () => {
  const school = await makeSchool()
  const made = await listed(guilds.commons, { privacy: 'private', schools: [school.school_id] })
  const anonymous = await join(made)
  expect([anonymous.status, anonymous.headers.get('location')]).toEqual([
    302,
    `/classcords/login/?${new URLSearchParams({ next: `/classcords/join/${made.invite}/` })}`,
  ])
  const stranger = await Visitor.loggedInAs(await addPerson({ school: (await makeSchool()).school_id }))
  expect((await join(made, stranger)).status).toBe(403)
  const member = await Visitor.loggedInAs(await addPerson({ school: school.school_id }))
  expect((await join(made, member)).headers.get('location')).toBe(linkOf(guilds.commons.code))
  const pending = await makePending()
  for (const invite of [pending.id, 999_999]) expect((await join({ invite }, member)).status).toBe(404)
})
