import { and, eq, sql } from 'drizzle-orm'
import { query, read } from '../../db/query.ts'
import { school, schoolTerm, source, term } from '../../db/schema/index.ts'
import type { SourceTerm } from '../../sources/source.ts'
import { spareColumns, spareRequests, settingsOf } from '../courses/host-share.ts'

/** One school's term with its source. */
export type SchoolTerm = Awaited<ReturnType<typeof schoolTermsOf>>[number]

/** Every available school term of `termId`, at one school or at all (`schoolId` 0), of enabled sources. */
export async function schoolTermsOf(db: D1Database, schoolId: number, termId: number) {
  const rows = await read(db, findSchoolTerms(schoolId, termId))
  return rows.map(({ full_term_name, school_code, school_name, code, name, source_name, ...row }) => ({
    ...row,
    label: `${school_name}, ${full_term_name}`,
    scope: { school: school_code, school_name, term: code, term_name: name },
    source: {
      ...row,
      id: row.source_id,
      name: source_name,
      settings: settingsOf(row.settings),
      spare_requests: spareRequests(row),
    },
  }))
}

function findSchoolTerms(schoolId: number, termId: number) {
  return query
    .select({
      id: schoolTerm.id,
      school_id: schoolTerm.schoolId,
      source_id: school.sourceId,
      code: schoolTerm.code,
      name: schoolTerm.name,
      /** Sections at the last refresh; null before the first. */
      section_count: schoolTerm.sectionCount,
      /** Its last day as the school gave it; '' if it gave none. */
      ends_on: schoolTerm.endsOn,
      year: term.year,
      season: sql<SourceTerm['season']>`${term.season}`,
      time_zone: source.timeZone,
      full_term_name: term.fullTermName,
      school_code: school.code,
      school_name: school.name,
      kind: source.kind,
      url: source.url,
      settings: source.settings,
      ...spareColumns,
      source_name: source.name,
    })
    .from(schoolTerm)
    .innerJoin(term, eq(term.id, schoolTerm.termId))
    .innerJoin(school, eq(school.id, schoolTerm.schoolId))
    .innerJoin(source, sql`${source.id} = ${school.sourceId} AND ${source.isEnabled}`)
    .where(
      and(
        eq(schoolTerm.termId, termId),
        sql`${schoolTerm.isAvailable}`,
        schoolId === 0 ? undefined : eq(schoolTerm.schoolId, schoolId),
      ),
    )
    .orderBy(schoolTerm.id)
}
