import type { QueueName } from '../jobs/job.ts'
import type { MinuteCount, QueueStats } from '../jobs/ledger/views.ts'
import { queueEffects } from '../jobs/queue-effects.ts'
import { iso, isoOrNull } from '../lib/moment.ts'
import { registryNames, type ChartStep, type QueueRow } from './contract.ts'

/** The number of jobs in each list of the dashboard; stopped ones are listed under finished. */
export function countsOf({ counts }: Pick<QueueStats, 'counts'>): QueueRow['counts'] {
  return {
    queued: counts.queued,
    scheduled: counts.scheduled,
    active: counts.started,
    finished: counts.finished + counts.stopped,
    failed: counts.failed,
    canceled: counts.canceled,
  }
}

/** A queue as one row; without `stats` its ledger did not answer. */
export function queueRow(name: QueueName, stats: QueueStats | null): QueueRow {
  if (stats === null) {
    const nothing = Object.fromEntries(registryNames.map((registry) => [registry, 0])) as QueueRow['counts']
    return {
      name,
      is_reachable: false,
      counts: nothing,
      oldest_queued_at: null,
      workers: 0,
      paused: false,
      paused_at: null,
      paused_by: null,
      stops: queueEffects[name].stops,
      last_tick_at: null,
    }
  }
  return {
    name,
    is_reachable: true,
    counts: countsOf(stats),
    oldest_queued_at: isoOrNull(stats.oldest_queued_at),
    workers: stats.workers,
    paused: stats.paused,
    paused_at: isoOrNull(stats.paused_at),
    paused_by: stats.paused_by,
    stops: queueEffects[name].stops,
    last_tick_at: isoOrNull(stats.last_tick_at),
  }
}

export function chartStep(minute: MinuteCount): ChartStep {
  const { at, enqueued, finished, failed, wait_p50, wait_p95, run_p50, run_p95 } = minute
  return { at: iso(at), enqueued, finished, failed, wait_p50, wait_p95, run_p50, run_p95 }
}

/**
 * Combines several queues' steps of the same minutes: adds up jobs and takes the durations of the slowest queue,
 * because percentiles of different queues cannot be combined.
 */
export function joinedChart(charts: readonly (readonly ChartStep[])[]): ChartStep[] {
  const joined = new Map<string, ChartStep>()
  for (const step of charts.flat()) {
    const soFar = joined.get(step.at)
    joined.set(step.at, soFar ? joinedStep(soFar, step) : step)
  }
  return [...joined.values()].toSorted((one, other) => one.at.localeCompare(other.at))
}

function joinedStep(one: ChartStep, other: ChartStep): ChartStep {
  return {
    at: one.at,
    enqueued: one.enqueued + other.enqueued,
    finished: one.finished + other.finished,
    failed: one.failed + other.failed,
    wait_p50: larger(one.wait_p50, other.wait_p50),
    wait_p95: larger(one.wait_p95, other.wait_p95),
    run_p50: larger(one.run_p50, other.run_p50),
    run_p95: larger(one.run_p95, other.run_p95),
  }
}

function larger(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.max(one, other)
}
