import type { AuditRecord } from './views.ts'
import type { Reader, Turn } from './sql.ts'

/** An entry to be written; an act may be on no job, and have no details. */
type Entry = Pick<AuditRecord, 'who' | 'act'> & Partial<Pick<AuditRecord, 'job' | 'jobs' | 'detail'>>

export function writeAudit(turn: Turn, { who, act, job = null, jobs = 0, detail = '' }: Entry): void {
  turn.isQueueTouched = true
  turn.sql.rows(
    'INSERT INTO audit (at, who, act, job, jobs, detail) VALUES (?, ?, ?, ?, ?, ?)',
    turn.now,
    who,
    act,
    job,
    jobs,
    detail,
  )
}

/** Adds more jobs to the newest entry when it is the same ongoing action; false otherwise. */
export function addToAudit({ sql }: Turn, { who, act, jobs = 0, detail = '' }: Entry): boolean {
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
export function readAudit({ sql }: Reader, before: number | null, size: number): AuditRecord[] {
  return sql.rows<AuditRecord>(
    'SELECT seq AS number, at, who, act, job, jobs, detail FROM audit WHERE seq < ? ORDER BY seq DESC LIMIT ?',
    before ?? Number.MAX_SAFE_INTEGER,
    Math.min(500, Math.max(1, Math.trunc(size))),
  )
}
