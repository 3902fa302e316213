import { readTogether } from '../../db/read-together.ts'
import { effectiveInterval, healthOf, type SourceRecord } from '../../class-tracker/catalogue/health-of-source.ts'
import { unreadOf, unreadSections } from '../../class-tracker/catalogue/unread-sections.ts'
import { counted } from '../../web/counted.ts'
import { iso, isoOrNull } from '../../web/moment.ts'
import type { Health } from '../contract.ts'

const dayMilliseconds = 24 * 60 * 60_000
const mostSources = 500
/** Messages looked at, the newest ones: the page costs the same on the busiest day. */
const mostDeliveries = 1000

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

interface DeliveryRow {
  state: string
  accepted_at: number | null
  /** When the opening was seen; null for reminders and what was held back on purpose. */
  seen_at: number | null
}

/** What the database says of sources and messages, in one round trip. */
export async function readSources(
  db: D1Database,
  now: number,
): Promise<{ sources: SourceRow[]; deliveries: DeliveryRow[] }> {
  const [sources, deliveries] = await readTogether<[SourceRow[], DeliveryRow[]]>(
    db,
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
      .bind(now, mostSources),
    db
      .prepare(
        `SELECT d.state, d.accepted_at,
           (SELECT min(o.seen_open_at) FROM delivery_alert l JOIN class_alert a ON a.id = l.alert_id
            JOIN opening o ON o.id = a.opening_id
            WHERE l.delivery_id = d.id AND a.reminder = 0 AND a.release_at IS NULL) AS seen_at
         FROM (SELECT id, state, accepted_at, created_at FROM delivery ORDER BY id DESC LIMIT ?) d WHERE d.created_at >= ?`,
      )
      .bind(mostDeliveries, now - dayMilliseconds),
  )
  return { sources, deliveries }
}

/** The answers that come first: are polls on time, which sources are unhealthy, how long from seat to phone. */
export async function readHealth(db: D1Database, now: number): Promise<Health> {
  const { sources, deliveries } = await readSources(db, now)
  const watched = sources.filter((source) => source.is_watched === 1 && source.is_enabled === 1)
  const waits = deliveries
    .flatMap(({ accepted_at, seen_at }) => (accepted_at === null || seen_at === null ? [] : accepted_at - seen_at))
    .toSorted((one, other) => one - other)
  return {
    sources_watched: watched.length,
    sources_on_time: watched.filter((source) => isOnTime(source, now)).length,
    unhealthy: sources.filter((source) => isUnhealthy(source, now)).map(unhealthySource),
    seat_to_phone_p50: percentile(waits, 0.5),
    seat_to_phone_p95: percentile(waits, 0.95),
    deliveries_today: deliveries.length,
    deliveries_failed_today: deliveries.filter(({ state }) => state === 'failed').length,
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

/** Of values in rising order; null without any. */
function percentile(values: readonly number[], share: number): number | null {
  return values[Math.max(0, Math.ceil(share * values.length) - 1)] ?? null
}
