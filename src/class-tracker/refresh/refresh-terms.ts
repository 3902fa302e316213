import { desc, eq, exists, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { query, read, readTogether } from '../../db/query.ts'
import { school, schoolTerm, source, term } from '../../db/schema/index.ts'
import { enqueueMany } from '../../jobs/enqueue.ts'
import { defineJob, runAgain } from '../../jobs/job.ts'
import type { RefreshedTerms } from './contract.ts'
import { laneColumns, settingsOf } from '../courses/host-share.ts'
import { refreshSubjects } from './refresh-subjects.ts'
import { firstSentences, readRest, refreshLimit } from './require-answers.ts'
import { termsWorthKeeping, writeTerms } from './write-terms.ts'

/** The most schools and terms in a result. */
const MAX_SHOWN = 500

const Input = z.object({
  /** null: every enabled source. */
  source_ids: z.nullable(z.array(z.number())),
  /** Who started it, for the manage page: a user's name, or "nightly". */
  by: z.string(),
  /** Continue with the subjects and sections of every available term. */
  then_all: z.optional(z.boolean()),
  /** Source ids that earlier runs of this job have finished, and their results. */
  done: z._default(z.array(z.number()), []),
  new_terms_count: z._default(z.number(), 0),
  failures: z._default(z.array(z.string()), []),
  stuck: z._default(z.number(), 0),
})

const findEnabledSources = () =>
  query
    .select({ ...laneColumns, label: source.name, time_zone: source.timeZone })
    .from(source)
    .where(sql`${source.isEnabled}`)
    .orderBy(source.id)

/** Reads the terms and schools of sources, one after another; when a run's time is up, the next run continues. */
export const refreshTerms = defineJob({
  name: 'refresh-terms',
  queue: 'refresh',
  input: Input,
  limit: refreshLimit,
  async run(context, input) {
    const { env, now, progress } = context
    const sources = await read(env.DB, findEnabledSources())
    const asked = sources
      .filter(({ id }) => input.source_ids?.includes(id) ?? true)
      .map((row) => ({ ...row, source: { ...row, settings: settingsOf(row.settings) } }))
    const next = structuredClone(input)
    const scope = { all: asked, what: 'terms and schools' }
    const continueAt = await readRest(context, next, scope, async (one, lane) => {
      const answer = await lane.termsAndSchools()
      if (!answer.known) return answer.why
      const terms = await termsWorthKeeping(env.DB, one, answer.value.terms, now())
      if (terms.length === 0) return 'It listed no current or future term.'
      const found = { schools: answer.value.schools, terms }
      next.new_terms_count += await writeTerms(env.DB, one, found, { by: input.by, now: now() })
      if (input.then_all) await refreshTermsOf(env, one.id, input.by)
      return null
    })
    if (continueAt !== null) return runAgain(continueAt, next)
    await progress(asked.length, asked.length, 'Done')
    return {
      ...(await offered(env.DB)),
      new_terms_count: next.new_terms_count,
      failures: firstSentences(next.failures),
    }
  },
})

/** The terms and schools that can be chosen now. */
async function offered(db: D1Database): Promise<Omit<RefreshedTerms, 'new_terms_count' | 'failures'>> {
  const [available_schools, available_terms] = await readTogether(
    db,
    query.select({ id: school.id, name: school.name }).from(school).orderBy(school.name).limit(MAX_SHOWN),
    query
      .select({ id: term.id, name: term.fullTermName, year: term.year, full_term_name: term.fullTermName })
      .from(term)
      .where(
        exists(
          query
            .select({ id: schoolTerm.id })
            .from(schoolTerm)
            .where(sql`${schoolTerm.termId} = ${term.id} AND ${schoolTerm.isAvailable}`),
        ),
      )
      .orderBy(desc(term.year), term.season)
      .limit(MAX_SHOWN),
  )
  return { available_schools, available_terms }
}

async function refreshTermsOf(env: Env, sourceId: number, by: string): Promise<void> {
  const scopes = query
    .selectDistinct({ school_id: schoolTerm.schoolId, term_id: schoolTerm.termId })
    .from(school)
    .innerJoin(schoolTerm, eq(schoolTerm.schoolId, school.id))
    .where(sql`${school.sourceId} = ${sourceId} AND ${schoolTerm.isAvailable}`)
  const requests = (await read(env.DB, scopes)).map(({ school_id, term_id }) => ({
    input: { school_id, term_id, by, then_sections: true },
    // A person's refresh of the subjects that still waits does not continue with the sections.
    options: { key: `subjects:${school_id}:${term_id}:then_sections` },
  }))
  await enqueueMany(env, refreshSubjects, requests)
}
