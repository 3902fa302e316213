import { min } from 'drizzle-orm'
import { runIn } from '../../db/own-database.ts'
import { prepared, query } from '../../db/query.ts'
import type { JobState } from '../../lib/contract.ts'
import type { QueueStats, Registry } from './views.ts'
import { readValue, readPause } from './settings.ts'
import { scalar, type Reader } from './sql.ts'
import { counter, inState, job } from './tables.ts'
import { countWorkers } from './workers.ts'

const findCounts = prepared(() => query.select().from(counter))

/** The number of jobs in each state, from counters that triggers maintain. */
export function readCounts({ sql }: Reader): Record<JobState, number> {
  // The schema's first step added a row for each state.
  return Object.fromEntries(runIn(sql, findCounts()).map(({ state, jobs }) => [state, jobs])) as Record<
    JobState,
    number
  >
}

/** Jobs in a registry; without one, all. */
export function totalOf(counts: Readonly<Record<JobState, number>>, registry?: Registry): number {
  if (registry === undefined) return Object.values(counts).reduce((sum, jobs) => sum + jobs, 0)
  if (registry === 'finished') return counts.finished + counts.stopped
  return counts[registry === 'active' ? 'started' : registry]
}

const findOldest = prepared(() =>
  query
    .select({ value: min(job.queued_at) })
    .from(job)
    .where(inState('queued')),
)

export function readStats(reader: Reader): QueueStats {
  const pause = readPause(reader)
  return {
    queue: reader.queue,
    counts: readCounts(reader),
    oldest_queued_at: scalar(reader.sql, findOldest()),
    workers: countWorkers(reader),
    paused: pause !== null,
    paused_at: pause?.at ?? null,
    paused_by: pause?.by ?? null,
    last_tick_at: readValue(reader, 'last_tick_at'),
  }
}
