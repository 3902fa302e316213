import { eq, type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { type Database, readFirst, type Template, template } from '../../db/query.ts'
import {
  listingCount,
  listingCourse,
  listingSubject,
  serverCourse,
  serverSubject,
  serverWord,
  wordCount,
} from '../../db/schema/index.ts'
import { wordRanges } from '../search/words.ts'
import type { Scope } from './visibility.ts'

export interface Search {
  page: number
  subjectId: number | null
  courseId: number | null
  query: string
}

export const serversAPage = 15

/** Rows a search may read before its cards, however large the directory is. */
const MAX_SEARCHED_ROWS = 1600
/** Different words a search may add up to know how common those are that begin as the typed ones. */
const MAX_COUNTED_WORDS = 320
/** As many for the bounds of a page number alone. */
const MAX_BOUND_WORDS = 40

/** One thing a search asks of a server. */
interface Condition {
  /** The table that says which servers meet it, its column that names them, and which of its rows do. */
  table: SQLiteTable
  serverId: SQLiteColumn
  rows: SQL
  /** A subquery of one row: `words`, how many rows it reads, and `servers`, how many rows there are, null for many. */
  count: (words: number) => SQL
}

/** How a search goes about it. Without conditions it is a page of the whole list. */
export interface SearchPlan {
  /** The rarest first. */
  conditions: Condition[]
  /** Candidates come from the first condition; else from the top of the list. */
  isByCondition: boolean
  /** Candidates that are looked at. */
  candidates: number
  /** There may be more candidates than that. */
  isTruncated: boolean
}

/** The plan of what searches for nothing. */
export const wholeList: SearchPlan = { conditions: [], isByCondition: false, candidates: 0, isTruncated: false }

/** What a search asks for; null when nothing can meet it. */
export function conditionsOf({ subjectId, courseId, query }: Omit<Search, 'page'>): Condition[] | null {
  const words = wordRanges(query)
  // Words of signs alone find nothing.
  if (query !== '' && words.length === 0) return null
  return [
    ...(subjectId === null ? [] : [ofSubject(subjectId)]),
    ...(courseId === null ? [] : [ofCourse(courseId)]),
    ...words.map(({ from, to }): Condition => ({
      table: serverWord,
      serverId: serverWord.serverId,
      rows: sql`${serverWord.word} >= ${from} AND ${serverWord.word} < ${to}`,
      count: (words) =>
        sql`(SELECT count(*) AS words, iif(count(*) > ${words}, NULL, COALESCE(sum(${wordCount.servers}), 0)) AS servers
            FROM (SELECT ${wordCount.servers} FROM ${wordCount}
                  WHERE ${wordCount.word} >= ${from} AND ${wordCount.word} < ${to} LIMIT ${words + 1}) ${wordCount})`,
    })),
  ]
}

const ofSubject = (id: number): Condition => ({
  table: serverSubject,
  serverId: serverSubject.serverId,
  rows: eq(serverSubject.subjectId, id),
  count: () => countOf(listingSubject, listingSubject.subjectId, id),
})

const ofCourse = (id: number): Condition => ({
  table: serverCourse,
  serverId: serverCourse.serverId,
  rows: eq(serverCourse.courseId, id),
  count: () => countOf(listingCourse, listingCourse.courseId, id),
})

/** Servers of all schools, by the kept counts. */
const countOf = (counts: typeof listingSubject | typeof listingCourse, column: SQLiteColumn, id: number): SQL =>
  sql`(SELECT count(*) AS words, COALESCE(sum(${counts.servers}), 0) AS servers FROM ${counts}
    WHERE ${counts.schoolId} = 0 AND ${counts.isPrivate} IN (0, 1) AND ${column} = ${id})`

/** Different words each typed word may add up. */
const shareOf = (words: number, conditions: readonly Condition[]): number => Math.floor(words / conditions.length)

/** How many candidates from the top of the list a search can afford: each costs itself and its conditions. */
const affordableOfList = (rows: number, conditions: readonly unknown[]): number =>
  Math.floor(rows / (conditions.length + 1))

/** The same from a condition: each costs itself, the other conditions, its listing and its place in the order. */
const affordableOfCondition = (rows: number, conditions: readonly unknown[]): number =>
  Math.floor(rows / (conditions.length + 2))

/** How many servers a scope lists. */
export const countListed = ({
  schoolId,
  withPrivate,
}: Pick<Scope, 'withPrivate'> & { schoolId: number | Placeholder }): SQL<number> =>
  sql`(SELECT COALESCE(sum(${listingCount.servers}), 0) FROM ${listingCount}
    WHERE ${listingCount.schoolId} = ${schoolId} AND ${isShown(listingCount.isPrivate, withPrivate)})`

/** The privacy levels of a scope, for tables that begin with school and privacy. */
export const isShown = (isPrivate: SQLiteColumn, withPrivate: boolean): SQL =>
  withPrivate ? sql`${isPrivate} IN (0, 1)` : sql`${isPrivate} = 0`

/**
 * Decides where a search starts, by kept counts: at its rarest condition, or at the top of the list, whichever is read to its end. Where
 * neither is, a condition that half of the list meets is looked for from the top, and of a rarer one some servers are taken. One round
 * trip; none without conditions.
 */
export async function planSearch(db: Database, scope: Scope, conditions: readonly Condition[]): Promise<SearchPlan> {
  if (conditions.length === 0) return wholeList
  const share = shareOf(MAX_COUNTED_WORDS, conditions)
  const counts = conditions.map(({ count }, index) => sql`${count(share)} ${countName(index)}`)
  const fields: Record<string, SQL<number | null>> = { listed: countListed(scope) }
  for (const index of conditions.keys()) {
    fields[`words_${index}`] = sql`${countName(index)}.words`
    fields[`servers_${index}`] = sql`${countName(index)}.servers`
  }
  const row = await readFirst(
    db,
    template(fields, (columns) => sql`SELECT ${columns} FROM ${sql.join(counts, sql` CROSS JOIN `)}`),
  )
  const ordered = conditions
    .map((condition, index) => ({ condition, servers: row?.[`servers_${index}`] ?? null }))
    .toSorted((one, other) => (one.servers ?? Infinity) - (other.servers ?? Infinity))
  const counted = conditions.reduce((sum, _unused, index) => sum + (row?.[`words_${index}`] ?? 0), 0)
  const rows = MAX_SEARCHED_ROWS - counted
  const listed = row?.['listed'] ?? 0
  const rarest = ordered[0]?.servers ?? null
  const [fromList, fromCondition] = [affordableOfList(rows, conditions), affordableOfCondition(rows, conditions)]
  const isWhole = { list: listed <= fromList, condition: rarest !== null && rarest <= fromCondition }
  const isByCondition = isWhole.condition
    ? rarest !== null && rarest <= listed
    : !isWhole.list && (rarest === null || rarest * 2 < listed)
  return {
    conditions: ordered.map(({ condition }) => condition),
    isByCondition,
    candidates: isByCondition ? fromCondition : fromList,
    isTruncated: !isWhole.list && !isWhole.condition,
  }
}

const countName = (index: number) => sql.identifier(`c${index}`)

/** Its `last` is a page no search of these conditions goes beyond, by the kept counts. @param conditions null: nothing meets them */
export function lastPage(scope: Scope, conditions: readonly Condition[] | null): Template<{ last: number }> {
  return template(
    { last: conditions === null ? sql<number>`1` : lastOf(scope, conditions) },
    (columns) => sql`SELECT ${columns}`,
  )
}

function lastOf(scope: Scope, conditions: readonly Condition[]): SQL<number> {
  const most = affordableOfList(MAX_SEARCHED_ROWS, conditions)
  const share = shareOf(MAX_BOUND_WORDS, conditions)
  const bounds = conditions.map(({ count }) => sql`COALESCE((SELECT servers FROM ${count(share)}), ${most})`)
  const listed = countListed(scope)
  const found = conditions.length === 0 ? listed : sql`min(${sql.join([listed, ...bounds, sql`${most}`], sql`, `)})`
  const size = sql.raw(String(serversAPage))
  return sql`max(1, CAST((${found} + ${size} - 1) / ${size} AS INTEGER))`
}
