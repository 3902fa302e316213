import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { Hono } from 'hono'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { takeSignInAttempt } from '../../src/accounts/sign-in-limits.ts'
import { app } from '../../src/app.tsx'
import type { SiteEnv } from '../../src/web/site.ts'
import { addUser, goodPassword, site, Visitor } from '../worker/visitor.ts'

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

async function tries(visitor: Visitor, login: string, password = 'wrong password'): Promise<number> {
  return (await visitor.submit(path, { login, password })).status
}

/** Sends the right password to a Worker that has other bindings. */
function triesWith(bindings: object, visitor: Visitor, login: string): Response | Promise<Response> {
  const headers = {
    origin: site,
    cookie: `csrf=${visitor.cookies.get('csrf')}`,
    'x-csrftoken': visitor.csrfToken,
    'cf-connecting-ip': visitor.address,
  }
  const body = new URLSearchParams({ login, password: goodPassword })
  return app.request(site + path, { method: 'POST', headers, body }, { ...env, ...bindings }, createExecutionContext())
}

describe('limits of signing in', () => {
  it('stop the sixth guess at one account, from wherever it comes, with the right password too', async () => {
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

  it('hold when all guesses come at once', async () => {
    const user = await addUser()
    const visitors = await Promise.all(Array.from({ length: 8 }, () => atLogin()))
    const statuses = await Promise.all(visitors.map((visitor) => tries(visitor, user.username)))
    expect(statuses.toSorted()).toEqual([422, 422, 422, 422, 422, 429, 429, 429])
  })

  it('forget an account’s failures once the right password came', async () => {
    const user = await addUser()
    for (let round = 0; round < 2; round += 1) {
      for (let guess = 0; guess < 4; guess += 1) expect(await tries(await atLogin(), user.username)).toBe(422)
      expect(await tries(await atLogin(), user.username, goodPassword)).toBe(303)
    }
  })

  it('stop an address after ten failures in a minute, which its own sign-ins do not forgive', async () => {
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

  it('count one home’s IPv6 addresses as one', async () => {
    for (let guess = 0; guess < 10; guess += 1) {
      expect(await tries(await atLogin(`2001:db8:1:2::${guess + 1}`), `nobody-${guess}`)).toBe(422)
    }
    expect(await tries(await atLogin('2001:db8:1:2:ffff::1'), 'nobody-else')).toBe(429)
    expect(await tries(await atLogin('2001:db8:1:3::1'), 'nobody-else')).toBe(422)
  })

  it('let thirty attempts of an address through in a minute', async () => {
    const small = new Hono<SiteEnv>()
    let name = 0
    small.get('/', async (c) => {
      const attempt = await takeSignInAttempt(c, `name-${(name += 1)}`)
      if (attempt.allowed) await attempt.succeeded()
      return c.text(String(attempt.allowed))
    })
    const answers: string[] = []
    for (let count = 0; count < 31; count += 1) {
      const response = await small.request('/', { headers: { 'cf-connecting-ip': '203.0.113.99' } }, env)
      answers.push(await response.text())
    }
    expect(answers).toEqual([...Array.from({ length: 30 }, () => 'true'), 'false'])
  })

  it('are asked before the database and before any hashing', async () => {
    const user = await addUser()
    for (let guess = 0; guess < 5; guess += 1) await tries(await atLogin(), user.username)
    const visitor = await atLogin()
    let statements = 0
    const DB = new Proxy(env.DB, {
      get(target, name) {
        if (name === 'prepare') statements += 1
        const value: unknown = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    expect((await triesWith({ DB }, visitor, user.username)).status).toBe(429)
    expect(statements).toBe(0)
    expect((await triesWith({ DB }, visitor, 'somebody else')).status).toBe(422)
    expect(statements).toBe(1)
  })

  it('let nobody in while they cannot be asked', async () => {
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
