import { and, desc, eq, getTableColumns, isNull, lt, max, sql } from 'drizzle-orm'
import { runIn } from '../../db/own-database.ts'
import { parameter, prepared, query, type RowOf } from '../../db/query.ts'
import type { Reader, Transaction } from './sql.ts'
import { audit } from './tables.ts'

/** An entry to be written; an act may be on no job, and have no details. */
type Entry = Pick<AuditRecord, 'who' | 'act'> & Partial<Pick<AuditRecord, 'job' | 'jobs' | 'detail'>>

export function writeAudit(tx: Transaction, { job = null, jobs = 0, detail = '', ...entry }: Entry): void {
  tx.isQueueTouched = true
  runIn(tx.sql, query.insert(audit).values({ ...entry, at: tx.now, job, jobs, detail }))
}

/** Adds more jobs to the newest entry when it is the same ongoing action; false otherwise. */
export function addToAudit({ sql: db }: Transaction, { who, act, jobs = 0, detail = '' }: Entry): boolean {
  const newest = query.select({ seq: max(audit.seq) }).from(audit)
  const isSame = and(sql`${audit.who} IS ${who}`, eq(audit.act, act), eq(audit.detail, detail), isNull(audit.job))
  const added = runIn(
    db,
    query
      .update(audit)
      .set({ jobs: sql`${audit.jobs} + ${jobs}` })
      .where(and(sql`${audit.seq} = ${newest}`, isSame))
      .returning({ seq: audit.seq }),
  )
  return added.length > 0
}

const { seq, ...columns } = getTableColumns(audit)
const findEntries = prepared(() =>
  query
    .select({ number: seq, ...columns })
    .from(audit)
    .where(lt(audit.seq, parameter('before')))
    .orderBy(desc(audit.seq))
    .limit(sql.placeholder('size')),
)

export type AuditRecord = RowOf<ReturnType<typeof findEntries>>

/** Entries older than number `before` (null = from the newest), newest first. */
export function readAudit({ sql: db }: Reader, before: number | null, size: number): AuditRecord[] {
  const values = { before: before ?? Number.MAX_SAFE_INTEGER, size: Math.min(500, Math.max(1, Math.trunc(size))) }
  return runIn(db, findEntries(values))
}
