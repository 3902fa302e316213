import { and, eq, gte, sql } from 'drizzle-orm'
import { findMonth, monthCosts } from '../../class-tracker/alerts/message-figures.ts'
import { findMessages, sentTimesOf, statesOf } from '../../class-tracker/alerts/sent-times.ts'
import type { MonthCost, SentTimes } from '../../class-tracker/alerts/contract.ts'
import { healthColumns, healthOf } from '../../class-tracker/courses/health-of-source.ts'
import { MAX_SOURCES } from '../../class-tracker/courses/unread-sections.ts'
import { prepared, query, type RowOf, template, writeTogether, condition } from '../../db/query.ts'
import { sectionGroup, setting, source } from '../../db/schema/index.ts'
import { counted } from '../../lib/text.ts'
import { DAY_MS, iso, isoOrNull } from '../../lib/time.ts'
import type { Health } from '../contract.ts'

/** States of messages that were not sent and need attention. */
const failedStates: ReadonlySet<string> = new Set(['failed', 'expired'])

/** `asked_at`: when the group that has waited longest was asked, without groups that are paused after failing. */
const findSources = prepared(() =>
  template(
    {
      ...healthColumns,
      is_watched: condition(sql`g.source_id IS NOT NULL`),
      asked_at: sql<number | null>`g.asked_at`,
    },
    (columns) => sql`SELECT ${columns}
      FROM ${source} LEFT JOIN (
        SELECT ${sectionGroup.sourceId}, coalesce(min(CASE WHEN ${sectionGroup.failures} < 3 THEN coalesce(${sectionGroup.askedAt}, 0) END),
          max(${sectionGroup.askedAt})) AS asked_at
        FROM ${sectionGroup} WHERE ${sectionGroup.watchCount} > 0 GROUP BY ${sectionGroup.sourceId}) g ON g.source_id = ${source.id}
      ORDER BY ${source.name} COLLATE NOCASE, ${source.id} LIMIT ${MAX_SOURCES}`,
  ),
)
export type SourceRow = RowOf<ReturnType<typeof findSources>>

interface Readings {
  sources: SourceRow[]
  /** Messages of the last 24 hours, of the newest 5000. */
  states: ReturnType<typeof statesOf>
  sent_times: SentTimes[]
  month: MonthCost[]
  database: Health['database']
}

/** What the database says about sources, messages and itself, in one round trip. */
export async function readSources(db: D1Database, now: number): Promise<Readings> {
  const [sources, messages, limits, month] = await writeTogether(db, [
    findSources({ now }),
    findMessages({ since: now - DAY_MS }),
    findDatabaseLimit(),
    findMonth(now),
  ])
  return {
    sources: sources.rows,
    states: statesOf(messages.rows),
    sent_times: sentTimesOf(messages.rows),
    month: monthCosts(month.rows),
    database: databaseOf(sources.size_after, limits.rows),
  }
}

/** The figures at the top: whether polls are on time, which sources are unhealthy, how long messages took. */
export async function readHealth(db: D1Database, now: number): Promise<Health> {
  const { sources, states, sent_times, month, database } = await readSources(db, now)
  const watched = sources.filter((source) => source.is_watched && source.is_enabled)
  const count = (rows: Readings['states']) => rows.reduce((sum, { messages }) => sum + messages, 0)
  return {
    sources_watched: watched.length,
    sources_on_time: watched.filter((source) => isOnTime(source, now)).length,
    unhealthy: sources.filter((source) => isUnhealthy(source, now)).map(unhealthySource),
    sent_times,
    month,
    deliveries_24h: count(states),
    deliveries_failed_24h: count(states.filter(({ state }) => failedStates.has(state))),
    database,
  }
}

export function isOnTime({ effective_interval: seconds, asked_at }: SourceRow, now: number): boolean {
  return seconds === null || now - (asked_at ?? 0) <= 2 * seconds * 1000
}

function isUnhealthy(source: SourceRow, now: number): boolean {
  return ['failing', 'paused', 'partial'].includes(healthOf(source, now, { unread_sections: source.unread.sections }))
}

function unhealthySource({
  id,
  name,
  failures,
  last_error,
  last_good_at,
  unread: { sections, since },
}: SourceRow): Health['unhealthy'][number] {
  if (failures > 0 || since === null) return { id, name, error: last_error ?? '', since: isoOrNull(last_good_at) }
  return { id, name, error: `${counted(sections, 'watched section')} not checked.`, since: iso(since) }
}

/** Largest database of a Workers Paid account, GB (https://developers.cloudflare.com/d1/platform/limits/). */
const DATABASE_LIMIT_GB = 10
/** The share of the limit at which the dashboard warns. */
const WARNING_SHARE = 0.7
const GIGABYTE = 1_000_000_000

const limitGb = sql<number>`CAST(${setting.value} AS INTEGER)`

/** The setting `database_limit_gb`; no row if it has its default. */
const findDatabaseLimit = prepared(() =>
  query
    .select({ gb: limitGb })
    .from(setting)
    .where(and(eq(setting.name, 'database_limit_gb'), gte(limitGb, 1))),
)

/** @param sizeAfter bytes, from `meta.size_after` of any answer of D1 */
export function databaseOf(
  sizeAfter: number | undefined,
  limits: readonly RowOf<ReturnType<typeof findDatabaseLimit>>[],
): Health['database'] {
  const bytes = sizeAfter ?? null
  const limit_bytes = (limits[0]?.gb ?? DATABASE_LIMIT_GB) * GIGABYTE
  return { bytes, limit_bytes, is_nearly_full: bytes !== null && bytes >= WARNING_SHARE * limit_bytes }
}
