import type { QueueName } from '../jobs/job.ts'
import type { MinuteCount, QueueStats } from '../jobs/ledger/views.ts'
import { queueEffects } from '../jobs/paused-queues.ts'
import { iso, isoOrNull } from '../lib/time.ts'
import type { ChartStep, QueueRow } from './contract.ts'

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

const noJobs: QueueRow['counts'] = { queued: 0, scheduled: 0, active: 0, finished: 0, failed: 0, canceled: 0 }

/** A queue as one row; without `stats` its ledger did not answer. */
export function queueRow(name: QueueName, stats: QueueStats | null): QueueRow {
  return {
    name,
    is_reachable: stats !== null,
    counts: stats === null ? noJobs : countsOf(stats),
    oldest_queued_at: isoOrNull(stats?.oldest_queued_at ?? null),
    workers: stats?.workers ?? 0,
    paused: stats?.paused ?? false,
    paused_at: isoOrNull(stats?.paused_at ?? null),
    paused_by: stats?.paused_by ?? null,
    stops: queueEffects[name].stops,
    last_tick_at: isoOrNull(stats?.last_tick_at ?? null),
  }
}

export function chartStep(minute: MinuteCount): ChartStep {
  const { at, enqueued, finished, failed, wait_p50, wait_p95, run_p50, run_p95 } = minute
  return { at: iso(at), enqueued, finished, failed, wait_p50, wait_p95, run_p50, run_p95 }
}

/** Adds up the jobs of the same minutes; durations are the slowest queue's, because percentiles cannot be combined. */
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
