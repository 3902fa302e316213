import type { Group } from '../../sources/source.ts'
import type { DoubtedSource } from '../polling/second-look.ts'
import { settingsOf } from '../polling/watched-groups.ts'
import { spareRequests } from './spare-requests.ts'

/** One school's term with the source that tells about it. */
export interface SchoolTerm {
  id: number
  school_id: number
  source_id: number
  label: string
  scope: Omit<Group, 'subject' | 'subject_name' | 'career'>
  source: DoubtedSource & { name: string }
}

interface Row {
  id: number
  school_id: number
  source_id: number
  code: string
  name: string
  school_code: string
  school_name: string
  kind: string
  url: string
  settings: string
  requests_per_minute: number
  requests_a_round: number
  poll_seconds: number
  source_name: string
  is_second_look_on: number
  overruled_look_count: number
}

/** Every available school's term of `termId`, at one school or at all (`schoolId` 0), of enabled sources. */
export async function schoolTermsOf(db: D1Database, schoolId: number, termId: number): Promise<SchoolTerm[]> {
  const rows = await db
    .prepare(
      `SELECT t.id, t.school_id, s.source_id, t.code, t.name, s.code AS school_code, s.name AS school_name, o.kind, o.url, o.settings,
         o.requests_per_minute, o.poll_seconds, o.name AS source_name, o.is_second_look_on, o.overruled_look_count,
         iif(EXISTS (SELECT 1 FROM section_group g WHERE g.source_id = o.id AND g.watch_count > 0), COALESCE(o.requests_a_round, 0), 0)
           AS requests_a_round
       FROM school_term t JOIN school s ON s.id = t.school_id JOIN source o ON o.id = s.source_id AND o.is_enabled
       WHERE t.term_id = ? AND t.is_available AND (? = 0 OR t.school_id = ?) ORDER BY t.id`,
    )
    .bind(termId, schoolId, schoolId)
    .all<Row>()
  return rows.results.map((row) => ({
    id: row.id,
    school_id: row.school_id,
    source_id: row.source_id,
    label: `${row.school_name}, ${row.name}`,
    scope: { school: row.school_code, school_name: row.school_name, term: row.code, term_name: row.name },
    source: {
      id: row.source_id,
      name: row.source_name,
      kind: row.kind,
      url: row.url,
      settings: settingsOf(row.settings),
      requests_per_minute: row.requests_per_minute,
      spare_requests: spareRequests(row),
      is_second_look_on: row.is_second_look_on === 1,
      overruled_look_count: row.overruled_look_count,
    },
  }))
}
