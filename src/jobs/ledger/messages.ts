import type { QueueMessage } from './calls.ts'
import type { StoredJob } from './rows.ts'
import { isPaused, readMark, readSettings, writeMark } from './settings.ts'
import { figure, type Turn } from './sql.ts'

/** A message that nobody claimed is sent again after this time, ms. */
const UNCLAIMED_MS = 60_000

/**
 * The messages to send now, which are marked as sent: as many as the setting allows before they are claimed, refilled
 * once half are claimed, so that a busy queue gets its messages in batches. Held jobs get none, because they would be
 * refused.
 */
export function takeMessages(turn: Turn): QueueMessage[] {
  const { sql, now } = turn
  if (isPaused(turn) || (readMark(turn, 'ring_after') ?? 0) > now) return []
  sql.rows(
    `UPDATE job SET rung_at = NULL WHERE state = 'queued' AND rung_at IS NOT NULL AND rung_at <= ?`,
    now - UNCLAIMED_MS,
  )
  const { ahead } = readSettings(turn)
  const waiting = figure(sql, `SELECT count(*) AS figure FROM job WHERE state = 'queued' AND rung_at IS NOT NULL`) ?? 0
  if (waiting > ahead / 2) return []
  const messages: QueueMessage[] = []
  const taken = new Set(namesTaken(turn))
  while (messages.length < ahead - waiting) {
    const candidates = sql.rows<Pick<StoredJob, 'seq' | 'id' | 'attempt' | 'exclusive_name'>>(
      `SELECT seq, id, attempt, exclusive_name FROM job WHERE state = 'queued' AND rung_at IS NULL
         AND (exclusive_name IS NULL OR exclusive_name NOT IN (SELECT value FROM json_each(?)))
       ORDER BY priority DESC, due_at, seq LIMIT ?`,
      JSON.stringify([...taken]),
      ahead - waiting - messages.length,
    )
    if (candidates.length === 0) break
    for (const { seq, id, attempt, exclusive_name } of candidates) {
      if (exclusive_name !== null && taken.has(exclusive_name)) continue
      if (exclusive_name !== null) taken.add(exclusive_name)
      sql.rows('UPDATE job SET rung_at = ? WHERE seq = ?', now, seq)
      messages.push({ job: id, attempt })
    }
  }
  return messages
}

/** Exclusive names of jobs that are running, or have a message and will run soon; another job would only be refused. */
function namesTaken({ sql }: Turn): string[] {
  return sql
    .rows<{ name: string }>(
      `SELECT exclusive_name AS name FROM job WHERE state = 'started' AND exclusive_name IS NOT NULL
       UNION SELECT exclusive_name FROM job WHERE state = 'queued' AND rung_at IS NOT NULL AND exclusive_name IS NOT NULL`,
    )
    .map(({ name }) => name)
}

/** Records messages that could not be sent: they are sent again after `until` (ms). */
export function returnMessages(turn: Turn, messages: readonly QueueMessage[], until: number): void {
  for (const { job, attempt } of messages) {
    turn.sql.rows(`UPDATE job SET rung_at = NULL WHERE id = ? AND attempt = ? AND state = 'queued'`, job, attempt)
  }
  writeMark(turn, 'ring_after', until)
}

/** When the ledger must wake up on its own, ms since epoch; null if nothing can become due. */
export function nextWakeUp(turn: Turn): number | null {
  const sendsFrom = readMark(turn, 'ring_after') ?? 0
  const isWaiting = sendsFrom > turn.now && !isPaused(turn)
  return figure(
    turn.sql,
    // While sends fail, no message is sent before the pause is over, so nothing can happen earlier.
    `SELECT min(at) AS figure FROM (
       SELECT min(due_at) AS at FROM job WHERE state = 'scheduled'
       UNION ALL SELECT min(lease_until) FROM job WHERE state = 'started'
       UNION ALL SELECT max(min(rung_at) + ?, ?) FROM job WHERE state = 'queued' AND rung_at IS NOT NULL
       UNION ALL SELECT ?)`,
    UNCLAIMED_MS,
    sendsFrom,
    isWaiting ? sendsFrom : null,
  )
}
