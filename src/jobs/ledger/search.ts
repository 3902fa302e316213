import type { JobFilter, JobList, JobListRequest, JobMatches, Registry } from './views.ts'
import { readCounts, registryOf, totalOf } from './counters.ts'
import { toRecord, type StoredJob } from './rows.ts'
import { first, type SqlValue, type Turn } from './sql.ts'

type Reader = Pick<Turn, 'sql' | 'queue'>

/** The most rows that one search reads in a turn, because the ledger must serve its workers in between. */
export const MAX_ROWS_READ = 5000

/** A search in the form in which it is compared: SQLite's lower() handles only ASCII. */
export const soughtText = (q = ''): string => q.trim().replace(/[A-Z]/g, (letter) => letter.toLowerCase())

/** A page of jobs by page number when the counters know the total, otherwise a search by cursor; newest first. */
export function listJobs(reader: Reader, request: JobListRequest): JobList {
  const size = Math.min(500, Math.max(1, Math.trunc(request.size ?? 20)))
  if (request.cursor === undefined && isWholeRegistry(request)) return listByPage(reader, request, size)
  const { rows, cursor } = searchJobs(reader, request, request.cursor ?? null, size)
  return { jobs: rows.map((row) => toRecord(row, reader.queue)), total: null, page: 1, total_pages: null, cursor }
}

function isWholeRegistry({ state, task, q, since, until }: JobFilter): boolean {
  const isPart = state === 'finished' || state === 'stopped'
  return !isPart && task === undefined && since === undefined && until === undefined && soughtText(q) === ''
}

function listByPage({ sql, queue }: Reader, request: JobListRequest, size: number): JobList {
  const registry = registryAsked(request)
  const total = totalOf(readCounts(sql), registry)
  const totalPages = Math.max(1, Math.ceil(total / size))
  const page = Math.min(totalPages, Math.max(1, Math.trunc(request.page ?? 1)))
  // The inner query reads only the index, so that a far page is cheap.
  const rows = sql.rows<StoredJob>(
    `SELECT * FROM job WHERE seq IN (SELECT seq FROM job ${registry === null ? '' : 'WHERE registry = ?'}
       ORDER BY seq DESC LIMIT ? OFFSET ?) ORDER BY seq DESC`,
    ...(registry === null ? [] : [registry]),
    size,
    (page - 1) * size,
  )
  const last = rows.at(-1)
  return {
    jobs: rows.map((row) => toRecord(row, queue)),
    total,
    page,
    total_pages: totalPages,
    cursor: page < totalPages && last ? last.seq : null,
  }
}

function registryAsked({ registry, state }: JobFilter): Registry | null {
  return registry ?? (state ? registryOf[state] : null)
}

/** Jobs older than `before` (null: from the newest), in {@link MAX_ROWS_READ} rows; `cursor` null: no more. */
export function searchJobs(
  { sql }: Reader,
  filter: JobFilter,
  before: number | null,
  size: number,
): { rows: StoredJob[]; cursor: number | null } {
  const { where, values, edge } = conditionsOf(sql, filter, before)
  const rows = sql.rows<StoredJob>(`SELECT * FROM job WHERE ${where} ORDER BY seq DESC LIMIT ?`, ...values, size + 1)
  if (rows.length <= size) return { rows, cursor: edge }
  const kept = rows.slice(0, size)
  return { rows: kept, cursor: kept.at(-1)?.seq ?? null }
}

/** How many of the list's newest {@link MAX_ROWS_READ} jobs match, and whether there are older ones. */
export function countMatches({ sql }: Reader, filter: JobFilter): JobMatches {
  const { where, values, edge } = conditionsOf(sql, filter, null)
  const row = first<{ jobs: number }>(sql, `SELECT count(*) AS jobs FROM job WHERE ${where}`, ...values)
  return { jobs: row?.jobs ?? 0, is_more: edge !== null }
}

/** The filter, limited to {@link MAX_ROWS_READ} rows; `edge`: the last of them, null if there are no more. */
function conditionsOf(
  sql: Reader['sql'],
  filter: JobFilter,
  before: number | null,
): { where: string; values: SqlValue[]; edge: number | null } {
  const scope = scopeOf(sql, filter, before)
  const edge = first<{ seq: number }>(
    sql,
    `SELECT seq FROM job WHERE ${scope.where} ORDER BY seq DESC LIMIT 1 OFFSET ${MAX_ROWS_READ - 1}`,
    ...scope.values,
  )
  const conditions = [scope.where]
  const values = [...scope.values]
  const also = (condition: string, value: SqlValue) => {
    conditions.push(condition)
    values.push(value)
  }
  if (edge) also('seq >= ?', edge.seq)
  if (filter.state) also('state = ?', filter.state)
  if (filter.task !== undefined) also('task = ?', filter.task)
  if (filter.since !== undefined) also('created_at >= ?', filter.since)
  if (filter.until !== undefined) also('created_at < ?', filter.until)
  const sought = soughtText(filter.q)
  if (sought !== '')
    also(`instr(lower(id || char(10) || task || char(10) || input || char(10) || coalesce(error, '')), ?) > 0`, sought)
  return { where: conditions.join(' AND '), values, edge: edge?.seq ?? null }
}

/** The conditions that an index can use: registry, cursor and times (jobs are numbered in the order of creation). */
function scopeOf(sql: Reader['sql'], filter: JobFilter, before: number | null): { where: string; values: SqlValue[] } {
  const conditions = ['seq < ?']
  const values: SqlValue[] = [before ?? Number.MAX_SAFE_INTEGER]
  const registry = registryAsked(filter)
  if (registry !== null) {
    conditions.unshift('registry = ?')
    values.unshift(registry)
  }
  if (filter.since !== undefined) {
    conditions.push(
      'seq >= (SELECT coalesce(max(seq), 0) FROM (SELECT seq FROM job WHERE created_at < ? ORDER BY created_at DESC, seq DESC LIMIT 1))',
    )
    values.push(filter.since)
  }
  if (filter.until !== undefined) {
    conditions.push('seq < ?')
    values.push(firstCreatedAt(sql, filter.until))
  }
  return { where: conditions.join(' AND '), values }
}

function firstCreatedAt(sql: Reader['sql'], at: number): number {
  const row = first<{ seq: number }>(
    sql,
    'SELECT seq FROM job WHERE created_at >= ? ORDER BY created_at, seq LIMIT 1',
    at,
  )
  return row?.seq ?? Number.MAX_SAFE_INTEGER
}
