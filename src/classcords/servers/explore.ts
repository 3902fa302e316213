import { sql } from 'drizzle-orm'
import { readTogether, selectValues } from '../../db/query.ts'
import { paginate } from '../../web/pagination.ts'
import { notFound } from '../../web/refusal.ts'
import type { ExploreAllListingsProps, PageOfServers, SchoolProps } from '../contract.ts'
import { pendingCount } from '../invites/list-pending.ts'
import { findSchool } from '../schools/catalog.ts'
import type { Viewer } from '../viewer.ts'
import { findSchools } from './newest-servers.ts'
import { type ListedRow, pageOfServers } from './page-of-servers.ts'
import {
  conditionsOf,
  countSearched,
  MAX_SORTED,
  planFromCondition,
  planSearch,
  type Search,
  type SearchPlan,
  SERVERS_PER_PAGE,
  wholeList,
} from './search-plan.ts'
import { serverOf } from './server-row.ts'
import { publicOf, scopeOfSearch } from './visibility.ts'

/**
 * The *Explore All Listings* page: featured servers first, then by course and name. A person whose school lists nothing
 * sees all schools. One round trip, plus one to plan a search; twice that if the viewer's school lists nothing.
 */
export async function exploreListings(
  env: Env,
  viewer: Viewer,
  search: Search,
  referral: string | null,
): Promise<ExploreAllListingsProps> {
  const { schoolId, sort, subjectId, courseId, query: q } = search
  const own = await find(env, viewer, search)
  const isOwnEmpty = schoolId === null && viewer.schoolId !== null && own.isScopeEmpty
  const found = isOwnEmpty ? await find(env, viewer, { ...search, schoolId: 0 }) : own
  return {
    ...listed(env, found.rows, search.page),
    school_id: isOwnEmpty ? 0 : schoolId,
    subject_id: subjectId,
    course_id: courseId,
    q,
    sort,
    is_search_active: subjectId !== null || courseId !== null || q !== '',
    ...(found.isTruncated && { is_truncated: true as const }),
    pending_invites_count: found.pending,
    referral,
  }
}

/** @param given default: the plan for this search */
async function find(env: Env, viewer: Viewer, search: Search, given?: SearchPlan) {
  const { sort } = search
  const scope = scopeOfSearch(viewer, search.schoolId)
  const conditions = conditionsOf(search)
  const plan = given ?? (conditions === null ? null : await planSearch(env.DB, scope, conditions, sort))
  const isSorted = scope.ownSchoolId !== undefined || sort !== 'relevance'
  const isCounted = isSorted && plan === wholeList
  const [rows, pending, counts] = await readTogether(
    env.DB,
    pageOfServers(scope, plan, search.page, sort),
    pendingCount(viewer),
    selectValues({ listed: isCounted ? countSearched(scope) : sql<number>`0` }),
  )
  // None of the newest servers is among those searched for, but older ones may be.
  if (rows.length === 0 && sort === 'newest' && plan?.isTruncated && plan.first === null)
    return find(env, viewer, search, planFromCondition(plan))
  const inScope = isCounted ? (counts[0]?.listed ?? 0) : (plan?.listed ?? rows[0]?.total ?? 0)
  return {
    rows,
    pending: pending[0]?.pending ?? 0,
    isScopeEmpty: plan !== null && inScope === 0,
    isTruncated: Boolean(plan?.isTruncated) || (isCounted && inScope > MAX_SORTED),
  }
}

/** A school's public servers, the same for everyone, so that search engines can read it. @throws notFound */
export async function schoolPage(env: Env, schoolId: number, page: number): Promise<SchoolProps> {
  const [schools, rows, largest] = await readTogether(
    env.DB,
    findSchool(schoolId),
    pageOfServers(publicOf(schoolId), wholeList, page),
    findSchools(),
  )
  const [school] = schools
  if (!school) throw notFound()
  const others = largest.flatMap(({ id, name }) => (name === null || id === schoolId ? [] : [{ id, name }]))
  return { school, other_schools: others, ...listed(env, rows, page) }
}

function listed(env: Env, rows: readonly ListedRow[], page: number): PageOfServers {
  const servers = rows.map((row) => serverOf(row, env.DISCORD_CDN_URL))
  const total = rows[0]?.total ?? 0
  return { servers, server_count: total, pagination: paginate({ page, size: SERVERS_PER_PAGE, total }) }
}
