import { createExecutionContext, createMessageBatch, createScheduledController } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { Hono } from 'hono'
import { afterEach, beforeEach, describe, expect, it, vi, type Mock } from 'vitest'
import { app } from '../../src/app.tsx'
import { answerError } from '../../src/web/page/errors.tsx'
import { logRequest } from '../../src/web/request-log.ts'
import { requireSetUp, setUpCheck, whenSetUp } from '../../src/web/set-up.ts'
import type { SiteEnv } from '../../src/web/site.ts'
import worker from '../../src/worker.ts'
import { hurry } from '../worker/hurry.ts'
import { rows } from '../worker/rows.ts'
import { site } from '../worker/visitor.ts'
import { watchedDatabase } from '../worker/watched-database.ts'

let logged: Mock<typeof console.error>
beforeEach(() => {
  logged = vi.spyOn(console, 'error').mockImplementation(() => {})
})
afterEach(() => {
  vi.restoreAllMocks()
})

const shortSecret = 'shorter-than-32-characters-55e1'
const page = { accept: 'text/html', cookie: 'session=x' }
const json = { accept: 'application/json' }
const loggedMissing = (...missing: unknown[]) => [[{ event: 'not_set_up', missing }]]

const ask = (path: string, given: Partial<Env>, init: RequestInit = { headers: page }) =>
  app.request(`${site}${path}`, init, { ...env, ...given }, createExecutionContext())

/** The same check before a page that reads nothing and before a change, in a new isolate. */
function newIsolate() {
  const changes = vi.fn<() => void>()
  const fresh = new Hono<SiteEnv>()
  fresh.use(logRequest, requireSetUp(setUpCheck()))
  fresh.onError(answerError)
  fresh.get('/', (c) => c.text('hello'))
  fresh.get('/people', async (c) => c.json(await c.env.DB.prepare('SELECT count(*) AS count FROM user').first()))
  fresh.post('/', (c) => {
    changes()
    return c.text('changed')
  })
  const send = (method: string, { DB = env.DB, path = '/' } = {}) =>
    fresh.request(site + path, { method, headers: json }, { ...env, DB }, createExecutionContext())
  return { send, changes }
}

/** As in a database without migrations. */
async function withoutTables(run: () => Promise<void>): Promise<void> {
  const tables = ['user', 'd1_migrations']
  for (const table of tables) await rows(`ALTER TABLE ${table} RENAME TO away_${table}`)
  try {
    await run()
  } finally {
    for (const table of tables) await rows(`ALTER TABLE away_${table} RENAME TO ${table}`)
  }
}

/** As in a database last migrated for an earlier version. */
async function withoutNewest(run: (name: string) => Promise<void>): Promise<void> {
  const [newest] = await rows<{ id: number; name: string; applied_at: string }>(
    'DELETE FROM d1_migrations WHERE id = (SELECT max(id) FROM d1_migrations) RETURNING *',
  )
  if (newest === undefined) throw new Error('No migration is recorded.')
  try {
    await run(newest.name)
  } finally {
    await rows(
      'INSERT INTO d1_migrations (id, name, applied_at) VALUES (?, ?, ?)',
      newest.id,
      newest.name,
      newest.applied_at,
    )
  }
}

const noSecret = expect.stringMatching(
  /^The secret SECRET_KEY is missing\. .*npm run dev.*wrangler secret put SECRET_KEY/,
)
const noTables = expect.stringMatching(
  /^The database has no tables yet\. .*npm run dev.*d1 migrations apply DB --remote/,
)

describe('an instance without its secret', () => {
  it.each([
    [undefined, 'The secret SECRET_KEY is missing.'],
    ['', 'The secret SECRET_KEY is missing.'],
    [shortSecret, 'The secret SECRET_KEY is shorter than 32 characters.'],
  ])('says so on every page', async (secret, sentence) => {
    for (const path of ['/', '/accounts/login/', '/classcords/', '/admin/', '/no/such/page/']) {
      logged.mockClear()
      // The platform's own type of a required secret does not allow it to be absent.
      const response = await ask(path, { SECRET_KEY: secret as string })
      const html = await response.text()
      expect(response.status).toBe(503)
      expect(html).toContain(`<h2>${sentence}</h2>`)
      expect(html).toContain('npx wrangler secret put SECRET_KEY')
      expect(html).not.toContain(shortSecret)
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
      expect(response.headers.get('cache-control')).toBe('private, no-store')
      expect(logged.mock.calls).toEqual(loggedMissing(expect.stringContaining(sentence)))
      expect(JSON.stringify(logged.mock.calls)).not.toContain(shortSecret)
    }
  })

  it('answers calls and forms with the same sentence', async () => {
    for (const [path, init] of [
      ['/scheduler/queues/stats.json', {}],
      ['/', { headers: json }],
      ['/classcords/ajax/add_invite/', { method: 'POST', body: new URLSearchParams({ url: 'x' }) }],
      ['/accounts/login/', { method: 'POST', body: new URLSearchParams({ login: 'x' }), headers: json }],
    ] satisfies [string, RequestInit][]) {
      const response = await ask(path, { SECRET_KEY: '' }, init)
      expect(response.status).toBe(503)
      expect(await response.json()).toEqual([noSecret])
    }
  })

  it('works with 32 characters', async () => {
    expect((await ask('/accounts/login/', { SECRET_KEY: 'x'.repeat(32) })).status).toBe(200)
    expect(logged).not.toHaveBeenCalled()
  })
})

describe('an instance without its migrations', () => {
  it('explains itself on a page that reads nothing and before a change', async () => {
    await withoutTables(async () => {
      const { send, changes } = newIsolate()
      for (const method of ['GET', 'POST', 'GET']) {
        logged.mockClear()
        const response = await send(method)
        expect(response.status).toBe(503)
        expect(await response.json()).toEqual([noTables])
        expect(logged.mock.calls).toEqual(loggedMissing(noTables))
      }
      expect(changes).not.toHaveBeenCalled()
    })
  })

  it('explains itself if a page fails because of it, even if everything was there before', async () => {
    expect((await ask('/', {})).status).toBe(200)
    await withoutTables(async () => {
      const response = await ask('/', {})
      const html = await response.text()
      expect(response.status).toBe(503)
      expect(html).toContain('npx wrangler d1 migrations apply DB --remote')
      expect(html).not.toContain('no such table')
      expect(logged.mock.calls).toEqual(loggedMissing(noTables))
    })
  })

  it('explains itself once for a page that fails because of it in the meantime', async () => {
    await withoutTables(async () => {
      const response = await newIsolate().send('GET', { path: '/people' })
      expect(response.status).toBe(503)
      expect(await response.json()).toEqual([noTables])
      expect(logged.mock.calls).toEqual(loggedMissing(noTables))
    })
  })

  it('names the first missing one if the version is newer', async () => {
    await withoutNewest(async (name) => {
      const { send, changes } = newIsolate()
      const sentence = expect.stringMatching(new RegExp(`1 of \\d+ migrations are missing, the first is ${name}\\.`))
      expect(await (await send('POST')).json()).toEqual([sentence])
      expect(await (await send('GET')).json()).toEqual([sentence])
      expect(changes).not.toHaveBeenCalled()
    })
  })

  it('lists everything that is missing', async () => {
    await withoutTables(async () => {
      expect(await (await ask('/', { SECRET_KEY: '' }, { headers: json })).json()).toContainEqual(noSecret)
      const check = setUpCheck()
      expect(await check({ ...env, SECRET_KEY: '' })).toHaveLength(2)
    })
  })

  it('works as soon as they are there', async () => {
    const { send } = newIsolate()
    await withoutTables(async () => void expect((await send('GET')).status).toBe(503))
    expect((await send('GET')).status).toBe(200)
  })
})

describe('a complete instance', () => {
  it('asks the database once, then never again', async () => {
    let trips = 0
    const DB = watchedDatabase({ before: () => void (trips += 1) })
    const { send } = newIsolate()
    for (let times = 0; times < 3; times += 1) expect((await send('GET', { DB })).status).toBe(200)
    expect((await send('POST', { DB })).status).toBe(200)
    expect(trips).toBe(1)
    expect(logged).not.toHaveBeenCalled()
  })

  it('may have tables that came without the list of migrations', async () => {
    await rows('ALTER TABLE d1_migrations RENAME TO away_d1_migrations')
    try {
      expect((await newIsolate().send('GET')).status).toBe(200)
    } finally {
      await rows('ALTER TABLE away_d1_migrations RENAME TO d1_migrations')
    }
  })

  it('does not wait for the database if it is not needed', async () => {
    const away = watchedDatabase({
      before() {
        throw new Error('D1_ERROR: away')
      },
    })
    expect((await newIsolate().send('GET', { DB: away })).status).toBe(200)
    const silent = watchedDatabase({ before: () => new Promise(() => {}) })
    hurry(1000)
    expect((await newIsolate().send('GET', { DB: silent })).status).toBe(200)
  })
})

describe('the cron and the queues', () => {
  it('log in one line what is missing, and do nothing', async () => {
    const bad = { ...env, SECRET_KEY: shortSecret }
    await worker.scheduled(createScheduledController(), bad)
    expect(logged.mock.calls).toEqual(loggedMissing(expect.stringContaining('shorter than 32')))
    await worker.queue(createMessageBatch('polls', []), bad)
    expect(logged).toHaveBeenCalledTimes(2)
    await withoutTables(async () => {
      const work = vi.fn<() => Promise<void>>()
      logged.mockClear()
      await whenSetUp(env, work, setUpCheck())
      expect(work).not.toHaveBeenCalled()
      expect(logged.mock.calls).toEqual(loggedMissing(noTables))
    })
  })

  it('run when nothing is missing', async () => {
    const work = vi.fn<() => Promise<void>>(async () => {})
    await whenSetUp(env, work, setUpCheck())
    expect(work).toHaveBeenCalledOnce()
    await expect(whenSetUp(env, () => Promise.reject(new Error('theirs')), setUpCheck())).rejects.toThrow('theirs')
  })
})
