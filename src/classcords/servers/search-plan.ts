import { eq, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { constant, type Database, readFirst, type Template, template, selectValues } from '../../db/query.ts'
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

export const sorts = ['relevance', 'newest', 'members'] as const
export type Sort = (typeof sorts)[number]

export interface Search {
  page: number
  /** 0: all schools; null: the viewer's, or all if they have none. */
  schoolId: number | null
  sort: Sort
  subjectId: number | null
  courseId: number | null
  query: string
}

export const SERVERS_PER_PAGE = 15

/** Rows a search may read before its cards, in a directory of any size. */
const MAX_SEARCHED_ROWS = 1600
/** Distinct words whose counts a search may add up to find out how common its words are. */
const MAX_COUNTED_WORDS = 320
/** The same, if only the last page is needed. */
const MAX_BOUND_WORDS = 40

interface Condition {
  /** The table of servers that may meet it, the column with their ids, and the condition for its rows. */
  table: SQLiteTable
  serverId: SQLiteColumn
  rows: SQL
  /** One row: `words`, how many rows it reads, and `servers`, how many meet the condition; null: too many to count. */
  count: (words: number) => SQL
}

export interface SearchPlan {
  /** The condition whose servers are the candidates; null: they are read from the top of the list. */
  first: Condition | null
  /** The conditions that each candidate is checked for, rarest first. */
  others: Condition[]
  candidates: number
  isTruncated: boolean
  /** How many servers the scope lists; null if that was not read. */
  listed: number | null
}

/** The number of candidates for the whole list in another order, and for any list in an order that no index has. */
export const MAX_SORTED = 700

/** The plan without conditions: a page of the whole list. */
export const wholeList: SearchPlan = {
  first: null,
  others: [],
  candidates: MAX_SORTED,
  isTruncated: false,
  listed: null,
}

/** The conditions of a search; null when no server can meet them. */
export function conditionsOf({
  subjectId,
  courseId,
  query,
}: Pick<Search, 'subjectId' | 'courseId' | 'query'>): Condition[] | null {
  const words = wordRanges(query)
  // A query of punctuation alone finds nothing.
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

/** How many servers of all schools have a subject or course, according to the stored counts. */
const countOf = (counts: typeof listingSubject | typeof listingCourse, column: SQLiteColumn, id: number): SQL =>
  sql`(SELECT count(*) AS words, COALESCE(sum(${counts.servers}), 0) AS servers FROM ${counts}
    WHERE ${counts.schoolId} = 0 AND ${counts.isPrivate} IN (0, 1) AND ${column} = ${id})`

/** How many distinct words to add up for each condition. */
const wordsPerCondition = (words: number, conditions: readonly Condition[]): number =>
  Math.floor(words / conditions.length)

/** How many candidates from the top of the list fit into a number of rows: each reads itself and its conditions. */
const candidatesFromList = (rows: number, conditions: readonly unknown[]): number =>
  Math.floor(rows / (conditions.length + 1))

/** Each candidate reads itself, the other conditions, its listing and its place in the order. */
const candidatesFromCondition = (rows: number, conditions: readonly unknown[]): number =>
  Math.floor(rows / (conditions.length + 2))

export const countListed = ({
  schoolId,
  withPrivate,
}: Pick<Scope, 'withPrivate'> & { schoolId: number | SQL }): SQL<number> =>
  sql`(SELECT COALESCE(sum(${listingCount.servers}), 0) FROM ${listingCount}
    WHERE ${listingCount.schoolId} = ${schoolId} AND ${isPrivacyShown(listingCount.isPrivate, withPrivate)})`

/** How many servers a search may find: with one's own school first, its private ones too. */
export const countSearched = (scope: Scope): SQL<number> =>
  scope.ownSchoolId === undefined
    ? countListed(scope)
    : sql`(${countListed(scope)} + COALESCE((SELECT ${listingCount.servers} FROM ${listingCount}
        WHERE ${listingCount.schoolId} = ${scope.ownSchoolId} AND ${listingCount.isPrivate} = 1), 0))`

/** The SQL condition for the privacy levels a scope includes, for tables whose keys begin with school and privacy. */
export const isPrivacyShown = (isPrivate: SQLiteColumn, withPrivate: boolean): SQL =>
  withPrivate ? sql`${isPrivate} IN (0, 1)` : sql`${isPrivate} = 0`

/**
 * Starts at the rarest condition or at the top of the list, whichever can be read completely; if neither can, at the
 * condition if less than half of the list meets it, but never for the newest, which only the list has in their order.
 * One round trip; none without conditions.
 */
export async function planSearch(
  db: Database,
  scope: Scope,
  conditions: readonly Condition[],
  sort: Sort,
): Promise<SearchPlan> {
  if (conditions.length === 0) return wholeList
  const share = wordsPerCondition(MAX_COUNTED_WORDS, conditions)
  const counts = conditions.map(({ count }, index) => sql`${count(share)} ${countName(index)}`)
  const fields: Record<string, SQL<number | null>> = { listed: countSearched(scope) }
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
  const fromCondition = candidatesFromCondition(rows, conditions)
  const isSorted = sort === 'members' || scope.ownSchoolId !== undefined
  const fromTop = Math.min(candidatesFromList(rows, conditions), isSorted ? MAX_SORTED : Infinity)
  // The newest, too, read their listing beside its index.
  const fromList = sort === 'newest' ? fromCondition : fromTop
  const isWhole = { list: listed <= fromList, condition: rarest !== null && rarest <= fromCondition }
  const isByCondition = isWhole.condition
    ? rarest !== null && rarest <= listed
    : !isWhole.list && sort !== 'newest' && (rarest === null || rarest * 2 < listed)
  const byRarity = ordered.map(({ condition }) => condition)
  return {
    first: isByCondition ? (byRarity[0] ?? null) : null,
    others: isByCondition ? byRarity.slice(1) : byRarity,
    candidates: isByCondition ? fromCondition : fromList,
    isTruncated: !isWhole.list && !isWhole.condition,
    listed,
  }
}

/** The plan for the newest, starting at the rarest condition instead of the list. */
export function planFromCondition(plan: SearchPlan): SearchPlan {
  const [first = null, ...others] = plan.others
  return { ...plan, first, others }
}

const countName = (index: number) => sql.identifier(`c${index}`)

/** `last`: an upper bound, by the stored counts. @param conditions null: no server can meet them */
export function lastPage(scope: Scope, conditions: readonly Condition[] | null): Template<{ last: number }> {
  return selectValues({ last: conditions === null ? sql<number>`1` : lastOf(scope, conditions) })
}

function lastOf(scope: Scope, conditions: readonly Condition[]): SQL<number> {
  const most = candidatesFromList(MAX_SEARCHED_ROWS, conditions)
  const share = wordsPerCondition(MAX_BOUND_WORDS, conditions)
  const bounds = conditions.map(({ count }) => sql`COALESCE((SELECT servers FROM ${count(share)}), ${most})`)
  const listed = countListed(scope)
  const found = conditions.length === 0 ? listed : sql`min(${sql.join([listed, ...bounds, sql`${most}`], sql`, `)})`
  const size = constant(SERVERS_PER_PAGE)
  return sql`max(1, CAST((${found} + ${size} - 1) / ${size} AS INTEGER))`
}
