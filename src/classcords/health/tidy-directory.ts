import * as z from 'zod'
import { enqueue } from '../../jobs/enqueue.ts'
import { defineJob, type Schedule } from '../../jobs/job.ts'
import { indexServers } from '../search/index-servers.ts'

const dayMs = 24 * 3600_000
/** Single uses are kept as long as the longest chart of them and a while longer; the counts stay. */
export const usesKeptMs = 90 * dayMs
const noticesKeptMs = 180 * dayMs
const batch = 200

/** Brings the search words of changed servers up to date, and lets go of what nobody looks at any more. */
export const tidyDirectory = defineJob({
  name: 'tidy-directory',
  queue: 'maintenance',
  input: z.object({}),
  limit: { attempts: 3, run_seconds: 20, retry_seconds: [60] },
  async run({ env, now, deadline, checkpoint }) {
    let indexed = 0
    for (let last = batch; last === batch && now() < deadline - 5000; indexed += last) {
      await checkpoint()
      last = await indexServers(env.DB, batch)
    }
    const at = now()
    const forgotten = await env.DB.batch([
      env.DB.prepare(
        'DELETE FROM invite_use WHERE id IN (SELECT id FROM invite_use WHERE used_at < ? LIMIT 5000)',
      ).bind(at - usesKeptMs),
      env.DB.prepare('DELETE FROM notice WHERE id IN (SELECT id FROM notice WHERE created_at < ? LIMIT 5000)').bind(
        at - noticesKeptMs,
      ),
      env.DB.prepare('DELETE FROM invite_lookup WHERE fetched_at < ?').bind(at - dayMs),
    ])
    return { indexed, forgotten: forgotten.reduce((sum, { meta }) => sum + meta.changes, 0) }
  },
})

async function tidy(env: Env): Promise<void> {
  await enqueue(env, tidyDirectory, {}, { key: 'tidy-directory' })
}

/** Daily, and in any minute that finds servers whose words are old. */
export const scheduleTidying: Schedule = {
  name: 'tidy-directory',
  every: 'every day at 00:00 UTC, and in any minute that finds changed servers',
  nextAt: () => null,
  async plan(env, minute) {
    const isDue =
      minute % dayMs === 0 ||
      (await env.DB.prepare('SELECT 1 FROM discord_server WHERE version <> indexed_version LIMIT 1').first()) !== null
    if (isDue) await tidy(env)
  },
  planNow: tidy,
}
