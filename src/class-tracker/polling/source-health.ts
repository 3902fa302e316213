import { and, eq, gt, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { names, query, type Query, statement } from '../../db/query.ts'
import { hostIn, sectionGroup, source } from '../../db/schema/index.ts'
import { HOUR_MS, MINUTE_MS } from '../../lib/time.ts'

/** No source is polled more often than this, whatever its settings say. */
const MIN_POLL_SECONDS = 15

export const pollMsOf = (source: { poll_seconds: number }): number =>
  Math.max(MIN_POLL_SECONDS, source.poll_seconds) * 1000

/** Failed polls in a row after which a source is paused. */
export const MAX_FAILURES_BEFORE_PAUSE = 5

/** When the school's `Retry-After` is over, ms since epoch; null if there is none. Ending the pause by hand ends it too. */
export const limitedUntil = sql<number | null>`iif(${source.pausedUntil} IS NULL, NULL, ${source.limitedUntil})`

/**
 * When the school's `Retry-After` for its whole server is over (ms since epoch): it is stored with each source there, and
 * any other concerns only its own. NULL if one of them need not wait, or none is there.
 */
export const hostLimitedUntil = (url: string): SQL<number | null> =>
  sql`(SELECT nullif(min(coalesce(${limitedUntil}, 0)), 0) FROM ${source} WHERE ${hostIn(source.url)} = ${hostIn(sql`${url}`)})`

/** With what a source begins that is added on the server of `url`: a request would prolong the wait for all. */
export const limitsOfHost = (url: string) => ({
  pausedUntil: hostLimitedUntil(url),
  limitedUntil: hostLimitedUntil(url),
})

/** {@link limitedUntil}, or null once it has passed. The school may have told another job to wait during this one. */
const stillLimited = (now: number) => sql<number | null>`iif(${limitedUntil} > ${now}, ${limitedUntil}, NULL)`

/** How long to obey a school's `Retry-After`, in ms: up to an hour. */
export const limitAfter = (retryAfterSeconds: number | null): number =>
  Math.min((retryAfterSeconds ?? 0) * 1000, HOUR_MS)

/** The pause in ms: a minute after the fifth failure, doubling up to an hour; a longer `Retry-After`, up to an hour. */
export function pauseAfter(failures: number, retryAfterSeconds: number | null): number {
  const ours =
    failures < MAX_FAILURES_BEFORE_PAUSE
      ? 0
      : Math.min(MINUTE_MS * 2 ** (failures - MAX_FAILURES_BEFORE_PAUSE), HOUR_MS)
  return Math.max(limitAfter(retryAfterSeconds), ours)
}

/**
 * When a group may be asked again, ms since epoch. A group that fails on its own is read at growing intervals (from its
 * third failure in a row, up to a quarter of an hour), so that it does not use up the budget of healthy groups.
 */
export function groupDueAt(askedAt: number | null, failures: number, pollMs: number): number {
  if (askedAt === null) return 0
  if (failures < 3) return askedAt
  return askedAt + Math.min(pollMs * 2 ** (failures - 3), 15 * MINUTE_MS)
}

/** Records that a poll of the source was believed at least in part. `requestsARound`: null while its round is not over. */
export function recordSourceAnswer(sourceId: number, now: number, requestsARound: number | null): Query {
  const requests = sql`coalesce(${requestsARound}, ${source.requestsARound})`
  const isChanged = sql`(${source.failures} > 0 OR ${source.pausedUntil} IS NOT NULL OR ${source.lastGoodAt} IS NULL
    OR ${source.lastGoodAt} < ${now - 5 * MINUTE_MS} OR ${source.requestsARound} IS NOT ${requests})`
  return query
    .update(source)
    .set({
      failures: 0,
      pausedUntil: stillLimited(now),
      limitedUntil: stillLimited(now),
      lastError: null,
      lastGoodAt: now,
      requestsARound: requests,
    })
    .where(and(eq(source.id, sourceId), isChanged))
}

/** Stores the lane's memo for the next poll. */
export function rememberMemo(sourceId: number, memo: string): Query {
  return query.update(source).set({ pollMemo: memo }).where(eq(source.id, sourceId))
}

/**
 * The groups are no longer delayed: the whole source was down, so they did not fail on their own.
 * @param condition only if it holds; default: always
 */
export function resetGroupFailures(sourceId: number, condition: SQL = sql`true`): Query {
  const isWatched = sql`${sectionGroup.watchCount} > 0`
  return query
    .update(sectionGroup)
    .set({ failures: 0 })
    .where(and(eq(sectionGroup.sourceId, sourceId), isWatched, gt(sectionGroup.failures, 0), condition))
}

/** Records that none of the source's answers in this poll could be believed. */
export function recordSourceFailure(
  sourceId: number,
  now: number,
  health: { failures: number; pausedUntil: number | null; limitedUntil: number | null; why: string },
): Query {
  const { failures, pausedUntil, limitedUntil: ownLimit, why } = health
  const later = (time: number | null) => sql`nullif(max(coalesce(${time}, 0), coalesce(${stillLimited(now)}, 0)), 0)`
  return query
    .update(source)
    .set({
      failures,
      pausedUntil: later(pausedUntil),
      limitedUntil: later(ownLimit),
      lastFailedAt: now,
      lastError: why,
    })
    .where(eq(source.id, sourceId))
}

/** A school's wish that is shorter concerns only the conversation in which it was said. */
const MIN_SHARED_LIMIT_SECONDS = 15

/**
 * Records a school's `Retry-After` for all jobs and all sources on its server, because a request from any of them would
 * prolong the wait. Null if it is too short to matter to others.
 * @param sourceId only for this source; null: for all
 */
export function recordLimit(
  url: string,
  sourceId: number | null,
  { now, retryAfterSeconds }: { now: number; retryAfterSeconds: number },
): Query | null {
  if (retryAfterSeconds < MIN_SHARED_LIMIT_SECONDS) return null
  const until = now + limitAfter(retryAfterSeconds)
  const latest = (time: SQLWrapper) => sql`max(coalesce(${time}, 0), ${until})`
  return query
    .update(source)
    .set({ pausedUntil: latest(source.pausedUntil), limitedUntil: latest(limitedUntil) })
    .where(sourceId === null ? sql`${hostIn(source.url)} = ${hostIn(sql`${url}`)}` : eq(source.id, sourceId))
}

/** Records groups whose answer was not believed as asked but not read. Nothing else about them changes. */
export function recordFailedGroups(now: number, failed: readonly { group_id: number; why: string }[]): Query {
  const { id, askedAt, failures, lastError } = sectionGroup
  const list = JSON.stringify(failed.map((group) => [group.group_id, group.why]))
  return statement(sql`UPDATE ${sectionGroup}
    SET ${names(askedAt)} = ${now}, ${names(failures)} = ${failures} + 1, ${names(lastError)} = f.value ->> 1
    FROM json_each(${list}) f WHERE ${id} = f.value ->> 0`)
}
