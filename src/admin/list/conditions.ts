import { type SQL, sql } from 'drizzle-orm'
import { constant } from '../../db/query.ts'
import { beginsWith, foldedText, foldedWord, spellingsOf } from '../../db/search-words.ts'
import { allOf, type Filter, keyOf, rowsOf, type Table, type Tables, where } from '../table.ts'
import { parseKey } from '../table-parts.ts'
import { parseLocalTime } from '../../lib/time.ts'
import type { ListQuery } from './list-query.ts'

/** How many rows one page examines when no index fits. */
export const MAX_SCANNED = 20_000
const MAX_NAMED = 1000

interface Conditions {
  /** Found by an index in the order of the list: they may run over the whole table. */
  indexed: SQL[]
  /** Looked at row by row, in a window. */
  scanned: SQL[]
}

interface Demand {
  sql: SQL
  /** An index finds its rows, but in an order other than the key's. */
  isScattered?: true
}

/** Only one index can be used, so one condition is treated as indexed. */
export function conditionsOf(tables: Tables, table: Table, query: ListQuery, timeZone: string): Conditions {
  const conditions: Conditions = { indexed: [], scanned: [] }
  for (const filter of table.filters) {
    const demand = demandOf(tables, filter, query.filters, timeZone)
    if (!demand) continue
    const isServed = filter.isIndexed && !demand.isScattered && query.sort === null
    if (isServed && conditions.indexed.length === 0) conditions.indexed.push(demand.sql)
    else conditions.scanned.push(demand.sql)
  }
  if (query.q !== '' && table.search) conditions.scanned.push(contains(table.search.contains, query.q))
  return conditions
}

function demandOf(tables: Tables, filter: Filter, given: ReadonlyMap<string, string>, timeZone: string): Demand | null {
  const value = given.get(filter.name)
  switch (filter.kind) {
    case 'choice': {
      const choice = filter.choices.find((one) => one.value === value)
      return choice ? { sql: choice.where ?? sql`${filter.sql} = ${choice.value}` } : null
    }
    case 'boolean':
      return value === '1' || value === '0' ? { sql: sql`${filter.sql} = ${constant(Number(value))}` } : null
    case 'reference': {
      const target = tables.get(filter.to)
      const key = target ? parseKey(target, value) : null
      if (key !== null) return { sql: sql`${filter.sql} = ${key}` }
      return target && value !== undefined ? named(target, filter.sql, value) : null
    }
    case 'moment': {
      const from = parseLocalTime(given.get(`${filter.name}_from`) ?? '', timeZone)
      const to = endOfDay((given.get(`${filter.name}_to`) ?? '').slice(0, 10), timeZone)
      const bounds = [
        ...(from === null ? [] : [sql`${filter.sql} >= ${from}`]),
        ...(to === null ? [] : [sql`${filter.sql} < ${to}`]),
      ]
      return bounds.length === 0 ? null : { sql: allOf(bounds), isScattered: true }
    }
  }
}

/** By that table's own search, which looks at as many of the newest rows as a page examines. */
function named(target: Table, expression: SQL, words: string): Demand | null {
  if (!target.search) return null
  const key = keyOf(target)
  const starting = beginning(target, words, MAX_NAMED)
  const name = sql.identifier(target.table)
  return {
    sql: sql`${expression} IN (
      SELECT ${key} FROM (SELECT * FROM ${rowsOf(target)} ORDER BY ${key} DESC LIMIT ${constant(MAX_SCANNED)}) AS ${name}
      ${where([contains(target.search.contains, words)])}
      ${starting ? sql`UNION SELECT ${key} FROM ${rowsOf(target)} ${where([starting])}` : sql``})`,
    isScattered: true,
  }
}

/** A day ends where the next one begins, because days are 23 to 25 hours long. */
function endOfDay(day: string, timeZone: string): number | null {
  if (!/^\d{4}-\d\d-\d\d$/.test(day)) return null
  const next = new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000)
  return Number.isNaN(next.getTime()) ? null : parseLocalTime(next.toISOString().slice(0, 10), timeZone)
}

/** The texts of a row are put together and folded once. */
function contains(expressions: readonly SQL[], q: string): SQL {
  const texts = expressions.map((expression) => sql`coalesce(${expression}, '')`)
  const text = sql`SELECT ${sql.join(texts, sql` || char(10) || `)} AS text LIMIT 1`
  const found = spellingsOf(foldedWord(q)).map((spelling) => sql`instr(folded, ${spelling}) > 0`)
  return sql`EXISTS (SELECT 1 FROM (SELECT ${foldedText(sql`text`)} AS folded FROM (${text}) LIMIT 1)
    WHERE ${sql.join(found, sql` OR `)})`
}

/** At most `limit` rows by key and by each indexed text; null when there is no such index. */
export function beginning(table: Table, q: string, limit: number): SQL | null {
  const key = parseKey(table, q)
  const parts = [
    ...(key === null ? [] : [sql`SELECT ${key}`]),
    ...(table.search?.begins ?? []).map(
      (expression) => sql`SELECT * FROM (SELECT ${keyOf(table)} FROM ${rowsOf(table)}
        WHERE ${beginsWith(expression, q)} LIMIT ${constant(limit)})`,
    ),
  ]
  return parts.length === 0 ? null : sql`${keyOf(table)} IN (${sql.join(parts, sql` UNION `)})`
}
