import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWorld, type RunningWorld } from '../server.ts'

const appUrl = 'http://localhost:4321'
const redirectUri = `${appUrl}/accounts/discord/login/callback/`
const basic = `Basic ${Buffer.from('local-world:local-world-discord-secret').toString('base64')}`
const verifier = 'v'.repeat(43)
const challenge = createHash('sha256').update(verifier).digest('base64url')
let running: RunningWorld

beforeAll(async () => {
  running = await startWorld({ appUrl, twilioAccountSid: 'AC0', twilioAuthToken: 't' })
})
afterAll(() => running.close())

function authorize(fields: Record<string, string | undefined> = {}): Promise<Response> {
  const url = new URL(`${running.url}/discord/oauth2/authorize`)
  const all = {
    client_id: 'local-world',
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'identify email guilds',
    state: 'a state & more',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...fields,
  }
  for (const [name, value] of Object.entries(all)) if (value !== undefined) url.searchParams.set(name, value)
  return fetch(url, { redirect: 'manual' })
}

async function back(fields: Record<string, string | undefined>): Promise<URLSearchParams> {
  const answer = await authorize(fields)
  const location = answer.headers.get('location') ?? ''
  expect([answer.status, location.startsWith(redirectUri)]).toEqual([302, true])
  return new URL(location).searchParams
}

const codeFor = async (persona: string, fields: Record<string, string> = {}): Promise<string> =>
  (await back({ persona, ...fields })).get('code') ?? ''

async function post(path: string, fields: Record<string, string>, headers: Record<string, string> = {}) {
  const answer = await fetch(`${running.url}/discord/api/${path}`, {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers: { authorization: basic, ...headers },
  })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

const exchange = (code: string, fields: Record<string, string> = {}, headers: Record<string, string> = {}) =>
  post(
    'oauth2/token',
    { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier, ...fields },
    headers,
  )

async function loggedIn(persona: string, fields: Record<string, string> = {}): Promise<Record<string, string>> {
  const { status, body } = await exchange(await codeFor(persona, fields))
  expect(status).toBe(200)
  return body as Record<string, string>
}

const get = (path: string, token?: string): Promise<Response> =>
  fetch(
    `${running.url}/discord/api/${path}`,
    token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } },
  )

describe('the authorize page', () => {
  it('shows the requested scopes, and has a link for each persona', async () => {
    const page = await (await authorize()).text()
    for (const words of ['Your email address', 'What servers you are in']) expect(page).toContain(words)
    for (const name of ['manager', 'regular', 'newcomer', 'stranger', 'unverified', 'mailless', 'deny'])
      expect(page).toContain(`persona=${name}"`)
    expect(await (await authorize({ scope: 'identify' })).text()).not.toContain('Your email address')
  })

  it('redirects back with a code and the unchanged state', async () => {
    const fields = await back({ persona: 'newcomer' })
    expect(fields.get('state')).toBe('a state & more')
    expect(fields.get('code')).toMatch(/^[\w-]{20}$/)
  })

  it('redirects people back who refuse', async () => {
    expect(Object.fromEntries(await back({ persona: 'deny' }))).toMatchObject({
      error: 'access_denied',
      state: 'a state & more',
    })
  })

  it.each([
    ['another application', { client_id: 'nobody' }],
    ['another address', { redirect_uri: `${redirectUri}evil` }],
    ['another host', { redirect_uri: 'https://evil.example/accounts/discord/login/callback/' }],
    ['no address', { redirect_uri: undefined }],
    ['nobody', { persona: 'nobody' }],
  ])('sends no one anywhere for %s', async (_what, fields) => {
    const answer = await authorize({ persona: 'newcomer', ...fields })
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null])
  })

  it.each([
    ['invalid_scope', { scope: 'identify bot' }],
    ['invalid_scope', { scope: '' }],
    ['unsupported_response_type', { response_type: 'token' }],
    ['invalid_request', { code_challenge_method: 'plain' }],
    ['invalid_request', { code_challenge: 'short' }],
  ])('tells the application of %s', async (error, fields) => {
    expect((await back({ persona: 'newcomer', ...fields })).get('error')).toBe(error)
  })
})

describe('the token endpoint', () => {
  it('issues tokens for a code, once', async () => {
    const code = await codeFor('newcomer')
    const first = await exchange(code)
    expect(first).toMatchObject({
      status: 200,
      body: { token_type: 'Bearer', expires_in: 604_800, scope: 'identify email guilds' },
    })
    const again = await exchange(code)
    expect(again).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })

  it.each([
    ['invalid_grant', 400, { code_verifier: 'w'.repeat(43) }, {}],
    ['invalid_grant', 400, { code_verifier: '' }, {}],
    ['invalid_grant', 400, { redirect_uri: `${redirectUri}?x` }, {}],
    ['invalid_grant', 400, { code: 'made-up' }, {}],
    ['invalid_client', 401, {}, { authorization: `Basic ${Buffer.from('local-world:wrong').toString('base64')}` }],
    ['invalid_client', 401, {}, { authorization: '' }],
    ['unsupported_grant_type', 400, { grant_type: 'password' }, {}],
    ['invalid_request', 400, {}, { 'content-type': 'application/json' }],
  ])('answers %s (%i) to %j %j', async (error, status, fields, headers) => {
    expect(await exchange(await codeFor('newcomer'), fields, headers)).toMatchObject({ status, body: { error } })
  })

  it("also accepts the application's name in the form", async () => {
    const named = { client_id: 'local-world', client_secret: 'local-world-discord-secret' }
    expect((await exchange(await codeFor('newcomer'), named, { authorization: '' })).status).toBe(200)
  })

  it('renews once with a refresh token, and forgets revoked tokens', async () => {
    const tokens = await loggedIn('regular')
    const renew = () =>
      post('oauth2/token', { grant_type: 'refresh_token', refresh_token: tokens['refresh_token'] ?? '' })
    const renewed = await renew()
    expect(renewed.status).toBe(200)
    expect((await renew()).status).toBe(400)
    const access = String(renewed.body['access_token'])
    expect((await get('users/@me', access)).status).toBe(200)
    await post('oauth2/token/revoke', { token: access })
    expect((await get('users/@me', access)).status).toBe(401)
  })
})

describe("Discord's answers about people", () => {
  it('contain what they allowed', async () => {
    const { access_token: token } = await loggedIn('unverified')
    expect(await (await get('users/@me', token)).json()).toMatchObject({
      id: '1170000000000000005',
      username: 'uma.k',
      global_name: 'Uma Kowalski',
      email: 'uma@example.com',
      verified: false,
    })
    expect(await (await get('v10/users/@me/guilds', token)).json()).toMatchObject([
      { id: '1190000000000000001', name: 'Campus Commons', owner: false },
    ])
    const { access_token: little } = await loggedIn('newcomer', { scope: 'identify' })
    expect(await (await get('users/@me', little)).json()).not.toHaveProperty('email')
    const refused = await get('users/@me/guilds', little)
    expect([refused.status, await refused.json()]).toEqual([403, { message: 'Missing Access', code: 50001 }])
  })

  it('require a token', async () => {
    for (const token of [undefined, 'made-up']) {
      const answer = await get('users/@me', token)
      expect([answer.status, await answer.json()]).toEqual([401, { message: '401: Unauthorized', code: 0 }])
    }
  })

  it('are rate limited', async () => {
    const { access_token: token } = await loggedIn('manager')
    const answers = await Promise.all(Array.from({ length: 51 }, () => get('users/@me', token)))
    const [limited, ...others] = answers.filter(({ status }) => status === 429)
    expect(others).toEqual([])
    expect(Number(limited?.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(limited?.headers.get('x-ratelimit-remaining')).toBe('0')
    const body = (await limited?.json()) as { retry_after: number }
    expect(body).toMatchObject({ message: 'You are being rate limited.', global: false })
    expect(body.retry_after).toBeLessThanOrEqual(10)
    const { access_token: other } = await loggedIn('manager')
    expect((await get('users/@me', other)).status).toBe(200)
  })
})

describe('faults', () => {
  it('affect what programs call, never the page people open', async () => {
    running.world.faults.set({ service: 'discord', mode: 'maintenance_html', times: null })
    expect((await authorize()).status).toBe(200)
    const code = await codeFor('newcomer')
    const answer = await fetch(`${running.url}/discord/api/oauth2/token`, { method: 'POST' })
    expect(answer.headers.get('content-type')).toContain('text/html')
    running.world.faults.clear()
    expect((await exchange(code)).status).toBe(200)
  })
})
