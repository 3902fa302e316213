import { and, eq, isNotNull, sql } from 'drizzle-orm'
import { readTogether, type Query, write } from '../../db/query.ts'
import { school, subject, term } from '../../db/schema/index.ts'
import type { EnqueueOptions } from '../../jobs/job.ts'
import { enqueue } from '../../jobs/enqueue.ts'
import { type Actor, auditEntry } from '../../web/audit.ts'
import { auditRows } from '../../web/audit-rows.ts'
import { notThere } from '../../web/refusal.ts'
import { RefreshedSections, RefreshedSubjects, RefreshedTerms } from './contract.ts'
import { refreshSections } from './refresh-sections.ts'
import { refreshSubjects } from './refresh-subjects.ts'
import { refreshTerms } from './refresh-terms.ts'
import { answerRefresh, type RefreshAnswer } from './await-refresh.ts'
import { refuseUnlessSuperuser, type TrackerActor } from '../tracker-actor.ts'
import { findSchool, findTerm } from '../courses/schools.ts'
import { findSubject } from '../courses/subjects.ts'

/** Runs before the nightly jobs, because a person is waiting. */
const priority = 10
/** Its name in the audit. */
const act = 'refreshed'

interface Scope {
  schoolId: number
  termId: number
  subjectId: number
}

/** Refreshes the terms and schools of every source. @throws forbidden */
export async function refreshAvailableTerms(env: Env, by: TrackerActor): Promise<RefreshAnswer<RefreshedTerms>> {
  refuseUnlessSuperuser(by)
  const { who } = by.audit
  const entry = { act, area: 'class_tracker', table: 'source', key: '', title: 'Terms and schools of every source' }
  await write(env.DB, auditEntry(by.audit, entry, Date.now()))
  const job = await enqueue(env, refreshTerms, { source_ids: null, by: who }, options('terms', who))
  const empty = { available_schools: [], available_terms: [], new_terms_count: 0, failures: [] }
  return answerRefresh(env, job, { shape: RefreshedTerms, empty })
}

/** Refreshes the subjects of a school (0: of all) in a term. @throws forbidden, notThere for an unknown scope */
export async function refreshSemesterData(
  env: Env,
  by: TrackerActor,
  { schoolId, termId }: Omit<Scope, 'subjectId'>,
): Promise<RefreshAnswer<RefreshedSubjects>> {
  refuseUnlessSuperuser(by)
  const { who } = by.audit
  await requireScope(env.DB, { schoolId, termId, subjectId: 0 }, 'subject', by.audit)
  const input = { school_id: schoolId, term_id: termId, by: who }
  const job = await enqueue(env, refreshSubjects, input, options(`subjects:${schoolId}:${termId}`, who))
  const empty = { available_subjects: [], failures: [] }
  return answerRefresh(env, job, { shape: RefreshedSubjects, empty, isLong: schoolId === 0 })
}

/** Refreshes all sections in a scope; 0: every subject or school. @throws forbidden, notThere for an unknown scope */
export async function fetchNewCourseSections(
  env: Env,
  by: TrackerActor,
  scope: Scope,
): Promise<RefreshAnswer<RefreshedSections>> {
  refuseUnlessSuperuser(by)
  const { who } = by.audit
  const { termId, subjectId } = scope
  // A subject belongs to one school, so with a subject "all schools" means that one.
  const schoolId = (await requireScope(env.DB, scope, 'section', by.audit)) ?? scope.schoolId
  const input = { school_id: schoolId, term_id: termId, subject_id: subjectId, by: who }
  const job = await enqueue(env, refreshSections, input, options(`sections:${schoolId}:${termId}:${subjectId}`, who))
  const empty = { courses: [], courses_count: 0, failures: [], warnings: [] }
  return answerRefresh(env, job, { shape: RefreshedSections, empty, isLong: schoolId === 0 })
}

function options(key: string, who: string): EnqueueOptions {
  return { key, priority, asked_by: who }
}

/** Returns the subject's school, if one is given, and writes the audit entry. */
async function requireScope(
  db: D1Database,
  { schoolId, termId, subjectId }: Scope,
  table: 'subject' | 'section',
  actor: Actor,
): Promise<number | null> {
  const [[foundTerm], [foundSchool], [foundSubject]] = await readTogether(
    db,
    findTerm({ id: termId }),
    findSchool({ id: schoolId }),
    findSubject({ id: subjectId }),
    auditRefresh({ schoolId, termId, subjectId }, table, actor),
  )
  if (!foundTerm) throw notThere(`Term id ${termId} not found`)
  if (schoolId !== 0 && !foundSchool) throw notThere(`School id ${schoolId} not found`)
  const owner = foundSubject?.school_id ?? null
  if (subjectId !== 0 && (owner === null || (schoolId !== 0 && owner !== schoolId))) {
    throw notThere(`Subject id ${subjectId} not found`)
  }
  return owner
}

/** "Sections of Computer Science at Hunter College, 2026 Fall Term"; no entry when there is nothing to refresh. */
function auditRefresh({ schoolId, termId, subjectId }: Scope, table: 'subject' | 'section', actor: Actor): Query {
  const chosenSchool = schoolId === 0 ? subject.schoolId : sql`${schoolId}`
  const what = table === 'subject' ? sql`'Subjects'` : sql`'Sections of ' || coalesce(${subject.name}, 'every subject')`
  const isThere = and(
    eq(term.id, termId),
    schoolId === 0 ? undefined : isNotNull(school.id),
    subjectId === 0 ? undefined : eq(subject.schoolId, school.id),
  )
  return auditRows(
    actor,
    { act, area: 'class_tracker', table },
    sql`SELECT '' AS row_key, ${what} || ' at ' || coalesce(${school.name}, 'every school') || ', ' || ${term.fullTermName} AS title,
        NULL AS before, NULL AS after
      FROM ${term} LEFT JOIN ${subject} ON ${subject.id} = ${subjectId} LEFT JOIN ${school} ON ${school.id} = ${chosenSchool}
      WHERE ${isThere}`,
    Date.now(),
  )
}
