import type { LedgerCalls } from '../../jobs/ledger/index.ts'
import { orWarn } from '../../lib/fallbacks.ts'
import { MINUTE_MS, withTimeout } from '../../lib/time.ts'
import { askLedgers, MAX_LEDGER_WAIT_MS } from '../ask-ledgers.ts'
import type { SiteContext } from '../../web/site.ts'
import type { ChartSpan, ChartStep, QueuesProps, ScheduleRow } from '../contract.ts'
import { jobRow } from '../shown-jobs.ts'
import { chartStep, joinedChart, queueRow } from '../shown-queues.ts'
import { readHealth } from './health.ts'
import { problemsOf } from './problems.ts'

const spans: Readonly<Record<ChartSpan, { minutes: number; step: number }>> = {
  hour: { minutes: 60, step: 1 },
  day: { minutes: 24 * 60, step: 15 },
}
const MAX_FAILURES = 5

/** Everything that the first page shows. What does not answer is missing, because the rest is needed most then. */
export async function readQueues(
  env: Env,
  schedules: Promise<ScheduleRow[]>,
  span: ChartSpan,
  now: number,
): Promise<QueuesProps> {
  const [answers, health, rows] = await Promise.all([
    askLedgers(env, (ledger) => askQueue(ledger, span, now)),
    orWarn(withTimeout(readHealth(env.DB, now), MAX_LEDGER_WAIT_MS), { event: 'health_unknown' }, null),
    schedules,
  ])
  const answered = answers.flatMap(({ answer }) => answer ?? [])
  const queues = answers.map(({ queue, answer }) => queueRow(queue, answer?.stats ?? null))
  const failures = answered
    .flatMap((answer) => answer.failures)
    .toSorted((one, other) => (other.ended_at ?? 0) - (one.ended_at ?? 0))
    .map(jobRow)
  return {
    queues,
    problems: [
      ...(health === null ? ['The database does not answer.'] : []),
      ...problemsOf({ queues, failures, schedules: rows }, now),
    ],
    health,
    chart: joinedChart(answered.map(({ chart }) => chart)),
    chart_span: span,
    failures: failures.slice(0, MAX_FAILURES),
    schedules: rows,
  }
}

async function askQueue(ledger: LedgerCalls, span: ChartSpan, now: number) {
  const [stats, chart, failed] = await Promise.all([
    ledger.stats(),
    readChart(ledger, span, now),
    ledger.list({ registry: 'failed', size: MAX_FAILURES }),
  ])
  return { stats, chart, failures: failed.jobs }
}

export async function readChart(ledger: LedgerCalls, span: ChartSpan, now: number): Promise<ChartStep[]> {
  const { minutes, step } = spans[span]
  return (await ledger.minutes(now - minutes * MINUTE_MS, now, step)).map(chartStep)
}

/** The span that `?chart=` asks for; default: an hour. */
export const chartSpanOf = (c: SiteContext): ChartSpan => (c.req.query('chart') === 'day' ? 'day' : 'hour')
