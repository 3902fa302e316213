import type { D1Database, D1PreparedStatement, KVNamespace } from '@cloudflare/workers-types'

/** What one request waited for. */
export interface Trip {
  to: 'primary' | 'replica' | 'object' | 'kv' | 'cache'
  /** ms since the request arrived. */
  from: number
  until: number
  /** Its simulated duration, in ms: time spent by the machine itself is not included. */
  distance: number
}

/** How long each trip takes, in ms. */
export type Delays = Readonly<Record<Trip['to'], number>>

/** Near the reader. */
export const DELAYS: Delays = { primary: 150, replica: 10, object: 150, kv: 10, cache: 10 }
/**
 * Near the database, where `[placement]` would run the Worker; in that case the request itself has come from far away.
 */
export const PLACED_DELAYS: Delays = { primary: 2, replica: 2, object: 2, kv: 10, cache: 10 }

/** The trips of one request, each with a simulated duration. */
export class Journey {
  readonly trips: Trip[] = []
  readonly #began = performance.now()
  readonly #delays: Delays

  constructor(delays: Delays) {
    this.#delays = delays
  }

  async go<Result>(to: Trip['to'], work: () => Promise<Result>): Promise<Result> {
    const from = performance.now() - this.#began
    await new Promise((resolve) => setTimeout(resolve, this.#delays[to]))
    try {
      return await work()
    } finally {
      this.trips.push({ to, from, until: performance.now() - this.#began, distance: this.#delays[to] })
    }
  }
}

interface Chain {
  /** ms */
  distance: number
  chain: Trip[]
}

/** The trips that determined its duration: the longest chain in which each began after the previous one had ended. */
export function farthestChain(trips: readonly Trip[]): Trip[] {
  let farthest: Chain = { distance: 0, chain: [] }
  const chains: Chain[] = []
  for (const trip of trips.toSorted((one, other) => one.until - other.until)) {
    let before: Chain = { distance: 0, chain: [] }
    for (const one of chains)
      if ((one.chain.at(-1)?.until ?? 0) <= trip.from && one.distance > before.distance) before = one
    const made = { distance: before.distance + trip.distance, chain: [...before.chain, trip] }
    chains.push(made)
    if (made.distance > farthest.distance) farthest = made
  }
  return farthest.chain
}

const isWrite = (text: string): boolean =>
  /^\s*(?:INSERT|UPDATE|DELETE|REPLACE)\b/i.test(text) ||
  (/^\s*WITH\b/i.test(text) && /\b(?:INSERT INTO|DELETE FROM|UPDATE ")/i.test(text))

/** A statement with a simulated distance when it runs alone. */
class FarStatement {
  readonly text: string
  readonly inner: D1PreparedStatement
  readonly #go: Go

  constructor(text: string, inner: D1PreparedStatement, go: Go) {
    this.text = text
    this.inner = inner
    this.#go = go
  }

  bind(...values: unknown[]): FarStatement {
    return new FarStatement(this.text, this.inner.bind(...values), this.#go)
  }

  all() {
    return this.#go([this], () => this.inner.all())
  }

  run() {
    return this.#go([this], () => this.inner.run())
  }

  first(...column: string[]) {
    return this.#go([this], () => Reflect.apply(this.inner.first, this.inner, column) as Promise<unknown>)
  }
}

type Go = <Result>(statements: readonly FarStatement[], work: () => Promise<Result>) => Promise<Result>
type Inner = Pick<D1Database, 'prepare' | 'batch'>

function connection(inner: Inner, go: Go): Inner {
  return {
    prepare: (text: string) => new FarStatement(text, inner.prepare(text), go) as unknown as D1PreparedStatement,
    batch: <Row>(statements: D1PreparedStatement[]) => {
      const far = statements as unknown as FarStatement[]
      return go(far, () => inner.batch<Row>(far.map((one) => one.inner)))
    },
  }
}

/**
 * A database on another continent with a replica nearby, as D1's sessions read it: without a session every query goes
 * to the primary; in one that began there, queries after its first answer go to the replica; other sessions read only
 * the replica. Writes go to the primary.
 */
function farDatabase(inner: D1Database, journey: Journey): D1Database {
  const outside: Go = (_statements, work) => journey.go('primary', work)
  const withSession: D1Database['withSession'] = (constraint = 'first-unconstrained') => {
    const session = inner.withSession(constraint)
    let isNear = constraint !== 'first-primary'
    const inside: Go = async (statements, work) => {
      const to = isNear && !statements.some(({ text }) => isWrite(text)) ? 'replica' : 'primary'
      const answer = await journey.go(to, work)
      isNear = true
      return answer
    }
    return { ...connection(session, inside), getBookmark: () => session.getBookmark() }
  }
  return { ...connection(inner, outside), withSession } as D1Database
}

/** Durable Objects on another continent. */
function farObjects<Namespace extends object>(inner: Namespace, journey: Journey): Namespace {
  return proxied(inner, (name, member) => {
    if (name !== 'get') return member
    return (...values: unknown[]) => {
      const stub = member(...values) as object
      return proxied(
        stub,
        (_call, method) =>
          (...sent) =>
            journey.go('object', async () => method(...sent)),
      )
    }
  })
}

function farSessions(inner: KVNamespace, journey: Journey): KVNamespace {
  return proxied(
    inner,
    (_name, member) =>
      (...values) =>
        journey.go('kv', async () => member(...values)),
  )
}

type Member = (...values: unknown[]) => unknown

function proxied<Target extends object>(target: Target, replace: (name: string, member: Member) => Member): Target {
  return new Proxy(target, {
    get(inner, name) {
      const member: unknown = Reflect.get(inner, name)
      if (typeof member !== 'function') return member
      return replace(String(name), (...values) => Reflect.apply(member, inner, values) as unknown)
    },
  })
}

interface Nearby {
  DB: D1Database
  SESSIONS: KVNamespace
  LEDGER: object
  LIMITER: object
  PACER: object
  RUNNER: object
  CHECKER: object
}

/** The Worker's environment, far away. */
export function farBindings<Bindings extends Nearby>(env: Bindings, journey: Journey): Bindings {
  return {
    ...env,
    DB: farDatabase(env.DB, journey),
    SESSIONS: farSessions(env.SESSIONS, journey),
    LEDGER: farObjects(env.LEDGER, journey),
    LIMITER: farObjects(env.LIMITER, journey),
    PACER: farObjects(env.PACER, journey),
    RUNNER: farObjects(env.RUNNER, journey),
    CHECKER: farObjects(env.CHECKER, journey),
  }
}
