import type { QueueStats } from '../../jobs/ledger/views.ts'
import { countsOf } from '../shown-queues.ts'
import { withTimeout, isoOrNull } from '../../lib/time.ts'
import { askLedgers } from '../ask-ledgers.ts'
import { readSources } from '../queues/health.ts'

/** The content of stats.json; `messages` and `month` are null if the database did not answer. */
export async function readStats(env: Env, now: number) {
  const [answers, read] = await Promise.all([
    askLedgers(env, (ledger) => ledger.stats()),
    withTimeout(readSources(env.DB, now)).catch(() => null),
  ])
  const queues = answers.map(({ queue, answer }) => figuresOf(queue, answer))
  return { queues, messages: read?.sent_times ?? null, month: read?.month ?? null }
}

/** A queue's figures are null when its ledger did not answer: a monitor must not read that as zero. */
function figuresOf(name: string, stats: QueueStats | null) {
  const counts = stats && countsOf(stats)
  return {
    name,
    queued_jobs: counts?.queued ?? null,
    oldest_job_timestamp: isoOrNull(stats?.oldest_queued_at ?? null),
    /** Always null: there are no processes. */
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
