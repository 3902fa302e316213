import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { addUser, browserOf, site, stranger, Visitor } from '../worker/visitor.ts'

const logout = '/accounts/logout/'
let user: { id: number }
beforeAll(async () => {
  user = await addUser()
})

const loggedIn = () => browserOf(user)

/** Sends the logout form with only these headers, and returns whether it was accepted. */
async function sends(headers: Record<string, string>): Promise<boolean> {
  const visitor = await loggedIn()
  const body = new URLSearchParams({ csrf_token: visitor.csrfToken })
  const { status } = await visitor.fetch(logout, { method: 'POST', headers, body })
  const after = await visitor.see('/')
  expect([status, after.data.context.user.is_authenticated]).toEqual(status === 303 ? [303, false] : [403, true])
  return status === 303
}

describe('a form with its token', () => {
  it.each([
    { 'sec-fetch-site': 'same-origin', origin: site },
    { 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'same-origin', origin: 'null' },
    { origin: site },
  ])('is accepted from our own page: %o', async (headers) => {
    expect(await sends(headers)).toBe(true)
  })

  it.each([
    { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
    { 'sec-fetch-site': 'same-site', origin: 'http://other.localhost:8787' },
    { 'sec-fetch-site': 'cross-site', origin: site },
    { 'sec-fetch-site': 'none' },
    { 'sec-fetch-site': 'same-origin', origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'http://localhost:8788' },
    { origin: 'https://localhost:8787' },
    { origin: `${site}.evil.example` },
    { 'sec-fetch-site': 'cross-site', origin: 'null' },
    {},
  ])('is refused from anywhere else: %o', async (headers) => {
    expect(await sends(headers)).toBe(false)
  })
})

describe('a form from our own page', () => {
  it.each(['', 'x', 'a.b', 'A'.repeat(43), '\u0000'])('is refused with the token %j', async (token) => {
    const visitor = await loggedIn()
    expect((await visitor.submit(logout, { csrf_token: token })).status).toBe(403)
  })

  it("is refused with the token of another session, and with a visitor's", async () => {
    const visitor = await loggedIn()
    const other = await browserOf(await addUser())
    for (const token of [other.csrfToken, (await stranger()).csrfToken]) {
      expect((await visitor.submit(logout, { csrf_token: token })).status).toBe(403)
    }
  })

  it('is refused with the right token as JSON, in the address, or as a file', async () => {
    const visitor = await loggedIn()
    const headers = { origin: site, 'sec-fetch-site': 'same-origin' }
    const json = JSON.stringify({ csrf_token: visitor.csrfToken })
    const asJson = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: json }
    expect((await visitor.fetch(logout, asJson)).status).toBe(403)
    const asText = {
      method: 'POST',
      headers: { ...headers, 'content-type': 'text/plain' },
      body: `csrf_token=${visitor.csrfToken}`,
    }
    expect((await visitor.fetch(logout, asText)).status).toBe(403)
    expect((await visitor.fetch(`${logout}?csrf_token=${visitor.csrfToken}`, { method: 'POST', headers })).status).toBe(
      403,
    )
    const form = new FormData()
    form.set('csrf_token', new Blob([visitor.csrfToken]), 'token.txt')
    expect((await visitor.fetch(logout, { method: 'POST', headers, body: form })).status).toBe(403)
  })

  it('may be multipart, or have its token in the header', async () => {
    const visitor = await loggedIn()
    const form = new FormData()
    form.set('csrf_token', visitor.csrfToken)
    const headers = { origin: site, 'sec-fetch-site': 'same-origin' }
    expect((await visitor.fetch(logout, { method: 'POST', headers, body: form })).status).toBe(303)
    const again = await loggedIn()
    expect((await again.call('POST', logout)).status).toBe(303)
  })

  it('that was refused gets a page with a link back, or for a call an array of sentences', async () => {
    const visitor = await loggedIn()
    const referer = `${site}/accounts/inactive/?a=1`
    const page = await visitor.submit(logout, { csrf_token: '' }, { referer })
    const { html } = await visitor.read(page)
    expect(html).toContain('Forbidden: this form has expired. Please try again.')
    expect(html).toContain('<a href="/accounts/inactive/?a=1">Go back and try again</a>')
    visitor.csrfToken = ''
    const call = await visitor.call('POST', logout)
    expect([call.status, await call.json()]).toEqual([403, ['Forbidden: this form has expired. Please try again.']])
  })

  it('that was refused gets no link to an address that a browser would take for another site', async () => {
    const visitor = await loggedIn()
    const page = await visitor.submit(logout, { csrf_token: '' }, { referer: `${site}//evil.example/x` })
    const { html } = await visitor.read(page)
    expect(page.status).toBe(403)
    expect(html).not.toContain('evil.example')
  })

  it('of an ended session leads to logging in again', async () => {
    const user = await addUser()
    const visitor = await Visitor.loggedInAs(user)
    await visitor.see('/accounts/')
    await env.DB.prepare('DELETE FROM session WHERE user_id = ?').bind(user.id).run()
    const call = await visitor.call('POST', logout)
    expect([call.status, await call.json()]).toEqual([401, ['You were logged out. Please log in again.']])
    const other = await Visitor.loggedInAs(user)
    await other.see('/accounts/')
    await env.DB.prepare('DELETE FROM session WHERE user_id = ?').bind(user.id).run()
    const { html } = await other.read(await other.submit(logout, {}, { referer: `${site}/accounts/email/` }))
    expect(html).toContain('<a href="/accounts/login/?next=%2Faccounts%2Femail%2F">Log in</a>')
  })

  it('never leads back to another site', async () => {
    const visitor = await loggedIn()
    const page = await visitor.submit(logout, { csrf_token: '' }, { referer: 'https://evil.example/x' })
    expect(await page.text()).not.toContain('evil.example')
  })
})

describe('a visitor', () => {
  const wrong = { login: 'nobody', password: 'nothing at all' }

  it('has a token too, bound to a cookie that scripts cannot read', async () => {
    const visitor = new Visitor()
    const { response } = await visitor.see('/accounts/login/')
    expect(response.headers.getSetCookie().join()).toMatch(/^csrf=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/)
    expect((await visitor.submit('/accounts/login/', wrong)).status).toBe(422)
  })

  it('keeps it from page to page', async () => {
    const visitor = new Visitor()
    const { data } = await visitor.see('/')
    const second = await visitor.see('/accounts/login/')
    expect(second.data.context.csrf_token).toBe(data.context.csrf_token)
    expect(second.response.headers.getSetCookie()).toEqual([])
  })

  it("is refused without the cookie, and with another visitor's", async () => {
    const visitor = await stranger()
    visitor.cookies.clear()
    expect((await visitor.submit('/accounts/login/', wrong)).status).toBe(403)
    const other = await stranger()
    other.csrfToken = visitor.csrfToken
    expect((await other.submit('/accounts/login/', wrong)).status).toBe(403)
  })
})

describe('calls that are signed instead', () => {
  const json = { accept: 'application/json' }

  it.each(['/notify/sms/inbound', '/notify/sms/status/', '/notify/unsubscribe/x', '/notify/unsubscribe/x/'])(
    '%s needs no token, and accepts nothing without a signature',
    async (path) => {
      const response = await new Visitor().fetch(path, { method: 'POST', headers: json, body: new URLSearchParams() })
      expect([403, 404, 422]).toContain(response.status)
      expect(await response.text()).not.toMatch(/from another site|has expired\. Please try again/)
    },
  )

  it('are only the known ones', async () => {
    for (const path of ['/class_tracker/logout_view/', '/class_tracker/refresh_available_terms', '/accounts/login/']) {
      const response = await new Visitor().fetch(path, { method: 'POST', headers: json, body: new URLSearchParams() })
      expect([response.status, await response.json()]).toEqual([
        403,
        ['Forbidden: this request came from another site.'],
      ])
    }
  })
})

describe('reading', () => {
  it('needs no token and changes nothing', async () => {
    const visitor = await loggedIn()
    const response = await visitor.get(logout, { 'sec-fetch-site': 'cross-site' })
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('Are you sure you want to sign out?')
    expect((await visitor.see('/')).data.context.user.is_authenticated).toBe(true)
  })
})
