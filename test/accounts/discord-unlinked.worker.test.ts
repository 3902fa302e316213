import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { deleteOldAccountData } from '../../src/accounts/delete-old-account-data.ts'
import { linkAccount } from '../../src/accounts/discord/link-account.ts'
import { readProfile } from '../../src/accounts/discord/profile.ts'
import { DAY_MS } from '../../src/lib/time.ts'
import { Desk } from '../worker/admin-desk.ts'
import { beginSession } from '../worker/begin-session.ts'
import { asked } from '../worker/campus.ts'
import { makePending, makeSchool, makeServer } from '../worker/directory.ts'
import {
  connect,
  disconnect,
  discordUsers,
  goThroughDiscord,
  people,
  placeOf,
  loggedInThrough,
  deleteAllAccounts,
} from '../worker/discord-people.ts'
import { one, rows } from '../worker/rows.ts'
import { addUser, Visitor } from '../worker/visitor.ts'
import { runJob } from '../worker/world.ts'

/** A chat user outlives the link: disconnecting a Discord account does not undo decisions about it, or what it did. */

beforeEach(deleteAllAccounts)

async function connected() {
  const user = await addUser()
  const visitor = await Visitor.loggedInAs(user)
  await connect(visitor, 'regular')
  const { id: discordUserId } = await one<{ id: number }>('SELECT id FROM discord_user WHERE user_id = ?', user.id)
  return { user, visitor, discordUserId }
}

const discordUserOf = async (visitor: Visitor) => (await visitor.see('/')).data.context.user.discord_user
const messagesOf = async (visitor: Visitor) =>
  (await visitor.see('/')).data.context.messages.map(({ message }) => message)
const disable = () => rows('UPDATE discord_user SET is_disabled = 1')
const disabledHere = 'This Discord account was disabled here, so it cannot be connected.'

describe('a ban', () => {
  it('is not lifted by disconnecting and connecting again', async () => {
    const { visitor } = await connected()
    await disable()
    expect(placeOf(await disconnect(visitor))[0]).toBe(303)
    await connect(visitor, 'regular')
    expect(await messagesOf(visitor)).toContain(disabledHere)
    expect(await discordUsers()).toMatchObject([
      { is_disabled: 1, unlinked_at: expect.any(Number), sealed_tokens: null },
    ])
    expect(await discordUserOf(visitor)).toBeNull()
  })

  it('applies to anyone who connects the account', async () => {
    const { visitor, user } = await connected()
    await disable()
    await disconnect(visitor)
    const other = await Visitor.loggedInAs(await addUser())
    await connect(other, 'regular')
    expect(await messagesOf(other)).toContain(disabledHere)
    expect(await discordUsers()).toMatchObject([{ user_id: user.id, is_disabled: 1 }])
  })

  it('is shown to a user who connects a banned account again', async () => {
    const { visitor } = await connected()
    await disable()
    await visitor.see('/')
    await connect(visitor, 'regular')
    expect(await messagesOf(visitor)).toEqual([disabledHere])
  })

  it('prevents confirming access with the account, which would allow setting a password', async () => {
    const visitor = await loggedInThrough('newcomer')
    await disable()
    await rows('UPDATE session SET authenticated_at = 1')
    const request = { process: 'redirect', next: '/accounts/password/set/' }
    expect(placeOf(await goThroughDiscord(visitor, 'newcomer', request))).toEqual([302, '/accounts/3rdparty/'])
    expect(await messagesOf(visitor)).toEqual(['This Discord account was disabled here, so it cannot confirm access.'])
    expect(await rows('SELECT authenticated_at FROM session')).toEqual([{ authenticated_at: 1 }])
  })

  it('prevents logging in with the account, and creates no new user', async () => {
    const user = await addUser()
    const owner = await Visitor.loggedInAs(user)
    await connect(owner, 'newcomer')
    await disable()
    await disconnect(owner)
    const visitor = new Visitor()
    expect(placeOf(await goThroughDiscord(visitor, 'newcomer'))).toEqual([302, '/accounts/inactive/'])
    expect(visitor.cookies.has('session')).toBe(false)
    expect(await rows('SELECT id FROM user')).toEqual([{ id: user.id }])
    expect(await discordUsers()).toMatchObject([{ user_id: user.id, unlinked_at: expect.any(Number) }])
  })

  it('prevents signing up, even if it comes while an address is being entered', async () => {
    const owner = await Visitor.loggedInAs(await addUser())
    await connect(owner, 'mailless')
    await disconnect(owner)
    const visitor = new Visitor()
    const path = '/accounts/3rdparty/signup/'
    expect(placeOf(await goThroughDiscord(visitor, 'mailless'))).toEqual([302, path])
    await visitor.see(path)
    await disable()
    expect(placeOf(await visitor.submit(path, { email: 'mika@example.com' }))).toEqual([303, '/accounts/inactive/'])
    expect(await rows('SELECT id FROM user')).toHaveLength(1)
  })
})

describe('disconnecting and connecting again', () => {
  it('keeps role, school, referrals, submissions and logins', async () => {
    const { visitor, discordUserId } = await connected()
    const { school_id } = await makeSchool()
    const pending = await makePending({ submitter: discordUserId })
    await rows(
      "UPDATE discord_user SET role = 'manager', school_id = ?, first_login_at = 5, login_count = 7",
      school_id,
    )
    await rows(
      "INSERT INTO referral (code, owner_id, max_uses, expiry_timeframe, created_at) VALUES ('kept', ?, 20, '1w', 0)",
      discordUserId,
    )
    await disconnect(visitor)
    expect(await discordUserOf(visitor)).toBeNull()
    await connect(visitor, 'regular')
    const kept = { id: discordUserId, role: 'manager', first_login_at: 5, login_count: 8 }
    expect(await discordUsers()).toMatchObject([{ ...kept, unlinked_at: null, sealed_tokens: expect.any(String) }])
    expect((await discordUserOf(visitor))?.school?.id).toBe(school_id)
    expect(await rows('SELECT owner_id FROM referral WHERE code = ?', 'kept')).toEqual([{ owner_id: discordUserId }])
    expect(await rows('SELECT submitter_id FROM invite WHERE id = ?', pending.id)).toEqual([
      { submitter_id: discordUserId },
    ])
  })

  it('allows neither another choice of a school nor a second report', async () => {
    const { visitor } = await connected()
    const [school, other] = [await makeSchool(), await makeSchool()]
    const server = await makeServer({ schools: [school.school_id] })
    const choose = (id: number) => asked(visitor, 'POST', 'select-school', { school: String(id) })
    const report = () => asked(visitor, 'POST', `servers/${server.id}/report/`, { reason: 'Spam' })
    expect([(await choose(school.school_id)).status, (await report()).status]).toEqual([200, 200])
    await disconnect(visitor)
    await visitor.see('/')
    expect([(await choose(other.school_id)).status, (await report()).status]).toEqual([403, 403])
    await connect(visitor, 'regular')
    await visitor.see('/')
    expect([(await choose(other.school_id)).status, (await report()).status]).toEqual([422, 429])
  })

  it('allows a different Discord account, which starts without history', async () => {
    const { visitor, user } = await connected()
    await disconnect(visitor)
    await connect(visitor, 'newcomer')
    expect(await discordUsers()).toMatchObject([
      { user_id: user.id, discord_id: people.regular.id, unlinked_at: expect.any(Number) },
      { user_id: user.id, discord_id: people.newcomer.id, unlinked_at: null, login_count: 1 },
    ])
    expect((await discordUserOf(visitor))?.discord_id).toBe(people.newcomer.id)
    await visitor.see('/')
    await connect(visitor, 'regular')
    expect(await messagesOf(visitor)).toEqual(['Another Discord account is already connected. Remove it first.'])
    await disconnect(visitor)
    await connect(visitor, 'regular')
    expect((await discordUserOf(visitor))?.discord_id).toBe(people.regular.id)
  })

  it('prevents logging in with it until then, and no manager is notified', async () => {
    const { visitor, discordUserId } = await connected()
    await rows("UPDATE discord_user SET role = 'manager'")
    const overview = async () => (await visitor.see('/accounts/')).html
    expect(await overview()).toContain('You can log in with Discord.')
    await disconnect(visitor)
    expect(await overview()).toContain('Connect Discord to log in with it.')
    const reporter = await Visitor.loggedInAs(await addUser())
    await connect(reporter, 'newcomer')
    const server = await makeServer()
    await reporter.see('/')
    expect((await asked(reporter, 'POST', `servers/${server.id}/report/`, { reason: 'Spam' })).status).toBe(200)
    expect(await rows('SELECT id FROM notice WHERE discord_user_id = ?', discordUserId)).toEqual([])
  })
})

describe('an unlinked Discord account', () => {
  it('is linked to one of two users who connect it simultaneously', async () => {
    const { visitor, discordUserId } = await connected()
    await disconnect(visitor)
    const users = [await addUser(), await addUser(), await addUser()]
    const profile = readProfile({ id: people.regular.id, username: 'riley', global_name: 'Riley Chen' })
    if (!profile) throw new Error('no profile')
    const tokens = { access_token: 'a', refresh_token: null, expires_at: 1 }
    const said = await Promise.all(
      users.map(async ({ id: userId }) => {
        const { idHash } = (await beginSession(env, userId)).session
        return linkAccount(env, { userId, idHash, confirmedAt: 0 }, { profile, tokens }, 9, [])
      }),
    )
    expect(said.toSorted()).toEqual(['linked', 'owned', 'owned'])
    const winner = users[said.indexOf('linked')]?.id
    expect(await discordUsers()).toMatchObject([
      { id: discordUserId, user_id: winner, login_count: 2, last_login_at: 9 },
    ])
  })

  it('gets a new user for the same chat user when its owner logs in', async () => {
    const owner = await addUser()
    const former = await Visitor.loggedInAs(owner)
    await connect(former, 'newcomer')
    const [before] = await discordUsers()
    await disconnect(former)
    const visitor = await loggedInThrough('newcomer')
    const { id } = await one<{ id: number }>('SELECT id FROM user WHERE id <> ?', owner.id)
    expect(await discordUsers()).toMatchObject([
      { id: before?.id, user_id: id, login_count: 2, first_login_at: before?.first_login_at, unlinked_at: null },
    ])
    expect((await discordUserOf(visitor))?.id).toBe(before?.id)
    expect(await discordUserOf(former)).toBeNull()
  })

  it('does so even if its first user still exists under another name', async () => {
    await loggedInThrough('newcomer')
    const first = await one<{ id: number; username: string }>('SELECT id, username FROM user')
    await rows('UPDATE discord_user SET unlinked_at = 1')
    await rows("UPDATE email_address SET address = 'moved@example.com'")
    await loggedInThrough('newcomer')
    const second = await one<{ id: number; username: string }>('SELECT id, username FROM user WHERE id <> ?', first.id)
    expect(second.username.startsWith(`${first.username}-`)).toBe(true)
    expect(await discordUsers()).toMatchObject([{ user_id: second.id, unlinked_at: null }])
  })

  it('outlives a new user who never confirms their address, with its role and referrals', async () => {
    const { visitor, discordUserId } = await connected()
    await rows("UPDATE discord_user SET role = 'manager', first_login_at = 5")
    await rows(
      "INSERT INTO referral (code, owner_id, max_uses, expiry_timeframe, created_at) VALUES ('kept', ?, 20, '1w', 0)",
      discordUserId,
    )
    await disconnect(visitor)
    await rows('UPDATE discord_user SET discord_id = ?', people.mailless.id)
    const back = new Visitor()
    await goThroughDiscord(back, 'mailless')
    await back.see('/accounts/3rdparty/signup/')
    await back.submit('/accounts/3rdparty/signup/', { email: 'mika@example.com' })
    const [moved] = await discordUsers()
    expect(moved).toMatchObject({ id: discordUserId, unlinked_at: null })
    await rows('UPDATE user SET created_at = ? WHERE id = ?', Date.now() - 31 * DAY_MS, moved?.user_id)
    expect((await runJob(deleteOldAccountData, {})).state).toBe('finished')
    expect(await discordUsers()).toEqual([moved])
    expect(await rows("SELECT owner_id FROM referral WHERE code = 'kept'")).toEqual([{ owner_id: discordUserId }])
  })
})

describe('the admin', () => {
  it('shows when an account was disconnected, and may delete it', async () => {
    const { visitor, user, discordUserId } = await connected()
    const desk = await Desk.open()
    await disconnect(visitor)
    await rows('UPDATE discord_user SET unlinked_at = ?', Date.UTC(2026, 1, 3))
    const { text } = await desk.see(`chat-users/${discordUserId}/`)
    expect(text).toMatch(/Disconnected.*2026/s)
    expect((await desk.see(`users/${user.id}/`)).text).not.toContain('Riley Chen')
    await connect(visitor, 'newcomer')
    expect(await desk.titles(`users/?q=${user.username}`)).toEqual([user.username])
    await rows('UPDATE user SET password_hash = NULL WHERE id = ?', user.id)
    expect((await desk.delete('chat-users', discordUserId)).text).toContain('was deleted')
  })
})
