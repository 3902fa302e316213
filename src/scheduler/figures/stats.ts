import type { QueueStats } from '../../jobs/ledger/views.ts'
import { countsOf } from '../shown-queues.ts'
import { isoOrNull } from '../../lib/moment.ts'
import { inTime } from '../../lib/in-time.ts'
import { askLedgers } from '../ask-ledgers.ts'
import type { MonthCost, SentTimes } from '../../class-tracker/alerts/contract.ts'
import { readSources } from '../queues/health.ts'

/** A queue in stats.json. Its figures are null when its ledger did not answer: a monitor must not read that as zero. */
interface QueueFigures {
  name: string
  queued_jobs: number | null
  oldest_job_timestamp: string | null
  /** Always null: there are no processes. */
  scheduler_pid: null
  workers: number | null
  finished_jobs: number | null
  started_jobs: number | null
  failed_jobs: number | null
  scheduled_jobs: number | null
  canceled_jobs: number | null
  paused: boolean | null
  paused_timestamp: string | null
  last_tick_timestamp: string | null
  is_reachable: boolean
}

/**
 * The content of stats.json: the queues; how long messages took, by channel and step; and what this month's messages
 * cost, by channel. The last two are null if the database did not answer.
 */
export async function readStats(
  env: Env,
  now: number,
): Promise<{ queues: QueueFigures[]; messages: SentTimes[] | null; month: MonthCost[] | null }> {
  const [answers, read] = await Promise.all([
    askLedgers(env, (ledger) => ledger.stats()),
    inTime(readSources(env.DB, now)).then(
      (readings) => readings,
      () => null,
    ),
  ])
  const queues = answers.map(({ queue, answer }) => figuresOf(queue, answer))
  return { queues, messages: read?.sent_times ?? null, month: read?.month ?? null }
}

function figuresOf(name: string, stats: QueueStats | null): QueueFigures {
  const counts = stats && countsOf(stats)
  return {
    name,
    queued_jobs: counts?.queued ?? null,
    oldest_job_timestamp: isoOrNull(stats?.oldest_queued_at ?? null),
    scheduler_pid: null,
    workers: stats?.workers ?? null,
    finished_jobs: counts?.finished ?? null,
    started_jobs: counts?.active ?? null,
    failed_jobs: counts?.failed ?? null,
    scheduled_jobs: counts?.scheduled ?? null,
    canceled_jobs: counts?.canceled ?? null,
    paused: stats?.paused ?? null,
    paused_timestamp: isoOrNull(stats?.paused_at ?? null),
    last_tick_timestamp: isoOrNull(stats?.last_tick_at ?? null),
    is_reachable: stats !== null,
  }
}
