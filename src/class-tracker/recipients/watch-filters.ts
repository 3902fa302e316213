import { type SQL, sql } from 'drizzle-orm'
import { schoolTerm, section, sectionGroup } from '../../db/schema/index.ts'
import { isCurrentOf, observedAtOf, statusNowOf } from '../courses/observed-at.ts'

/** Joins a section with what {@link meetsFilters} asks. */
export const joinFiltered: SQL = sql`JOIN ${sectionGroup} ON ${sectionGroup.id} = ${section.groupId}
  JOIN ${schoolTerm} ON ${schoolTerm.id} = ${section.schoolTermId}`

const isOutdated = sql`NOT ${isCurrentOf(observedAtOf(section, sectionGroup), sql.placeholder('now'))}`

/** Whether a section meets all filters of the page, by the status that the page shows; every section meets a null one. */
export const meetsFilters: SQL = sql`((${sql.placeholder('status')} IS NULL
    OR iif(${isOutdated}, 'unknown', ${statusNowOf(section)}) = ${sql.placeholder('status')})
  AND (${sql.placeholder('school_id')} IS NULL OR ${schoolTerm.schoolId} = ${sql.placeholder('school_id')})
  AND (${sql.placeholder('term_id')} IS NULL OR ${schoolTerm.termId} = ${sql.placeholder('term_id')}))`
