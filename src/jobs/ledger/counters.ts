import type { JobState } from '../job.ts'
import type { QueueStats, Registry } from './views.ts'
import { readMark, readPause } from './settings.ts'
import { figure, type Sql, type Turn } from './sql.ts'
import { countWorkers } from './workers.ts'

export const registryOf: Readonly<Record<JobState, Registry>> = {
  scheduled: 'scheduled',
  queued: 'queued',
  started: 'active',
  finished: 'finished',
  stopped: 'finished',
  failed: 'failed',
  canceled: 'canceled',
}

/** The number of jobs in each state, from counters that triggers maintain. */
export function readCounts(sql: Sql): Record<JobState, number> {
  const counts: Record<JobState, number> = {
    scheduled: 0,
    queued: 0,
    started: 0,
    finished: 0,
    failed: 0,
    stopped: 0,
    canceled: 0,
  }
  for (const { state, jobs } of sql.rows<{ state: JobState; jobs: number }>('SELECT state, jobs FROM counter')) {
    counts[state] = jobs
  }
  return counts
}

/** Jobs in a registry; null = all. */
export function totalOf(counts: Readonly<Record<JobState, number>>, registry: Registry | null): number {
  if (registry === null) return Object.values(counts).reduce((sum, jobs) => sum + jobs, 0)
  if (registry === 'finished') return counts.finished + counts.stopped
  return counts[registry === 'active' ? 'started' : registry]
}

export function readStats(turn: Pick<Turn, 'sql' | 'queue' | 'now'>): QueueStats {
  const pause = readPause(turn)
  return {
    queue: turn.queue,
    counts: readCounts(turn.sql),
    oldest_queued_at: figure(turn.sql, `SELECT min(queued_at) AS figure FROM job WHERE state = 'queued'`),
    workers: countWorkers(turn.sql, turn.now),
    paused: pause !== null,
    paused_at: pause?.at ?? null,
    paused_by: pause?.by ?? null,
    last_tick_at: readMark(turn, 'last_tick_at'),
  }
}
