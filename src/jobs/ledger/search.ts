import type { JobFilter, JobList, JobListRequest, JobMatches } from './views.ts'
import { readCounts, totalOf } from './counters.ts'
import { toRecord, type StoredJob } from './rows.ts'
import { figure, type Reader, type Sql, type SqlValue } from './sql.ts'

/** The most rows that one search reads in a turn, because the ledger must serve its workers in between. */
const MAX_ROWS_READ = 5000

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
  return [state, task, since, until].every((value) => value === undefined) && soughtText(q) === ''
}

function listByPage(reader: Reader, request: JobListRequest, size: number): JobList {
  const { registry } = request
  const total = totalOf(readCounts(reader), registry)
  const totalPages = Math.max(1, Math.ceil(total / size))
  const page = Math.min(totalPages, Math.max(1, Math.trunc(request.page ?? 1)))
  // The inner query reads only the index, so that a far page is cheap.
  const rows = reader.sql.rows<StoredJob>(
    `SELECT * FROM job WHERE seq IN (SELECT seq FROM job ${registry === undefined ? '' : 'WHERE registry = ?'}
       ORDER BY seq DESC LIMIT ? OFFSET ?) ORDER BY seq DESC`,
    ...(registry === undefined ? [] : [registry]),
    size,
    (page - 1) * size,
  )
  const last = rows.at(-1)
  return {
    jobs: rows.map((row) => toRecord(row, reader.queue)),
    total,
    page,
    total_pages: totalPages,
    cursor: page < totalPages && last ? last.seq : null,
  }
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
  const jobs = figure(sql, `SELECT count(*) AS figure FROM job WHERE ${where}`, ...values) ?? 0
  return { jobs, is_more: edge !== null }
}

/** A condition with its one value. */
type Condition = readonly [text: string, value: SqlValue]

/** The condition, if there is a value for it. */
const given = (text: string, value: SqlValue | undefined): Condition[] =>
  value === undefined || value === null ? [] : [[text, value]]

function allOf(conditions: readonly Condition[]): { where: string; values: SqlValue[] } {
  return { where: conditions.map(([text]) => text).join(' AND '), values: conditions.map(([, value]) => value) }
}

/** The filter, limited to {@link MAX_ROWS_READ} rows; `edge`: the last of them, null if there are no more. */
function conditionsOf(sql: Sql, filter: JobFilter, before: number | null) {
  const { state, task, q, since, until } = filter
  const scope = scopeOf(sql, filter, before)
  const { where, values } = allOf(scope)
  const last = `SELECT seq AS figure FROM job WHERE ${where} ORDER BY seq DESC LIMIT 1 OFFSET ${MAX_ROWS_READ - 1}`
  const edge = figure(sql, last, ...values)
  const text = `instr(lower(id || char(10) || task || char(10) || input || char(10) || coalesce(error, '')), ?) > 0`
  const conditions = [
    ...scope,
    ...given('seq >= ?', edge),
    ...given('state = ?', state),
    ...given('task = ?', task),
    ...given('created_at >= ?', since),
    ...given('created_at < ?', until),
    ...given(text, soughtText(q) || null),
  ]
  return { ...allOf(conditions), edge }
}

/** The conditions that an index can use: registry, cursor and times (jobs are numbered in the order of creation). */
function scopeOf(sql: Sql, filter: JobFilter, before: number | null): Condition[] {
  const { registry, since, until } = filter
  return [
    ...given('registry = ?', registry),
    ['seq < ?', before ?? Number.MAX_SAFE_INTEGER],
    ...given(
      'seq >= (SELECT coalesce(max(seq), 0) FROM (SELECT seq FROM job WHERE created_at < ? ORDER BY created_at DESC, seq DESC LIMIT 1))',
      since,
    ),
    ...given('seq < ?', until === undefined ? null : firstCreatedAt(sql, until)),
  ]
}

function firstCreatedAt(sql: Sql, at: number): number {
  const seq = figure(sql, 'SELECT seq AS figure FROM job WHERE created_at >= ? ORDER BY created_at, seq LIMIT 1', at)
  return seq ?? Number.MAX_SAFE_INTEGER
}
