import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { hashPassword } from '../../src/accounts/password-hash.ts'
import { submitWith } from '../worker/account-people.ts'
import { expectNotFaster } from '../worker/durations.ts'
import { addUser, goodPassword, Visitor } from '../worker/visitor.ts'
import { watchedDatabase } from '../worker/watched-database.ts'

const path = '/accounts/login/'
const day = 24 * 60 * 60

async function atLogin(): Promise<Visitor> {
  const visitor = new Visitor()
  await visitor.see(path)
  return visitor
}

async function tries(visitor: Visitor, login: string, password = 'wrong password'): Promise<number> {
  return (await visitor.submit(path, { login, password })).status
}

describe('login', () => {
  it.each([
    ['the username', 'Emmy'],
    ['the username in another letter case', 'eMMY'],
    ['the email address', 'noether@example.com'],
    ['spaces around it', '  emmy '],
  ])('works with %s', async (_what, login) => {
    await env.DB.prepare('DELETE FROM user').run()
    await addUser({ username: 'Emmy', email: 'Noether@example.com' })
    const visitor = await atLogin()
    const response = await visitor.submit(path, { login, password: goodPassword })
    expect([response.status, response.headers.get('location')]).toEqual([303, '/'])
    const { data } = await visitor.see('/')
    expect(data.context.user.name).toBe('Emmy')
    expect(data.context.messages).toEqual([{ level_tag: 'success', message: 'Successfully signed in as Emmy.' }])
  })

  it('starts a browser session of at most two weeks, or one of thirty days if remembered', async () => {
    const user = await addUser()
    for (const [fields, attributes, days] of [
      [{}, 'Path=/; HttpOnly; SameSite=Lax', 14],
      [{ remember: 'on' }, `Max-Age=${30 * day}; Path=/; HttpOnly; SameSite=Lax`, 30],
    ] as const) {
      const visitor = await atLogin()
      const response = await visitor.submit(path, { login: user.username, password: goodPassword, ...fields })
      const cookie = response.headers.getSetCookie().find((one) => one.startsWith('session='))
      expect(cookie?.replace(/^session=[\w-]{43}; /, '')).toBe(attributes)
      const row = await env.DB.prepare(
        'SELECT * FROM session WHERE user_id = ? ORDER BY created_at DESC, expires_at DESC',
      )
        .bind(user.id)
        .first<{ created_at: number; expires_at: number; is_persistent: number; ip_address: string }>()
      expect(row).toMatchObject({ is_persistent: days === 30 ? 1 : 0, ip_address: visitor.address })
      expect((row?.expires_at ?? 0) - (row?.created_at ?? 0)).toBe(days * day * 1000)
    }
  })

  it('marks the cookie Secure over https', async () => {
    const user = await addUser()
    const visitor = new Visitor()
    visitor.origin = 'https://class-cords.example'
    await visitor.see(path)
    const response = await visitor.submit(path, { login: user.username, password: goodPassword })
    expect(
      response.headers.getSetCookie().filter((one) => /^__Host-session=.*; Path=\/; HttpOnly; Secure/.test(one)),
    ).toHaveLength(1)
  })

  it('always starts a new session, so a planted or earlier cookie is useless', async () => {
    const user = await addUser()
    const planted = 'A'.repeat(43)
    const visitor = new Visitor()
    visitor.cookies.set('session', planted)
    await visitor.see(path)
    visitor.cookies.set('session', planted)
    await visitor.see(path)
    await visitor.submit(path, { login: user.username, password: goodPassword })
    const first = visitor.cookies.get('session')
    expect(first).not.toBe(planted)

    const other = await addUser()
    await visitor.see('/')
    expect((await visitor.submit(path, { login: other.username, password: goodPassword })).status).toBe(303)
    expect(visitor.cookies.get('session')).not.toBe(first)
    expect((await visitor.see('/')).data.context.user.name).toBe(other.username)
    const thief = new Visitor()
    thief.cookies.set('session', first ?? '')
    expect((await thief.see('/')).data.context.user.is_authenticated).toBe(false)
  })

  it('invalidates earlier tokens', async () => {
    const user = await addUser()
    const visitor = await atLogin()
    const before = visitor.csrfToken
    await visitor.submit(path, { login: user.username, password: goodPassword })
    expect([...visitor.cookies.keys()].toSorted()).toEqual(['browser', 'flash', 'session'])
    expect((await visitor.submit('/accounts/logout/', { csrf_token: before })).status).toBe(403)
  })

  it('redirects to the requested page, only within this site', async () => {
    const user = await addUser()
    for (const [next, location] of [
      ['/class_tracker/add_classes/?page=2', '/class_tracker/add_classes/?page=2'],
      ['//evil.example', '/'],
      ['https://evil.example', '/'],
      ['/\\evil.example', '/'],
      ['/\t/evil.example', '/'],
      ['javascript:alert(1)', '/'],
    ] as const) {
      const visitor = await atLogin()
      const response = await visitor.submit(path, { login: user.username, password: goodPassword, next })
      expect([response.status, response.headers.get('location')]).toEqual([303, location])
      const again = await visitor.get(`${path}?next=${encodeURIComponent(next)}`)
      expect([again.status, again.headers.get('location')]).toEqual([302, location])
    }
  })

  it('keeps the redirect target in the form', async () => {
    const { html } = await new Visitor().see(`${path}?next=%2Fclass_tracker%2F%3Fa%3D%22`)
    expect(html).toContain('<input type="hidden" name="next" value="/class_tracker/?a=%22"/>')
  })

  it.each([path, '/accounts/login/code/', '/accounts/signup/', '/accounts/discord/login/'])(
    'keeps the redirect target in the links of %s to other ways to log in',
    async (page) => {
      const query = '?next=%2Fclass_tracker%2F'
      const { html } = await new Visitor().see(page + query)
      const main = html.slice(html.indexOf('<main'))
      const ways = [...main.matchAll(/href="(\/accounts\/(?:login|signup|discord)\/[^"]*)"/g)].map(([, href]) => href)
      expect(ways.length).toBeGreaterThan(0)
      for (const href of ways) expect(href).toContain(query)
    },
  )

  it.each([1, 2, 3])('fails if the password is changed after database read %i', async (look) => {
    const user = await addUser()
    const visitor = await atLogin()
    const DB = watchedDatabase({
      after: async (trip) => {
        if (trip !== look) return
        await env.DB.prepare("UPDATE user SET password_hash = 'another' WHERE id = ?").bind(user.id).run()
      },
    })
    const answer = await submitWith({ DB }, visitor, path, { login: user.username, password: goodPassword })
    const sessions = await env.DB.prepare('SELECT count(*) AS n FROM session WHERE user_id = ?')
      .bind(user.id)
      .first('n')
    const isLoggedIn = answer.headers.get('location') === '/'
    // The last read writes the session; a later password change ends it.
    expect([sessions, isLoggedIn]).toEqual(look < 3 ? [0, false] : [1, true])
    if (look < 3) expect([answer.status, answer.headers.get('location')]).toEqual([303, path])
  })

  it('renews a hash with lower costs, also when two browsers log in at the same time', async () => {
    const user = await addUser()
    const weak = await hashPassword(goodPassword, new Uint8Array(16), { power: 10, blockSize: 8, lanes: 1 })
    await env.DB.prepare('UPDATE user SET password_hash = ? WHERE id = ?').bind(weak, user.id).run()
    const storedHash = async () =>
      (await env.DB.prepare('SELECT password_hash FROM user WHERE id = ?')
        .bind(user.id)
        .first<string>('password_hash')) ?? ''
    expect(await tries(await atLogin(), user.username, 'wrong password')).toBe(422)
    expect(await storedHash()).toBe(weak)
    const fields = { login: user.username, password: goodPassword }
    const answers = await Promise.all(
      [atLogin(), atLogin()].map(async (visitor) => (await visitor).submit(path, fields)),
    )
    expect(answers.map(({ headers }) => headers.get('location'))).toEqual(['/', '/'])
    expect(await storedHash()).toMatch(/^scrypt\$14\$8\$5\$/)
    expect(await tries(await atLogin(), user.username, goodPassword)).toBe(303)
  })
})

describe('refused login', () => {
  it.each([
    ['a wrong password', 'right', 'wrong password'],
    ['an unknown name', 'nobody', goodPassword],
    ['no password', 'right', ''],
    ['no name', '', goodPassword],
    ['a password that only begins right', 'right', `${goodPassword}x`],
    ['an overlong password', 'right', goodPassword.padEnd(5000, 'x')],
    ['an SQL injection', `' OR 1=1 --`, goodPassword],
  ])('with %s gives the same message and shows the form again, filled in', async (_what, login, password) => {
    await env.DB.prepare('DELETE FROM user').run()
    await addUser({ username: 'right' })
    const visitor = await atLogin()
    const { response, html } = await visitor.read(
      await visitor.submit(path, { login, password, remember: 'on', next: '/x' }),
    )
    expect(response.status).toBe(422)
    expect(html).toMatch(/id="refused" role="alert".*?Invalid username or password\.</)
    expect(html).toMatch(/id="login"[^>]* autofocus=""/)
    expect(html).toMatch(/name="remember"[^>]* checked=""/)
    expect(html).toContain('name="next" value="/x"')
    expect(/name="login"[^>]* value="([^"]*)"/.exec(html)?.[1]).toBe(login.replaceAll("'", '&#x27;'))
    if (password !== '') expect(html).not.toContain(password)
    expect(response.headers.getSetCookie().join()).not.toContain('session=')
  })

  it('is the same for a user without a password', async () => {
    const user = await addUser()
    await env.DB.prepare('UPDATE user SET password_hash = NULL WHERE id = ?').bind(user.id).run()
    expect(await tries(await atLogin(), user.username, goodPassword)).toBe(422)
  })

  it('explains a disabled account only to people who know the password', async () => {
    const user = await addUser({ isActive: false })
    const visitor = await atLogin()
    expect(await tries(visitor, user.username)).toBe(422)
    const response = await visitor.submit(path, { login: user.username, password: goodPassword })
    expect([response.status, response.headers.get('location')]).toEqual([303, '/accounts/inactive/'])
    expect(visitor.cookies.has('session')).toBe(false)
    expect((await visitor.see('/accounts/inactive/')).html).toContain('This account is inactive.')
  })

  it('takes as long for an unknown name as for a known one', async () => {
    const timed = async (login: string) => {
      const visitor = await atLogin()
      const startedAt = performance.now()
      expect(await tries(visitor, login)).toBe(422)
      return performance.now() - startedAt
    }
    await expectNotFaster(
      async () => timed(`nobody-${(await addUser()).username}`),
      async () => timed((await addUser()).username),
    )
  })
})
