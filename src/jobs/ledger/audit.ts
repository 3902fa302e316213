import type { AuditRecord } from './views.ts'
import type { Sql, Turn } from './sql.ts'

export function writeAudit(turn: Turn, entry: Omit<AuditRecord, 'number' | 'at'>): void {
  turn.isQueueTouched = true
  turn.sql.rows(
    'INSERT INTO audit (at, who, act, job, jobs, detail) VALUES (?, ?, ?, ?, ?, ?)',
    turn.now,
    entry.who,
    entry.act,
    entry.job,
    entry.jobs,
    entry.detail,
  )
}

/** Adds more jobs to the newest entry when it is the same ongoing action; false otherwise. */
export function addToAudit({ sql }: Turn, { who, act, jobs, detail }: Omit<AuditRecord, 'number' | 'at'>): boolean {
  const added = sql.rows(
    `UPDATE audit SET jobs = jobs + ? WHERE seq = (SELECT max(seq) FROM audit)
       AND who IS ? AND act = ? AND detail = ? AND job IS NULL RETURNING seq`,
    jobs,
    who,
    act,
    detail,
  )
  return added.length > 0
}

/** Entries older than number `before` (null = from the newest), newest first. */
export function readAudit(sql: Sql, before: number | null, size: number): AuditRecord[] {
  return sql.rows<{ [Key in keyof AuditRecord]: AuditRecord[Key] }>(
    'SELECT seq AS number, at, who, act, job, jobs, detail FROM audit WHERE seq < ? ORDER BY seq DESC LIMIT ?',
    before ?? Number.MAX_SAFE_INTEGER,
    Math.min(500, Math.max(1, Math.trunc(size))),
  )
}
