import { sql } from 'drizzle-orm'
import { alias, type SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { RowOfFields } from '../../db/query.ts'
import { hostIn, sectionGroup, source } from '../../db/schema/index.ts'
import { parseJson } from '../../lib/text.ts'
import { settingNumber } from '../../db/read-setting.ts'

const other = alias(source, 'on_host')

const isOnHost = sql`${hostIn(other.url)} = ${hostIn(source.url)} AND ${other.id} <> ${source.id} AND ${other.isEnabled}`
const isWatched = (sourceId: SQLiteColumn) =>
  sql`EXISTS (SELECT 1 FROM ${sectionGroup} WHERE ${sectionGroup.sourceId} = ${sourceId} AND ${sectionGroup.watchCount} > 0)`
/** Whether the `source` has watched sections. */
export const isWatchedSource = isWatched(source.id)

/** Requests a minute of a source: its limit, or its share of {@link hostBudget} if others there are watched. */
export const fairShare = sql<number>`coalesce((SELECT max(1, ${source.requestsPerMinute} * max(${source.requestsPerMinute}, max(${other.requestsPerMinute}))
      / max(1, ${source.requestsPerMinute} + sum(${other.requestsPerMinute})))
    FROM ${source} ${other} WHERE ${isOnHost} AND ${isWatched(other.id)}), ${source.requestsPerMinute})`

/** The highest limit of a source on the host, which all of them share; null if it is the only source there. */
export const hostBudget = sql<number | null>`(SELECT max(${source.requestsPerMinute}, max(${other.requestsPerMinute}))
    FROM ${source} ${other} WHERE ${isOnHost})`

/** Seconds between two reads of a watched section: the poll interval, or what the budget allows. */
export const readInterval = sql`max(${source.pollSeconds},
    (60 * coalesce(${source.requestsARound}, 0) + max(1, ${fairShare}) - 1) / max(1, ${fairShare}))`

/** The {@link readInterval} that is shown; null while nothing of the `source` is watched. */
export const effectiveInterval = sql<number | null>`iif(${isWatchedSource}, ${readInterval}, NULL)`

/** Longest wait for one answer of a school. */
export const schoolTimeout = { setting: 'school_timeout_ms', initial: 10_000, minimum: 100, maximum: 30_000 } as const

/** What every conversation with a school needs of its source's row. */
export const laneColumns = {
  id: source.id,
  name: source.name,
  kind: source.kind,
  url: source.url,
  settings: source.settings,
  requests_per_minute: fairShare,
  own_requests_per_minute: source.requestsPerMinute,
  host_requests_per_minute: hostBudget,
  timeout_ms: settingNumber(schoolTimeout),
}

/** The settings of a source, stored as a JSON object; values that are not strings are left out. */
export function settingsOf(json: string): Record<string, string> {
  const parsed = parseJson(json)
  if (parsed === null || typeof parsed !== 'object') return {}
  return Object.fromEntries(
    Object.entries(parsed).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}

/** Requests per minute that polls of the other sources on its host take. */
export const otherPolls = sql<number>`coalesce((SELECT sum(min(${other.requestsPerMinute},
      (60 * coalesce(${other.requestsARound}, 0) + ${other.pollSeconds} - 1) / max(15, ${other.pollSeconds})))
    FROM ${source} ${other} WHERE ${isOnHost} AND ${isWatched(other.id)}), 0)`

/** What {@link spareRequests} needs. `requests_a_round`: 0 if nothing is watched there. */
export const spareColumns = {
  requests_per_minute: fairShare,
  host_requests_per_minute: hostBudget,
  other_polls: otherPolls,
  poll_seconds: source.pollSeconds,
  requests_a_round: sql<number>`iif(${isWatchedSource}, coalesce(${source.requestsARound}, 0), 0)`,
}

/** The requests that reading one group may need at once: with fewer, none would ever be read completely. */
const MIN_REQUESTS = 6

/**
 * Requests a minute that a refresh may take from a source's budget, or if it shares its host, that all refreshes there
 * may take together: what polls leave, but at least a tenth and enough for a group, so that neither blocks the other.
 */
export function spareRequests(asked: RowOfFields<typeof spareColumns>): number {
  const { requests_per_minute: share, requests_a_round: round } = asked
  const roundSeconds = Math.max(asked.poll_seconds, (60 * round) / Math.max(1, share))
  const polls = asked.other_polls + (round === 0 ? 0 : Math.ceil((60 * round) / roundSeconds))
  const budget = asked.host_requests_per_minute ?? share
  return Math.max(Math.min(budget, MIN_REQUESTS), Math.ceil(budget / 10), budget - polls)
}
