import { and, eq, isNull, lt, or, sql } from 'drizzle-orm'
import { query, read, readFirst } from '../../db/query.ts'
import { section, sectionGroup, source } from '../../db/schema/index.ts'
import { enqueue, enqueueMany } from '../../jobs/enqueue.ts'
import type { Schedule } from '../../jobs/job.ts'
import { everyMinutes } from '../../jobs/schedules.ts'
import { MINUTE_MS } from '../../lib/time.ts'
import { isWatchedSource } from '../courses/host-share.ts'
import { POLL_SCHEDULE, pollSource } from './poll-source.ts'
import { pollMsOf } from './source-health.ts'

/** Sources start within this time after a tick, each at about the same offset, so that it keeps its interval. */
const SPREAD_MS = 800
const JITTER_MS = 200

/** One poll a minute for each watched source, or several by its interval. A tick joins a poll that still runs. */
export const schedulePolls: Schedule = {
  name: POLL_SCHEDULE,
  every: 'every minute',
  nextAt: everyMinutes(1),
  async plan(env, minute) {
    const isAwake = or(isNull(source.pausedUntil), lt(source.pausedUntil, minute + MINUTE_MS))
    const sources = await read(
      env.DB,
      query
        .select({ id: source.id, poll_seconds: source.pollSeconds, last_asked_at: lastAskedAt })
        .from(source)
        .where(and(eq(source.isEnabled, true), isAwake, isWatchedSource)),
    )
    await planTicks(
      env,
      sources.flatMap(({ id, poll_seconds, last_asked_at }) => {
        const pace = { id, pollMs: pollMsOf({ poll_seconds }), lastAskedAt: last_asked_at ?? 0 }
        return nextTicks(pace, minute, Date.now()).map((tick) => ({ source_id: id, tick }))
      }),
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

/**
 * The ticks that the cron of a minute plans. If they are more than a minute apart, also those of the next minute, so
 * that a cron run that is missed does not skip one; one that has begun is left out if its poll has already asked.
 */
export function nextTicks(
  { id, pollMs, lastAskedAt }: { id: number; pollMs: number; lastAskedAt: number },
  minute: number,
  now: number,
): number[] {
  if (pollMs <= MINUTE_MS) return ticksOf(minute, pollMs)
  const ticks = [minute, minute + MINUTE_MS].flatMap((each) => ticksOf(each, pollMs))
  return ticks.filter((tick) => tick + placeOf(id) > now || lastAskedAt < tick)
}

/** When a source with a long interval was last asked about a watched group; null for others. */
const lastAskedAt = sql<
  number | null
>`iif(${source.pollSeconds} > 60, (SELECT max(${sectionGroup.askedAt}) FROM ${sectionGroup}
  WHERE ${sectionGroup.sourceId} = ${source.id} AND ${sectionGroup.watchCount} > 0), NULL)`

/**
 * Polls a newly watched group at once, after any running poll; this costs one search of the request budget. A failure
 * is only logged: the next poll makes up for it.
 */
export async function pollAtOnce(env: Env, sectionId: number): Promise<void> {
  try {
    const group = await readFirst(
      env.DB,
      query
        .select({ id: sectionGroup.id, source_id: sectionGroup.sourceId, poll_seconds: source.pollSeconds })
        .from(section)
        .innerJoin(sectionGroup, eq(sectionGroup.id, section.groupId))
        .innerJoin(source, eq(source.id, sectionGroup.sourceId))
        .where(eq(section.id, sectionId)),
    )
    if (!group) return
    const input = { source_id: group.source_id, group_id: group.id, may_walk_term: false }
    const exclusive = { name: `poll:${group.source_id}`, when_held: 'wait' as const }
    const key = `at-once:${group.id}`
    // A poll of the group that is already running does not know the watch, so another one follows it.
    for (const each of [key, `${key}:next`]) {
      const { state } = await enqueue(env, pollSource, input, { key: each, exclusive, priority: 10 })
      if (state !== 'started') break
    }
    await planRestOfMinute(env, { ...group, id: group.source_id }, Date.now())
  } catch (error) {
    console.error({ event: 'poll_not_queued', section_id: sectionId, error: String(error) })
  }
}
