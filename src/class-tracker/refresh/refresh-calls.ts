import type * as z from 'zod/mini'
import { readTogether, write } from '../../db/query.ts'
import { enqueue } from '../../jobs/enqueue.ts'
import type { EnqueueOptions, JobRecord } from '../../jobs/job.ts'
import { jobUrl, waitForJob } from '../../jobs/ledgers.ts'
import { pausedQueues } from '../../jobs/paused-queues.ts'
import { orWarn } from '../../lib/fallbacks.ts'
import { type Actor, auditEntry } from '../../web/audit.ts'
import { conflict, notFound, upstreamError } from '../../web/refusal.ts'
import { type JobHandle, RefreshedSections, RefreshedSubjects, RefreshedTerms } from './contract.ts'
import { refreshSections } from './refresh-sections.ts'
import { refreshSubjects } from './refresh-subjects.ts'
import { refreshTerms } from './refresh-terms.ts'
import { isTimeOut } from './require-answers.ts'
import { refuseUnlessSuperuser, type TrackerActor } from '../tracker-actor.ts'
import { findSchool, findTerm } from '../courses/schools.ts'
import { findSubject } from '../courses/subjects.ts'

/** Runs before the nightly jobs, because a person is waiting. */
const priority = 10
/** Its name in the audit. */
const act = 'refreshed'

/** How long a call waits for its job, in ms. */
const MAX_WAIT_MS = 25_000

/** The answer of a refresh call: 200 with the result, or 202 with empty lists while the job is still running. */
interface RefreshAnswer<Shape> {
  status: 200 | 202
  answer: Shape & { job: JobHandle }
}

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

/** Refreshes the subjects of a school (0: of all) in a term. @throws forbidden, notFound for an unknown scope */
export async function refreshSemesterData(
  env: Env,
  by: TrackerActor,
  { schoolId, termId }: Omit<Scope, 'subjectId'>,
): Promise<RefreshAnswer<RefreshedSubjects>> {
  refuseUnlessSuperuser(by)
  const { who } = by.audit
  await auditedSchool(env.DB, { schoolId, termId, subjectId: 0 }, 'subject', by.audit)
  const input = { school_id: schoolId, term_id: termId, by: who }
  const job = await enqueue(env, refreshSubjects, input, options(`subjects:${schoolId}:${termId}`, who))
  const empty = { available_subjects: [], failures: [] }
  return answerRefresh(env, job, { shape: RefreshedSubjects, empty, isLong: schoolId === 0 })
}

/** Refreshes all sections in a scope; 0: every subject or school. @throws forbidden, notFound for an unknown scope */
export async function fetchNewCourseSections(
  env: Env,
  by: TrackerActor,
  scope: Scope,
): Promise<RefreshAnswer<RefreshedSections>> {
  refuseUnlessSuperuser(by)
  const { who } = by.audit
  const { termId, subjectId } = scope
  const schoolId = await auditedSchool(env.DB, scope, 'section', by.audit)
  const input = { school_id: schoolId, term_id: termId, subject_id: subjectId, by: who }
  const job = await enqueue(env, refreshSections, input, options(`sections:${schoolId}:${termId}:${subjectId}`, who))
  const empty = { courses: [], courses_count: 0, failures: [], warnings: [] }
  return answerRefresh(env, job, { shape: RefreshedSections, empty, isLong: schoolId === 0 })
}

function options(key: string, who: string): EnqueueOptions {
  return { key, priority, asked_by: who }
}

/**
 * Writes the audit entry: "Sections of Computer Science at Hunter College, 2026 Fall Term".
 * @returns the school to refresh, 0 for all: a subject belongs to one school
 * @throws notFound for an unknown scope
 */
async function auditedSchool(
  db: D1Database,
  { schoolId, termId, subjectId }: Scope,
  table: 'subject' | 'section',
  actor: Actor,
): Promise<number> {
  const [[term], [school], [subject]] = await readTogether(
    db,
    findTerm({ id: termId }),
    findSchool({ id: schoolId }),
    findSubject({ id: subjectId }),
  )
  if (!term) throw notFound(`Term id ${termId} not found`)
  if (schoolId !== 0 && !school) throw notFound(`School id ${schoolId} not found`)
  if (subjectId !== 0 && (!subject || (schoolId !== 0 && subject.school_id !== schoolId)))
    throw notFound(`Subject id ${subjectId} not found`)
  const what = table === 'subject' ? 'Subjects' : `Sections of ${subject?.name ?? 'every subject'}`
  const where = school?.name ?? subject?.school_name ?? 'every school'
  const entry = { act, area: 'class_tracker', table, key: '', title: `${what} at ${where}, ${term.full_term_name}` }
  await write(db, auditEntry(actor, entry, Date.now()))
  return subject?.school_id ?? schoolId
}

/**
 * Waits for a job, 25 s at most; it continues after that. `isLong`: it takes longer than a request may, so the answer
 * does not wait.
 * @throws upstreamError when it failed (504: no school answered in time, else 502), conflict when it was canceled
 */
export async function answerRefresh<Shape extends object>(
  env: Env,
  asked: JobRecord,
  { shape, empty, isLong = false }: { shape: z.ZodMiniType<Shape>; empty: Shape; isLong?: boolean },
): Promise<RefreshAnswer<Shape>> {
  const job = (await (isLong ? ifPaused(env, asked) : whenEnded(env, asked))) ?? asked
  if (job.state === 'failed') {
    // An unexpected failure has its stack after the first line.
    const error = job.error?.split('\n')[0] ?? 'The refresh failed.'
    throw upstreamError(isTimeOut(error) ? 504 : 502, error)
  }
  if (job.state === 'stopped' || job.state === 'canceled') throw conflict('The refresh was stopped before it was done.')
  const handle = { id: job.id, url: jobUrl(job), status: job.state, progress: job.progress }
  if (job.state !== 'finished') return { status: 202, answer: { ...empty, job: handle } }
  return { status: 200, answer: { ...shape.parse(job.result), job: handle } }
}

/** The job when the wait for it is over; null if the wait broke. */
function whenEnded(env: Env, job: JobRecord): Promise<JobRecord | null> {
  const ended = Promise.race([waitForJob(env, job.id, MAX_WAIT_MS), whenPaused(env, job)])
  return orWarn(ended, { event: 'wait_broken', job: job.id }, null)
}

/** Resolves with the job once its queue is known to be paused, which makes waiting pointless; otherwise never. */
async function whenPaused(env: Env, job: JobRecord): Promise<JobRecord> {
  return (await ifPaused(env, job)) ?? new Promise(() => undefined)
}

/** The job with a label saying that its queue is paused; null if it is not. */
async function ifPaused(env: Env, job: JobRecord): Promise<JobRecord | null> {
  const [pause] = await pausedQueues(env, [job.queue])
  if (!pause || job.state !== 'queued') return null
  return { ...job, progress: { ...job.progress, label: `The queue ${job.queue} is paused` } }
}
