import { and, eq, isNull, lt, or, sql } from 'drizzle-orm'
import { query, read } from '../../db/query.ts'
import { sectionGroup, source } from '../../db/schema/index.ts'
import { enqueueMany } from '../../jobs/enqueue.ts'
import type { Schedule } from '../../jobs/job.ts'
import { everyMinutes } from '../../jobs/schedules.ts'
import { MINUTE_MS } from '../../lib/time.ts'
import { pollSource } from './poll-source.ts'
import { pollMsOf } from './source-health.ts'

/**
 * Sources start at different offsets within this time after a tick, which vary little, so that each keeps its interval.
 */
const SPREAD_MS = 800
const JITTER_MS = 200

/**
 * Every minute: one poll for each source with watched sections, or several when its poll interval is shorter. A tick
 * that finds the source's poll still running joins it.
 */
export const schedulePolls: Schedule = {
  name: 'poll-sources',
  every: 'every minute',
  nextAt: everyMinutes(1),
  async plan(env, minute) {
    const isWatched = sql`EXISTS (SELECT 1 FROM ${sectionGroup}
      WHERE ${sectionGroup.sourceId} = ${source.id} AND ${sectionGroup.watchCount} > 0)`
    const isAwake = or(isNull(source.pausedUntil), lt(source.pausedUntil, minute + MINUTE_MS))
    const sources = await read(
      env.DB,
      query
        .select({ id: source.id, poll_seconds: source.pollSeconds })
        .from(source)
        .where(and(eq(source.isEnabled, true), isAwake, isWatched)),
    )
    await planTicks(
      env,
      sources.flatMap(({ id, poll_seconds }) =>
        ticksOf(minute, pollMsOf({ poll_seconds })).map((tick) => ({ source_id: id, tick })),
      ),
    )
  },
}

/** Schedules the rest of this minute for one source, so that its first watch does not wait for the next cron run. */
export async function planRestOfMinute(
  env: Env,
  source: { id: number; poll_seconds: number },
  now: number,
): Promise<void> {
  const ticks = ticksOf(now - (now % MINUTE_MS), pollMsOf(source))
  await planTicks(
    env,
    ticks.filter((tick) => tick > now).map((tick) => ({ source_id: source.id, tick })),
  )
}

async function planTicks(env: Env, ticks: readonly { source_id: number; tick: number }[]): Promise<void> {
  await enqueueMany(
    env,
    pollSource,
    ticks.map(({ source_id, tick }) => ({
      input: { source_id },
      options: {
        key: `poll:${source_id}:${tick}`,
        at: tick + placeOf(source_id) + Math.floor(Math.random() * JITTER_MS),
        exclusive: { name: `poll:${source_id}`, when_held: 'skip' as const },
      },
    })),
  )
}

/** The factor is coprime to the spread, so neighboring ids are far apart and no two of 800 sources coincide. */
const placeOf = (sourceId: number): number => (sourceId * 383) % SPREAD_MS

/** The moments (ms since epoch) of the minute starting at `minute` at which an interval of `pollMs` ticks. */
export function ticksOf(minute: number, pollMs: number): number[] {
  const ticks: number[] = []
  for (let tick = Math.ceil(minute / pollMs) * pollMs; tick < minute + MINUTE_MS; tick += pollMs) ticks.push(tick)
  return ticks
}
