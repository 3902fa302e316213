import {
  and,
  type BinaryOperator,
  count,
  desc,
  eq,
  gte,
  inArray,
  isNotNull,
  lt,
  type SQL,
  sql,
  type SQLWrapper,
} from 'drizzle-orm'
import { runIn } from '../../db/own-database.ts'
import { query } from '../../db/query.ts'
import type { JobFilter, JobList, JobListRequest, JobMatches, Registry } from './views.ts'
import { readCounts, totalOf } from './counters.ts'
import { toRecord } from './rows.ts'
import { scalar, type Reader, type Sql } from './sql.ts'
import { job, type StoredJob } from './tables.ts'

/** The most rows that one search reads in a transaction, because the ledger must serve its workers in between. */
const MAX_ROWS_READ = 5000

/** A search in the form in which it is compared: SQLite's lower() handles only ASCII. */
export const normalizedSearch = (q = ''): string => q.trim().replace(/[A-Z]/g, (letter) => letter.toLowerCase())

/** A page of jobs by page number when the counters know the total, otherwise a search by cursor, newest first. */
export function listJobs(reader: Reader, request: JobListRequest): JobList {
  const size = Math.min(500, Math.max(1, Math.trunc(request.size ?? 20)))
  if (request.cursor === undefined && isWholeRegistry(request)) return listByPage(reader, request, size)
  const { rows, cursor } = searchJobs(reader, request, request.cursor ?? null, size)
  return { jobs: rows.map((row) => toRecord(row, reader.queue)), total: null, page: 1, total_pages: null, cursor }
}

function isWholeRegistry({ state, task, q, since, until }: JobFilter): boolean {
  return [state, task, since, until].every((value) => value === undefined) && normalizedSearch(q) === ''
}

/** The jobs of a whole registry: what ended last comes first, otherwise the newest. */
function inOrder(registry: Registry | undefined): { where: SQL | undefined; order: SQL[] } {
  const newest = desc(job.seq)
  const where = ifGiven(eq, job.registry, registry)
  const hasEnded = registry === 'finished' || registry === 'failed' || registry === 'canceled'
  if (!hasEnded) return { where, order: [newest] }
  return { where: and(where, isNotNull(job.ended_at)), order: [desc(job.ended_at), newest] }
}

function listByPage(reader: Reader, request: JobListRequest, size: number): JobList {
  const { registry } = request
  const { where, order } = inOrder(registry)
  const total = totalOf(readCounts(reader), registry)
  const totalPages = Math.max(1, Math.ceil(total / size))
  const page = Math.min(totalPages, Math.max(1, Math.trunc(request.page ?? 1)))
  // The inner query reads only the index, so that a far page is cheap.
  const ofPage = query
    .select({ seq: job.seq })
    .from(job)
    .where(where)
    .orderBy(...order)
    .limit(size)
    .offset((page - 1) * size)
  const rows = runIn(
    reader.sql,
    query
      .select()
      .from(job)
      .where(inArray(job.seq, ofPage))
      .orderBy(...order),
  )
  return {
    jobs: rows.map((row) => toRecord(row, reader.queue)),
    total,
    page,
    total_pages: totalPages,
    cursor: null,
  }
}

/** Jobs older than `before` (null: from the newest), in {@link MAX_ROWS_READ} rows; `cursor` null: no more. */
export function searchJobs(
  { sql: db }: Reader,
  filter: JobFilter,
  before: number | null,
  size: number,
): { rows: StoredJob[]; cursor: number | null } {
  const { where, edge } = conditionsOf(db, filter, before)
  const found = query.select().from(job).where(where).orderBy(desc(job.seq))
  const rows = runIn(db, found.limit(size + 1))
  if (rows.length <= size) return { rows, cursor: edge }
  const kept = rows.slice(0, size)
  return { rows: kept, cursor: kept.at(-1)?.seq ?? null }
}

/** How many of the list's newest {@link MAX_ROWS_READ} jobs match, and whether there are older ones. */
export function countMatches({ sql: db }: Reader, filter: JobFilter): JobMatches {
  const { where, edge } = conditionsOf(db, filter, null)
  const jobs = scalar(db, query.select({ value: count() }).from(job).where(where)) ?? 0
  return { jobs, is_more: edge !== null }
}

/** The condition, if there is a value for it. */
const ifGiven = (compare: BinaryOperator, left: SQLWrapper, value: unknown): SQL | undefined =>
  value === undefined || value === null ? undefined : compare(left, value)

/** The filter, limited to {@link MAX_ROWS_READ} rows; `edge`: the last of them, null if there are no more. */
function conditionsOf(db: Sql, filter: JobFilter, before: number | null) {
  const { state, task, q, since, until } = filter
  const scope = scopeOf(db, filter, before)
  const newest = query.select({ value: job.seq }).from(job).where(scope).orderBy(desc(job.seq))
  const edge = scalar(db, newest.limit(1).offset(MAX_ROWS_READ - 1))
  const text = sql.join([job.id, job.task, job.input, sql`coalesce(${job.error}, '')`], sql` || char(10) || `)
  const sought = normalizedSearch(q)
  const where = and(
    scope,
    ifGiven(gte, job.seq, edge),
    ifGiven(eq, job.state, state),
    ifGiven(eq, job.task, task),
    ifGiven(gte, job.created_at, since),
    ifGiven(lt, job.created_at, until),
    sought === '' ? undefined : sql`instr(lower(${text}), ${sought}) > 0`,
  )
  return { where, edge }
}

/** The conditions that an index can use: registry, cursor and times (jobs are numbered in the order of creation). */
function scopeOf(db: Sql, { registry, since, until }: JobFilter, before: number | null): SQL | undefined {
  const select = () => query.select({ value: job.seq }).from(job)
  const isBefore = ifGiven(lt, job.created_at, since)
  const lastBefore = select().where(isBefore).orderBy(desc(job.created_at), desc(job.seq)).limit(1)
  const isAfter = ifGiven(gte, job.created_at, until)
  const firstAfter = select().where(isAfter).orderBy(job.created_at, job.seq).limit(1)
  return and(
    ifGiven(eq, job.registry, registry),
    lt(job.seq, before ?? Number.MAX_SAFE_INTEGER),
    isBefore && sql`${job.seq} >= coalesce(${lastBefore}, 0)`,
    isAfter && lt(job.seq, scalar(db, firstAfter) ?? Number.MAX_SAFE_INTEGER),
  )
}
