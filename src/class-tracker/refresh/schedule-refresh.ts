import { sql } from 'drizzle-orm'
import { query, read } from '../../db/query.ts'
import { source } from '../../db/schema/index.ts'
import { enqueueMany } from '../../jobs/enqueue.ts'
import type { EnqueueOptions, Schedule } from '../../jobs/job.ts'
import { nextRefreshAt } from './next-refresh.ts'
import { refreshTerms } from './refresh-terms.ts'
import { nightly } from './require-answers.ts'

/** Refreshes every source: each night at 3:30 AM in its time zone, and immediately when it is new. */
export const scheduleRefresh: Schedule = {
  name: 'refresh-catalog',
  every: 'when a source is new, and each night at 3:30 in its time zone',
  nextAt: () => null,
  async plan(env, minute) {
    const sources = await read(env.DB, findSources())
    const due = sources.filter(({ time_zone, terms_refreshed_at }) => isDue(time_zone, terms_refreshed_at, minute))
    await refresh(env, due, nightly)
  },
  planNow: async (env) => refresh(env, await read(env.DB, findSources()), nightly),
}

const findSources = () =>
  query
    .select({ id: source.id, time_zone: source.timeZone, terms_refreshed_at: source.termsRefreshedAt })
    .from(source)
    .where(sql`${source.isEnabled}`)

/** Reads a newly added source. If that cannot be queued, the next minute's schedule does it. */
export async function refreshNewSource(env: Env, id: number, who: string): Promise<void> {
  try {
    await refresh(env, [{ id }], who, { priority: 10, asked_by: who })
  } catch (error) {
    console.error({ event: 'first_refresh_not_queued', source: id, error: String(error) })
  }
}

async function refresh(
  env: Env,
  sources: readonly { id: number }[],
  by: string,
  options: EnqueueOptions = {},
): Promise<void> {
  const requests = sources.map(({ id }) => ({
    input: { source_ids: [id], by, then_all: true },
    options: { ...options, key: `nightly:${id}` },
  }))
  await enqueueMany(env, refreshTerms, requests)
}

function isDue(timeZone: string, lastRefreshedAt: number | null, minute: number): boolean {
  const at = nextRefreshAt(timeZone, lastRefreshedAt, minute)
  if (at === null) console.error({ event: 'time_zone_unknown', time_zone: timeZone })
  return at !== null && at <= minute
}
