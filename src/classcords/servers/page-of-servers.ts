import { offsetOf } from '../../db/page-offset.ts'
import { serverColumns, type ServerRow } from './server-row.ts'
import { type Bind, listedIn, type SearchPlan, serversAPage } from './search-plan.ts'
import type { Scope } from './visibility.ts'

/** Listings between two rows of listing_mark. */
const MARK_DISTANCE = 1000

const placesOfAPage = JSON.stringify(Array.from({ length: serversAPage }, (_unused, place) => place))

/** `total`: how many there are on all pages. */
export type ListedRow = ServerRow & { total: number }

/**
 * One page of what a scope lists and a search finds; a page past the end is the last one. Without a plan nothing is found. What it
 * reads does not grow with the directory: the whole list is entered at the nearest mark, and a search looks at so many candidates.
 */
export function pageOfServers(
  db: D1Database,
  scope: Scope,
  plan: SearchPlan | null,
  page: number,
): D1PreparedStatement {
  if (plan === null) return db.prepare('SELECT 0 AS total WHERE 0')
  const values: unknown[] = []
  const bind: Bind = (value) => `?${values.push(value)}`
  const asked = bind(page)
  return db
    .prepare(plan.conditions.length === 0 ? listedFrom(scope, asked, bind) : searched(scope, plan, asked, bind))
    .bind(...values)
}

/** The cards of the servers in `page`, each with its `place` among them. */
const cards = `SELECT p.total, ${serverColumns} FROM page p CROSS JOIN discord_server s ON s.id = p.server_id ORDER BY p.place`

/** Where a page starts. Numbers arrive as floating ones, which have another division. */
const startOf = (page: string) => `CAST(${offsetOf(serversAPage, page, 'total')} AS INTEGER)`

/** A `+` keeps a column's affinity out of the comparison, or the index would serve its first column only. */
function listedFrom(scope: Scope, page: string, bind: Bind): string {
  const school = bind(scope.schoolId)
  return `WITH list AS MATERIALIZED (SELECT ${listedIn(scope, bind)} AS total),
    page AS MATERIALIZED (
      SELECT (SELECT total FROM list) AS total, l.server_id, row_number() OVER (ORDER BY l.rank, l.sort_key, l.server_id) AS place
      FROM (SELECT l.* FROM listing_mark m
        CROSS JOIN listing l ON l.school_id = ${school} ${scope.withPrivate ? '' : 'AND NOT l.is_private'}
          AND (l.rank, l.sort_key, l.server_id) >= (+m.rank, +m.sort_key, +m.server_id)
        WHERE m.school_id = ${school} AND m.with_private = ${scope.withPrivate ? 1 : 0}
          AND m.number = (SELECT ${startOf(page)} / ${MARK_DISTANCE} FROM list)
        ORDER BY l.rank, l.sort_key, l.server_id
        LIMIT ${serversAPage} OFFSET (SELECT ${startOf(page)} % ${MARK_DISTANCE} FROM list)) l)
    ${cards}`
}

/** What is found is one row, a list of ids: each further pass over its rows would read them all again. */
function searched(scope: Scope, plan: SearchPlan, page: string, bind: Bind): string {
  const school = bind(scope.schoolId)
  const isShown = (table: string) =>
    `${table}.school_id = ${school} ${scope.withPrivate ? '' : `AND NOT ${table}.is_private`}`
  const [rarest, ...others] = plan.conditions
  const first = plan.isByCondition && rarest
  const candidates = first
    ? `SELECT DISTINCT server_id FROM (SELECT server_id FROM ${first.table} WHERE ${first.rows(bind)} LIMIT ${plan.candidates})`
    : `SELECT server_id, rank, sort_key FROM listing l WHERE ${isShown('l')} ORDER BY rank, sort_key, server_id LIMIT ${plan.candidates}`
  const probes = (first ? others : plan.conditions).map(
    ({ table, rows }) => `EXISTS (SELECT 1 FROM ${table} t WHERE t.server_id = k.server_id AND ${rows(bind)})`,
  )
  const found = `SELECT k.server_id FROM (${candidates}) k
    ${first ? `CROSS JOIN listing l ON ${isShown('l')} AND l.server_id = k.server_id` : ''}
    WHERE ${['true', ...probes].join(' AND ')} ORDER BY rank, sort_key, k.server_id`
  return `WITH found AS MATERIALIZED (SELECT json_group_array(server_id) AS ids, count(*) AS total FROM (${found})),
    page AS MATERIALIZED (
      SELECT total, e.value AS place, ids ->> (${startOf(page)} + e.value) AS server_id FROM found, json_each('${placesOfAPage}') e)
    ${cards}`
}
