import type { AdminFilter, AdminTable } from '../../web/admin-table.ts'
import { keyOf, parseKey, rowsOf, sqlOf, type Tables } from '../table-parts.ts'
import { momentOf } from '../zone-time.ts'
import type { ListQuery } from './list-query.ts'

/** Rows that one page looks at when no index finds what it wants. */
export const windowSize = 20_000
const mostNamed = 1000

/** SQL on `t` that a row must meet. */
export interface Condition {
  sql: string
  values: (string | number)[]
  /** An index that finds its rows gives them in another order than that of the key. */
  isScattered?: true
}

interface Conditions {
  /** Found by an index in the order of the list: they may run over the whole table. */
  indexed: Condition[]
  /** Looked at row by row, in a window. */
  looked: Condition[]
}

/** What the filters and the search of a list demand. Only one index can serve, so one condition is taken as indexed. */
export function conditionsOf(tables: Tables, table: AdminTable, query: ListQuery, timeZone: string): Conditions {
  const conditions: Conditions = { indexed: [], looked: [] }
  for (const filter of table.filters ?? []) {
    const condition = conditionOf(tables, filter, query.filters, timeZone)
    if (!condition) continue
    const isServed = filter.isIndexed && !condition.isScattered && query.sort === null
    if (isServed && conditions.indexed.length === 0) conditions.indexed.push(condition)
    else conditions.looked.push(condition)
  }
  if (query.q !== '' && table.search) conditions.looked.push(contains(table.search.contains, query.q))
  return conditions
}

function conditionOf(
  tables: Tables,
  filter: AdminFilter,
  given: ReadonlyMap<string, string>,
  timeZone: string,
): Condition | null {
  const sql = sqlOf(filter)
  const value = given.get(filter.name)
  switch (filter.kind) {
    case 'choice': {
      const choice = filter.choices.find((one) => one.value === value)
      if (!choice) return null
      return choice.where === undefined
        ? { sql: `${sql} = ?`, values: [choice.value] }
        : { sql: choice.where, values: [] }
    }
    case 'boolean':
      return value === '1' || value === '0' ? { sql: `${sql} = ${value}`, values: [] } : null
    case 'reference': {
      const target = tables.get(filter.to)
      const key = target ? parseKey(target, value) : null
      if (key !== null) return { sql: `${sql} = ?`, values: [key] }
      return target && value !== undefined ? named(target, sql, value) : null
    }
    case 'moment': {
      const from = momentOf(given.get(`${filter.name}_from`) ?? '', timeZone)
      const to = endOfDay(given.get(`${filter.name}_to`) ?? '', timeZone)
      const bounds = [
        ...(from === null ? [] : [{ sql: `${sql} >= ?`, value: from }]),
        ...(to === null ? [] : [{ sql: `${sql} < ?`, value: to }]),
      ]
      if (bounds.length === 0) return null
      return {
        sql: bounds.map((bound) => bound.sql).join(' AND '),
        values: bounds.map((bound) => bound.value),
        isScattered: true,
      }
    }
  }
}

/** Rows that refer to one whose own search finds it: among the newest, as many as a page looks through. */
function named(target: AdminTable, sql: string, words: string): Condition | null {
  if (!target.search) return null
  const { column } = keyOf(target)
  const found = contains(target.search.contains, words)
  const begun = beginning(target, words, mostNamed)
  const newest = `(SELECT * FROM ${rowsOf(target)} ORDER BY ${column} DESC LIMIT ${windowSize})`
  return {
    sql: `${sql} IN (SELECT t.${column} FROM ${newest} t WHERE ${found.sql}
            ${begun ? `UNION SELECT t.${column} FROM ${rowsOf(target)} t WHERE ${begun.sql}` : ''})`,
    values: [...found.values, ...(begun?.values ?? [])],
    isScattered: true,
  }
}

/** The day's last moment is the next day's first: days are 23 to 25 hours long. */
function endOfDay(day: string, timeZone: string): number | null {
  if (!/^\d{4}-\d\d-\d\d$/.test(day)) return null
  const next = new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000)
  return Number.isNaN(next.getTime()) ? null : momentOf(next.toISOString().slice(0, 10), timeZone)
}

/** As SQLite's lower() does it: ASCII only. */
const lowered = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

function contains(expressions: readonly string[], q: string): Condition {
  const text = lowered(q)
  return {
    sql: expressions.map((expression) => `instr(lower(${expression}), ?) > 0`).join(' OR '),
    values: expressions.map(() => text),
  }
}

/** Rows whose key it is or whose indexed text begins with it, at most `limit` of each; null when there is no such index. */
export function beginning(table: AdminTable, q: string, limit: number): Condition | null {
  const column = keyOf(table).column
  const key = parseKey(table, q)
  const text = lowered(q)
  const parts: Condition[] = [
    ...(key === null ? [] : [{ sql: 'SELECT ?', values: [key] }]),
    ...(table.search?.begins ?? []).map((expression) => ({
      sql: `SELECT * FROM (SELECT t.${column} FROM ${rowsOf(table)} t
              WHERE ${expression} >= ? AND ${expression} < ? || char(1114111) LIMIT ${limit})`,
      values: [text, text],
    })),
  ]
  if (parts.length === 0) return null
  return {
    sql: `t.${column} IN (${parts.map((part) => part.sql).join(' UNION ')})`,
    values: parts.flatMap((part) => part.values),
  }
}
