import { enqueue } from '../../jobs/enqueue.ts'
import type { Schedule } from '../../jobs/job.ts'
import { nextRefreshAt } from './quiet-hour.ts'
import { refreshTerms } from './refresh-terms.ts'
import { nightly } from './require-answers.ts'

/** The catalogue keeps itself fresh: each source whole, at its school's quiet hour, and at once when it is new. */
export const scheduleRefresh: Schedule = {
  name: 'refresh-catalogue',
  every: 'when a source is new, and each night at its quiet hour',
  nextAt: () => null,
  async plan(env, minute) {
    const sources = await readSources(env)
    await refresh(
      env,
      sources.filter(({ time_zone, terms_refreshed_at }) => isDue(time_zone, terms_refreshed_at, minute)),
    )
  },
  planNow: async (env) => refresh(env, await readSources(env)),
}

interface NightlySource {
  id: number
  time_zone: string
  terms_refreshed_at: number | null
}

async function readSources(env: Env): Promise<NightlySource[]> {
  const sources = env.DB.prepare('SELECT id, time_zone, terms_refreshed_at FROM source WHERE is_enabled')
  return (await sources.all<NightlySource>()).results
}

async function refresh(env: Env, sources: readonly NightlySource[]): Promise<void> {
  for (const { id } of sources) {
    const input = { source_ids: [id], by: nightly, then_all: true, done: [], new_terms_count: 0, failures: [] }
    await enqueue(env, refreshTerms, input, { key: `nightly:${id}` })
  }
}

/** A source whose time zone does not exist waits to be put right, and keeps no other from its refresh. */
function isDue(timeZone: string, lastRefreshedAt: number | null, minute: number): boolean {
  try {
    return nextRefreshAt(timeZone, lastRefreshedAt, minute) <= minute
  } catch (error) {
    console.error({ event: 'time_zone_unknown', time_zone: timeZone, error: String(error) })
    return false
  }
}
