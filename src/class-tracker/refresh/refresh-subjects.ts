import * as z from 'zod/mini'
import { read } from '../../db/query.ts'
import { enqueue } from '../../jobs/enqueue.ts'
import { defineJob, runAgain } from '../../jobs/job.ts'
import { bySubject, findOfferedSubjects } from '../courses/subjects.ts'
import { refreshSections } from './refresh-sections.ts'
import { firstSentences, readRest, refreshLimit } from './require-answers.ts'
import { schoolTermsOf } from './school-terms.ts'
import { writeSubjects } from './write-terms.ts'

/** The most rows in a result. */
const MAX_SHOWN = 500

const Input = z.object({
  /** 0: all schools. */
  school_id: z.number(),
  term_id: z.number(),
  by: z.string(),
  /** Continue with the sections of all subjects. */
  then_sections: z.optional(z.boolean()),
  /** school_term ids that earlier runs of this job have finished. */
  done: z._default(z.array(z.number()), []),
  failures: z._default(z.array(z.string()), []),
  stuck: z._default(z.number(), 0),
})

/** Reads which subjects a school, or every school, offers in a term. */
export const refreshSubjects = defineJob({
  name: 'refresh-subjects',
  queue: 'refresh',
  input: Input,
  limit: refreshLimit,
  async run(context, input) {
    const { env, now, progress } = context
    const schoolTerms = await schoolTermsOf(env.DB, input.school_id, input.term_id)
    const next = structuredClone(input)
    const scope = { all: schoolTerms, what: 'subjects' }
    const continueAt = await readRest(context, next, scope, async (schoolTerm, lane) => {
      const answer = await lane.subjects(schoolTerm.scope)
      if (!answer.known) return answer.why
      await writeSubjects(env.DB, schoolTerm, answer.value, now())
      return null
    })
    if (continueAt !== null) return runAgain(continueAt, next)
    if (input.then_sections) {
      const { school_id, term_id, by } = input
      await enqueue(
        env,
        refreshSections,
        { school_id, term_id, subject_id: 0, by },
        { key: `sections:${school_id}:${term_id}:0` },
      )
    }
    await progress(schoolTerms.length, schoolTerms.length, 'Done')
    const subjects = await read(env.DB, findOfferedSubjects(input.school_id, input.term_id))
    return { available_subjects: subjects.sort(bySubject).slice(0, MAX_SHOWN), failures: firstSentences(next.failures) }
  },
})
