import { read } from '../../db/query.ts'
import { counted } from '../../lib/text.ts'
import { defineJob, GiveUp, runAgain } from '../../jobs/job.ts'
import { refreshedCourses } from './refreshed-courses.ts'
import { RefreshInput, RefreshRun } from './refresh-run.ts'
import { inOneLine } from './require-answers.ts'
import { schoolTermsOf } from './school-terms.ts'
import { findGroups, rememberRefresh } from './section-groups.ts'

/** Reads every section of the chosen groups and writes what is new or changed, in runs of 20 s until done. */
export const refreshSections = defineJob({
  name: 'refresh-sections',
  queue: 'refresh',
  input: RefreshInput,
  limit: { attempts: 3, run_seconds: 20, retry_seconds: [30, 300] },
  async run(context, input) {
    const { env, now, progress } = context
    const schoolTerms = new Map(
      (await schoolTermsOf(env.DB, input.school_id, input.term_id)).map((one) => [one.id, one]),
    )
    const groups = await read(env.DB, findGroups([...schoolTerms.keys()], input.subject_id))
    const refresh = new RefreshRun(context, input, { schoolTerms, groups })
    const continueAt = await refresh.read()
    if (continueAt !== null) return runAgain(continueAt, await refresh.nextInput())
    const { believed, down, failures, kept } = refresh.progress
    const answered = new Map([...schoolTerms].filter(([id]) => !down.includes(id)))
    if (groups.length > 0 && (believed === 0 || answered.size === 0)) throw new GiveUp(inOneLine(failures.slice(-3)))
    await rememberRefresh(env.DB, answered, input, now())
    await progress(groups.length, groups.length, 'Done')
    return {
      ...(await refreshedCourses(env.DB, [...schoolTerms.keys()], input.subject_id)),
      failures,
      warnings: Object.entries(kept).map(keptSentence),
    }
  },
})

/**
 * "Harbor State University, Fall 2026: 40 sections came without a title, meetings or course. The stored data was kept."
 */
function keptSentence([label, count]: [string, number]): string {
  return `${label}: ${counted(count, 'section')} came without a title, meetings or course. The stored data was kept.`
}
