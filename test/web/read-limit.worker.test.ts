import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { app } from '../../src/app.tsx'
import { visit } from '../worker/direct-visit.ts'
import { addPerson, emptyDirectory, makeSchool, makeServer } from '../worker/directory.ts'
import { classOf, routesOf } from '../worker/matrix/route-classes.ts'
import { rows } from '../worker/rows.ts'
import { Visitor } from '../worker/visitor.ts'

let known: Readonly<Record<string, string>>

beforeAll(async () => {
  await emptyDirectory()
  const school = await makeSchool()
  const server = await makeServer({ schools: [school.school_id], subjects: [school.subject_id] })
  known = {
    school_id: String(school.school_id),
    subject_id: String(school.subject_id),
    server_id: String(server.id),
    invite_id: String(server.invite),
    referral_code: 'a-code',
  }
})

/** A limit with a fixed answer, and the keys it was asked about. */
function limitOf(answer: () => Promise<{ success: boolean }>): { limit: Env['READ_LIMIT']; keys: string[] } {
  const keys: string[] = []
  return {
    keys,
    limit: {
      limit: ({ key }) => {
        keys.push(key)
        return answer()
      },
    },
  }
}

const refusing = () => limitOf(() => Promise.resolve({ success: false }))
const allowing = () => limitOf(() => Promise.resolve({ success: true }))

/** These routes only use the request. */
const withoutReads = /^\/classcords\/(?:login|login-success|ajax\/referral-redeem)$/

/** Pages of accounts that look up a key of the address or a cookie, which anyone can make up. */
const keyPages = [
  '/accounts/confirm-email/a-key/',
  '/accounts/password/reset/key/1-a-key/',
  '/accounts/login/code/confirm/',
  '/accounts/2fa/authenticate/',
  '/accounts/3rdparty/signup/',
  '/accounts/discord/login/callback/?state=a-state',
]
const madeUp = ['reset', 'code', 'second_step', 'sign_up', 'oauth'].map((name) => `${name}=made-up`).join('; ')

const readRoutes = () =>
  routesOf(app.routes)
    .filter(({ method, path }) => method === 'GET' && path.startsWith('/classcords') && classOf(path) === 'public')
    .filter(({ path }) => !withoutReads.test(path))
    .map(({ path }) => path.replace(/:(\w+)/g, (_, name: string) => known[name] ?? '1'))

describe('a client that reads too much', () => {
  it('is refused by every public route that would query the database', async () => {
    await rows("UPDATE site_version SET version = version || 'r'")
    const paths = readRoutes()
    expect(paths.length).toBeGreaterThanOrEqual(8)
    for (const path of paths) {
      for (const [accept, method] of [
        ['text/html', 'GET'],
        ['application/json', 'GET'],
        ['text/html', 'HEAD'],
      ] as const) {
        const { response, html, reads } = await visit(
          path,
          { method, headers: { accept } },
          { READ_LIMIT: refusing().limit },
        )
        expect([response.status, response.headers.get('retry-after')], `${method} ${path} ${accept}`).toEqual([
          429,
          '60',
        ])
        expect(reads.rows, path).toBeLessThanOrEqual(1)
        if (method === 'GET' && (accept === 'application/json' || path.includes('/ajax/')))
          expect(JSON.parse(html), path).toEqual([expect.stringContaining('Too many requests')])
      }
    }
  })

  it.each(keyPages)('cannot try more keys: %s', async (path) => {
    const headers = { cookie: madeUp }
    const { response, reads } = await visit(path, { headers }, { READ_LIMIT: refusing().limit })
    expect([response.status, reads.trips]).toEqual([429, 0])
    const allowed = await visit(path, { headers }, { READ_LIMIT: allowing().limit })
    expect(allowed.reads.trips).toBeGreaterThan(0)
  })

  it('cannot continue with pages past the end, unknown parameters, or searches', async () => {
    await visit('/classcords/all/')
    const { limit, keys } = refusing()
    const status = async (path: string) => (await visit(path, {}, { READ_LIMIT: limit })).response.status
    expect([await status('/classcords/all/?page=99999&x=1'), keys.length]).toEqual([200, 0])
    expect(await status('/classcords/all/?q=something')).toBe(429)
    expect(await status('/classcords/?referral=abc')).toBe(429)
  })

  it('is refused when it counts uses', async () => {
    const visitor = new Visitor()
    await visitor.see('/classcords/')
    const headers = {
      origin: visitor.origin,
      'sec-fetch-site': 'same-origin',
      'x-csrftoken': visitor.csrfToken,
      cookie: [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    }
    const path = `/classcords/ajax/invites/${known['invite_id']}/track-usage/`
    const { response } = await visit(path, { method: 'PUT', headers }, { READ_LIMIT: refusing().limit })
    expect(response.status).toBe(429)
    expect(await rows('SELECT 1 FROM invite_use')).toEqual([])
  })
})

describe('the limit', () => {
  it('does not apply to cached pages', async () => {
    const { limit, keys } = allowing()
    const paths = ['/classcords/', '/classcords/all/', '/classcords/ajax/subjects/', '/', '/accounts/login/']
    await rows("UPDATE site_version SET version = version || 'k'")
    for (const path of paths) await visit(path, {}, { READ_LIMIT: limit })
    expect(keys).toHaveLength(4)
    for (const path of paths) await visit(path, {}, { READ_LIMIT: limit })
    expect(keys).toHaveLength(4)
  })

  it('is separate for each address, IPv6 network or logged-in user', async () => {
    const { limit, keys } = allowing()
    const person = await addPerson()
    const cookie = `session=${(await Visitor.loggedInAs(person)).cookies.get('session')}`
    const path = `/classcords/server/${known['server_id']}/`
    for (const headers of [
      { 'cf-connecting-ip': '203.0.113.5' },
      { 'cf-connecting-ip': '2001:db8:1:2:ffff::1' },
      { 'cf-connecting-ip': '203.0.113.5', cookie },
    ])
      await visit(path, { headers }, { READ_LIMIT: limit })
    expect(keys).toEqual(['address:203.0.113.5', 'address:2001:db8:1:2', `user:${person.id}`])
  })

  it('refuses no one if it cannot be checked', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    const path = `/classcords/server/${known['server_id']}/`
    const failing = limitOf(() => Promise.reject(new Error('away')))
    expect((await visit(path, {}, { READ_LIMIT: failing.limit })).response.status).toBe(200)
    expect(failing.keys).toHaveLength(1)
  })

  it('is generous: a campus has few addresses, and some thousand people', async () => {
    let allowed = 0
    while (allowed < 10_000 && (await env.READ_LIMIT.limit({ key: 'address:198.51.100.7' })).success) allowed += 1
    expect(allowed).toBeGreaterThanOrEqual(1200)
    expect(allowed).toBeLessThan(10_000)
  })
})
