import { offsetOf } from '../../db/page-offset.ts'
import { readTogether } from '../../db/read-together.ts'
import { paginate } from '../../web/pagination.ts'
import { typedSearch } from '../../web/typed-text.ts'
import type { DiscordServer, ExploreAllListingsProps } from '../contract.ts'
import { pendingCount } from '../invites/pending-count.ts'
import { wordRanges } from '../search/words.ts'
import type { Viewer } from '../viewer.ts'
import { serverColumns, serverOf, type ServerRow } from './server-row.ts'
import { type Scope, scopeOf } from './visibility.ts'

const serversAPage = 15

export interface Search {
  page: number
  subjectId: number | null
  courseId: number | null
  query: string
}

/** What *Explore All Listings* shows: featured servers first, then by course and name. One round trip. */
export async function exploreListings(
  env: Env,
  viewer: Viewer,
  search: Search,
  referral: string | null,
): Promise<ExploreAllListingsProps> {
  const q = typedSearch(search.query)
  const [rows, pending] = await readTogether<[ListedRow[], { pending: number }[]]>(
    env.DB,
    pageOfServers(env.DB, scopeOf(viewer), { ...search, query: q }),
    pendingCount(env.DB, viewer),
  )
  return {
    ...listed(env, rows, search.page),
    subject_id: search.subjectId,
    course_id: search.courseId,
    q,
    is_search_active: search.subjectId !== null || search.courseId !== null || q !== '',
    pending_invites_count: pending[0]?.pending ?? 0,
    referral,
  }
}

export type ListedRow = ServerRow & { total: number }

export function listed(
  env: Env,
  rows: readonly ListedRow[],
  page: number,
): Pick<ExploreAllListingsProps, 'servers' | 'pagination'> {
  const servers: DiscordServer[] = rows.map((row) => serverOf(row, env.DISCORD_CDN_URL))
  return { servers, pagination: paginate({ page, size: serversAPage, total: rows[0]?.total ?? 0 }).pagination }
}

/** One page of what a scope lists; each row tells how many there are. A search reads what it finds, and no search reads its page alone. */
export function pageOfServers(db: D1Database, scope: Scope, search: Search): D1PreparedStatement {
  const values: unknown[] = [scope.schoolId, search.page]
  const bound = (value: unknown) => `?${values.push(value)}`
  const conditions = [
    ...(search.subjectId === null
      ? []
      : [`server_id IN (SELECT server_id FROM server_subject WHERE subject_id = ${bound(search.subjectId)})`]),
    ...(search.courseId === null
      ? []
      : [`server_id IN (SELECT server_id FROM server_course WHERE course_id = ${bound(search.courseId)})`]),
    ...wordRanges(search.query).map(
      ({ from, to }) =>
        `server_id IN (SELECT server_id FROM server_word WHERE word >= ${bound(from)} AND word < ${bound(to)})`,
    ),
  ]
  // Words of signs alone find nothing.
  if (search.query !== '' && wordRanges(search.query).length === 0) conditions.push('0')
  const inScope = `school_id = ?1 ${scope.withPrivate ? '' : 'AND NOT is_private'}`
  const found = `SELECT server_id, rank, sort_key FROM listing WHERE ${[inScope, ...conditions].join(' AND ')}`
  const total =
    conditions.length > 0
      ? '(SELECT count(*) FROM found)'
      : `(SELECT COALESCE(sum(servers), 0) FROM listing_count WHERE ${inScope})`
  const page = `SELECT * FROM found ORDER BY rank, sort_key, server_id LIMIT ${serversAPage} OFFSET ${offsetOf(serversAPage, '?2', total)}`
  return db
    .prepare(
      `WITH found AS ${conditions.length > 0 ? 'MATERIALIZED' : 'NOT MATERIALIZED'} (${found}), page AS MATERIALIZED (${page})
       SELECT ${total} AS total, ${serverColumns} FROM page p JOIN discord_server s ON s.id = p.server_id
       ORDER BY p.rank, p.sort_key, p.server_id`,
    )
    .bind(...values)
}
