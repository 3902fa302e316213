import { type SQL, sql } from 'drizzle-orm'
import { constant, template } from '../../db/query.ts'
import type { AdminValue } from '../../web/admin-change.ts'
import { allOf, keyOf, listOf, rowsOf, type Table, type Tables, where } from '../table.ts'
import { beginning, conditionsOf, MAX_SCANNED } from './conditions.ts'
import { type Cursor, isBackwards, type ListQuery } from './list-query.ts'

/** Counting stops here. */
export const MAX_COUNTED = 10_000

/** The statements of a page of a list, for one batch; what is not needed is null. */
export function listStatements(
  tables: Tables,
  table: Table,
  query: ListQuery,
  { size, timeZone }: { size: number; timeZone: string },
) {
  const { indexed, scanned } = conditionsOf(tables, table, query, timeZone)
  const order = query.sort?.sort ? [query.sort.sort, keyOf(table)] : [keyOf(table)]
  const direction = query.isDescending === isBackwards(query) ? 'ASC' : 'DESC'
  const ordered = listOf(order.map((by) => sql`${by} ${sql.raw(direction)}`))
  const columns = listColumns(table, query)
  const start = query.cursor ? [...indexed, beyondCursor(order, query.cursor, direction)] : indexed
  const window = scanned.length === 0 ? size + 1 : MAX_SCANNED
  const name = sql.identifier(table.table)
  const rows = rowsOf(table)
  const [first] = order
  const all = sql`${first} AS "_sort", ${name}.*`
  const begins = query.q !== '' && query.cursor === null ? beginning(table, query.q, size) : null
  return {
    // One row more than the page has, from the cursor on. The inner SELECT gives its rows in order.
    page: template(
      columns,
      (list) =>
        sql`SELECT ${list} FROM (SELECT ${all} FROM ${rows} ${where(start)} ORDER BY ${ordered} LIMIT ${constant(window)}) AS ${name}
          ${table.join} ${where(scanned)} LIMIT ${constant(size + 1)}`,
    ),
    count:
      scanned.length === 0
        ? template(
            { matched: sql<number>`count(*)`, scanned: sql<number>`0` },
            (list) =>
              sql`SELECT ${list} FROM (SELECT 1 FROM ${rows} ${where(indexed)} LIMIT ${constant(MAX_COUNTED + 1)})`,
          )
        : template(
            { matched: sql<number>`count(CASE WHEN ${allOf(scanned)} THEN 1 END)`, scanned: sql<number>`count(*)` },
            (list) =>
              sql`SELECT ${list} FROM (SELECT ${name}.* FROM ${rows} ${where(indexed)} ORDER BY ${ordered} LIMIT ${constant(MAX_SCANNED)}) AS ${name}`,
          ),
    // Where the window ends, if the table goes on behind it.
    windowEnd:
      scanned.length === 0
        ? null
        : template(
            { key: keyOf(table), sort: sql<AdminValue>`${first}` },
            (list) =>
              sql`SELECT ${list} FROM ${rows} ${where(start)} ORDER BY ${ordered} LIMIT 1 OFFSET ${constant(MAX_SCANNED - 1)}`,
          ),
    // Rows found by how they begin, wherever they are.
    beginning:
      begins &&
      template(
        columns,
        (list) =>
          sql`SELECT ${list} FROM (SELECT ${all} FROM ${rows} ${where([begins, ...indexed, ...scanned.slice(0, -1)])}
            ORDER BY ${ordered} LIMIT ${constant(size)}) AS ${name} ${table.join}`,
      ),
  }
}

/** `key`, `title`, `_sort`, `c_<column>`, and `k_<column>` where a column leads somewhere. */
function listColumns(table: Table, { sort }: Pick<ListQuery, 'sort'>): Record<string, SQL<AdminValue>> {
  const shown = table.columns.flatMap((column): [string, SQL<AdminValue>][] => [
    [`c_${column.name}`, sql`${column.sql}`],
    ...(column.link ? [[`k_${column.name}`, sql`${column.link.key}`] satisfies [string, SQL<AdminValue>]] : []),
  ])
  return {
    key: keyOf(table),
    title: sql`${table.title}`,
    _sort: sort ? sql`${sql.identifier(table.table)}."_sort"` : sql`NULL`,
    ...Object.fromEntries(shown),
  }
}

/** Spelled out, because a comparison of row values does not use an index on an expression. */
function beyondCursor([first, key]: readonly SQL[], cursor: Cursor, direction: 'ASC' | 'DESC'): SQL {
  const beyond = sql.raw(direction === 'ASC' ? '>' : '<')
  const beyondKey = cursor.side === 'from' || cursor.side === 'until' ? sql`${beyond}=` : beyond
  if (!key) return sql`${first} ${beyondKey} ${cursor.key}`
  const sort = cursor.sort ?? ''
  return sql`${first} ${beyond}= ${sort} AND (${first} ${beyond} ${sort} OR ${key} ${beyondKey} ${cursor.key})`
}
