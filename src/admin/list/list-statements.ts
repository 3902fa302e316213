import type { AdminTable } from '../../web/admin-table.ts'
import { keyOf, rowsOf, sqlOf, type Tables } from '../table-parts.ts'
import { beginning, type Condition, conditionsOf, windowSize } from './conditions.ts'
import { type Cursor, isBackwards, type ListQuery, orderOf } from './list-query.ts'

/** Lists are counted no further. */
export const mostCounted = 10_000

/** The statements of a page of a list, for one batch; what is not needed is null. */
interface ListStatements {
  /** One row more than the page has, from the cursor on. */
  page: D1PreparedStatement
  /** `matched` of `looked` rows. */
  count: D1PreparedStatement
  /** Where the window ends, if the table goes on behind it. */
  windowEnd: D1PreparedStatement | null
  /** Rows found by how they begin, wherever they are. */
  beginning: D1PreparedStatement | null
}

export function listStatements(
  db: D1Database,
  tables: Tables,
  table: AdminTable,
  query: ListQuery,
  { size, timeZone }: { size: number; timeZone: string },
): ListStatements {
  const { indexed, looked } = conditionsOf(tables, table, query, timeZone)
  const order = orderOf(table, query)
  const direction = order.isDescending === isBackwards(query) ? 'ASC' : 'DESC'
  const ordered = order.by.map((sql) => `${sql} ${direction}`).join(', ')
  const columns = listColumns(table, query)
  const start = query.cursor ? [...indexed, cursorCondition(order.by, query.cursor, direction)] : indexed
  const window = looked.length === 0 ? size + 1 : windowSize
  const all = `${order.by[0]} AS "_sort", t.*`
  const rows = rowsOf(table)
  const bind = (sql: string, ...conditions: Condition[][]) =>
    db.prepare(sql).bind(...conditions.flat().flatMap((condition) => condition.values))
  const isBeginning = query.q !== '' && query.cursor === null
  const begins = isBeginning ? beginning(table, query.q, size) : null
  const others = looked.slice(0, -1)
  return {
    // The inner SELECT gives its rows in order; nothing outside changes it.
    page: bind(
      `SELECT ${columns} FROM (SELECT ${all} FROM ${rows} t ${where(start)} ORDER BY ${ordered} LIMIT ${window}) t
       ${table.join ?? ''} ${where(looked)} LIMIT ${size + 1}`,
      start,
      looked,
    ),
    count:
      looked.length === 0
        ? bind(
            `SELECT count(*) AS matched, 0 AS looked FROM (SELECT 1 FROM ${rows} t ${where(indexed)} LIMIT ${mostCounted + 1})`,
            indexed,
          )
        : bind(
            `SELECT count(CASE WHEN ${and(looked)} THEN 1 END) AS matched, count(*) AS looked
             FROM (SELECT t.* FROM ${rows} t ${where(indexed)} ORDER BY ${ordered} LIMIT ${windowSize}) t`,
            looked,
            indexed,
          ),
    windowEnd:
      looked.length === 0
        ? null
        : bind(
            `SELECT t.${keyOf(table).column} AS "key", ${order.by[0]} AS "_sort" FROM ${rows} t ${where(start)}
             ORDER BY ${ordered} LIMIT 1 OFFSET ${windowSize - 1}`,
            start,
          ),
    beginning: begins
      ? bind(
          `SELECT ${columns} FROM (SELECT ${all} FROM ${rows} t ${where([begins, ...indexed, ...others])}
             ORDER BY ${ordered} LIMIT ${size}) t ${table.join ?? ''}`,
          [begins],
          indexed,
          others,
        )
      : null,
  }
}

/** What a list shows of a row: `key`, `title`, `_sort`, `c_<column>`, and `k_<column>` where a column leads somewhere. */
function listColumns(table: AdminTable, { sort }: Pick<ListQuery, 'sort'>): string {
  const shown = table.columns.flatMap((column) => [
    `${sqlOf(column)} AS "c_${column.name}"`,
    ...(column.link ? [`${column.link.key} AS "k_${column.name}"`] : []),
  ])
  return [
    `t.${keyOf(table).column} AS "key"`,
    `${table.title} AS "title"`,
    sort ? 't."_sort" AS "_sort"' : 'NULL AS "_sort"',
    ...shown,
  ].join(', ')
}

const and = (conditions: readonly Condition[]): string => conditions.map(({ sql }) => `(${sql})`).join(' AND ')
const where = (conditions: readonly Condition[]): string => (conditions.length === 0 ? '' : `WHERE ${and(conditions)}`)

/** Spelled out, because a comparison of row values does not use an index on an expression. */
function cursorCondition(by: readonly string[], cursor: Cursor, direction: 'ASC' | 'DESC'): Condition {
  const beyond = direction === 'ASC' ? '>' : '<'
  const beyondKey = cursor.side === 'from' || cursor.side === 'until' ? `${beyond}=` : beyond
  const [first = '', key] = by
  if (key === undefined) return { sql: `${first} ${beyondKey} ?`, values: [cursor.key] }
  const sort = cursor.sort ?? ''
  return {
    sql: `${first} ${beyond}= ? AND (${first} ${beyond} ? OR ${key} ${beyondKey} ?)`,
    values: [sort, sort, cursor.key],
  }
}
