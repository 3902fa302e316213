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

/** Adds a value to a statement's own. @returns its placeholder */
export type Bind = (value: unknown) => string

/** One thing a search asks of a server. */
interface Condition {
  /** The table that says which servers meet it, and which of its rows do. */
  table: string
  rows: (bind: Bind) => string
  /** A subquery of one row: `words`, how many rows it reads, and `servers`, how many rows there are, null for many. */
  count: (bind: Bind, words: number) => string
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
    ...linked('subject', subjectId),
    ...linked('course', courseId),
    ...words.map(({ from, to }): Condition => {
      const range = (bind: Bind) => `word >= ${bind(from)} AND word < ${bind(to)}`
      return {
        table: 'server_word',
        rows: range,
        count: (bind, words) =>
          `(SELECT count(*) AS words, iif(count(*) > ${words}, NULL, COALESCE(sum(servers), 0)) AS servers
            FROM (SELECT servers FROM word_count WHERE ${range(bind)} LIMIT ${words + 1}))`,
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
        `(SELECT count(*) AS words, COALESCE(sum(servers), 0) AS servers FROM listing_${what}
          WHERE school_id = 0 AND is_private IN (0, 1) AND ${what}_id = ${bind(id)})`,
    },
  ]
}

/** Different words each typed word may add up. */
const shareOf = (words: number, conditions: readonly Condition[]): number => Math.floor(words / conditions.length)

/** How many candidates from the top of the list a search can afford: each costs itself and its conditions. */
const affordableOfList = (rows: number, conditions: readonly unknown[]): number =>
  Math.floor(rows / (conditions.length + 1))

/** The same from a condition: each costs itself, the other conditions, its listing and its place in the order. */
const affordableOfCondition = (rows: number, conditions: readonly unknown[]): number =>
  Math.floor(rows / (conditions.length + 2))

/** An expression: how many servers a scope lists. */
export const listedIn = (scope: Scope, bind: Bind): string =>
  `(SELECT COALESCE(sum(servers), 0) FROM listing_count WHERE school_id = ${bind(scope.schoolId)} AND ${privacyOf(scope)})`

/** The privacy levels of a scope, for tables that begin with school and privacy. */
export const privacyOf = ({ withPrivate }: Scope, table = ''): string =>
  withPrivate ? `${table}is_private IN (0, 1)` : `${table}is_private = 0`

/**
 * Decides where a search starts, by kept counts: at its rarest condition, or at the top of the list, whichever is read to its end. Where
 * neither is, a condition that half of the list meets is looked for from the top, and of a rarer one some servers are taken. One round
 * trip; none without conditions.
 */
export async function planSearch(db: D1Database, scope: Scope, conditions: readonly Condition[]): Promise<SearchPlan> {
  if (conditions.length === 0) return wholeList
  const values: unknown[] = []
  const bind: Bind = (value) => `?${values.push(value)}`
  const share = shareOf(MAX_COUNTED_WORDS, conditions)
  const counts = conditions.map(({ count }, index) => `${count(bind, share)} c${index}`)
  const columns = conditions.map(
    (_unused, index) => `c${index}.words AS words_${index}, c${index}.servers AS servers_${index}`,
  )
  const row = await db
    .prepare(`SELECT ${listedIn(scope, bind)} AS listed, ${columns.join(', ')} FROM ${counts.join(' CROSS JOIN ')}`)
    .bind(...values)
    .first<Record<string, number | null>>()
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

/** A statement whose `last` is a page no search of these conditions goes beyond, by the kept counts. @param conditions null: nothing meets them */
export function lastPage(db: D1Database, scope: Scope, conditions: readonly Condition[] | null): D1PreparedStatement {
  if (conditions === null) return db.prepare('SELECT 1 AS last')
  const values: unknown[] = []
  const bind: Bind = (value) => `?${values.push(value)}`
  const most = affordableOfList(MAX_SEARCHED_ROWS, conditions)
  const share = shareOf(MAX_BOUND_WORDS, conditions)
  const bounds = conditions.map(({ count }) => `COALESCE((SELECT servers FROM ${count(bind, share)}), ${most})`)
  const listed = listedIn(scope, bind)
  const found = conditions.length === 0 ? listed : `min(${[listed, ...bounds, most].join(', ')})`
  return db.prepare(`SELECT max(1, (${found} + ${serversAPage - 1}) / ${serversAPage}) AS last`).bind(...values)
}
