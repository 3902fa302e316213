import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { afterEach, beforeAll, expect, inject, it, vi } from 'vitest'
import { beginSession } from '../worker/begin-session.ts'
import { forgetVersions, KEPT_VERSION_MS } from '../../src/web/edge/site-version.ts'
import worker from '../../src/worker.ts'
import { addPerson, emptyDirectory, makeSchool, makeServer } from '../worker/directory.ts'
import { LaggingDatabase } from '../worker/lagging-database.ts'
import { one } from '../worker/rows.ts'
import { site, Visitor } from '../worker/visitor.ts'

const MAX_LAG_MS = 10_000

type Step =
  | { do: 'wait'; ms: number }
  | { do: 'write'; by: number }
  | { do: 'log in'; who: number }
  | { do: 'log out'; who: number; how: 'form' | 'elsewhere' | 'disabled' }
  | { do: 'read'; who: number; page: number }
  | { do: 'visit'; page: number; isolate: 'same' | 'new' }

const who = fc.nat({ max: 1 })
const page = fc.nat({ max: 2 })
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('wait' as const), ms: fc.nat({ max: 6000 }) }),
  fc.record({ do: fc.constant('write' as const), by: who }),
  fc.record({ do: fc.constant('log in' as const), who }),
  fc.record({
    do: fc.constant('log out' as const),
    who,
    how: fc.constantFrom('form' as const, 'elsewhere' as const, 'disabled' as const),
  }),
  fc.record({ do: fc.constant('read' as const), who, page }),
  fc.record({ do: fc.constant('visit' as const), page, isolate: fc.constantFrom('same' as const, 'new' as const) }),
)
const history = fc.record({
  steps: fc.array(step, { minLength: 15, maxLength: 35, size: 'max' }),
  lags: fc.array(fc.nat({ max: MAX_LAG_MS }), { minLength: 1, maxLength: 8 }),
})

let school: number
let servers: number[]
let people: { id: number; discordUserId: number }[]

beforeAll(async () => {
  await emptyDirectory()
  school = (await makeSchool()).school_id
  people = [await addPerson({ school }), await addPerson({ school })]
  servers = [
    (await makeServer({ name: 'Alpha 0.', schools: [school] })).id,
    (await makeServer({ name: 'Beta 0.', schools: [school] })).id,
  ]
})

afterEach(() => {
  vi.useRealTimers()
  forgetVersions()
})

/** One location with its people, over a database with lagging copies, and what must be true of each answer. */
class World {
  /** The last written number, and when each was written. */
  readonly #writtenAt = [0]
  readonly #visitors = [new Visitor(), new Visitor()]
  readonly #isIn = [false, false]
  readonly #db: D1Database

  constructor(db: D1Database) {
    this.#db = db
  }

  get #env(): Env {
    return { ...env, DB: this.#db }
  }

  async take(asked: Step): Promise<void> {
    if (asked.do === 'wait') return void vi.setSystemTime(Date.now() + asked.ms)
    if (asked.do === 'write') return this.#write()
    if (asked.do === 'log in') return this.#logIn(asked.who)
    if (asked.do === 'log out') return this.#logOut(asked.who, asked.how)
    if (asked.do === 'read') return this.#read(asked.who, asked.page)
    if (asked.isolate === 'new') forgetVersions()
    return this.#visit(asked.page)
  }

  async #write(): Promise<void> {
    const number = this.#writtenAt.length
    await this.#db.batch(
      ['Alpha', 'Beta'].map((name, index) =>
        this.#db.prepare('UPDATE discord_server SET name = ? WHERE id = ?').bind(`${name} ${number}.`, servers[index]),
      ),
    )
    this.#writtenAt.push(Date.now())
  }

  async #logIn(index: number): Promise<void> {
    const { id: userId } = people[index] ?? { id: 0 }
    await this.#db.prepare('UPDATE user SET is_active = 1 WHERE id = ?').bind(userId).run()
    const { token } = await beginSession(this.#env, userId)
    const visitor = new Visitor()
    visitor.cookies.set('session', token)
    this.#visitors[index] = visitor
    this.#isIn[index] = true
  }

  /** The cookie stays, because someone may have kept it. */
  async #logOut(index: number, how: 'form' | 'elsewhere' | 'disabled'): Promise<void> {
    const { id = 0 } = people[index] ?? {}
    if (how === 'form') {
      if (!this.#isIn[index]) return
      const { html } = await this.#ask(index, '/accounts/')
      const csrfToken = /"csrf_token":"([^"]*)"/.exec(html)?.[1] ?? ''
      expect((await this.#ask(index, '/accounts/logout/', csrfToken)).status).toBe(303)
    } else if (how === 'elsewhere') {
      await this.#db.prepare('DELETE FROM session WHERE user_id = ?').bind(id).run()
    } else {
      await this.#db.prepare('UPDATE user SET is_active = 0 WHERE id = ?').bind(id).run()
    }
    this.#isIn[index] = false
  }

  async #read(index: number, number: number): Promise<void> {
    const own = await this.#ask(index, '/accounts/sessions/')
    expect(own.status, 'only who is logged in sees their sessions').toBe(this.#isIn[index] ? 200 : 302)
    const { html } = await this.#ask(index, this.#path(number))
    expect(html.includes('"is_authenticated":true')).toBe(this.#isIn[index])
    const shown = numberIn(html)
    if (this.#isIn[index]) expect(shown, 'who is logged in sees every change').toBe(this.#writtenAt.length - 1)
  }

  async #visit(number: number): Promise<void> {
    const { html } = await this.#ask(null, this.#path(number))
    const oldest = Date.now() - KEPT_VERSION_MS - MAX_LAG_MS
    const due = this.#writtenAt.findLastIndex((at) => at <= oldest)
    expect(numberIn(html), 'a visitor sees a change in time').toBeGreaterThanOrEqual(due)
  }

  #path(number: number): string {
    return ['/classcords/', '/classcords/all/', `/classcords/school/${school}/`][number] ?? ''
  }

  async #ask(index: number | null, path: string, csrfToken?: string): Promise<{ status: number; html: string }> {
    const cookie = index === null ? '' : `session=${this.#visitors[index]?.cookies.get('session') ?? ''}`
    const context = createExecutionContext()
    const form = csrfToken === undefined ? {} : { method: 'POST', body: new URLSearchParams({ csrf_token: csrfToken }) }
    const response = await worker.fetch(
      new Request(site + path, {
        redirect: 'manual',
        headers: { cookie, origin: site, accept: 'text/html' },
        ...form,
      }) as Parameters<typeof worker.fetch>[0],
      this.#env,
      context,
    )
    const html = await response.text()
    await waitOnExecutionContext(context)
    return { status: response.status, html }
  }
}

/** The number that both servers of a page have. */
function numberIn(html: string): number {
  const [alpha, beta] = ['Alpha', 'Beta'].map(
    (name) => new Set([...html.matchAll(new RegExp(`${name} (\\d+)\\.`, 'g'))].map((found) => Number(found[1]))),
  )
  expect(alpha, 'a page is of one moment').toEqual(beta)
  expect(alpha?.size).toBe(1)
  return [...(alpha ?? [])][0] ?? -1
}

it('no one who was logged out gets in, logged-in users see every change, and no page mixes two states', async () => {
  await fc.assert(
    fc.asyncProperty(history, async ({ steps, lags }) => {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
      forgetVersions()
      let reads = 0
      const lagging = new LaggingDatabase(() => lags[(reads += 1) % lags.length] ?? 0)
      await env.DB.batch([
        ...['Alpha', 'Beta'].map((name, index) =>
          env.DB.prepare('UPDATE discord_server SET name = ? WHERE id = ?').bind(`${name} 0.`, servers[index]),
        ),
        env.DB.prepare('DELETE FROM session'),
      ])
      const world = new World(await lagging.open())
      for (const asked of steps) await world.take(asked)
      expect(await one('SELECT count(*) AS n FROM discord_server')).toEqual({ n: 2 })
      vi.useRealTimers()
    }),
    { numRuns: 12 * inject('depth') },
  )
})
