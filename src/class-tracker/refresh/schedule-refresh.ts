import { enqueue } from '../../jobs/enqueue.ts'
import type { Schedule } from '../../jobs/job.ts'
import { nextRefreshAt } from './quiet-hour.ts'
import { refreshTerms } from './refresh-terms.ts'

/** The catalogue keeps itself fresh: each source whole, at its school's quiet hour, and at once when it is new. */
export const scheduleRefresh: Schedule = {
  name: 'refresh-catalogue',
  async plan(env, minute) {
    const sources = await env.DB.prepare('SELECT id, time_zone, terms_refreshed_at FROM source WHERE is_enabled').all<{
      id: number
      time_zone: string
      terms_refreshed_at: number | null
    }>()
    for (const { id, time_zone, terms_refreshed_at } of sources.results) {
      if (!isDue(time_zone, terms_refreshed_at, minute)) continue
      const input = { source_ids: [id], by: 'nightly', then_all: true, done: [], new_terms_count: 0, failures: [] }
      await enqueue(env, refreshTerms, input, { key: `nightly:${id}` })
    }
  },
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
