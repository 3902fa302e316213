import { type SQL, sql } from 'drizzle-orm'
import { alias, type SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { hostIn, sectionGroup, source } from '../../db/schema/index.ts'

const other = alias(source, 'on_host')

/** The columns of a source's row, or of an alias of it. */
type SourceColumns = Record<'id' | 'url' | 'requestsPerMinute', SQLiteColumn>

const isOther = (from: SourceColumns): SQL =>
  sql`${hostIn(other.url)} = ${hostIn(from.url)} AND ${other.id} <> ${from.id} AND ${other.isEnabled}`
const isWatched = sql`EXISTS (SELECT 1 FROM ${sectionGroup}
  WHERE ${sectionGroup.sourceId} = ${other.id} AND ${sectionGroup.watchCount} > 0)`

/**
 * Requests per minute that a source may make: its own limit, or if other sources on its host are watched too, its share
 * of the host's limit ({@link hostBudgetOf}), in proportion to their limits.
 */
export const fairShareOf = (from: SourceColumns): SQL<number> =>
  sql<number>`coalesce((SELECT max(1, ${from.requestsPerMinute} * max(${from.requestsPerMinute}, max(${other.requestsPerMinute}))
      / max(1, ${from.requestsPerMinute} + sum(${other.requestsPerMinute})))
    FROM ${source} ${other} WHERE ${isOther(from)} AND ${isWatched}), ${from.requestsPerMinute})`

/**
 * Requests per minute of all sources on its host together: the highest limit of one of them. Null if it is the only
 * source there.
 */
export const hostBudgetOf = (from: SourceColumns): SQL<number | null> =>
  sql<number | null>`(SELECT max(${from.requestsPerMinute}, max(${other.requestsPerMinute}))
    FROM ${source} ${other} WHERE ${isOther(from)})`

/** What every conversation with a school needs of its source's row. */
export const laneColumns = {
  id: source.id,
  name: source.name,
  kind: source.kind,
  url: source.url,
  settings: source.settings,
  requests_per_minute: fairShareOf(source),
  host_requests_per_minute: hostBudgetOf(source),
}

/** Requests per minute that polls of the other sources on its host take. */
export const otherPollsOf = (from: SourceColumns): SQL<number> =>
  sql<number>`coalesce((SELECT sum(min(${other.requestsPerMinute},
      (60 * coalesce(${other.requestsARound}, 0) + ${other.pollSeconds} - 1) / max(15, ${other.pollSeconds})))
    FROM ${source} ${other} WHERE ${isOther(from)} AND ${isWatched}), 0)`
