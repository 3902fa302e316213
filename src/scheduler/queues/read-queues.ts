import type { JobRecord } from '../../jobs/job.ts'
import type { LedgerCalls } from '../../jobs/ledger/calls.ts'
import type { QueueStats } from '../../jobs/ledger/views.ts'
import { askLedgers } from '../ask-ledgers.ts'
import type { ChartStep, QueuesProps, ScheduleRow } from '../contract.ts'
import { jobRow } from '../shown-jobs.ts'
import { chartStep, joinedChart, queueRow } from '../shown-queues.ts'
import { readHealth } from './health.ts'

const hourMilliseconds = 60 * 60_000
const MAX_FAILURES = 5

interface QueueAnswer {
  stats: QueueStats
  chart: ChartStep[]
  failures: JobRecord[]
}

/** Everything the first page shows: all ledgers, the database and the schedules are asked at the same time. */
export async function readQueues(env: Env, schedules: Promise<ScheduleRow[]>, now: number): Promise<QueuesProps> {
  const [answers, health, rows] = await Promise.all([
    askLedgers(env, (ledger) => askQueue(ledger, now)),
    readHealth(env.DB, now),
    schedules,
  ])
  const answered = answers.flatMap(({ answer }) => answer ?? [])
  return {
    queues: answers.map(({ queue, answer }) => queueRow(queue, answer?.stats ?? null)),
    health,
    chart: joinedChart(answered.map(({ chart }) => chart)),
    failures: answered
      .flatMap(({ failures }) => failures)
      .toSorted((one, other) => (other.ended_at ?? 0) - (one.ended_at ?? 0))
      .slice(0, MAX_FAILURES)
      .map(jobRow),
    schedules: rows,
  }
}

async function askQueue(ledger: LedgerCalls, now: number): Promise<QueueAnswer> {
  const [stats, minutes, failed] = await Promise.all([
    ledger.stats(),
    readLastHour(ledger, now),
    ledger.list({ registry: 'failed', size: MAX_FAILURES }),
  ])
  return { stats, chart: minutes, failures: failed.jobs }
}

/** The last hour in steps of a minute, oldest first. */
export async function readLastHour(ledger: LedgerCalls, now: number): Promise<ChartStep[]> {
  return (await ledger.minutes(now - hourMilliseconds, now)).map(chartStep)
}
