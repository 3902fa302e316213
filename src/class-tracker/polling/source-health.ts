const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** No source is polled more often than this, whatever its row says. */
const leastPollSeconds = 15

export const pollMsOf = (source: { poll_seconds: number }): number =>
  Math.max(leastPollSeconds, source.poll_seconds) * 1000

/** Failed polls in a row after which a source rests. */
export const failuresBeforePause = 5

/**
 * How long a source rests after `failures` failed polls in a row, ms: nothing before the fifth, then one minute, doubling to
 * an hour. What the school itself asked for (`Retry-After`) counts when it is longer, an hour at most.
 */
export function pauseAfter(failures: number, retryAfterSeconds: number | null): number {
  const asked = Math.min((retryAfterSeconds ?? 0) * 1000, hourMs)
  const ours = failures < failuresBeforePause ? 0 : Math.min(minuteMs * 2 ** (failures - failuresBeforePause), hourMs)
  return Math.max(asked, ours)
}

/**
 * When a group may be asked again, ms since epoch. A group that fails alone is asked at ever longer intervals (from its third
 * failure in a row, a quarter of an hour at most), so that it costs its healthy neighbours no budget.
 */
export function groupDueAt(askedAt: number | null, failures: number, pollMs: number): number {
  if (askedAt === null) return 0
  if (failures < 3) return askedAt
  return askedAt + Math.min(pollMs * 2 ** (failures - 3), 15 * minuteMs)
}

/** A poll of the source was believed at least in part. */
export function sourceAnswered(
  db: D1Database,
  sourceId: number,
  now: number,
  requestsARound: number | null,
): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE source SET failures = 0, paused_until = NULL, last_error = NULL, last_good_at = ?,
         requests_a_round = COALESCE(?, requests_a_round)
       WHERE id = ? AND (failures > 0 OR paused_until IS NOT NULL OR last_good_at IS NULL OR last_good_at < ? OR requests_a_round IS NOT ?)`,
    )
    .bind(now, requestsARound, sourceId, now - 5 * minuteMs, requestsARound)
}

/** The whole source was down: its groups' failures were its own, and none of them need rest for it. */
export function groupsForgiven(db: D1Database, sourceId: number): D1PreparedStatement {
  return db
    .prepare('UPDATE section_group SET failures = 0 WHERE source_id = ? AND watch_count > 0 AND failures > 0')
    .bind(sourceId)
}

/** Nothing the source said in this poll could be believed. */
export function sourceFailed(
  db: D1Database,
  sourceId: number,
  now: number,
  failures: number,
  pausedUntil: number | null,
  why: string,
): D1PreparedStatement {
  return db
    .prepare(`UPDATE source SET failures = ?, paused_until = ?, last_failed_at = ?, last_error = ? WHERE id = ?`)
    .bind(failures, pausedUntil, now, why, sourceId)
}

/** Groups whose answer was *unknown*: asked, not read. Nothing else about them changes. */
export function groupsFailed(
  db: D1Database,
  now: number,
  failed: readonly { group_id: number; why: string }[],
): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE section_group SET asked_at = ?, failures = failures + 1, last_error = g.value ->> 1
       FROM json_each(?) g WHERE section_group.id = g.value ->> 0`,
    )
    .bind(now, JSON.stringify(failed.map((group) => [group.group_id, group.why])))
}
