import type { App, Statement } from '../../browser/app.ts'
import { failing, slow } from './seats.ts'

const minuteMs = 60_000
const secondMs = 1000
const reason = 'The school returned status 502.'

/** How long ago each source was polled, at most. */
const pollSeconds = 60

/** The state of the sources: all answer, except one for a while, and one needs long for a round. */
export function sourcesSql(now: number, zone: string): Statement[] {
  return [
    {
      text: `UPDATE source SET poll_seconds = ?1, requests_per_minute = 60, requests_a_round = 2 + id % 4, failures = 0,
          paused_until = NULL, last_error = NULL, terms_refreshed_at = ?2 - id * 60000, terms_refreshed_by = 'nightly',
          sections_refreshed_at = ?2 - id * 60000 + iif(id % 4 = 0, 20000000, 30000),
          sections_refreshed_by = iif(id % 4 = 0, 'admin', 'nightly'), time_zone = ?3`,
      values: [pollSeconds, now - 10 * 60 * minuteMs, zone],
    },
    {
      text: `UPDATE source SET requests_a_round = 48, requests_per_minute = 20 WHERE name = ?`,
      values: [slow],
    },
    ...freshSql(now),
    {
      text: `UPDATE source SET failures = 7, paused_until = ?1, last_good_at = ?2, last_failed_at = ?3, last_error = ?4 WHERE name = ?5`,
      values: [now + 3 * minuteMs, now - 14 * minuteMs, now - 38 * secondMs, reason, failing],
    },
  ]
}

/** The schools that answer have just been polled. */
function freshSql(now: number): Statement[] {
  const isFailing = 'source_id = (SELECT id FROM source WHERE name = ?2)'
  return [
    { text: 'UPDATE source SET last_good_at = ?1 - id * 1700 WHERE name <> ?2', values: [now, failing] },
    {
      text: `UPDATE section_group SET read_at = ?1 - source_id * 1700, asked_at = ?1 - source_id * 1700, failures = 0, last_error = NULL
        WHERE NOT ${isFailing}`,
      values: [now, failing],
    },
    {
      text: `UPDATE section_group SET read_at = ?1, asked_at = ?3, failures = 2, last_error = ?4 WHERE ${isFailing} AND watch_count > 0`,
      values: [now - 14 * minuteMs, failing, now - 38 * secondMs, reason],
    },
  ]
}

/** Every school that answers has just been polled again. */
export const stayFresh = (app: App): Promise<void> => app.sqlTogether(freshSql(Date.now()))
