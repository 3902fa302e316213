import type { AdminKey, AdminRow, AdminTable, AdminValue } from '../../web/admin-table.ts'
import { keyOf, parseKey, rowsOf, type Tables } from '../table-parts.ts'
import { windowSize } from './conditions.ts'
import { type Cursor, isBackwards, type ListQuery, turned } from './list-query.ts'
import { listStatements, mostCounted } from './list-statements.ts'

export const rowsAPage = 50

export interface ListedRow {
  key: AdminKey
  title: string
  sort: AdminValue
  row: AdminRow
}

export interface List {
  rows: ListedRow[]
  /** `isMore`: there are more than that; `looked`: among so many rows only. */
  count: { matched: number; isMore: boolean; looked: number | null }
  /** Where the page before ends, and the next one begins. */
  previous: Cursor | null
  next: Cursor | null
  /** The page is all that was found so far, and there are rows left to look through. */
  isUnfinished: boolean
  /** Titles of the rows that reference filters name. */
  filterTitles: ReadonlyMap<string, string>
}

interface ReadOptions {
  timeZone: string
  size?: number
  /** The rows alone, without what a page says above them. */
  isPlain?: boolean
}

/** A page of a list in one round trip. */
export async function readList(
  db: D1Database,
  tables: Tables,
  table: AdminTable,
  query: ListQuery,
  { timeZone, size = rowsAPage, isPlain = false }: ReadOptions,
): Promise<List> {
  const statements = listStatements(db, tables, table, query, { size, timeZone })
  const titles = isPlain ? [] : filterTitleStatements(db, tables, table, query)
  const results = await db.batch<AdminRow>([
    statements.page,
    ...(isPlain ? [] : [statements.count]),
    ...(statements.windowEnd ? [statements.windowEnd] : []),
    ...(statements.beginning ? [statements.beginning] : []),
    ...titles.map(({ statement }) => statement),
  ])
  const lists = results.map((result) => result.results)
  const found = (lists.shift() ?? []).map(listedRow)
  const [count] = isPlain ? [] : (lists.shift() ?? [])
  const [end] = statements.windowEnd ? (lists.shift() ?? []) : []
  const begun = statements.beginning ? (lists.shift() ?? []).map(listedRow) : []
  const filterTitles = titles.flatMap(({ name }, index) => {
    const title = lists[index]?.[0]?.['title']
    return title === undefined ? [] : [[name, String(title)] as const]
  })
  return {
    ...arrange(query, found, end ? { key: end['key'] ?? '', sort: end['_sort'] ?? null } : null, begun, size),
    count: countOf(count),
    filterTitles: new Map(filterTitles),
  }
}

function listedRow(row: AdminRow): ListedRow {
  return { key: row['key'] ?? '', title: String(row['title'] ?? ''), sort: row['_sort'] ?? null, row }
}

function countOf(row: AdminRow | undefined): List['count'] {
  const matched = Number(row?.['matched'] ?? 0)
  const looked = Number(row?.['looked'] ?? 0)
  const isWholeWindow = looked >= windowSize
  return {
    matched: Math.min(matched, mostCounted),
    isMore: matched > mostCounted || isWholeWindow,
    looked: isWholeWindow && matched < mostCounted ? looked : null,
  }
}

type Place = Pick<Cursor, 'key' | 'sort'>

function arrange(
  query: ListQuery,
  found: readonly ListedRow[],
  end: Place | null,
  begun: readonly ListedRow[],
  size: number,
): Pick<List, 'rows' | 'previous' | 'next' | 'isUnfinished'> {
  const isFull = found.length > size
  const page = found.slice(0, size)
  if (isBackwards(query)) page.reverse()
  const exact = begun.filter(({ key }) => String(key) === query.q)
  const keys = new Set([...exact, ...page].map(({ key }) => key))
  const others = page.filter(({ key }) => !exact.some((one) => one.key === key))
  const begins = isFull ? [] : begun.filter(({ key }) => !keys.has(key))
  return {
    rows: [...exact, ...others, ...begins.slice(0, size)],
    ...neighbours(query, page, isFull, end),
    isUnfinished: !isFull && end !== null,
  }
}

/** Where a page leads. The way it came from is always open, also when none of the rows it looked through fits. */
function neighbours(
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
  const back = cursor && turned(cursor)
  if (isBackwards(query)) {
    return { previous: before(isFull ? (first ?? null) : end), next: last ? after(last) : back }
  }
  return { previous: cursor && (first ? before(first) : back), next: after(isFull ? (last ?? null) : end) }
}

function filterTitleStatements(db: D1Database, tables: Tables, table: AdminTable, query: ListQuery) {
  return (table.filters ?? []).flatMap((filter) => {
    const target = filter.kind === 'reference' ? tables.get(filter.to) : undefined
    const key = target ? parseKey(target, query.filters.get(filter.name)) : null
    return target && key !== null ? [{ name: filter.name, statement: titleStatement(db, target, key) }] : []
  })
}

/** The title of one row. */
export function titleStatement(db: D1Database, table: AdminTable, key: AdminKey): D1PreparedStatement {
  const { column } = keyOf(table)
  return db
    .prepare(
      `SELECT t.${column} AS "key", ${table.title} AS "title" FROM ${rowsOf(table)} t ${table.join ?? ''} WHERE t.${column} = ?`,
    )
    .bind(key)
}
