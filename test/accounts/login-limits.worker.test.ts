import { env } from 'cloudflare:workers'
import { Hono } from 'hono'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { withHashingSlot } from '../../src/accounts/password-hash.ts'
import { giveBackClientAttempt, takeClientAttempt } from '../../src/accounts/log-in.ts'
import type { SiteEnv } from '../../src/web/site.ts'
import { submitWith } from '../worker/account-people.ts'
import { expectNotFaster } from '../worker/durations.ts'
import { addUser, goodPassword, Visitor } from '../worker/visitor.ts'
import { watchedDatabase } from '../worker/watched-database.ts'

const path = '/accounts/login/'

afterEach(() => {
  vi.restoreAllMocks()
})

async function atLogin(address?: string): Promise<Visitor> {
  const visitor = new Visitor()
  if (address) visitor.address = address
  await visitor.see(path)
  return visitor
}

async function logOut(visitor: Visitor): Promise<void> {
  await visitor.see('/')
  await visitor.submit('/accounts/logout/', {})
  await visitor.see(path)
}

async function addAddress(userId: number, address: string): Promise<void> {
  const add = 'INSERT INTO email_address (user_id, address, verified_at, created_at) VALUES (?, ?, 0, 0)'
  await env.DB.prepare(add).bind(userId, address).run()
}

async function tries(visitor: Visitor, login: string, password = 'wrong password'): Promise<number> {
  return (await visitor.submit(path, { login, password })).status
}

/** Sends the right password to a Worker with other bindings. */
const triesWith = (bindings: object, visitor: Visitor, login: string) =>
  submitWith(bindings, visitor, path, { login, password: goodPassword })

describe('login limits', () => {
  it('block the sixth guess at an account from any address, even with the right password', async () => {
    const user = await addUser()
    for (let guess = 0; guess < 5; guess += 1)
      expect(await tries(await atLogin(), user.username.toUpperCase())).toBe(422)
    const visitor = await atLogin()
    const response = await visitor.submit(path, { login: user.username, password: goodPassword, remember: 'on' })
    expect(response.status).toBe(429)
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(60)
    expect(Number(response.headers.get('retry-after'))).toBeLessThanOrEqual(300)
    const { html } = await visitor.read(response)
    expect(html).toContain('Too many failed login attempts. Try again later.')
    expect(html).toContain(`value="${user.username}"`)
    expect(await tries(visitor, (await addUser()).username, goodPassword)).toBe(303)
  })

  it("are shared by an account's username and addresses", async () => {
    const user = await addUser()
    const second = `second-${user.email}`
    await addAddress(user.id, second)
    const logins = [user.username, user.email, user.email.toUpperCase(), second, user.username]
    for (const login of logins) expect(await tries(await atLogin(), login)).toBe(422)
    // Answered like a wrong password, because a refusal would reveal that the names belong together.
    for (const login of logins) expect(await tries(await atLogin(), login, goodPassword)).toBe(422)
  })

  it('do not reveal which names have an account, or belong to the same one', async () => {
    const user = await addUser()
    const statusesOf = async (username: string, email: string) => {
      const fullWidth = email.replace(/^./, (letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0))
      const logins = [...Array.from({ length: 6 }, () => email), fullWidth, email.toUpperCase(), username]
      const statuses = []
      for (const login of logins) statuses.push(await tries(await atLogin(), login))
      return statuses
    }
    const expected = [422, 422, 422, 422, 422, 429, 422, 429, 422]
    expect(await statusesOf(`no-${user.username}`, `no-${user.email}`)).toEqual(expected)
    expect(await statusesOf(user.username, user.email)).toEqual(expected)
  })

  it('take as long for a name with an account once they are used up', async () => {
    const timeOf = async (login: string) => {
      const visitor = await atLogin()
      const startedAt = performance.now()
      expect(await tries(visitor, login)).toBe(422)
      return performance.now() - startedAt
    }
    let names = 0
    await expectNotFaster(
      async () => {
        const user = await addUser()
        for (let guess = 0; guess < 5; guess += 1) await tries(await atLogin(), user.username)
        return timeOf(user.email)
      },
      () => timeOf(`no-user-${++names}@example.com`),
    )
  })

  it('do not lock an owner out of a browser they have used before', async () => {
    const user = await addUser()
    const own = await atLogin()
    expect(await tries(own, user.username, goodPassword)).toBe(303)
    await logOut(own)
    for (let guess = 0; guess < 5; guess += 1) expect(await tries(await atLogin(), user.username)).toBe(422)
    expect(await tries(await atLogin(), user.username, goodPassword)).toBe(429)
    expect(await tries(own, user.username, goodPassword)).toBe(303)
    // The owner's success does not help strangers: they still have to wait.
    expect(await tries(await atLogin(), user.username, goodPassword)).toBe(429)
  })

  it('allow a known browser five guesses of its own', async () => {
    const user = await addUser()
    const own = await atLogin()
    expect(await tries(own, user.username, goodPassword)).toBe(303)
    await logOut(own)
    for (let guess = 0; guess < 5; guess += 1) expect(await tries(own, user.username)).toBe(422)
    expect(await tries(own, user.email, goodPassword)).toBe(429)
    expect(await tries(await atLogin(), user.username, goodPassword)).toBe(303)
  })

  it('cannot be bypassed with a forged or leftover browser cookie', async () => {
    const [user, other] = [await addUser(), await addUser()]
    const [own, attacker] = [await atLogin(), await atLogin()]
    expect(await tries(own, user.username, goodPassword)).toBe(303)
    expect(await tries(attacker, other.username, goodPassword)).toBe(303)
    const cookie = own.cookies.get('browser') ?? ''
    expect(cookie).not.toMatch(new RegExp(`\\b${user.id}\\b|${user.username}`))
    for (let guess = 0; guess < 5; guess += 1) expect(await tries(await atLogin(), user.username)).toBe(422)
    const [ownId, ownTag] = cookie.split('.')
    const [otherId, otherTag] = (attacker.cookies.get('browser') ?? '').split('.')
    await logOut(attacker)
    for (const made of [
      `${otherId}.${otherTag}`,
      `${ownId}.${otherTag}`,
      `${otherId}.${ownTag}`,
      `${ownId}`,
      '.',
      'x.y',
    ]) {
      attacker.cookies.set('browser', made)
      expect(await tries(attacker, user.username, goodPassword)).toBe(429)
    }
    await env.DB.prepare("UPDATE user SET password_hash = password_hash || 'x' WHERE id = ?").bind(user.id).run()
    await logOut(own)
    expect(await tries(own, user.username, goodPassword)).toBe(429)
  })

  it('treat the browser in which the password was changed as known', async () => {
    const user = await addUser()
    const own = await atLogin()
    expect(await tries(own, user.username, goodPassword)).toBe(303)
    await own.see('/accounts/password/change/')
    const better = 'a much better password'
    const fields = { oldpassword: goodPassword, password1: better, password2: better }
    expect((await own.submit('/accounts/password/change/', fields)).status).toBe(303)
    await logOut(own)
    for (let guess = 0; guess < 5; guess += 1) expect(await tries(await atLogin(), user.username)).toBe(422)
    expect(await tries(own, user.username, better)).toBe(303)
  })

  it('remember the last five accounts used in a browser', async () => {
    const users = await Promise.all(Array.from({ length: 6 }, () => addUser()))
    const own = await atLogin()
    for (const user of users) {
      expect(await tries(own, user.username, goodPassword)).toBe(303)
      await logOut(own)
    }
    expect(own.cookies.get('browser')?.split('.')).toHaveLength(6)
    const [first, second] = users
    for (const user of [first, second])
      for (let guess = 0; guess < 5; guess += 1) expect(await tries(await atLogin(), user?.username ?? '')).toBe(422)
    own.address = '203.0.113.50'
    expect(await tries(own, first?.username ?? '', goodPassword)).toBe(429)
    expect(await tries(own, second?.username ?? '', goodPassword)).toBe(303)
  })

  it('count simultaneous guesses', async () => {
    const user = await addUser()
    const visitors = await Promise.all(Array.from({ length: 8 }, () => atLogin()))
    const statuses = await Promise.all(visitors.map((visitor) => tries(visitor, user.username)))
    expect(statuses.toSorted()).toEqual([422, 422, 422, 422, 422, 429, 429, 429])
  })

  it('are reset for an account by the right password', async () => {
    const user = await addUser()
    for (let round = 0; round < 2; round += 1) {
      for (let guess = 0; guess < 4; guess += 1) expect(await tries(await atLogin(), user.username)).toBe(422)
      expect(await tries(await atLogin(), user.username, goodPassword)).toBe(303)
    }
  })

  it('block an address after ten failures in a minute, even if its own logins succeed', async () => {
    const own = await addUser()
    const visitor = await atLogin('203.0.113.7')
    for (let guess = 0; guess < 10; guess += 1) {
      expect(await tries(visitor, `unknown-${guess}`)).toBe(422)
      if (guess !== 4) continue
      const second = await atLogin('203.0.113.7')
      expect(await tries(second, own.username, goodPassword)).toBe(303)
    }
    expect(await tries(visitor, own.username, goodPassword)).toBe(429)
    expect(await tries(await atLogin('203.0.113.8'), own.username, goodPassword)).toBe(303)
  })

  it('count the IPv6 addresses of one home as one', async () => {
    for (let guess = 0; guess < 10; guess += 1) {
      expect(await tries(await atLogin(`2001:db8:1:2::${guess + 1}`), `nobody-${guess}`)).toBe(422)
    }
    expect(await tries(await atLogin('2001:db8:1:2:ffff::1'), 'nobody-else')).toBe(429)
    expect(await tries(await atLogin('2001:db8:1:3::1'), 'nobody-else')).toBe(422)
  })

  it('allow thirty attempts a minute from an address', async () => {
    const small = new Hono<SiteEnv>()
    small.get('/', async (c) => {
      c.set('requestId', crypto.randomUUID())
      const refusedFor = await takeClientAttempt(c)
      if (refusedFor === null) await giveBackClientAttempt(c)
      return c.text(String(refusedFor === null))
    })
    const answers: string[] = []
    for (let count = 0; count < 31; count += 1) {
      const response = await small.request('/', { headers: { 'cf-connecting-ip': '203.0.113.99' } }, env)
      answers.push(await response.text())
    }
    expect(answers).toEqual([...Array.from({ length: 30 }, () => 'true'), 'false'])
  })

  it('do not count a password that was not checked because too many people were logging in', async () => {
    const user = await addUser()
    const visitor = await atLogin()
    let now = Date.now()
    const clock = vi.spyOn(Date, 'now').mockReturnValue(now + 3_600_000)
    const ends: (() => void)[] = []
    const hashing = [1, 2].map(() => withHashingSlot(() => new Promise<void>((resolve) => ends.push(resolve))))
    // The wait for a slot ends quickly, because time passes with every look at the clock.
    clock.mockImplementation(() => (now += 500))
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const response = await triesWith({}, visitor, user.username)
      expect([response.status, await response.text()]).toEqual([429, expect.stringContaining('Too many people')])
    }
    for (const end of ends) end()
    await Promise.all(hashing)
    clock.mockRestore()
    expect(await tries(visitor, user.username, goodPassword)).toBe(303)
  })

  it('are checked before the database, and those of the account after its lookup', async () => {
    const user = await addUser()
    for (let guess = 0; guess < 5; guess += 1) await tries(await atLogin(), user.username)
    const visitor = await atLogin()
    let trips = 0
    const DB = watchedDatabase({ before: (trip) => void (trips = trip) })
    expect((await triesWith({ DB }, visitor, user.username)).status).toBe(429)
    expect(trips).toBe(1)
    const flooder = await atLogin()
    for (let guess = 0; guess < 10; guess += 1) await tries(flooder, `nobody-${guess}`, 'x')
    expect((await triesWith({ DB }, flooder, user.username)).status).toBe(429)
    expect(trips).toBe(1)
  })

  it('refuse everyone while they cannot be checked', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const user = await addUser()
    const visitor = await atLogin()
    const broken = new Proxy(env.LIMITER, {
      get() {
        throw new Error('The object is away.')
      },
    })
    const flooded = { limit: () => Promise.resolve({ success: false }) }
    const failing = { limit: () => Promise.reject(new Error('away')) }
    for (const bindings of [{ LIMITER: broken }, { FLOOD_LIMIT: flooded }, { FLOOD_LIMIT: failing }]) {
      const response = await triesWith(bindings, visitor, user.username)
      expect(response.status).toBe(429)
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    }
  })
})
