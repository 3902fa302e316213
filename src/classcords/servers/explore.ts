import { readTogether } from '../../db/query.ts'
import { paginate } from '../../web/pagination.ts'
import { notThere } from '../../web/refusal.ts'
import { typedSearch } from '../../lib/typed-text.ts'
import type { DiscordServer, ExploreAllListingsProps, SchoolProps } from '../contract.ts'
import { pendingCount } from '../invites/list-pending.ts'
import { findSchool } from '../schools/catalogue.ts'
import type { Viewer } from '../viewer.ts'
import { type ListedRow, pageOfServers } from './page-of-servers.ts'
import { conditionsOf, planSearch, type Search, serversAPage, wholeList } from './search-plan.ts'
import { serverOf } from './server-row.ts'
import { publicOf, scopeOf } from './visibility.ts'

/** The *Explore All Listings* page: featured servers first, then by course and name. One round trip, and one to plan a search. */
export async function exploreListings(
  env: Env,
  viewer: Viewer,
  search: Search,
  referral: string | null,
): Promise<ExploreAllListingsProps> {
  const q = typedSearch(search.query)
  const scope = scopeOf(viewer)
  const conditions = conditionsOf({ ...search, query: q })
  const plan = conditions === null ? null : await planSearch(env.DB, scope, conditions)
  const [rows, pending] = await readTogether(env.DB, pageOfServers(scope, plan, search.page), pendingCount(viewer))
  return {
    ...listed(env, rows, search.page),
    subject_id: search.subjectId,
    course_id: search.courseId,
    q,
    is_search_active: search.subjectId !== null || search.courseId !== null || q !== '',
    ...(plan?.isTruncated && { is_truncated: true as const }),
    pending_invites_count: pending[0]?.pending ?? 0,
    referral,
  }
}

/** A school's public servers, the same page for everybody, so that search engines can read it. @throws notThere */
export async function schoolPage(env: Env, schoolId: number, page: number): Promise<SchoolProps> {
  const [schools, rows] = await readTogether(
    env.DB,
    findSchool(schoolId),
    pageOfServers(publicOf(schoolId), wholeList, page),
  )
  const [school] = schools
  if (!school) throw notThere()
  return { school, ...listed(env, rows, page) }
}

function listed(
  env: Env,
  rows: readonly ListedRow[],
  page: number,
): Pick<ExploreAllListingsProps, 'servers' | 'server_count' | 'pagination'> {
  const servers: DiscordServer[] = rows.map((row) => serverOf(row, env.DISCORD_CDN_URL))
  const total = rows[0]?.total ?? 0
  return { servers, server_count: total, pagination: paginate({ page, size: serversAPage, total }).pagination }
}
