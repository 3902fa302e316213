import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { describe, expect, it, vi } from 'vitest'
import { endSessionsWhere } from '../../src/accounts/sessions/sessions.ts'
import { hashOf } from '../../src/web/security/signing.ts'
import { isLoggedIn } from '../worker/account-people.ts'
import { rows } from '../worker/rows.ts'
import { addUser, goodPassword, Visitor } from '../worker/visitor.ts'
import { until } from '../worker/world.ts'

const path = '/accounts/sessions/'
const firefox = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0'

async function logIn(user: { username: string }, userAgent = firefox): Promise<Visitor> {
  const visitor = new Visitor()
  await visitor.see('/accounts/login/')
  const fields = { login: user.username, password: goodPassword }
  expect((await visitor.submit('/accounts/login/', fields, { 'user-agent': userAgent })).status).toBe(303)
  return visitor
}

const idOf = async (visitor: Visitor) => (await hashOf(visitor.cookies.get('session') ?? '')).slice(0, 16)

describe('session list', () => {
  it('shows each browser with its place and last use, and marks the current one', async () => {
    const user = await addUser()
    const [here, there] = [await logIn(user), await logIn(user, 'curl/8.0 <script>alert(1)</script>')]
    await env.DB.prepare(`UPDATE session SET country = 'PT', last_used_at = ? WHERE ip_address = ?`)
      .bind(Date.parse('2026-03-04T05:06:00Z'), there.address)
      .run()
    const { html } = await here.see(path)
    expect(html).toContain('Firefox on Windows')
    expect(html).toContain('This browser')
    expect(html).toContain(`${there.address}, Portugal`)
    expect(html).toContain('Mar 4, 2026, 5:06 AM UTC')
    expect(html).not.toContain('alert(1)')
    for (const visitor of [here, there]) expect(html).not.toContain(visitor.cookies.get('session'))
  })

  it('ends one session', async () => {
    const user = await addUser()
    const [here, there, third] = [await logIn(user), await logIn(user), await logIn(user)]
    await here.see(path)
    expect((await here.submit(path, { session: await idOf(there) })).status).toBe(303)
    expect([await isLoggedIn(here), await isLoggedIn(there), await isLoggedIn(third)]).toEqual([true, false, true])
  })

  it('ends all other sessions', async () => {
    const user = await addUser()
    const [here, there, third] = [await logIn(user), await logIn(user), await logIn(user)]
    await here.see(path)
    // One that a new password has ended, whose row is kept for a while, is not ended again.
    await rows(
      "INSERT INTO session (id_hash, user_id, created_at, expires_at, authenticated_at, is_persistent) VALUES ('ended', ?, 0, ?, 0, 0)",
      user.id,
      Date.now() - 1000,
    )
    await here.submit(path, { action_end_others: '1' })
    expect((await here.see(path)).data.context.messages[0]?.message).toBe('2 other sessions were ended.')
    expect([await isLoggedIn(here), await isLoggedIn(there), await isLoggedIn(third)]).toEqual([true, false, false])
    await here.submit(path, { action_end_others: '1' })
    expect((await here.see(path)).data.context.messages[0]?.message).toBe('No other sessions were ended.')
  })

  it('logs out when the current session is ended', async () => {
    const here = await logIn(await addUser())
    await here.see(path)
    expect((await here.submit(path, { session: await idOf(here) })).headers.get('location')).toBe('/')
    expect(await isLoggedIn(here)).toBe(false)
  })

  it("never ends another user's session", async () => {
    const [mine, theirs] = [await logIn(await addUser()), await logIn(await addUser())]
    await mine.see(path)
    await mine.submit(path, { session: await idOf(theirs) })
    await mine.submit(path, { action_end_others: '1' })
    expect(await isLoggedIn(theirs)).toBe(true)
  })

  it('ends sessions even if KV still has a stale copy', async () => {
    const user = await addUser()
    const [here, there] = [await logIn(user), await logIn(user)]
    const key = `session:${await hashOf(there.cookies.get('session') ?? '')}`
    const record = (await env.SESSIONS.get(key)) ?? ''
    expect(record).not.toBe('')
    await here.see(path)
    await here.submit(path, { session: await idOf(there) })
    await env.SESSIONS.put(key, record)
    expect(await isLoggedIn(there)).toBe(false)
  })

  it('ends thousands of sessions with at most 200 calls to KV', async () => {
    const user = await addUser()
    await env.DB.prepare(
      `INSERT INTO session (id_hash, user_id, created_at, expires_at, authenticated_at, is_persistent)
       SELECT 'many' || value, ?, 0, 9e15, 0, 0 FROM json_each(?)`,
    )
      .bind(user.id, JSON.stringify([...Array(3000).keys()]))
      .run()
    const forget = vi.fn<(key: string) => Promise<void>>().mockResolvedValue()
    const SESSIONS = new Proxy(env.SESSIONS, { get: () => forget })
    expect(await endSessionsWhere({ ...env, SESSIONS }, sql`user_id = ${user.id}`)).toBe(3000)
    expect(forget).toHaveBeenCalledTimes(200)
  })

  it('stores the last use to ten minutes, and writes no more often', async () => {
    const user = await addUser()
    const here = await logIn(user)
    const lastUse = () =>
      env.DB.prepare('SELECT last_used_at FROM session WHERE user_id = ?')
        .bind(user.id)
        .first<number | null>('last_used_at')
    await here.see('/')
    expect(await lastUse()).toBeNull()
    await env.DB.prepare('UPDATE session SET created_at = created_at - 700000 WHERE user_id = ?').bind(user.id).run()
    await here.see('/')
    const noted = await until(lastUse, (at) => at !== null, 'the use being noted')
    expect(Date.now() - (noted ?? 0)).toBeLessThan(20_000)
    await here.see('/')
    expect(await lastUse()).toBe(noted)
  })

  it('is visible only to its owner', async () => {
    expect((await new Visitor().get(path)).status).toBe(302)
    expect((await new Visitor().call('GET', path)).status).toBe(401)
  })
})

describe('account overview', () => {
  it('shows how the user is logged in and links to every flow', async () => {
    const user = await addUser()
    const visitor = await logIn(user)
    const { html, data } = await visitor.see('/accounts/')
    expect(data.page).toBe('Account')
    expect(html).toContain(user.email)
    for (const link of ['email', 'password/change', 'sessions', 'logout'])
      expect(html).toContain(`href="/accounts/${link}/"`)
    expect((await new Visitor().get('/accounts/')).headers.get('location')).toBe('/accounts/login/?next=%2Faccounts%2F')
  })

  it.each([
    '/accounts/',
    '/accounts/login/',
    '/accounts/signup/',
    '/accounts/email/',
    path,
    '/accounts/password/change/',
    '/accounts/password/reset/',
    '/accounts/login/code/',
    '/accounts/reauthenticate/',
    '/accounts/confirm-email/',
  ])('loads no script, like other account pages: %s', async (page) => {
    const visitor =
      page === '/accounts/login/' || page.includes('signup') || page.includes('code')
        ? new Visitor()
        : await Visitor.loggedInAs(await addUser())
    const { html, response } = await visitor.see(page)
    expect(response.status).toBe(200)
    expect(html.match(/<script/g)).toHaveLength(1)
    expect(html).not.toContain('modulepreload')
  })

  it.each([
    'signup/',
    'email/',
    'sessions/',
    'password/change/',
    'password/set/',
    'password/reset/',
    'password/reset/key/1-set-password/',
    'login/code/',
    'login/code/confirm/',
    'reauthenticate/',
    'confirm-email/x/',
    'login/',
    'logout/',
  ])('rejects a form sent from another site: %s', async (form) => {
    const visitor = await Visitor.loggedInAs(await addUser())
    await visitor.see('/accounts/')
    for (const headers of [
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ])
      expect((await visitor.submit(`/accounts/${form}`, {}, headers)).status).toBe(403)
    expect((await visitor.submit(`/accounts/${form}`, { csrf_token: 'x' })).status).toBe(403)
  })
})
