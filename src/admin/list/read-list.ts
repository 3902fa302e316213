import { sql } from 'drizzle-orm'
import { constant, type Database, readTogether, type Template, template } from '../../db/query.ts'
import type { AdminKey, AdminRow, AdminValue } from '../../web/admin-change.ts'
import { keyOf, emptyStatement, rowsOf, type Table, type Tables } from '../table.ts'
import { parseKey } from '../table-parts.ts'
import { MAX_SCANNED } from './conditions.ts'
import { type Counts, countsOf, findCounts } from '../read-counts.ts'
import { type Cursor, isBackwards, type ListQuery, reversed } from './list-query.ts'
import { listStatements, MAX_COUNTED } from './list-statements.ts'

export const ROWS_PER_PAGE = 50

export interface ListedRow {
  key: AdminKey
  title: string
  sort: AdminValue
  row: AdminRow
}

export interface List {
  rows: ListedRow[]
  /** `isMore`: there are more than that; `scanned`: how many rows were searched. */
  count: { matched: number; isMore: boolean; scanned: number | null }
  /** Where the previous page ends, and the next one begins. */
  previous: Cursor | null
  next: Cursor | null
  /** The page has everything found so far, and there are more rows to search. */
  isUnfinished: boolean
  filterTitles: ReadonlyMap<string, string>
  counts: Counts
}

interface AskedList {
  query: ListQuery
  timeZone: string
  size?: number
  /** The rows alone, without what a page says above them. */
  isPlain?: boolean
}

export async function readList(
  db: Database,
  tables: Tables,
  table: Table,
  { query, timeZone, size = ROWS_PER_PAGE, isPlain = false }: AskedList,
): Promise<List> {
  const { page, count, windowEnd, beginning } = listStatements(tables, table, query, { size, timeZone })
  const named = isPlain ? [] : namedRows(tables, table, query)
  const [counts, found, [counted], [end], starting, ...titles] = await readTogether(
    db,
    isPlain ? emptyStatement : findCounts(),
    page,
    isPlain ? emptyStatement : count,
    windowEnd ?? emptyStatement,
    beginning ?? emptyStatement,
    ...named.map(({ statement }) => statement),
  )
  const filterTitles = named.flatMap(({ name }, index) => {
    const title = titles[index]?.[0]?.title
    return title === undefined ? [] : [[name, String(title)] as const]
  })
  return {
    ...arrange(query, size, { found: found.map(listedRow), end: end ?? null, starting: starting.map(listedRow) }),
    count: countOf(counted),
    filterTitles: new Map(filterTitles),
    counts: countsOf(counts),
  }
}

function listedRow(row: AdminRow): ListedRow {
  return { key: row['key'] ?? '', title: String(row['title'] ?? ''), sort: row['_sort'] ?? null, row }
}

function countOf(
  { matched, scanned }: { matched: number; scanned: number } = { matched: 0, scanned: 0 },
): List['count'] {
  const isWholeWindow = scanned >= MAX_SCANNED
  return {
    matched: Math.min(matched, MAX_COUNTED),
    isMore: matched > MAX_COUNTED || isWholeWindow,
    scanned: isWholeWindow && matched < MAX_COUNTED ? scanned : null,
  }
}

type Place = Pick<Cursor, 'key' | 'sort'>

interface FoundRows {
  /** One more than the page has room for, if there are more. */
  found: readonly ListedRow[]
  /** Where the rows that were searched end. */
  end: Place | null
  starting: readonly ListedRow[]
}

function arrange(
  query: ListQuery,
  size: number,
  { found, end, starting }: FoundRows,
): Pick<List, 'rows' | 'previous' | 'next' | 'isUnfinished'> {
  const isFull = found.length > size
  const page = found.slice(0, size)
  if (isBackwards(query)) page.reverse()
  const exact = starting.filter(({ key }) => String(key) === query.q)
  const keys = new Set([...exact, ...page].map(({ key }) => key))
  const others = page.filter(({ key }) => !exact.some((one) => one.key === key))
  const begins = isFull ? [] : starting.filter(({ key }) => !keys.has(key))
  return {
    rows: [...exact, ...others, ...begins.slice(0, size)],
    ...neighbors(query, page, isFull, end),
    isUnfinished: !isFull && end !== null,
  }
}

/**
 * The cursors of the previous and the next page. The direction the person came from always has one, even if no scanned
 * row matched.
 */
function neighbors(
  query: ListQuery,
  page: readonly ListedRow[],
  isFull: boolean,
  end: Place | null,
): Pick<List, 'previous' | 'next'> {
  const [first] = page
  const last = page.at(-1)
  const { cursor } = query
  const before = (place: Place | null): Cursor | null => place && { side: 'before', key: place.key, sort: place.sort }
  const after = (place: Place | null): Cursor | null => place && { side: 'after', key: place.key, sort: place.sort }
  const back = cursor && reversed(cursor)
  if (isBackwards(query)) {
    return { previous: before(isFull ? (first ?? null) : end), next: last ? after(last) : back }
  }
  return { previous: cursor && (first ? before(first) : back), next: after(isFull ? (last ?? null) : end) }
}

/** The rows that reference filters name by their keys. */
function namedRows(tables: Tables, table: Table, query: ListQuery) {
  return table.filters.flatMap((filter) => {
    const target = filter.kind === 'reference' ? tables.get(filter.to) : undefined
    const key = target ? parseKey(target, query.filters.get(filter.name)) : null
    return target && key !== null ? [{ name: filter.name, statement: titlesOf(target, [key]) }] : []
  })
}

export function titlesOf(table: Table, keys: readonly AdminKey[]): Template<{ key: AdminKey; title: AdminValue }> {
  const [only, ...others] = keys
  const isAmong =
    only !== undefined && others.length === 0
      ? sql`= ${only}`
      : sql`IN (SELECT value FROM json_each(${JSON.stringify(keys)})) LIMIT ${constant(keys.length)}`
  return template(
    { key: keyOf(table), title: sql<AdminValue>`${table.title}` },
    (columns) => sql`SELECT ${columns} FROM ${rowsOf(table)} ${table.join} WHERE ${keyOf(table)} ${isAmong}`,
  )
}
