import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { hurry } from '../worker/hurry.ts'
import { getWith } from '../worker/account-people.ts'
import { rows } from '../worker/rows.ts'
import { addUser, Visitor } from '../worker/visitor.ts'
import { watchedDatabase } from '../worker/watched-database.ts'
import { world } from '../worker/world.ts'
import {
  connect,
  type DiscordForm,
  discordUsers,
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
afterEach(async () => {
  vi.restoreAllMocks()
  await world.clearFaults()
})

async function expectFailure(answer: Response): Promise<void> {
  expect(answer.status).toBe(401)
  expect(await answer.text()).toContain('An error occurred while attempting to login via your third-party account.')
  expect(answer.headers.getSetCookie().join()).not.toContain('session=')
  expect(await env.DB.prepare('SELECT count(*) AS n FROM session').first('n')).toBe(0)
}

describe('Discord callback', () => {
  it('accepts a state and a code only once', async () => {
    const visitor = new Visitor()
    const back = await pick(await setOff(visitor), 'newcomer')
    expect(placeOf(await visitor.get(back))).toEqual([302, usualPlace])
    await env.DB.prepare('DELETE FROM session').run()
    visitor.cookies.delete('session')
    await expectFailure(await visitor.get(back))
    const state = (await setOff(visitor)).searchParams.get('state') ?? ''
    const replayed = new URL(back, env.APP_URL)
    replayed.searchParams.set('state', state)
    await expectFailure(await visitor.get(replayed.pathname + replayed.search))
  })

  it('logs in one of two simultaneous requests and creates one account', async () => {
    const visitor = new Visitor()
    const back = await pick(await setOff(visitor), 'newcomer')
    const answers = await Promise.all([1, 2, 3, 4].map(() => visitor.get(back)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([302, 401, 401, 401])
    expect(await discordUsers()).toHaveLength(1)
  })

  for (const [what, change] of [
    ['disconnected', 'unlinked_at = 1'],
    ['disabled', 'is_disabled = 1'],
  ])
    it.each([1, 2, 3, 4, 5, 6])(`begins no session once the account is ${what}, at database read %i`, async (look) => {
      const user = await addUser()
      await connect(await Visitor.loggedInAs(user), 'regular')
      await rows('DELETE FROM session')
      const visitor = new Visitor()
      const back = await pick(await setOff(visitor), 'regular')
      const sessions = () => rows('SELECT 1 FROM session WHERE user_id = ?', user.id)
      let before: unknown = []
      const DB = watchedDatabase({
        after: async (trip) => {
          if (trip !== look) return
          await rows(`UPDATE discord_user SET ${change}`)
          before = await sessions()
        },
      })
      await getWith({ DB }, visitor, back)
      expect(before).toEqual(await sessions())
    })

  it('creates one account for one newcomer in two browsers', async () => {
    const visitors = [new Visitor(), new Visitor(), new Visitor()]
    const backs = await Promise.all(visitors.map(async (visitor) => pick(await setOff(visitor), 'newcomer')))
    const answers = await Promise.all(visitors.map((visitor, n) => visitor.get(backs[n] ?? '')))
    expect(answers.map(placeOf)).toEqual(visitors.map(() => [302, usualPlace]))
    expect(await discordUsers()).toMatchObject([{ login_count: 3 }])
    expect(await env.DB.prepare('SELECT count(*) AS n FROM user').first('n')).toBe(1)
  })

  it('rejects a request started in another browser, which stays valid there', async () => {
    const attacker = new Visitor()
    const back = await pick(await setOff(attacker), 'newcomer')
    await expectFailure(await new Visitor().get(back))
    const victim = new Visitor()
    await setOff(victim)
    await expectFailure(await victim.get(back))
    expect(placeOf(await attacker.get(back))).toEqual([302, usualPlace])
  })

  it('rejects the code of another request', async () => {
    const [victim, attacker] = [new Visitor(), new Visitor()]
    const stolen = new URL(await pick(await setOff(victim), 'manager'), env.APP_URL).searchParams.get('code') ?? ''
    const own = new URL(await pick(await setOff(attacker), 'newcomer'), env.APP_URL)
    own.searchParams.set('code', stolen)
    await expectFailure(await attacker.get(own.pathname + own.search))
  })

  it('expires after ten minutes', async () => {
    const visitor = new Visitor()
    const back = await pick(await setOff(visitor), 'newcomer')
    await env.DB.prepare('UPDATE oauth_state SET expires_at = ?').bind(Date.now()).run()
    await expectFailure(await visitor.get(back))
  })

  it.each([
    '',
    '?code=x',
    '?state=x',
    '?code=x&state=x',
    '?error=server_error&state=x',
    '?error=%3Cscript%3E&error_description=%3Cscript%3E',
    `?code=${'x'.repeat(5000)}&state=${'y'.repeat(2000)}`,
    '?code=%00&state=%00',
    '?state[]=a&code[]=b',
  ])('rejects an invalid query (%s)', async (query) => {
    const visitor = new Visitor()
    await setOff(visitor)
    const answer = await visitor.get(`${loginPath}callback/${query}`)
    expect(answer.status).toBe(401)
    expect(await answer.text()).not.toContain('<script>')
  })

  it('reports a canceled login and uses up the request', async () => {
    const visitor = new Visitor()
    const address = await setOff(visitor)
    expect(placeOf(await visitor.get(await pick(address, 'deny')))).toEqual([
      302,
      '/accounts/3rdparty/login/cancelled/',
    ])
    const { response, html } = await visitor.see('/accounts/3rdparty/login/cancelled/')
    expect(response.status).toBe(200)
    expect(html).toContain('You decided to cancel logging in to our site using one of your existing accounts.')
    await expectFailure(await visitor.get(await pick(address, 'newcomer')))
  })

  describe.each(['is canceled', 'fails'])('that %s', (how) => {
    /** The links of the page that says so. */
    async function comeBack(visitor: Visitor, form: DiscordForm): Promise<(string | null)[]> {
      vi.spyOn(console, 'warn').mockImplementation(() => {})
      const isCanceled = how === 'is canceled'
      const back = await pick(await setOff(visitor, form), isCanceled ? 'deny' : 'stranger')
      if (!isCanceled) await world.fault('discord', 'http_500')
      const answer = await visitor.get(back)
      const { html } = isCanceled ? await visitor.see(placeOf(answer)[1] ?? '') : await visitor.read(answer)
      const main = html.slice(html.indexOf('<main'), html.indexOf('</main>'))
      return [...main.matchAll(/href="([^"]+)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'))
    }

    it('keeps the invitation and where the person was going', async () => {
      const visitor = new Visitor()
      visitor.cookies.set('referral', 'remembered')
      const links = await comeBack(visitor, { next: '/classcords/all/', referral: 'typed' })
      expect(links).toEqual([
        '/accounts/login/?next=%2Fclasscords%2Fall%2F',
        `${loginPath}?next=%2Fclasscords%2Fall%2F&referral=typed`,
      ])
      expect(visitor.cookies.get('referral')).toBe('remembered')
    })

    it('leads a member who confirms access back to the form that waits', async () => {
      const visitor = await loggedInThrough('newcomer')
      const form = { process: 'redirect', next: '/accounts/email/?form=x' }
      expect(await comeBack(visitor, form)).toEqual([
        `${loginPath}?process=redirect&next=%2Faccounts%2Femail%2F%3Fform%3Dx`,
        '/accounts/3rdparty/',
      ])
    })
  })

  it('answers errors with an error page', async () => {
    const { response, html } = await new Visitor().see('/accounts/3rdparty/login/error/')
    expect(response.status).toBe(401)
    expect(html).toContain('Third-Party Login Failure')
  })
})

describe('pending logins', () => {
  it('are limited to ten per browser; the oldest is dropped', async () => {
    const visitor = new Visitor()
    const addresses: URL[] = []
    for (let n = 0; n < 11; n += 1) addresses.push(await setOff(visitor))
    expect(await env.DB.prepare('SELECT count(*) AS n FROM oauth_state').first('n')).toBe(10)
    const [first, second] = addresses
    if (!first || !second) throw new Error('no pending logins')
    await expectFailure(await visitor.get(await pick(first, 'newcomer')))
    expect(placeOf(await visitor.get(await pick(second, 'newcomer')))).toEqual([302, usualPlace])
  })

  it('are deleted by new ones once they have expired', async () => {
    for (let n = 0; n < 3; n += 1) await setOff(new Visitor())
    await env.DB.prepare('UPDATE oauth_state SET expires_at = 0').run()
    await setOff(new Visitor())
    expect(await env.DB.prepare('SELECT count(*) AS n FROM oauth_state').first('n')).toBe(1)
  })
})

const hostile: [string, (path: string) => Response | null][] = [
  ['a page instead of tokens', (path) => (path.endsWith('/token') ? html() : null)],
  ['a page instead of the person', (path) => (path.endsWith('/@me') ? html() : null)],
  ['five megabytes', (path) => (path.endsWith('/@me') ? new Response(`{"id":"1","x":"${'x'.repeat(5e6)}"}`) : null)],
  ['no id', (path) => (path.endsWith('/@me') ? Response.json({ username: 'x' }) : null)],
  ['an id that is a number', (path) => (path.endsWith('/@me') ? Response.json({ id: 12, username: 'x' }) : null)],
  ['an id that is a path', (path) => (path.endsWith('/@me') ? Response.json({ id: '../1', username: 'x' }) : null)],
  ['an empty name', (path) => (path.endsWith('/@me') ? Response.json({ id: '1', username: ' ' }) : null)],
  ['null', (path) => (path.endsWith('/@me') ? Response.json(null) : null)],
  ['a list', (path) => (path.endsWith('/@me') ? Response.json([]) : null)],
  ['no access token', (path) => (path.endsWith('/token') ? Response.json({ token_type: 'Bearer' }) : null)],
  [
    'a token of another type',
    (path) => (path.endsWith('/token') ? Response.json({ access_token: 'x', token_type: 'mac' }) : null),
  ],
  ['an error with status 200', (path) => (path.endsWith('/token') ? Response.json({ error: 'invalid_grant' }) : null)],
  ['a redirect', (path) => (path.endsWith('/@me') ? Response.redirect('https://evil.example/', 302) : null)],
  ['servers that are none', (path) => (path.endsWith('/guilds') ? Response.json({ message: 'x' }) : null)],
]

function html(): Response {
  return new Response('<!doctype html><title>Welcome</title>', { headers: { 'content-type': 'text/html' } })
}

describe('an answer from Discord', () => {
  it.each(hostile)('with %s signs no one in', async (_what, answer) => {
    const visitor = new Visitor()
    const back = await pick(await setOff(visitor), 'newcomer')
    const real = globalThis.fetch
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
      const { pathname } = new URL(input instanceof Request ? input.url : String(input))
      return answer(pathname) ?? real(input, init)
    })
    await expectFailure(await visitor.get(back))
    expect(await discordUsers()).toEqual([])
  })

  it.each(['http_500', 'http_429', 'reset', 'empty', 'maintenance_html', 'truncated'])(
    '%s signs no one in',
    async (mode) => {
      const visitor = new Visitor()
      const back = await pick(await setOff(visitor), 'newcomer')
      await world.fault('discord', mode)
      await expectFailure(await visitor.get(back))
    },
  )

  it('is awaited for at most five seconds', async () => {
    const visitor = new Visitor()
    const back = await pick(await setOff(visitor), 'newcomer')
    await world.fault('discord', 'timeout')
    hurry(5000)
    await expectFailure(await visitor.get(back))
  })

  it('with invalid characters still logs in, with a cleaned profile', async () => {
    const visitor = new Visitor()
    const back = await pick(await setOff(visitor), 'newcomer')
    const real = globalThis.fetch
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
      const { pathname } = new URL(input instanceof Request ? input.url : String(input))
      if (!pathname.endsWith('/@me')) return real(input, init)
      return Response.json({
        id: people.newcomer.id,
        username: `n\u202Eoor\n<script>${'x'.repeat(500)}`,
        global_name: '</script><script>alert(1)</script>',
        avatar: '../../evil?x=',
        discriminator: '#12',
        email: 'noor@example.com',
        verified: true,
      })
    })
    expect(placeOf(await visitor.get(back))).toEqual([302, usualPlace])
    vi.restoreAllMocks()
    const [row] = await discordUsers()
    expect(row).toMatchObject({ avatar: null, discriminator: '0' })
    expect(row?.username.length).toBeLessThanOrEqual(100)
    expect(row?.username).not.toMatch(/[\n\u202E]/)
    const { html: page, data } = await visitor.see('/')
    expect(data.context.user.name).toBe('</script><script>alert(1)</script>')
    expect(page).not.toContain('<script>alert(1)')
    expect(data.context.user.discord_user?.avatar_url).toMatch(/\/embed\/avatars\/[0-5]\.png$/)
  })

  it('that is an error never signs anyone out', async () => {
    const visitor = await loggedInThrough('newcomer')
    expect((await visitor.get(`${loginPath}callback/?code=x&state=y`)).status).toBe(401)
    expect((await visitor.see('/')).data.context.user.is_authenticated).toBe(true)
  })
})
