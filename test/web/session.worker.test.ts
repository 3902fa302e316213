import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { hurry } from '../worker/hurry.ts'
import { beginSession } from '../worker/begin-session.ts'
import { app } from '../../src/app.tsx'
import { hashOf } from '../../src/web/security/signing.ts'
import { rows } from '../worker/rows.ts'
import { addUser, goodPassword, site, Visitor } from '../worker/visitor.ts'

async function isLoggedIn(visitor: Visitor): Promise<boolean> {
  return (await visitor.see('/')).data.context.user.is_authenticated
}

async function httpsVisitor(): Promise<Visitor> {
  const visitor = new Visitor()
  visitor.origin = 'https://class-cords.example'
  await visitor.see('/accounts/login/')
  return visitor
}

async function loggedInOnHttps(user: { username: string }): Promise<Visitor> {
  const visitor = await httpsVisitor()
  await visitor.submit('/accounts/login/', { login: user.username, password: goodPassword })
  return visitor
}

/** The cookie of a session from before https had a prefix. */
async function oldSessionOf(user: { id: number }): Promise<string> {
  const visitor = await Visitor.loggedInAs(user)
  await env.DB.prepare('UPDATE session SET is_prefixed = 0 WHERE id_hash = ?')
    .bind(await keyOf(visitor))
    .run()
  return visitor.cookies.get('session') ?? ''
}

async function keyOf(visitor: Visitor): Promise<string> {
  return hashOf(visitor.cookies.get('session') ?? '')
}

describe('a session', () => {
  it('is stored by a hash in the database and in KV, never by its cookie', async () => {
    const visitor = await Visitor.loggedInAs(await addUser())
    const token = visitor.cookies.get('session') ?? ''
    const { results } = await env.DB.prepare('SELECT * FROM session').all()
    const { keys } = await env.SESSIONS.list()
    const records = await Promise.all(keys.map(({ name }) => env.SESSIONS.get(name)))
    const stored = JSON.stringify([results, keys, records])
    expect(token).toMatch(/^[\w-]{43}$/)
    expect(stored).toContain(await hashOf(token))
    expect(stored).not.toContain(token)
  })

  it('ends at once when its row is deleted, whatever KV still says', async () => {
    const visitor = await Visitor.loggedInAs(await addUser())
    expect(await isLoggedIn(visitor)).toBe(true)
    const idHash = await keyOf(visitor)
    await env.DB.prepare('DELETE FROM session WHERE id_hash = ?').bind(idHash).run()
    expect(await env.SESSIONS.get(`session:${idHash}`)).not.toBeNull()
    expect(await isLoggedIn(visitor)).toBe(false)
    expect(visitor.cookies.has('session')).toBe(false)
    await vi.waitFor(async () => expect(await env.SESSIONS.get(`session:${idHash}`)).toBeNull(), 60_000)
  })

  it('ends at once when its user is disabled or deleted', async () => {
    for (const statement of ['UPDATE user SET is_active = 0 WHERE id = ?', 'DELETE FROM user WHERE id = ?']) {
      const user = await addUser()
      const visitor = await Visitor.loggedInAs(user)
      expect(await isLoggedIn(visitor)).toBe(true)
      await env.DB.prepare(statement).bind(user.id).run()
      expect(await isLoggedIn(visitor)).toBe(false)
    }
  })

  it('ends when it expires', async () => {
    const visitor = await Visitor.loggedInAs(await addUser())
    await env.DB.prepare('UPDATE session SET expires_at = ? WHERE id_hash = ?')
      .bind(Date.now() - 1, await keyOf(visitor))
      .run()
    expect(await isLoggedIn(visitor)).toBe(false)
  })

  it('continues if KV has lost its record, which is written again', async () => {
    const visitor = await Visitor.loggedInAs(await addUser())
    const key = `session:${await keyOf(visitor)}`
    await env.SESSIONS.delete(key)
    expect(await isLoggedIn(visitor)).toBe(true)
    await vi.waitFor(async () => expect(await env.SESSIONS.get(key)).not.toBeNull(), 60_000)
  })

  it('continues, begins and ends while KV does not answer', async () => {
    hurry(2000)
    const warnings = vi.spyOn(console, 'warn').mockReturnValue()
    const SESSIONS = new Proxy(env.SESSIONS, { get: () => () => new Promise(() => {}) })
    const { id: userId } = await addUser()
    const visitor = await Visitor.loggedInAs({ id: userId })
    const headers = { accept: 'application/json', cookie: `session=${visitor.cookies.get('session')}` }
    const request = new Request(`${site}/accounts/sessions/`, { headers })
    expect((await app.fetch(request, { ...env, SESSIONS }, createExecutionContext())).status).toBe(200)

    const { session } = await beginSession(env, userId)
    expect(await beginSession({ ...env, SESSIONS }, userId, { replaces: session })).toMatchObject({ isWritten: true })
    expect(warnings.mock.calls.map(([{ act }]) => act).toSorted()).toEqual(['delete', 'write'])
    warnings.mockRestore()
  })

  it('does not begin for a user who was disabled after passing every check', async () => {
    const { id: userId } = await addUser()
    await env.DB.prepare('UPDATE user SET is_active = 0 WHERE id = ?').bind(userId).run()
    expect(await beginSession(env, userId)).toMatchObject({ isWritten: false })
    expect(await rows('SELECT 1 FROM session WHERE user_id = ?', userId)).toEqual([])
  })

  it('that never existed costs one read of KV and no write: anyone can make up a cookie', async () => {
    const calls: string[] = []
    const SESSIONS = new Proxy(env.SESSIONS, {
      get: (records, name) => (key: string) => {
        calls.push(String(name))
        return records.get(key)
      },
    })
    const headers = { accept: 'application/json', cookie: `session=${'A'.repeat(43)}` }
    const context = createExecutionContext()
    const answer = await app.fetch(new Request(`${site}/accounts/`, { headers }), { ...env, SESSIONS }, context)
    await waitOnExecutionContext(context)
    expect(answer.status).toBe(401)
    expect(calls).toEqual(['get'])
  })

  it('uses a changed right at the next request', async () => {
    const user = await addUser({ isSuperuser: true })
    const visitor = await Visitor.loggedInAs(user)
    expect((await visitor.see('/')).data.context.user.is_superuser).toBe(true)
    await env.DB.prepare('UPDATE user SET is_superuser = 0 WHERE id = ?').bind(user.id).run()
    expect((await visitor.see('/')).data.context.user.is_superuser).toBe(false)
  })

  it('over https has a cookie that no other host of the domain can plant', async () => {
    const user = await addUser()
    const visitor = await loggedInOnHttps(user)
    expect([...visitor.cookies.keys()].filter((name) => !name.startsWith('__Host-'))).toEqual([])
    const token = visitor.cookies.get('__Host-session') ?? ''
    expect(await isLoggedIn(visitor)).toBe(true)

    const victim = await httpsVisitor()
    victim.cookies.set('session', token)
    expect(await isLoggedIn(victim)).toBe(false)
  })

  it('that began over http is not valid over https, where another host of the domain could have planted it', async () => {
    const attacker = new Visitor()
    await attacker.see('/accounts/login/')
    await attacker.submit('/accounts/login/', { login: (await addUser()).username, password: goodPassword })
    expect(await isLoggedIn(attacker)).toBe(true)
    const victim = await httpsVisitor()
    victim.cookies.set('session', attacker.cookies.get('session') ?? '')
    expect(await isLoggedIn(victim)).toBe(false)
    expect(await isLoggedIn(attacker)).toBe(true)
  })

  it('from before keeps its old cookie over https until it expires, and a new one takes precedence', async () => {
    const [before, now] = [await addUser(), await addUser()]
    const old = await oldSessionOf(before)
    const visitor = await httpsVisitor()
    visitor.cookies.set('session', old)
    expect((await visitor.see('/')).data.context.user.name).toBe(before.username)
    const both = await loggedInOnHttps(now)
    both.cookies.set('session', old)
    expect((await both.see('/')).data.context.user.name).toBe(now.username)

    await visitor.submit('/accounts/logout/', {})
    expect(visitor.cookies.has('session')).toBe(false)
    visitor.cookies.set('session', old)
    expect(await isLoggedIn(visitor)).toBe(false)
  })

  it.each(['', 'x', 'A'.repeat(43), 'A'.repeat(5000), '%00', '"; DROP TABLE user'])(
    'is no one’s when the cookie is %j',
    async (value) => {
      const visitor = new Visitor()
      const response = await visitor.get('/', { cookie: `session=${value}` })
      expect(response.status).toBe(200)
      expect((await visitor.read(response)).data.context.user.is_authenticated).toBe(false)
    },
  )
})
