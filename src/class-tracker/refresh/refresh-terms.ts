import * as z from 'zod'
import { enqueue } from '../../jobs/enqueue.ts'
import { defineJob, runAgain } from '../../jobs/job.ts'
import { BudgetSpent } from '../../sources/source.ts'
import type { RefreshedTerms } from '../contract.ts'
import { openLane } from '../polling/open-lane.ts'
import { settingsOf } from '../polling/watched-groups.ts'
import { refreshSubjects } from './refresh-subjects.ts'
import { requireAnswers } from './require-answers.ts'
import { termsWorthKeeping, writeTerms } from './write-terms.ts'

const Input = z.object({
  /** null: every enabled source. */
  source_ids: z.array(z.number()).nullable(),
  /** Who asked, for the manage page: a user's name, or "nightly". */
  by: z.string(),
  /** Go on with the subjects and sections of every available term. */
  then_all: z.boolean().default(false),
  /** What earlier runs of this job have done. */
  done: z.array(z.number()).default([]),
  new_terms_count: z.number().default(0),
  failures: z.array(z.string()).default([]),
})

interface SourceRow {
  id: number
  kind: string
  name: string
  url: string
  time_zone: string
  settings: string
  requests_per_minute: number
}

/** Reads the terms and schools of some sources, one after the other; a run ends early and goes on when its time is up. */
export const refreshTerms = defineJob({
  name: 'refresh-terms',
  queue: 'refresh',
  input: Input,
  limit: { attempts: 3, run_seconds: 20, retry_seconds: [30, 300] },
  async run({ env, now, deadline, progress, checkpoint }, input) {
    const rows = await env.DB.prepare(
      `SELECT id, kind, name, url, time_zone, settings, requests_per_minute FROM source WHERE is_enabled ORDER BY id`,
    ).all<SourceRow>()
    const asked = rows.results.filter((source) => input.source_ids?.includes(source.id) ?? true)
    const next = { ...input, done: [...input.done], failures: [...input.failures] }
    for (const source of asked.filter(({ id }) => !input.done.includes(id))) {
      await progress(next.done.length, asked.length, `Reading terms and schools of ${source.name}`)
      const answer = await readTerms(env, source, { now, deadline: deadline - 2000 })
      if (answer instanceof BudgetSpent) return runAgain(answer.retry_at, next)
      next.done.push(source.id)
      if (answer.known) {
        next.new_terms_count += await writeTerms(env.DB, source, answer.value, input.by, now())
        if (input.then_all) await refreshTermsOf(env, source.id, input.by)
      } else next.failures.push(`${source.name}: ${answer.why}`)
      await checkpoint()
      if (now() > deadline - 8000 && next.done.length < asked.length) return runAgain(now(), next)
    }
    requireAnswers(asked.length, next.failures, input.by, now())
    await progress(asked.length, asked.length, 'Done')
    return { ...(await offered(env.DB)), new_terms_count: next.new_terms_count, failures: next.failures }
  },
})

async function readTerms(env: Env, source: SourceRow, tools: { now(): number; deadline: number }) {
  const { lane } = await openLane(env, { ...source, settings: settingsOf(source.settings) }, tools)
  try {
    const answer = await lane.termsAndSchools()
    if (answer.known && termsWorthKeeping(answer.value, source.time_zone, tools.now()).length === 0) {
      return { known: false as const, why: 'it listed no term that is not over yet' }
    }
    return answer
  } catch (error) {
    if (error instanceof BudgetSpent) return error
    throw error
  }
}

/** Terms and schools a person can choose now. */
export async function offered(db: D1Database): Promise<Omit<RefreshedTerms, 'new_terms_count' | 'failures'>> {
  const [schools, terms] = await db.batch([
    db.prepare('SELECT id, name FROM school ORDER BY name LIMIT 500'),
    db.prepare(
      `SELECT id, full_term_name AS name, year, full_term_name FROM term
       WHERE EXISTS (SELECT 1 FROM school_term t WHERE t.term_id = term.id AND t.is_available)
       ORDER BY year DESC, season LIMIT 500`,
    ),
  ])
  return {
    available_schools: (schools?.results ?? []) as RefreshedTerms['available_schools'],
    available_terms: (terms?.results ?? []) as RefreshedTerms['available_terms'],
  }
}

async function refreshTermsOf(env: Env, sourceId: number, by: string): Promise<void> {
  const scopes = await env.DB.prepare(
    `SELECT DISTINCT t.school_id, t.term_id FROM school s JOIN school_term t ON t.school_id = s.id WHERE s.source_id = ? AND t.is_available`,
  )
    .bind(sourceId)
    .all<{ school_id: number; term_id: number }>()
  for (const { school_id, term_id } of scopes.results) {
    const input = { school_id, term_id, by, then_sections: true, done: [], failures: [] }
    await enqueue(env, refreshSubjects, input, { key: `subjects:${school_id}:${term_id}` })
  }
}
