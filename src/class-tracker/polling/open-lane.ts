import { and, eq, gte, sql } from 'drizzle-orm'
import { query, readFirst } from '../../db/query.ts'
import { setting } from '../../db/schema/index.ts'
import { refuseLoopback } from '../../sources/address.ts'
import { BudgetSpent, type Lane, type SourceAddress } from '../../sources/source.ts'
import { sources } from '../../sources/sources.ts'
import { limitOf } from '../../web/limits.ts'

/** A minute as the school may count it: the first of its requests may have taken longer to arrive than later ones. */
const windowMs = 60_250
/** Longest wait for one answer of a school, unless the setting `school_timeout_ms` says otherwise. */
const DEFAULT_ANSWER_MS = 10_000
/** A shorter setting is a mistake: no school could answer in time. */
const MIN_ANSWER_MS = 100
/** The least time left in which a request is still started. */
const MIN_REQUEST_MS = 500

export interface OpenLane {
  lane: Lane
  /** Requests sent so far. */
  requests(): number
}

export interface LaneSource extends SourceAddress {
  id: number
  kind: string
  requests_per_minute: number
  /** Requests a minute that all jobs other than polls share; absent for a poll, which may use the whole budget. */
  spare_requests?: number
  /** What the last poll's lane left ({@link Lane.memo}). */
  poll_memo?: string | null
}

/** A part of a source's requests a minute, counted under an action of its own. */
interface RequestShare {
  action: string
  most: number
}

const spareShare = ({ spare_requests: most }: LaneSource): RequestShare | null =>
  most === undefined ? null : { action: 'source-spare', most }

/**
 * Opens a conversation with a school for one job. The budget (requests a minute, shared by all jobs of the source) is
 * asked before each request; when the wait would pass the deadline, {@link BudgetSpent} says when to come back.
 * @param tools.is_spaced whether requests go out evenly over the minute. After a burst nothing can be asked until the minute is
 * over, and what is due then would wait longer than the interval that is shown
 * @param tools.share what all lanes of this kind may take together; default: the source's spare requests
 * @param tools.timeout_ms longest wait for one answer; default: the setting's
 */
export async function openLane(
  env: Env,
  source: LaneSource,
  tools: { now(): number; deadline: number; timeout_ms?: number; share?: RequestShare; is_spaced?: boolean },
): Promise<OpenLane> {
  const protocol = sources.get(source.kind)
  if (!protocol) throw new Error(`There is no adapter for sources of kind ${source.kind}.`)
  const whole = { limit: await limitOf(env, 'source', String(source.id)), most: source.requests_per_minute }
  const share = tools.share ?? spareShare(source)
  const part = share && { limit: await limitOf(env, share.action, String(source.id)), most: share.most }
  const timeoutMs = tools.timeout_ms ?? (await timeoutSetting(env.DB))
  let requests = 0
  let nextAt = 0
  async function awaitTurn(): Promise<void> {
    if (nextAt > tools.deadline - MIN_REQUEST_MS) throw new BudgetSpent(nextAt)
    await scheduler.wait(Math.max(0, nextAt - tools.now()))
    nextAt = Math.max(nextAt, tools.now()) + windowMs / Math.max(1, source.requests_per_minute)
  }
  async function take({ limit, most }: typeof whole): Promise<void> {
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
    if (tools.is_spaced) await awaitTurn()
    if (part) await take(part)
    try {
      await take(whole)
    } catch (error) {
      if (part) await part.limit.take({ limit: part.most, window_ms: windowMs, cost: -1 })
      throw error
    }
    requests += 1
  }
  const lane = protocol.openLane(source, {
    fetch: async (input, init) => {
      const refusal = refuseLoopback(input, env.APP_URL)
      if (refusal !== null) throw new Error(refusal)
      return fetch(input, init)
    },
    budget,
    now: tools.now,
    memo: source.poll_memo ?? null,
    timeout_ms: timeoutMs,
    deadline: tools.deadline - MIN_REQUEST_MS,
    signal: AbortSignal.timeout(Math.max(0, tools.deadline - tools.now())),
  })
  return { lane, requests: () => requests }
}

async function timeoutSetting(db: D1Database): Promise<number> {
  const ms = sql<number>`CAST(${setting.value} AS INTEGER)`
  const found = await readFirst(
    db,
    query
      .select({ ms })
      .from(setting)
      .where(and(eq(setting.name, 'school_timeout_ms'), gte(ms, MIN_ANSWER_MS))),
  )
  return found?.ms ?? DEFAULT_ANSWER_MS
}
