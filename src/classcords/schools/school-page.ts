import { readTogether } from '../../db/read-together.ts'
import { notThere } from '../../web/refusal.ts'
import type { School, SchoolProps } from '../contract.ts'
import { listed } from '../servers/explore.ts'
import { type ListedRow, pageOfServers } from '../servers/page-of-servers.ts'
import { wholeList } from '../servers/search-plan.ts'
import { publicOf } from '../servers/visibility.ts'

/** A school's public servers: the same for everybody, so that search engines can read it. @throws notThere */
export async function schoolPage(env: Env, schoolId: number, page: number): Promise<SchoolProps> {
  const [schools, rows] = await readTogether<[School[], ListedRow[]]>(
    env.DB,
    env.DB.prepare('SELECT id, name FROM school WHERE id = ?').bind(schoolId),
    pageOfServers(env.DB, publicOf(schoolId), wholeList, page),
  )
  const [school] = schools
  if (!school) throw notThere()
  return { school, ...listed(env, rows, page) }
}
