import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { nextOf } from '../worker/account-people.ts'
import { mailsTo, mailTo, whileMailsFail, writtenTo } from '../worker/mailbox.ts'
import { addUser, goodPassword, Visitor } from '../worker/visitor.ts'
import { world } from '../worker/world.ts'
import { refusalOf } from '../../src/accounts/discord/admission.ts'
import {
  disconnect,
  discordUsers,
  goThroughDiscord,
  people,
  pick,
  placeOf,
  setOff,
  loggedInThrough,
  deleteAllAccounts,
} from '../worker/discord-people.ts'

const path = '/accounts/3rdparty/'
const messagesOf = async (visitor: Visitor) =>
  (await visitor.see('/')).data.context.messages.map(({ level_tag, message }) => [level_tag, message])

const unlinked = { unlinked_at: expect.any(Number), sealed_tokens: null, tokens_expire_at: null }

beforeEach(async () => {
  await deleteAllAccounts()
  await world.emptyOutbox()
})

/** The subjects of emails to an address, once there are any. */
async function subjectsTo(address: string): Promise<string[]> {
  await mailTo(address)
  return (await mailsTo(address)).map(({ subject }) => subject)
}

async function connected(persona: 'newcomer' | 'regular' = 'regular') {
  const user = await addUser()
  const visitor = await Visitor.loggedInAs(user)
  expect(placeOf(await goThroughDiscord(visitor, persona, { process: 'connect' }))).toEqual([302, path])
  return { user, visitor }
}

/** A manager's referral. */
async function makeReferral(): Promise<string> {
  await loggedInThrough('manager')
  const code = crypto.randomUUID()
  await env.DB.prepare(
    `INSERT INTO referral (code, owner_id, max_uses, num_uses, expiry_timeframe, created_at)
     SELECT ?, id, 20, 0, '1w', 0 FROM discord_user WHERE discord_id = ?`,
  )
    .bind(code, people.manager.id)
    .run()
  return code
}

const usesOf = (code: string) =>
  env.DB.prepare('SELECT num_uses FROM referral WHERE code = ?').bind(code).first<number>('num_uses')
const withoutReferral = 'You need a referral code to create a new account on this website'

describe('connecting a Discord account', () => {
  it('links it and notifies the owner', async () => {
    const { user, visitor } = await connected()
    expect(await discordUsers()).toMatchObject([{ user_id: user.id, discord_id: people.regular.id }])
    expect(await messagesOf(visitor)).toEqual([['success', 'The third-party account has been connected.']])
    expect((await visitor.see(path)).html).toContain('Riley Chen')
    expect(await subjectsTo(user.email)).toEqual(['[Class Cords] Third-Party Account Connected'])
    const other = await loggedInThrough('regular')
    expect((await other.see('/')).data.context.user.name).toBe('Riley Chen')
  })

  it('requires admission, for example by a referral', async () => {
    const visitor = await Visitor.loggedInAs(await addUser())
    expect(placeOf(await goThroughDiscord(visitor, 'stranger', { process: 'connect' }))).toEqual([302, path])
    expect(await messagesOf(visitor)).toEqual([
      ['error', refusalOf({ admitted: false, reason: withoutReferral, trusted: [] })],
    ])
    expect(await discordUsers()).toEqual([])
    expect(placeOf(await visitor.get('/classcords/referrals/'))[0]).toBe(403)

    const code = await makeReferral()
    expect(placeOf(await goThroughDiscord(visitor, 'stranger', { process: 'connect', referral: code }))).toEqual([
      302,
      path,
    ])
    expect(await discordUsers()).toMatchObject([{ discord_id: people.manager.id }, { discord_id: people.stranger.id }])
    expect(await usesOf(code)).toBe(1)
  })

  it('needs no second referral after a sign-up that stopped at an address with an account', async () => {
    const user = await addUser({ username: 'sasha', email: people.stranger.email ?? '' })
    const code = await makeReferral()
    const signUp = await goThroughDiscord(new Visitor(), 'stranger', { referral: code })
    expect(placeOf(signUp)).toEqual([302, '/accounts/3rdparty/signup/'])
    const visitor = await Visitor.loggedInAs(user)
    await goThroughDiscord(visitor, 'stranger', { process: 'connect' })
    expect(await messagesOf(visitor)).toEqual([['success', 'The third-party account has been connected.']])
    expect(await usesOf(code)).toBe(1)
  })

  it("is refused while Discord cannot list the user's servers", async () => {
    const visitor = await Visitor.loggedInAs(await addUser())
    const back = await pick(await setOff(visitor, { process: 'connect' }), 'newcomer')
    const real = globalThis.fetch
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
      const { pathname } = new URL(input instanceof Request ? input.url : String(input))
      return pathname.endsWith('/guilds') ? new Response('{}', { status: 503 }) : real(input, init)
    })
    const answer = await visitor.get(back)
    vi.restoreAllMocks()
    expect(answer.status).toBe(401)
    expect(await discordUsers()).toEqual([])
  })

  it('skips admission for an account that was admitted before', async () => {
    const { visitor } = await connected()
    await disconnect(visitor)
    await env.DB.prepare('UPDATE discord_server SET is_required_for_trust = 0').run()
    expect(placeOf(await goThroughDiscord(visitor, 'regular', { process: 'connect' }))).toEqual([302, path])
    expect(await discordUsers()).toMatchObject([{ discord_id: people.regular.id, unlinked_at: null }])
  })

  it('uses up no referral if it fails', async () => {
    const code = await makeReferral()
    const { visitor } = await connected()
    await goThroughDiscord(visitor, 'stranger', { process: 'connect', referral: code })
    expect(await messagesOf(visitor)).toContainEqual([
      'error',
      'Another Discord account is already connected. Remove it first.',
    ])
    expect(await usesOf(code)).toBe(0)
  })

  it("shows the account on Discord's page", async () => {
    const visitor = await Visitor.loggedInAs(await addUser())
    expect((await setOff(visitor, { process: 'connect' })).searchParams.get('prompt')).toBe('consent')
  })

  it("never takes over someone else's account", async () => {
    const { user } = await connected()
    const visitor = await Visitor.loggedInAs(await addUser())
    expect(placeOf(await goThroughDiscord(visitor, 'regular', { process: 'connect' }))).toEqual([302, path])
    expect(await messagesOf(visitor)).toEqual([
      ['error', 'The third-party account is already connected to a different account.'],
    ])
    expect(await discordUsers()).toMatchObject([{ user_id: user.id }])
  })

  it('links nothing if its notice cannot be stored', async () => {
    const visitor = await Visitor.loggedInAs(await addUser())
    const back = await pick(await setOff(visitor, { process: 'connect' }), 'regular')
    expect((await whileMailsFail(() => visitor.get(back))).status).toBe(500)
    expect(await discordUsers()).toEqual([])
  })

  it('is limited to one account per user', async () => {
    const { visitor } = await connected()
    await goThroughDiscord(visitor, 'newcomer', { process: 'connect' })
    expect(await messagesOf(visitor)).toContainEqual([
      'error',
      'Another Discord account is already connected. Remove it first.',
    ])
    expect(await discordUsers()).toHaveLength(1)
  })

  it('links one Discord account to one of two users who connect it simultaneously', async () => {
    const visitors = await Promise.all([1, 2, 3].map(async () => Visitor.loggedInAs(await addUser())))
    const backs = await Promise.all(
      visitors.map(async (visitor) => pick(await setOff(visitor, { process: 'connect' }), 'newcomer')),
    )
    await Promise.all(visitors.map((visitor, n) => visitor.get(backs[n] ?? '')))
    expect(await discordUsers()).toHaveLength(1)
  })

  it('completes only for the user who started it', async () => {
    const visitor = await Visitor.loggedInAs(await addUser())
    const back = await pick(await setOff(visitor, { process: 'connect' }), 'newcomer')
    const other = await Visitor.loggedInAs(await addUser())
    visitor.cookies.set('session', other.cookies.get('session') ?? '')
    expect((await visitor.get(back)).status).toBe(401)
    visitor.cookies.delete('session')
    expect((await visitor.get(back)).status).toBe(401)
    expect(await discordUsers()).toEqual([])
  })
})

describe('connected accounts', () => {
  it('require a login', async () => {
    expect(placeOf(await new Visitor().get(path))).toEqual([302, '/accounts/login/?next=%2Faccounts%2F3rdparty%2F'])
  })

  it('say that one which was disabled cannot be used to log in', async () => {
    const { visitor } = await connected()
    expect((await visitor.see(path)).html).toContain('You can log in to your account with this third-party account')
    await env.DB.prepare('UPDATE discord_user SET is_disabled = 1').run()
    const { html } = await visitor.see(path)
    expect(html).toContain('it was disabled here, so you cannot log in with it')
    expect(html).not.toContain('You can log in to your account')
    const overview = (await visitor.see('/accounts/')).html
    expect(overview).toContain('Your Discord account was disabled here.')
    expect(overview).not.toContain('Connect Discord')
  })

  it('offer to connect one if there is none', async () => {
    const { html } = await (await Visitor.loggedInAs(await addUser())).see(path)
    expect(html).toContain('You currently have no third-party accounts connected to this account.')
    expect(html).toContain('href="/accounts/discord/login/?process=connect"')
  })
})

describe('disconnecting', () => {
  async function remove(visitor: Visitor, id = 'own'): Promise<Response> {
    const { html } = await visitor.see(path)
    const own = /name="account"[^>]*value="(\d+)"/.exec(html)?.[1] ?? ''
    return visitor.submit(path, { account: id === 'own' ? own : id })
  }

  it('revokes its tokens at Discord and notifies the owner', async () => {
    const { user, visitor } = await connected()
    await visitor.see(path)
    expect(placeOf(await remove(visitor))).toEqual([303, path])
    expect(await discordUsers()).toMatchObject([unlinked])
    expect(await messagesOf(visitor)).toEqual([['success', 'The third-party account has been disconnected.']])
    expect((await visitor.see(path)).html).toContain('You currently have no third-party accounts connected')
    const { subject } = await mailTo(user.email, 'Disconnected')
    expect(subject).toBe('[Class Cords] Third-Party Account Disconnected')
    await vi.waitFor(
      async () =>
        expect((await world.requests()).some((request) => request.path.endsWith('/oauth2/token/revoke'))).toBe(true),
      60_000,
    )
  })

  it('removes nothing if its notice cannot be stored', async () => {
    const { visitor } = await connected()
    expect((await whileMailsFail(() => remove(visitor))).status).toBe(500)
    expect(await discordUsers()).toMatchObject([{ unlinked_at: null }])
  })

  it.each([
    ['UPDATE user SET password_hash = NULL', 'Your account has no password set up.'],
    ['UPDATE email_address SET verified_at = NULL', 'Your account has no verified email address.'],
  ])('never removes the last way to log in (%s)', async (statement, message) => {
    const { user, visitor } = await connected()
    await env.DB.prepare(statement).run()
    const { response, html } = await visitor.read(await remove(visitor))
    expect(response.status).toBe(422)
    expect(html).toContain(message)
    expect(await discordUsers()).toHaveLength(1)
    expect(await writtenTo(user.email)).toEqual(['account_connected'])
  })

  it.each(['', 'x', '0', '999999', "1' OR 1=1"])('does nothing for %j', async (id) => {
    const { visitor } = await connected()
    expect((await remove(visitor, id)).status).toBe(422)
    expect(await discordUsers()).toHaveLength(1)
  })

  it("does nothing to someone else's account", async () => {
    await connected()
    const [row] = await discordUsers()
    const visitor = await Visitor.loggedInAs(await addUser())
    expect(placeOf(await remove(visitor, String(row?.id)))).toEqual([303, path])
    expect(await discordUsers()).toMatchObject([{ unlinked_at: null }])
  })

  it('reports no error for a second click', async () => {
    const { visitor } = await connected()
    const [row] = await discordUsers()
    await remove(visitor)
    await visitor.see(path)
    expect(placeOf(await remove(visitor, String(row?.id)))).toEqual([303, path])
    expect((await visitor.see(path)).html).not.toContain('Choose the account to remove.')
  })
})

describe('after more than five minutes', () => {
  const ageSessions = () =>
    env.DB.prepare('UPDATE session SET authenticated_at = ?')
      .bind(Date.now() - 301_000)
      .run()

  it('requires confirming access before disconnecting, then disconnects', async () => {
    const { visitor } = await connected()
    await ageSessions()
    const { html } = await visitor.see(path)
    const account = /name="account"[^>]*value="(\d+)"/.exec(html)?.[1] ?? ''
    const detour = placeOf(await visitor.submit(path, { account }))[1] ?? ''
    expect(detour).toContain('/accounts/reauthenticate/?next=%2Faccounts%2F3rdparty%2F')
    expect(await discordUsers()).toHaveLength(1)
    expect((await visitor.see(detour)).html).toContain('Confirm with Discord instead')
    const answer = await visitor.submit('/accounts/reauthenticate/', { password: goodPassword, next: nextOf(detour) })
    expect(placeOf(answer)).toEqual([303, path])
    expect(await discordUsers()).toMatchObject([unlinked])
  })

  it('requires confirming access before connecting', async () => {
    const visitor = await Visitor.loggedInAs(await addUser())
    await ageSessions()
    await visitor.see('/accounts/discord/login/?process=connect')
    const sent = await visitor.submit('/accounts/discord/login/', { process: 'connect' })
    const detour = placeOf(sent)[1] ?? ''
    expect(detour).toContain('/accounts/reauthenticate/')
    const answer = await visitor.submit('/accounts/reauthenticate/', {
      password: goodPassword,
      next: nextOf(detour),
    })
    const address = new URL(answer.headers.get('location') ?? '')
    expect(address.origin).toBe(new URL(env.DISCORD_OAUTH_URL).origin)
    expect(placeOf(await visitor.get(await pick(address, 'newcomer')))).toEqual([302, path])
    expect(await discordUsers()).toHaveLength(1)
  })

  it('allows users without a password to confirm with Discord, and carries out the pending form', async () => {
    const visitor = await loggedInThrough('newcomer')
    await ageSessions()
    await visitor.see('/accounts/email/')
    const add = { email: 'noor.second@example.com', action_add: '' }
    const detour = placeOf(await visitor.submit('/accounts/email/', add))[1] ?? ''
    const { html } = await visitor.see(detour)
    expect(html).toContain('name="process" value="redirect"')
    const request = { process: 'redirect', next: nextOf(detour) }
    const answer = await visitor.submit('/accounts/discord/login/', request)
    const address = new URL(answer.headers.get('location') ?? '')
    expect(address.searchParams.get('prompt')).toBe('consent')
    expect(placeOf(await visitor.get(await pick(address, 'newcomer')))).toEqual([303, '/accounts/email/'])
    const { results } = await env.DB.prepare('SELECT address FROM email_address ORDER BY id').all()
    expect(results).toEqual([{ address: people.newcomer.email }, { address: add.email }])
  })
})

describe('confirming access with Discord', () => {
  const authenticatedAt = async () =>
    (await env.DB.prepare('SELECT max(authenticated_at) AS at FROM session').first<number>('at')) ?? -1

  it('renews the session and continues', async () => {
    const { visitor } = await connected()
    await env.DB.prepare('UPDATE session SET authenticated_at = 1').run()
    const request = { process: 'redirect', next: '/accounts/email/' }
    expect(placeOf(await goThroughDiscord(visitor, 'regular', request))).toEqual([303, '/accounts/email/'])
    expect(await authenticatedAt()).toBeGreaterThan(Date.now() - 10_000)
  })

  it("fails with another person's Discord account", async () => {
    await loggedInThrough('newcomer')
    const { visitor } = await connected()
    await env.DB.prepare('UPDATE session SET authenticated_at = 1').run()
    expect(placeOf(await goThroughDiscord(visitor, 'newcomer', { process: 'redirect', next: '/x' }))).toEqual([
      302,
      path,
    ])
    expect(placeOf(await goThroughDiscord(visitor, 'manager', { process: 'redirect', next: '/x' }))).toEqual([
      302,
      path,
    ])
    expect(await authenticatedAt()).toBe(1)
  })
})
