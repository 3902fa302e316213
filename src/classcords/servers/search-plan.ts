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
/** Words that begin as a typed one and are added up; where there are more, it is taken for a common one. */
const MAX_COUNTED_WORDS = 50

/** Adds a value to a statement's own. @returns its placeholder */
export type Bind = (value: unknown) => string

/** One thing a search asks of a server. */
interface Condition {
  /** The table that says which servers meet it, and which of its rows do. */
  table: string
  rows: (bind: Bind) => string
  /** An expression: how many of those rows there are, null for many. */
  count: (bind: Bind) => string
}

/** How a search goes about it. Without conditions it is a page of the whole list. */
export interface SearchPlan {
  /** The rarest first. */
  conditions: Condition[]
  /** Candidates come from the first condition; else from the list in display order. */
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
    ...linked('subject', subjectId),
    ...linked('course', courseId),
    ...words.map(({ from, to }): Condition => {
      const range = (bind: Bind) => `word >= ${bind(from)} AND word < ${bind(to)}`
      return {
        table: 'server_word',
        rows: range,
        count: (bind) =>
          `(SELECT iif(count(*) > ${MAX_COUNTED_WORDS}, NULL, COALESCE(sum(servers), 0))
            FROM (SELECT servers FROM word_count WHERE ${range(bind)} LIMIT ${MAX_COUNTED_WORDS + 1}))`,
      }
    }),
  ]
}

function linked(what: 'subject' | 'course', id: number | null): Condition[] {
  if (id === null) return []
  return [
    {
      table: `server_${what}`,
      rows: (bind) => `${what}_id = ${bind(id)}`,
      count: (bind) =>
        `(SELECT COALESCE(sum(servers), 0) FROM listing_${what}
          WHERE school_id = 0 AND is_private IN (0, 1) AND ${what}_id = ${bind(id)})`,
    },
  ]
}

/**
 * How many candidates a search can afford. From the list each costs itself and its conditions; from a condition itself, the other
 * conditions, its listing and its place in the order.
 */
function affordable(conditions: readonly Condition[]): { fromList: number; fromCondition: number } {
  const words = conditions.filter(({ table }) => table === 'server_word').length
  const budget = MAX_SEARCHED_ROWS - words * MAX_COUNTED_WORDS
  return {
    fromList: Math.floor(budget / (conditions.length + 1)),
    fromCondition: Math.floor(budget / (conditions.length + 2)),
  }
}

/** An expression: how many servers a scope lists. */
export const listedIn = (scope: Scope, bind: Bind): string =>
  `(SELECT COALESCE(sum(servers), 0) FROM listing_count WHERE school_id = ${bind(scope.schoolId)} AND ${privacyOf(scope)})`

/** The privacy levels of a scope, for tables that begin with school and privacy. */
export const privacyOf = ({ withPrivate }: Scope, table = ''): string =>
  withPrivate ? `${table}is_private IN (0, 1)` : `${table}is_private = 0`

/**
 * Decides where a search starts: at its rarest condition, by the kept counts; or where even that one is common at the top of the list,
 * of which the first part is looked at. One round trip; none without conditions.
 */
export async function planSearch(db: D1Database, scope: Scope, conditions: readonly Condition[]): Promise<SearchPlan> {
  if (conditions.length === 0) return wholeList
  const values: unknown[] = []
  const bind: Bind = (value) => `?${values.push(value)}`
  const counts = conditions.map(({ count }, index) => `${count(bind)} AS count_${index}`)
  const row = await db
    .prepare(`SELECT ${listedIn(scope, bind)} AS listed, ${counts.join(', ')}`)
    .bind(...values)
    .first<Record<string, number | null>>()
  const ordered = conditions
    .map((condition, index) => ({ condition, rows: row?.[`count_${index}`] ?? Infinity }))
    .toSorted((one, other) => one.rows - other.rows)
  const rarest = ordered[0]?.rows ?? Infinity
  const listed = row?.['listed'] ?? 0
  const { fromList, fromCondition } = affordable(conditions)
  const isByCondition = rarest <= Math.min(listed, fromCondition)
  return {
    conditions: ordered.map(({ condition }) => condition),
    isByCondition,
    candidates: isByCondition ? fromCondition : fromList,
    isTruncated: !isByCondition && listed > fromList,
  }
}

/** A statement whose `last` is a page no search of these conditions goes beyond, by the kept counts. @param conditions null: nothing meets them */
export function lastPage(db: D1Database, scope: Scope, conditions: readonly Condition[] | null): D1PreparedStatement {
  if (conditions === null) return db.prepare('SELECT 1 AS last')
  const values: unknown[] = []
  const bind: Bind = (value) => `?${values.push(value)}`
  const most = affordable(conditions).fromList
  const bounds = conditions.map(({ count }) => `COALESCE(${count(bind)}, ${most})`)
  const listed = listedIn(scope, bind)
  const found = conditions.length === 0 ? listed : `min(${[listed, ...bounds, most].join(', ')})`
  return db.prepare(`SELECT max(1, (${found} + ${serversAPage - 1}) / ${serversAPage}) AS last`).bind(...values)
}
