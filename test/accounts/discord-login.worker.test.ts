import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { openTokens } from '../../src/accounts/discord/sealed-tokens.ts'
import { findSession } from '../../src/web/session/session-records.ts'
import { addUser, Visitor } from '../worker/visitor.ts'
import { watchedDatabase } from '../worker/watched-database.ts'
import {
  discordUsers,
  goThroughDiscord,
  loginPath,
  people,
  pick,
  placeOf,
  setOff,
  loggedInThrough,
  deleteAllAccounts,
  usualPlace,
} from '../worker/discord-people.ts'

beforeEach(deleteAllAccounts)

const messagesOf = async (visitor: Visitor) => (await visitor.see('/')).data.context.messages

describe('redirecting to Discord', () => {
  it('requires a click: opening the address is not enough', async () => {
    const { response, html } = await new Visitor().see(`${loginPath}?next=%2Fclasscords%2Fall%2F&referral=%20abc%20`)
    expect(response.status).toBe(200)
    expect(html).toContain('You are about to log in with your Discord account.')
    expect(html).toContain('name="referral" value="abc"')
    expect(html).toContain('name="next" value="/classcords/all/"')
    expect(html).not.toContain('<script type="module"')
  })

  it('requests name, address and servers, with state and PKCE', async () => {
    const address = await setOff(new Visitor())
    expect(address.origin + address.pathname).toBe(`${env.DISCORD_OAUTH_URL}/authorize`)
    expect(Object.fromEntries(address.searchParams)).toMatchObject({
      client_id: 'local-world',
      redirect_uri: `${env.APP_URL}/accounts/discord/login/callback/`,
      response_type: 'code',
      scope: 'identify email guilds',
      prompt: 'none',
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
    })
  })

  it('is allowed by the content security policy of its page', async () => {
    const answer = await new Visitor().get(loginPath)
    expect(answer.headers.get('content-security-policy')).toContain(
      `form-action 'self' ${new URL(env.DISCORD_OAUTH_URL).origin}`,
    )
  })

  it("returns to the configured address, whatever the request's Host", async () => {
    const visitor = new Visitor()
    visitor.origin = 'http://evil.example'
    const address = await setOff(visitor)
    expect(address.searchParams.get('redirect_uri')).toBe(`${env.APP_URL}/accounts/discord/login/callback/`)
  })

  it('requires a token, and is rate limited', async () => {
    const visitor = new Visitor()
    await visitor.see(loginPath)
    expect((await visitor.submit(loginPath, { csrf_token: 'x' })).status).toBe(403)
    const statuses: number[] = []
    for (let n = 0; n < 31; n += 1) statuses.push((await visitor.submit(loginPath, {})).status)
    expect(statuses.filter((status) => status === 303)).toHaveLength(30)
    const limited = await visitor.submit(loginPath, {})
    expect([limited.status, Number(limited.headers.get('retry-after')) > 0]).toEqual([429, true])
  })

  it('is not offered to users who are already logged in with it', async () => {
    const visitor = await loggedInThrough('newcomer')
    expect(placeOf(await visitor.get(loginPath))).toEqual([302, '/accounts/3rdparty/'])
    expect(placeOf(await visitor.get(`${loginPath}?next=/classcords/`))).toEqual([302, '/classcords/'])
    expect(placeOf(await new Visitor().get(`${loginPath}?process=connect`))).toEqual([
      302,
      '/accounts/login/?next=%2Faccounts%2F3rdparty%2F',
    ])
  })

  it.each(['//evil.example', 'https://evil.example', '/\\evil.example', 'javascript:alert(1)', '/\t/evil.example'])(
    'never leads to %j afterwards',
    async (next) => {
      expect(placeOf(await goThroughDiscord(new Visitor(), 'newcomer', { next }))).toEqual([302, usualPlace])
    },
  )
})

describe('a newcomer', () => {
  it('from the trusted server gets an account with the profile that Discord verified', async () => {
    const visitor = await loggedInThrough('newcomer')
    const { id, email } = people.newcomer
    const user = await env.DB.prepare('SELECT * FROM user').first()
    expect(user).toMatchObject({
      username: `noor-haddad@${id}`,
      email,
      password_hash: null,
      is_superuser: 0,
      email_verified_at: expect.any(Number),
    })
    const { data } = await visitor.see('/')
    expect(data.context.user).toMatchObject({
      is_authenticated: true,
      name: 'Noor Haddad',
      discord_user: {
        discord_id: id,
        username: 'noor.haddad',
        discriminator: '0',
        display_name: 'Noor Haddad',
        avatar_url: `${env.DISCORD_CDN_URL}/avatars/${id}/0f1e2d3c4b5a69780f1e2d3c4b5a6978.png?size=128`,
        is_verified: true,
        login_count: 1,
        role_info: { value: 'regular', label: 'Regular User' },
        school: null,
      },
    })
    expect((await fetch(data.context.user.discord_user?.avatar_url ?? '')).status).toBe(200)
  })

  it('is greeted, and sent to where they were going', async () => {
    const visitor = new Visitor()
    expect(placeOf(await goThroughDiscord(visitor, 'newcomer', { next: '/class_tracker/?a=1' }))).toEqual([
      302,
      '/class_tracker/?a=1',
    ])
    expect(await messagesOf(visitor)).toEqual([
      { level_tag: 'success', message: 'Successfully signed in as Noor Haddad.' },
    ])
  })

  it.each([
    ['', 'You need a referral code to create a new account on this website'],
    ['made-up', 'Your referral code is invalid or has expired'],
  ])('from no trusted server, with referral %j, sees why not', async (referral, reason) => {
    const visitor = new Visitor()
    expect(placeOf(await goThroughDiscord(visitor, 'stranger', { referral }))).toEqual([302, '/classcords/login/'])
    expect(await messagesOf(visitor)).toEqual([
      {
        level_tag: 'error',
        message: `${reason}. Account creation requires either a valid referral code or membership in one the special discord servers`,
      },
    ])
    expect(await env.DB.prepare('SELECT count(*) AS n FROM user').first('n')).toBe(0)
  })

  it('sees the names of trusted servers, with links on the page and addresses in the message', async () => {
    const visitor = new Visitor()
    await env.DB.batch([
      env.DB.prepare(
        "INSERT INTO discord_server (server_id, name, privacy_level, is_required_for_trust, created_at) VALUES ('43', 'Math, (official)', 'public', 1, 0)",
      ),
      env.DB.prepare(
        "INSERT INTO invite (code, server_id, state, notes_md, privacy_level, created_at, decided_at, due_at) SELECT 'official', id, 'approved', '', 'public', 1, 1, 9e15 FROM discord_server WHERE server_id = '43'",
      ),
    ])
    await goThroughDiscord(visitor, 'stranger', { referral: '' })
    const { html, data } = await visitor.see('/classcords/login/')
    const [said] = data.context.messages
    expect(said?.message).toMatch(/special discord servers: Math, \(official\) \(http:.*\/classcords\/join\/\d+\/\)$/)
    const banner = /<section class="messages".*?<\/section>/s.exec(html)?.[0] ?? ''
    expect(banner).toMatch(
      /special discord servers: .*<a href="http:[^"]*\/classcords\/join\/\d+\/"[^>]*><bdi>Math, \(official\)<\/bdi>/,
    )
    expect(banner.replaceAll(/<[^>]*>/g, '')).not.toContain('http')
  })

  it('is not admitted while no server is trusted', async () => {
    await env.DB.prepare('UPDATE discord_server SET is_required_for_trust = 0').run()
    expect(placeOf(await goThroughDiscord(new Visitor(), 'newcomer'))).toEqual([302, '/classcords/login/'])
  })
})

describe('a known user', () => {
  it('skips admission; profile, tokens and login count are updated', async () => {
    await loggedInThrough('newcomer')
    await env.DB.batch([
      env.DB.prepare('UPDATE discord_server SET is_required_for_trust = 0'),
      env.DB.prepare(
        "UPDATE discord_user SET username = 'old', display_name = 'Old', avatar = NULL, is_verified = 0, role = 'manager'",
      ),
    ])
    const [before] = await discordUsers()
    const visitor = await loggedInThrough('newcomer')
    const [after] = await discordUsers()
    expect(after).toMatchObject({
      username: 'noor.haddad',
      display_name: 'Noor Haddad',
      is_verified: 1,
      login_count: 2,
    })
    expect(after?.role).toBe('manager')
    expect(after?.sealed_tokens).not.toBe(before?.sealed_tokens)
    expect(after?.first_login_at).toBe(before?.first_login_at)
    expect((await visitor.see('/')).data.context.user.discord_user?.role_info).toEqual({
      value: 'manager',
      label: 'Discord Manager',
    })
  })

  it('always gets a new, persistent session', async () => {
    const visitor = new Visitor()
    visitor.cookies.set('session', 'A'.repeat(43))
    const answer = await goThroughDiscord(visitor, 'newcomer')
    const cookie = answer.headers.getSetCookie().find((one) => one.startsWith('session=')) ?? ''
    expect(cookie).toMatch(/Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax/)
    expect(visitor.cookies.get('session')).not.toBe('A'.repeat(43))
  })

  it.each(['UPDATE user SET is_active = 0', 'UPDATE discord_user SET is_disabled = 1'])(
    'is not let in after %s',
    async (statement) => {
      const inside = await loggedInThrough('newcomer')
      await env.DB.prepare(statement).run()
      const visitor = new Visitor()
      expect(placeOf(await goThroughDiscord(visitor, 'newcomer'))).toEqual([302, '/accounts/inactive/'])
      expect(visitor.cookies.has('session')).toBe(false)
      expect((await inside.see('/')).data.context.user.discord_user).toBeNull()
    },
  )

  it("stays logged in as the current user if someone else's account comes back", async () => {
    await loggedInThrough('newcomer')
    const visitor = new Visitor()
    const back = await pick(await setOff(visitor), 'newcomer')
    const oauth = visitor.cookies.get('oauth') ?? ''
    const other = await Visitor.loggedInAs(await addUser({ username: 'other' }))
    other.cookies.set('oauth', oauth)
    expect(placeOf(await other.get(back))).toEqual([302, '/accounts/3rdparty/'])
    const { data } = await other.see('/')
    expect(data.context.user.name).toBe('other')
    expect(data.context.messages).toEqual([
      { level_tag: 'error', message: 'This Discord account is already linked to another user.' },
    ])
    expect((await discordUsers())[0]?.login_count).toBe(1)
  })
})

describe('stored Discord data', () => {
  it('contains no usable token, state or cookie', async () => {
    const visitor = new Visitor()
    const address = await setOff(visitor)
    const state = address.searchParams.get('state') ?? ''
    const pending = JSON.stringify(await env.DB.prepare('SELECT * FROM oauth_state').all())
    for (const secret of [state, visitor.cookies.get('oauth') ?? 'none']) expect(pending).not.toContain(secret)
    await visitor.get(await pick(address, 'newcomer'))
    const [row] = await discordUsers()
    const sealed_tokens = row?.sealed_tokens ?? null
    const tokens = await openTokens(env, { discord_id: people.newcomer.id, sealed_tokens })
    expect(tokens?.access_token).toMatch(/^[\w-]{32}$/)
    expect(tokens?.expires_at).toBe(row?.tokens_expire_at)
    expect(JSON.stringify(row)).not.toContain(tokens?.access_token)
    expect(JSON.stringify(row)).not.toContain(tokens?.refresh_token)
    expect(await openTokens(env, { discord_id: people.manager.id, sealed_tokens })).toBeNull()
  })

  it('is read together with the session in one round trip', async () => {
    const visitor = await loggedInThrough('newcomer')
    let trips = 0
    const DB = watchedDatabase({ before: (trip) => void (trips = trip) })
    const cookie = { token: visitor.cookies.get('session') ?? '', kind: 'http' } as const
    const found = await findSession({ ...env, DB }, cookie, Date.now())
    expect(found?.user.discord_user?.discord_id).toBe(people.newcomer.id)
    expect(trips).toBe(1)
  })
})
