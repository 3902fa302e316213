import { sql } from 'drizzle-orm'
import { parameter } from '../../db/query.ts'
import { source } from '../../db/schema/index.ts'
import type { SourceHealth } from './contract.ts'
import { effectiveInterval } from './host-share.ts'
import { unreadSections } from './unread-sections.ts'

/** What pages about the health of sources select; their query takes `now`. */
export const healthColumns = {
  id: source.id,
  name: source.name,
  is_enabled: source.isEnabled,
  failures: source.failures,
  paused_until: source.pausedUntil,
  last_good_at: source.lastGoodAt,
  last_error: source.lastError,
  terms_refreshed_at: source.termsRefreshedAt,
  poll_seconds: source.pollSeconds,
  effective_interval: effectiveInterval,
  unread: unreadSections(parameter('now')),
}

/** What a source's health is derived from. Times are ms since epoch. */
export interface SourceRecord {
  is_enabled: boolean
  failures: number
  paused_until: number | null
  last_good_at: number | null
  terms_refreshed_at: number | null
}

/** Facts that are not in the source's own row. */
interface Reading {
  /** Watched sections that were not observed in time. */
  unread_sections?: number
  are_polls_paused?: boolean
}

/** One state, the worst first: a disabled source is not also failing. While polling is paused, no source is healthy. */
export function healthOf(
  record: SourceRecord,
  now: number,
  { unread_sections: unread = 0, are_polls_paused: arePollsPaused = false }: Reading = {},
): SourceHealth['health'] {
  if (!record.is_enabled) return 'disabled'
  if (record.paused_until !== null && record.paused_until > now) return 'paused'
  if (record.failures > 0) return 'failing'
  if (record.last_good_at === null && record.terms_refreshed_at === null) return 'never'
  if (arePollsPaused) return 'paused'
  return unread > 0 ? 'partial' : 'healthy'
}

const sqlNow = sql`CAST(unixepoch('subsec') * 1000 AS INTEGER)`
/** The `source`'s unread sections. */
export const unreadNow = unreadSections(sqlNow)
/** Whether the school told us to wait, or did not answer for long. */
export const isPausedNow = sql`${source.pausedUntil} > ${sqlNow}`
/** {@link healthOf} in SQL, except that it does not say whether polling is paused; for lists that are filtered by it. */
export const healthNow = sql`CASE WHEN NOT ${source.isEnabled} THEN 'disabled' WHEN ${isPausedNow} THEN 'paused'
  WHEN ${source.failures} > 0 THEN 'failing'
  WHEN ${source.lastGoodAt} IS NULL AND ${source.termsRefreshedAt} IS NULL THEN 'never'
  WHEN ${unreadNow} ->> 'sections' > 0 THEN 'partial' ELSE 'healthy' END`
