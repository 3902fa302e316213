import { sql } from 'drizzle-orm'
import { read, template, writeTogether } from '../../db/query.ts'
import { settingNumber } from '../../db/read-setting.ts'
import { hostIn, source } from '../../db/schema/index.ts'
import { hostOf, refuseLoopback } from '../../sources/address.ts'
import { BudgetSpent, type Lane, type SourceAddress } from '../../sources/source.ts'
import { requestedWait } from '../../sources/http.ts'
import { sources } from '../../sources/sources.ts'
import { orWarn } from '../../lib/fallbacks.ts'
import { type Limit, limitOf } from '../../web/limits/limits.ts'
import { hostLimitedUntil, limitedUntil, recordLimit } from './source-health.ts'
import { schoolTimeout } from '../courses/host-share.ts'

/** A minute as the school may count it: its first request may have taken a second longer to arrive than later ones. */
export const WINDOW_MS = 61_000
/**
 * A share of a host's budget that is smaller is counted over a longer time, because reading one group may take so many
 * requests. A source's own limit is kept.
 */
const MIN_SHARE = 4
/** Requests about one group wait for turns that are at most this far apart, because a run lasts only seconds. */
const MAX_SPACING_IN_GROUP_MS = 2500
/** The time that a wait for a group's first turn leaves for its requests: those without an answer would be lost. */
const GROUP_MS = 5000
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
  /** Its own limit, whether or not it shares its host; default: {@link requests_per_minute}. */
  own_requests_per_minute?: number
  /** The limit of all sources on its host together; null if it is the only one there, absent if unknown. */
  host_requests_per_minute?: number | null
  /** Requests a minute that all jobs other than polls share; absent for a poll, which may use the whole budget. */
  spare_requests?: number
  /** When the school's `Retry-After` is over, ms since epoch; null if there is none, absent if unknown. */
  limited_until?: number | null
  /** The setting {@link schoolTimeout}; absent if unknown. */
  timeout_ms?: number
  /** The {@link Lane.memo} of the last poll. */
  poll_memo?: string | null
}

/** The most requests that a source may send at once: its share of the host, but at least a few. */
export const burstOf = ({ requests_per_minute: share, own_requests_per_minute: own = share }: LaneSource): number =>
  Math.max(share, Math.min(MIN_SHARE, own))

/** A part of a source's requests per minute, counted separately. */
interface RequestShare {
  action: string
  most: number
  /** Default: {@link WINDOW_MS} */
  window_ms?: number
  /** Who the requests belong to; absent for the source. */
  key?: string
}

interface LaneTools {
  now: () => number
  /** ms since epoch */
  deadline: number
  /** Longest wait for one answer; default: the setting's. */
  timeout_ms?: number
  /** What all lanes of this kind may take together; default: the source's spare requests. */
  share?: RequestShare
  /**
   * For a source whose requests are scarce. They go out evenly over the minute: after a burst nothing could be asked
   * until the minute is over, and what is due then would wait longer than the interval that is shown. `wait`: each
   * request waits for its turn, whichever job had the one before. `count`: none waits, but each uses up a turn.
   */
  pace?: 'wait' | 'count'
  /** Whether requests about a group were sent whose answer would be lost with this run: it goes on without a wait. */
  isInGroup?: () => boolean
}

/**
 * Opens a conversation with a school for one job. The budget (requests a minute, shared by all jobs of the source, and
 * by all sources on its host) is asked before each request; when the wait would pass the deadline, {@link BudgetSpent}
 * says when to come back.
 */
export async function openLane(env: Env, from: LaneSource, tools: LaneTools): Promise<OpenLane> {
  const protocol = sources.get(from.kind)
  if (!protocol) throw new Error(`There is no adapter for sources of kind ${from.kind}.`)
  const { timeout_ms, host_most, limited_until } = await lookUp(env.DB, from, tools.timeout_ms ?? from.timeout_ms)
  const takeFromBudget = await budgetOf(env, from, tools, host_most)
  const isLimited = (): boolean => limited_until !== null && limited_until > tools.now()
  let requests = 0
  const lane = protocol.openLane(from, {
    fetch: async (input, init) => {
      const refusal = refuseLoopback(input, env.APP_URL)
      if (refusal !== null) throw new Error(refusal)
      if (isLimited()) return tooEarly(limited_until ?? 0, tools.now())
      const answer = await fetch(input, init)
      await orWarn(noteLimit(env.DB, from, tools, answer), { event: 'limit_not_recorded' }, undefined)
      return answer
    },
    budget: async () => {
      if (isLimited()) return
      await takeFromBudget()
      requests += 1
    },
    now: tools.now,
    memo: from.poll_memo ?? null,
    timeout_ms,
    deadline: tools.deadline - MIN_REQUEST_MS,
    signal: AbortSignal.timeout(Math.max(0, tools.deadline - tools.now())),
  })
  return { lane, requests: () => requests }
}

/** What a school that has told us when to come back would answer. Asking it again would only prolong the wait. */
const tooEarly = (until: number, now: number): Response =>
  new Response(null, { status: 429, headers: { 'retry-after': String(Math.ceil((until - now) / 1000)) } })

/**
 * Other jobs obey the school's `Retry-After` too, and unless only its own pages are down (503), other sources there. The
 * page of a second look, which has a share of its own, may be down while the list is not.
 */
async function noteLimit(
  db: D1Database,
  { id, url }: LaneSource,
  { now, share }: LaneTools,
  { status, headers }: Response,
): Promise<void> {
  const isForAll = status === 429
  if (!isForAll && (id === null || share !== undefined)) return
  const isUnstated = share !== undefined && !headers.has('retry-after')
  const seconds = isUnstated ? null : requestedWait(status, headers, now())
  if (seconds === null) return
  const limit = recordLimit(url, isForAll ? null : id, { now: now(), retryAfterSeconds: seconds })
  if (limit !== null) await writeTogether(db, [limit])
}

/** A share with what counts it. */
type Counted = Pick<RequestShare, 'most' | 'window_ms'> & { limit: Limit }

/** A function that takes one request from every share of the source's budget, or throws {@link BudgetSpent}. */
async function budgetOf(
  env: Env,
  from: LaneSource,
  tools: LaneTools,
  hostMost: number | null,
): Promise<() => Promise<void>> {
  const { requests_per_minute: ownMost, spare_requests: spare } = from
  const hostKey = hostOf(from.url)
  // All refreshes on a host share its spare requests.
  const spareShare = spare === undefined ? null : { action: 'source-spare', most: spare, key: hostKey }
  // A source that is the only one on its host has all of the host's requests.
  const isAlone = from.host_requests_per_minute === null || from.id === null
  const share = burstOf(from)
  const own = isAlone ? null : { action: 'source-share', most: share, window_ms: (WINDOW_MS * share) / ownMost }
  const host = { action: 'source', most: hostMost ?? ownMost, key: hostKey }
  const shares: RequestShare[] = [tools.share ?? spareShare, own, host].filter((share) => share !== null)
  const counted = async ({ action, key = String(from.id), ...share }: RequestShare): Promise<Counted> => ({
    ...share,
    limit: await limitOf(env, action, key),
  })
  const limits = await Promise.all(shares.map(counted))
  const turns = tools.pace && (await limitOf(env, 'source-turns', String(from.id)))
  const isByGroup = sources.get(from.kind)?.reads.status !== 'section'
  return async () => {
    if (turns) await takeTurn({ limit: turns, most: ownMost }, tools, isByGroup)
    const id = crypto.randomUUID()
    try {
      for (const one of limits) await take(one, id, tools)
    } catch (error) {
      for (const { limit } of limits) await limit.giveBack(id)
      throw error
    }
  }
}

/**
 * Waits for the next turn, or only uses it up. A wait for the first turn of a group leaves some time for the others;
 * section by section, nothing is lost by a wait.
 */
async function takeTurn(
  { limit, most }: Counted,
  { pace, now, deadline, isInGroup }: LaneTools,
  isByGroup: boolean,
): Promise<void> {
  const turn = { limit: most, window_ms: WINDOW_MS, spacing_ms: WINDOW_MS / Math.max(1, most) }
  const mustGoOn = isByGroup && (isInGroup?.() ?? false)
  if (pace === 'wait' && !(mustGoOn && turn.spacing_ms > MAX_SPACING_IN_GROUP_MS)) {
    const left = deadline - MIN_REQUEST_MS - now()
    const patience_ms = mustGoOn ? left : Math.max(left - (isByGroup ? GROUP_MS : 0), Math.min(left, 0))
    const { reserved, wait_ms } = await limit.reserve({ ...turn, patience_ms })
    if (!reserved) throw new BudgetSpent(now() + wait_ms)
    return scheduler.wait(wait_ms)
  }
  await limit.reserve(turn)
}

async function take(
  { limit, most, window_ms = WINDOW_MS }: Counted,
  id: string,
  { now, deadline }: LaneTools,
): Promise<void> {
  const latest = deadline - MIN_REQUEST_MS
  for (;;) {
    if (now() > latest) throw new BudgetSpent(now())
    const { allowed, retry_after_ms } = await limit.take({ limit: most, window_ms, id })
    if (allowed) return
    if (now() + retry_after_ms > latest) throw new BudgetSpent(now() + retry_after_ms)
    await scheduler.wait(retry_after_ms)
  }
}

/**
 * The longest wait for an answer, the host's limit (null if alone), and when the school's `Retry-After` is over (ms since
 * epoch; null if there is none). What is not given is read in one round trip.
 */
async function lookUp(
  db: D1Database,
  { id, url, host_requests_per_minute: givenMost, limited_until: givenLimit }: LaneSource,
  givenTimeout: number | undefined,
): Promise<{ timeout_ms: number; host_most: number | null; limited_until: number | null }> {
  if (givenTimeout !== undefined && givenMost !== undefined && givenLimit !== undefined)
    return { timeout_ms: givenTimeout, host_most: givenMost, limited_until: givenLimit }
  const isOnHost = sql`${hostIn(source.url)} = ${hostIn(sql`${url}`)}`
  const most = sql`(SELECT max(${source.requestsPerMinute}) FROM ${source} WHERE ${isOnHost} AND ${source.isEnabled})`
  const limit =
    id === null ? hostLimitedUntil(url) : sql`(SELECT ${limitedUntil} FROM ${source} WHERE ${source.id} = ${id})`
  const fields = {
    timeout_ms: settingNumber(schoolTimeout),
    host_most: sql<number | null>`${givenMost === undefined ? most : givenMost}`,
    limited_until: sql<number | null>`${givenLimit === undefined ? limit : givenLimit}`,
  }
  const [found] = await read(
    db,
    template(fields, (columns) => sql`SELECT ${columns}`),
  )
  return {
    timeout_ms: givenTimeout ?? found?.timeout_ms ?? schoolTimeout.initial,
    host_most: found?.host_most ?? null,
    limited_until: found?.limited_until ?? null,
  }
}
