import { readTogether } from '../../db/query.ts'
import { notThere } from '../../web/refusal.ts'
import type { SchoolProps } from '../contract.ts'
import { listed } from '../servers/explore.ts'
import { pageOfServers } from '../servers/page-of-servers.ts'
import { wholeList } from '../servers/search-plan.ts'
import { publicOf } from '../servers/visibility.ts'
import { findSchool } from './catalogue.ts'

/** A school's public servers: the same for everybody, so that search engines can read it. @throws notThere */
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
