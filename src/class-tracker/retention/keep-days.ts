/** Days that openings, alerts and deliveries are kept, unless the setting says otherwise. */
export const KEEP_ALERTS_DAYS = 400
/** Days that changes of seats are kept, unless the setting says otherwise. */
export const KEEP_SEAT_CHANGES_DAYS = 400
/** The least either may be set to: pages show the last week. */
export const MIN_KEEP_DAYS = 7

const dayMs = 24 * 3_600_000

export interface Cutoffs {
  /** ms since epoch: what is older may be deleted. */
  alerts: number
  seat_changes: number
}

/** What is old at `now`, by the settings `keep_alerts_days` and `keep_seat_changes_days`. A value below the least is ignored. */
export async function readCutoffs(db: D1Database, now: number): Promise<Cutoffs> {
  const { results } = await db
    .prepare(
      `SELECT name, CAST(value AS INTEGER) AS days FROM setting
       WHERE name IN ('keep_alerts_days', 'keep_seat_changes_days') AND CAST(value AS INTEGER) >= ?`,
    )
    .bind(MIN_KEEP_DAYS)
    .all<{ name: string; days: number }>()
  const days = new Map(results.map((row) => [row.name, row.days]))
  return {
    alerts: now - (days.get('keep_alerts_days') ?? KEEP_ALERTS_DAYS) * dayMs,
    seat_changes: now - (days.get('keep_seat_changes_days') ?? KEEP_SEAT_CHANGES_DAYS) * dayMs,
  }
}
