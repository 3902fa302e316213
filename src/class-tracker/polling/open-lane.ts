import { and, eq, gte, max, sql } from 'drizzle-orm'
import { query, readFirst, readTogether } from '../../db/query.ts'
import { hostIn, setting, source } from '../../db/schema/index.ts'
import { hostOf, refuseLoopback } from '../../sources/address.ts'
import { BudgetSpent, type Lane, type SourceAddress } from '../../sources/source.ts'
import { sources } from '../../sources/sources.ts'
import { type Limit, limitOf } from '../../web/limits.ts'

/**
 * A minute as the school may count it: the first request in it may have taken up to a second longer to arrive than
 * later ones.
 */
const windowMs = 61_000
/** Longest wait for one answer of a school, unless the setting `school_timeout_ms` says otherwise. */
const DEFAULT_ANSWER_MS = 10_000
/** A shorter setting is a mistake, because no school could answer in time. */
const MIN_ANSWER_MS = 100
/** The least time left in which a request is still started. */
const MIN_REQUEST_MS = 500

export interface OpenLane {
  lane: Lane
  /** Requests sent so far. */
  requests(): number
}

export interface LaneSource extends SourceAddress {
  /** Null for a school that is only checked: its requests count only against its host. */
  id: number | null
  kind: string
  /** Its own limit, or its share if it shares its host. */
  requests_per_minute: number
  /** The limit of all sources on its host together; null if it is the only one there, absent if unknown. */
  host_requests_per_minute?: number | null
  /** Requests a minute that all jobs other than polls share; absent for a poll, which may use the whole budget. */
  spare_requests?: number
  /** The {@link Lane.memo} of the last poll. */
  poll_memo?: string | null
}

/** A part of a source's requests per minute, counted separately. */
interface RequestShare {
  action: string
  most: number
  /** Who the requests belong to; absent for the source. */
  key?: string
}

/** All refreshes on a host share one. */
const spareShare = ({ spare_requests: most, url }: LaneSource): RequestShare | null =>
  most === undefined ? null : { action: 'source-spare', most, key: hostOf(url) }

/**
 * Opens a conversation with a school for one job. The budget (requests a minute, shared by all jobs of the source, and
 * by all sources on its host) is asked before each request; when the wait would pass the deadline, {@link BudgetSpent}
 * says when to come back.
 * @param tools.turns for a source whose requests are scarce. They go out evenly over the minute: after a burst nothing
 * could be asked until the minute is over, and what is due then would wait longer than the interval that is shown.
 * `await`: each request waits for its turn, whichever job had the one before. `use`: none waits, but each uses up a
 * turn
 * @param tools.share what all lanes of this kind may take together; default: the source's spare requests
 * @param tools.timeout_ms longest wait for one answer; default: the setting's
 */
export async function openLane(
  env: Env,
  from: LaneSource,
  tools: { now(): number; deadline: number; timeout_ms?: number; share?: RequestShare; turns?: 'await' | 'use' },
): Promise<OpenLane> {
  const protocol = sources.get(from.kind)
  if (!protocol) throw new Error(`There is no adapter for sources of kind ${from.kind}.`)
  const { host_requests_per_minute: givenHostMost, requests_per_minute: ownMost } = from
  const isGiven = tools.timeout_ms !== undefined && givenHostMost !== undefined
  const found = isGiven ? { timeout_ms: DEFAULT_ANSWER_MS, host_most: givenHostMost } : await lookUp(env.DB, from)
  const timeoutMs = tools.timeout_ms ?? found.timeout_ms
  const host = { action: 'source', most: found.host_most ?? ownMost, key: hostOf(from.url) }
  // A source that is the only one on its host has all of the host's requests.
  const own = givenHostMost === null || from.id === null ? null : { action: 'source-share', most: ownMost }
  const shares: RequestShare[] = [tools.share ?? spareShare(from), own, host].filter((share) => share !== null)
  const limits = await Promise.all(
    shares.map(async ({ action, most, key }) => ({ limit: await limitOf(env, action, key ?? String(from.id)), most })),
  )
  let requests = 0
  const turnsOfSource = tools.turns && (await limitOf(env, 'source-turns', String(from.id)))
  const turn = { limit: ownMost, window_ms: windowMs, spacing_ms: windowMs / Math.max(1, ownMost) }
  async function awaitTurn(limit: Limit): Promise<void> {
    if (tools.turns === 'use') return void (await limit.reserve(turn))
    const patience_ms = tools.deadline - MIN_REQUEST_MS - tools.now()
    const { reserved, wait_ms } = await limit.reserve({ ...turn, patience_ms })
    if (!reserved) throw new BudgetSpent(tools.now() + wait_ms)
    await scheduler.wait(wait_ms)
  }
  async function take({ limit, most }: { limit: Limit; most: number }): Promise<void> {
    for (;;) {
      if (tools.now() > tools.deadline - MIN_REQUEST_MS) throw new BudgetSpent(tools.now())
      const answer = await limit.take({ limit: most, window_ms: windowMs })
      if (answer.allowed) return
      if (tools.now() + answer.retry_after_ms > tools.deadline - MIN_REQUEST_MS) {
        throw new BudgetSpent(tools.now() + answer.retry_after_ms)
      }
      await scheduler.wait(answer.retry_after_ms)
    }
  }
  async function budget(): Promise<void> {
    if (turnsOfSource) await awaitTurn(turnsOfSource)
    const taken: typeof limits = []
    try {
      for (const one of limits) {
        await take(one)
        taken.push(one)
      }
    } catch (error) {
      for (const { limit, most } of taken) await limit.take({ limit: most, window_ms: windowMs, cost: -1 })
      throw error
    }
    requests += 1
  }
  const lane = protocol.openLane(from, {
    fetch: async (input, init) => {
      const refusal = refuseLoopback(input, env.APP_URL)
      if (refusal !== null) throw new Error(refusal)
      return fetch(input, init)
    },
    budget,
    now: tools.now,
    memo: from.poll_memo ?? null,
    timeout_ms: timeoutMs,
    deadline: tools.deadline - MIN_REQUEST_MS,
    signal: AbortSignal.timeout(Math.max(0, tools.deadline - tools.now())),
  })
  return { lane, requests: () => requests }
}

/** The setting for the longest wait, and the host's limit if the source's row came without it, in one round trip. */
async function lookUp(
  db: D1Database,
  { url, host_requests_per_minute: told }: LaneSource,
): Promise<{ timeout_ms: number; host_most: number | null }> {
  const ms = sql<number>`CAST(${setting.value} AS INTEGER)`
  const timeout = query
    .select({ ms })
    .from(setting)
    .where(and(eq(setting.name, 'school_timeout_ms'), gte(ms, MIN_ANSWER_MS)))
  if (told !== undefined) {
    const found = await readFirst(db, timeout)
    return { timeout_ms: found?.ms ?? DEFAULT_ANSWER_MS, host_most: told }
  }
  const isOnHost = sql`${hostIn(source.url)} = ${hostIn(sql`${url}`)} AND ${source.isEnabled}`
  const most = query
    .select({ most: max(source.requestsPerMinute) })
    .from(source)
    .where(isOnHost)
  const [[found], [onHost]] = await readTogether(db, timeout, most)
  return { timeout_ms: found?.ms ?? DEFAULT_ANSWER_MS, host_most: onHost?.most ?? null }
}
