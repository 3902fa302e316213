import * as z from 'zod/mini'
import { Course, Term } from '../courses/contract.ts'

/** A job as a page follows it; `url` returns the same as JSON. */
const JobProgress = z.object({ done: z.number(), total: z.number(), label: z.string() })

export const JobHandle = z.object({ id: z.string(), url: z.string(), status: z.string(), progress: JobProgress })
export type JobHandle = z.infer<typeof JobHandle>

export const JobAnswer = z.object({
  id: z.string(),
  name: z.string(),
  queue: z.string(),
  status: z.string(),
  progress: JobProgress,
  result: z.unknown(),
  error: z.nullable(z.string()),
})
export type JobAnswer = z.infer<typeof JobAnswer>

/** A school or a subject. */
const Named = z.object({ id: z.number(), name: z.string() })

const AvailableTerm = z.extend(Term, { name: z.string(), year: z.number() })

/** What a partly successful refresh could not read, and why: one sentence each. */
const Failures = z.array(z.string())

/** The job's result has the same keys. `failures` names sources whose answers were not believed. */
export const RefreshedTerms = z.object({
  available_schools: z.array(Named),
  available_terms: z.array(AvailableTerm),
  new_terms_count: z.number(),
  failures: Failures,
})
export type RefreshedTerms = z.infer<typeof RefreshedTerms>

/** `failures` names the schools whose answers were not believed. */
export const RefreshedSubjects = z.object({ available_subjects: z.array(Named), failures: Failures })
export type RefreshedSubjects = z.infer<typeof RefreshedSubjects>

const RefreshedCourse = z.extend(Course, { sections: z.array(z.object({ number: z.string() })) })

/**
 * `courses` has at most 500 entries; `courses_count` is the full number. `failures` names the groups whose answers were
 * not believed; `warnings` says what answers left out.
 */
export const RefreshedSections = z.object({
  courses: z.array(RefreshedCourse),
  courses_count: z.number(),
  failures: Failures,
  warnings: z.array(z.string()),
})
export type RefreshedSections = z.infer<typeof RefreshedSections>
