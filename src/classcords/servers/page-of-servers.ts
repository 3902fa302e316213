import { type SQL, sql } from 'drizzle-orm'
import { alias, type SQLiteColumn } from 'drizzle-orm/sqlite-core'
import {
  pageOffset,
  type Filled,
  prepared,
  listed,
  names,
  type RowOfFields,
  statement,
  type Template,
  template,
  compiledText,
  parameter,
} from '../../db/query.ts'
import { listing, listingMark, serverSchool } from '../../db/schema/index.ts'
import { serverFields } from './server-row.ts'
import { countListed, type SearchPlan, type Sort, SERVERS_PER_PAGE, wholeList } from './search-plan.ts'
import type { Scope } from './visibility.ts'
import { theServer, serverTable } from '../aliases.ts'

/** Listings from one row of {@link listingMark} to the next. */
const MARK_DISTANCE = sql.raw('1000')

const placesOfAPage = JSON.stringify(Array.from({ length: SERVERS_PER_PAGE }, (_unused, place) => place))

const l = alias(listing, 'l')
const m = alias(listingMark, 'm')
const serverId = names(listing.serverId)

/** A card, and `total`: how many there are on all pages. */
const cardFields = { total: sql<number>`p.total`, ...serverFields }

let cardText: SQL | undefined

/** The columns of a card as text, built once: they are most of a search's statement and have no parameters. */
const cardColumns = () => (cardText ??= sql.raw(compiledText(statement(listed(cardFields))).text))

export type ListedRow = RowOfFields<typeof cardFields>

/**
 * A page past the end is the last one, and without a plan there are none. The cost does not grow with the directory:
 * the whole list is read from the nearest mark, and a search reads a limited number of candidates.
 */
export function pageOfServers(
  scope: Scope,
  plan: SearchPlan | null,
  page: number,
  sort: Sort = 'relevance',
): Template<ListedRow> | Filled<ListedRow> {
  if (plan === null) return template(cardFields, () => sql`SELECT 1 WHERE false`)
  if (sort === 'newest' && plan.first === null) return findNewest(scope, plan, page)
  if (scope.ownSchoolId !== undefined || sort !== 'relevance') return findSorted(scope, plan, page, sort)
  if (plan !== wholeList) return findSearched(scope, plan, page)
  return scope.withPrivate
    ? findFullPage({ school: scope.schoolId, page })
    : findPublicPage({ school: scope.schoolId, page })
}

/** The cards of the servers in `page`, each with its `place` among them. */
const cardsOf = (pages: SQL) =>
  template(
    cardFields,
    () => sql`WITH ${pages}
      SELECT ${cardColumns()} FROM page p CROSS JOIN ${serverTable} ON ${theServer.id} = p.${serverId} ORDER BY p.place`,
  )

/** Where a page starts, as an integer, because D1 binds numbers as floating-point, which would divide differently. */
const startOf = (page: number | SQL) => sql`CAST(${pageOffset(SERVERS_PER_PAGE, page, sql`total`)} AS INTEGER)`

const isShown = ({ schoolId, withPrivate }: { schoolId: number | SQL; withPrivate: boolean }): SQL =>
  withPrivate ? sql`${l.schoolId} = ${schoolId}` : sql`${l.schoolId} = ${schoolId} AND NOT ${l.isPrivate}`

/** Without the `+`, the columns' affinity would limit the index to its first column. */
function wholeListPage(withPrivate: boolean) {
  const schoolId = parameter('school')
  const start = startOf(parameter('page'))
  return cardsOf(sql`list AS MATERIALIZED (SELECT ${countListed({ schoolId, withPrivate })} AS total),
    page AS MATERIALIZED (
      SELECT (SELECT total FROM list) AS total, ${l.serverId}, row_number() OVER (ORDER BY ${l.rank}, ${l.sortKey}, ${l.serverId}) AS place
      FROM (SELECT ${l}.* FROM ${listingMark} ${m}
        CROSS JOIN ${listing} ${l} ON ${isShown({ schoolId, withPrivate })}
          AND (${l.rank}, ${l.sortKey}, ${l.serverId}) >= (+${m.rank}, +${m.sortKey}, +${m.serverId})
        WHERE ${m.schoolId} = ${schoolId} AND ${m.withPrivate} = ${sql.raw(withPrivate ? '1' : '0')}
          AND ${m.number} = (SELECT ${start} / ${MARK_DISTANCE} FROM list)
        ORDER BY ${l.rank}, ${l.sortKey}, ${l.serverId}
        LIMIT ${SERVERS_PER_PAGE} OFFSET (SELECT ${start} % ${MARK_DISTANCE} FROM list)) ${l})`)
}

const findPublicPage = prepared(() => wholeListPage(false))
const findFullPage = prepared(() => wholeListPage(true))

/** The SQL condition that a server meets all conditions of a search. @param id the server's id */
const meetsAll = (conditions: SearchPlan['others'], id: SQL | SQLiteColumn) =>
  sql.join(
    [
      sql`true`,
      ...conditions.map(
        ({ table, serverId: column, rows }) => sql`EXISTS (SELECT 1 FROM ${table} WHERE ${column} = ${id} AND ${rows})`,
      ),
    ],
    sql` AND `,
  )

/** Ids become one row with a JSON list, because each further pass over rows would read them all again. */
const pageOfFound = (found: SQL, page: number) =>
  cardsOf(sql`found AS MATERIALIZED (SELECT json_group_array(${serverId}) AS ids, count(*) AS total FROM (${found})),
    page AS MATERIALIZED (
      SELECT total, e.value AS place, ids ->> (${startOf(page)} + e.value) AS ${serverId}
      FROM found, json_each(${placesOfAPage}) e)`)

function findSearched(scope: Scope, { first, others, candidates: most }: SearchPlan, page: number) {
  const candidates = first
    ? sql`SELECT DISTINCT ${serverId} FROM (SELECT ${first.serverId} FROM ${first.table} WHERE ${first.rows} LIMIT ${most})`
    : sql`SELECT ${l.serverId}, ${l.rank}, ${l.sortKey} FROM ${listing} ${l} WHERE ${isShown(scope)}
        ORDER BY ${l.rank}, ${l.sortKey}, ${l.serverId} LIMIT ${most}`
  return pageOfFound(
    sql`SELECT k.${serverId} FROM (${candidates}) k
      ${first ? sql`CROSS JOIN ${listing} ${l} ON ${isShown(scope)} AND ${l.serverId} = k.${serverId}` : sql``}
      WHERE ${meetsAll(others, sql`k.${serverId}`)} ORDER BY ${names(listing.rank, listing.sortKey)}, k.${serverId}`,
    page,
  )
}

/** Merges parts of the list that an index has in this order, so that only the newest are read. */
function findNewest(scope: Scope, { others, candidates: most }: SearchPlan, page: number) {
  const { schoolId, withPrivate, ownSchoolId = withPrivate ? schoolId : undefined } = scope
  const partsOf = (school: number, isPrivate: string) =>
    ['0', '1'].map(
      (rank) => sql`SELECT ${l.serverId}, ${l.createdAt} FROM ${listing} ${l}
        WHERE ${l.schoolId} = ${school} AND ${l.rank} = ${sql.raw(rank)} AND ${l.isPrivate} = ${sql.raw(isPrivate)}`,
    )
  const parts = [...partsOf(schoolId, '0'), ...(ownSchoolId === undefined ? [] : partsOf(ownSchoolId, '1'))]
  const newest = sql`${sql.join(parts, sql` UNION ALL `)} ORDER BY ${names(listing.createdAt)} DESC LIMIT ${most}`
  return pageOfFound(
    sql`SELECT k.${serverId} FROM (${newest}) k
      WHERE ${meetsAll(others, sql`k.${serverId}`)} ORDER BY k.${names(listing.createdAt)} DESC, k.${serverId}`,
    page,
  )
}

const orders: Record<Sort, SQL> = {
  relevance: sql`isOther, rank, sort_key`,
  newest: sql`created_at DESC`,
  members: sql`member_count DESC`,
}

/** Orders without an index: own school first, most members, newest of a condition. Sorts a limited number of candidates. */
function findSorted(scope: Scope, plan: SearchPlan, page: number, sort: Sort) {
  const { ownSchoolId: own } = scope
  const { first, others, candidates: most } = plan
  const topOf = (part: Scope) => sql`SELECT * FROM (SELECT ${l.serverId} FROM ${listing} ${l} WHERE ${isShown(part)}
    ORDER BY ${l.rank}, ${l.sortKey}, ${l.serverId} LIMIT ${most})`
  const candidates = first
    ? sql`SELECT ${first.serverId} FROM ${first.table} WHERE ${first.rows} LIMIT ${most}`
    : own === undefined
      ? topOf(scope)
      : sql`${topOf({ schoolId: own, withPrivate: true })} UNION ${topOf(scope)}`
  const isOwn =
    own === undefined
      ? sql`false`
      : sql`EXISTS (SELECT 1 FROM ${serverSchool} WHERE ${serverSchool.serverId} = ${l.serverId} AND ${serverSchool.schoolId} = ${own})`
  const isVisible = own === undefined ? isShown(scope) : sql`${l.schoolId} = 0 AND (NOT ${l.isPrivate} OR ${isOwn})`
  return pageOfFound(
    sql`SELECT ${l.serverId} AS server_id, NOT ${isOwn} AS isOther, ${l.rank} AS rank, ${l.sortKey} AS sort_key,
        ${l.createdAt} AS created_at, ${sort === 'members' ? theServer.memberCount : sql`0`} AS member_count
      FROM (SELECT DISTINCT ${serverId} FROM (${candidates})) k
      CROSS JOIN ${listing} ${l} ON ${isVisible} AND ${l.serverId} = k.${serverId}
      ${sort === 'members' ? sql`CROSS JOIN ${serverTable} ON ${theServer.id} = ${l.serverId}` : sql``}
      WHERE ${meetsAll(others, l.serverId)} ORDER BY ${orders[sort]}, server_id`,
    page,
  )
}
