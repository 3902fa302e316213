import { and, gte, inArray, sql } from 'drizzle-orm'
import { query, read } from '../../db/query.ts'
import { setting } from '../../db/schema/index.ts'
import { DAY_MS } from '../../lib/time.ts'

/** Default days that openings, alerts and deliveries are kept. */
export const KEEP_ALERTS_DAYS = 400
/** Default days that seat changes are kept. */
export const KEEP_SEAT_CHANGES_DAYS = 400
/** The least either may be set to: pages show the last week. */
export const MIN_KEEP_DAYS = 7

export interface Cutoffs {
  /** ms since epoch; older rows may be deleted. */
  alerts: number
  seat_changes: number
}

/** The cutoffs at `now` by the settings `keep_alerts_days` and `keep_seat_changes_days`; lower values are ignored. */
export async function readCutoffs(db: D1Database, now: number): Promise<Cutoffs> {
  const days = sql<number>`CAST(${setting.value} AS INTEGER)`
  const rows = await read(
    db,
    query
      .select({ name: setting.name, days })
      .from(setting)
      .where(and(inArray(setting.name, ['keep_alerts_days', 'keep_seat_changes_days']), gte(days, MIN_KEEP_DAYS))),
  )
  const kept = new Map(rows.map((row) => [row.name, row.days]))
  return {
    alerts: now - (kept.get('keep_alerts_days') ?? KEEP_ALERTS_DAYS) * DAY_MS,
    seat_changes: now - (kept.get('keep_seat_changes_days') ?? KEEP_SEAT_CHANGES_DAYS) * DAY_MS,
  }
}
