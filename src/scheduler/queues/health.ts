import { effectiveInterval, healthOf, type SourceRecord } from '../../class-tracker/courses/health-of-source.ts'
import { unreadOf, unreadSections } from '../../class-tracker/courses/unread-sections.ts'
import { counted } from '../../web/counted.ts'
import { iso, isoOrNull } from '../../web/moment.ts'
import type { Health, SentTimes } from '../contract.ts'
import { databaseLimitStatement, databaseOf, type LimitRow } from './database-size.ts'
import { type MessageRow, messagesStatement, sentTimesOf, statesOf } from './sent-times.ts'

const dayMilliseconds = 24 * 60 * 60_000
const MAX_SOURCES = 500
/** States that mean: not sent, and somebody should look. */
const failedStates: ReadonlySet<string> = new Set(['failed', 'expired'])

export interface SourceRow extends SourceRecord {
  id: number
  name: string
  last_failed_at: number | null
  last_error: string | null
  /** When the watched group that waits longest was asked; groups that rest after failures of their own do not count. */
  asked_at: number | null
  /** As `unreadSections` selects it. */
  unread: string
}

/** A row as the database has it. */
type StoredSource = Omit<SourceRow, 'is_enabled' | 'is_watched'> & { is_enabled: number; is_watched: number }

interface Readings {
  sources: SourceRow[]
  /** Messages of the last 24 hours, of the newest 5000. */
  states: ReturnType<typeof statesOf>
  sent_times: SentTimes[]
  database: Health['database']
}

/** What the database says of sources, of messages and of itself, in one round trip. */
export async function readSources(db: D1Database, now: number): Promise<Readings> {
  const results = await db.batch<unknown>([
    db
      .prepare(
        `SELECT o.id, o.name, o.is_enabled, o.failures, o.paused_until, o.last_good_at, o.last_failed_at, o.last_error,
           o.terms_refreshed_at, o.poll_seconds, o.requests_per_minute, o.requests_a_round, g.source_id IS NOT NULL AS is_watched,
           g.asked_at, ${unreadSections('o', '?1')} AS unread
         FROM source o LEFT JOIN (
           SELECT source_id, coalesce(min(CASE WHEN failures < 3 THEN coalesce(asked_at, 0) END), max(asked_at)) AS asked_at
           FROM section_group WHERE watch_count > 0 GROUP BY source_id) g ON g.source_id = o.id
         ORDER BY o.name COLLATE NOCASE, o.id LIMIT ?2`,
      )
      .bind(now, MAX_SOURCES),
    messagesStatement(db, now - dayMilliseconds),
    databaseLimitStatement(db),
  ])
  const [sources, messages, limits] = results.map((result) => result.results) as [
    StoredSource[],
    MessageRow[],
    LimitRow[],
  ]
  return {
    sources: sources.map((row) => ({ ...row, is_enabled: row.is_enabled === 1, is_watched: row.is_watched === 1 })),
    states: statesOf(messages),
    sent_times: sentTimesOf(messages),
    database: databaseOf(results[0]?.meta.size_after, limits),
  }
}

/** The answers that come first: are polls on time, which sources are unhealthy, how long messages took. */
export async function readHealth(db: D1Database, now: number): Promise<Health> {
  const { sources, states, sent_times, database } = await readSources(db, now)
  const watched = sources.filter((source) => source.is_watched && source.is_enabled)
  const count = (rows: Readings['states']) => rows.reduce((sum, { messages }) => sum + messages, 0)
  return {
    sources_watched: watched.length,
    sources_on_time: watched.filter((source) => isOnTime(source, now)).length,
    unhealthy: sources.filter((source) => isUnhealthy(source, now)).map(unhealthySource),
    sent_times,
    deliveries_today: count(states),
    deliveries_failed_today: count(states.filter(({ state }) => failedStates.has(state))),
    database,
  }
}

/** Asked within twice its interval. */
export function isOnTime(source: SourceRow, now: number): boolean {
  const seconds = effectiveInterval(source)
  return seconds === null || now - (source.asked_at ?? 0) <= 2 * seconds * 1000
}

function isUnhealthy(source: SourceRow, now: number): boolean {
  return ['failing', 'paused', 'partial'].includes(
    healthOf(source, now, { unread_sections: unreadOf(source.unread).sections }),
  )
}

function unhealthySource({
  id,
  name,
  failures,
  last_error,
  last_good_at,
  unread,
}: SourceRow): Health['unhealthy'][number] {
  const { sections, since } = unreadOf(unread)
  if (failures > 0 || since === null) return { id, name, error: last_error ?? '', since: isoOrNull(last_good_at) }
  return { id, name, error: `${counted(sections, 'watched section')} not observed.`, since: iso(since) }
}
