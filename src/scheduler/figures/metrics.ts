import { countedActs, type MinuteCount, type QueueStats } from '../../jobs/ledger/views.ts'
import { askLedgers, type Answer } from '../ask-ledgers.ts'
import type { SentTimes } from '../../class-tracker/alerts/contract.ts'
import { isOnTime, readSources, type SourceRow } from '../queues/health.ts'
import { MAX_MESSAGES } from '../../class-tracker/alerts/sent-times.ts'
import { orWarn } from '../../lib/fallbacks.ts'
import { MINUTE_MS, withTimeout } from '../../lib/time.ts'
import type { Metric, Sample } from './prometheus.ts'

/** Over how many whole minutes the rates are computed. */
const MINUTES_COUNTED = 5
const measured = ['wait_p50', 'wait_p95', 'run_p50', 'run_p95'] as const

interface QueueFigures {
  stats: QueueStats
  /** The last whole minutes as one period. */
  recent: MinuteCount | null
}

export async function readMetrics(env: Env, now: number): Promise<Metric[]> {
  const until = now - (now % (MINUTES_COUNTED * MINUTE_MS))
  const [answers, read] = await Promise.all([
    askLedgers(env, async (ledger): Promise<QueueFigures> => {
      const [stats, minutes] = await Promise.all([
        ledger.stats(),
        ledger.minutes(until - MINUTES_COUNTED * MINUTE_MS, until, MINUTES_COUNTED),
      ])
      return { stats, recent: minutes[0] ?? null }
    }),
    orWarn(withTimeout(readSources(env.DB, now)), { event: 'figures_without_database' }, null),
  ])
  return [
    {
      name: 'class_cords_database_up',
      help: 'Whether the database answered in time; otherwise only figures of queues follow.',
      samples: [{ labels: {}, value: read === null ? 0 : 1 }],
    },
    ...queueMetrics(answers, now),
    ...rateMetrics(answers),
    ...(read === null ? [] : databaseMetrics(read, now)),
  ]
}

function databaseMetrics(
  { sources, states, sent_times: sentTimes, database }: Awaited<ReturnType<typeof readSources>>,
  now: number,
): Metric[] {
  return [
    ...sourceMetrics(sources, now),
    {
      name: 'class_cords_deliveries',
      help: `Messages of the last 24 hours by state, of the newest ${MAX_MESSAGES}.`,
      samples: states.map(({ state, messages }) => ({ labels: { state }, value: messages })),
    },
    ...sentTimeMetrics(sentTimes),
    {
      name: 'class_cords_database_bytes',
      help: 'Size of the database.',
      samples: database.bytes === null ? [] : [{ labels: {}, value: database.bytes }],
    },
    {
      name: 'class_cords_database_limit_bytes',
      help: 'How large it may become (setting database_limit_gb).',
      samples: [{ labels: {}, value: database.limit_bytes }],
    },
  ]
}

function queueMetrics(answers: readonly Answer<QueueFigures>[], now: number): Metric[] {
  const each = (read: (stats: QueueStats) => number | null): Sample[] =>
    answers.flatMap(({ queue, answer }) => {
      const value = answer && read(answer.stats)
      return value === null ? [] : [{ labels: { queue }, value }]
    })
  const jobs = answers.flatMap(({ queue, answer }) =>
    Object.entries(answer?.stats.counts ?? {}).map(([state, value]) => ({ labels: { queue, state }, value })),
  )
  return [
    {
      name: 'class_cords_queue_up',
      help: 'Whether the ledger of the queue answered in time.',
      samples: answers.map(({ queue, answer }) => ({ labels: { queue }, value: answer === null ? 0 : 1 })),
    },
    { name: 'class_cords_jobs', help: 'Jobs kept, by state.', samples: jobs },
    {
      name: 'class_cords_oldest_queued_seconds',
      help: 'Age of the job that has been queued longest; 0 when none is.',
      samples: each(({ oldest_queued_at: at }) => (at === null ? 0 : Math.max(0, now - at) / 1000)),
    },
    { name: 'class_cords_workers', help: 'Workers that are busy or idle.', samples: each(({ workers }) => workers) },
    { name: 'class_cords_queue_paused', help: '1 while the queue is paused.', samples: each((s) => Number(s.paused)) },
    {
      name: 'class_cords_last_tick_timestamp_seconds',
      help: 'When the minute cron last reached the ledger.',
      samples: each(({ last_tick_at: at }) => (at === null ? null : at / 1000)),
    },
  ]
}

function rateMetrics(answers: readonly Answer<QueueFigures>[]): Metric[] {
  const recent = answers.flatMap(({ queue, answer }) => (answer?.recent ? [{ queue, minutes: answer.recent }] : []))
  const durations = recent.flatMap(({ queue, minutes }) =>
    measured.flatMap((name) => {
      const [kind = '', percentile = ''] = name.split('_p')
      const value = minutes[name]
      return value === null ? [] : [{ labels: { queue, kind, quantile: `0.${percentile}` }, value: value / 1000 }]
    }),
  )
  return [
    {
      name: 'class_cords_jobs_in_5_minutes',
      help: 'What happened to jobs in the last whole five minutes of the clock.',
      samples: recent.flatMap(({ queue, minutes }) =>
        countedActs.map((event) => ({ labels: { queue, event }, value: minutes[event] })),
      ),
    },
    { name: 'class_cords_job_seconds', help: 'Wait and run time in the same five minutes.', samples: durations },
  ]
}

function sentTimeMetrics(times: readonly SentTimes[]): Metric[] {
  const seconds = (labels: Sample['labels'], value: number | null): Sample[] =>
    value === null ? [] : [{ labels, value: value / 1000 }]
  return [
    {
      name: 'class_cords_message_seconds',
      help: `From the poll that saw the seat to a step of the message, 24 hours, of the newest ${MAX_MESSAGES}.`,
      samples: times.flatMap(({ channel, step, p50, p95 }) => [
        ...seconds({ channel, step, quantile: '0.50' }, p50),
        ...seconds({ channel, step, quantile: '0.95' }, p95),
      ]),
    },
    {
      name: 'class_cords_largest_group_last_seconds',
      help: 'The same for the last message of the largest group written together.',
      samples: times.flatMap(({ channel, step, largest_group: { last } }) => seconds({ channel, step }, last)),
    },
  ]
}

function sourceMetrics(sources: readonly SourceRow[], now: number): Metric[] {
  const each = (read: (source: SourceRow) => number | null): Sample[] =>
    sources.flatMap((source) => {
      const value = read(source)
      return value === null ? [] : [{ labels: { source: source.name }, value }]
    })
  const isWatched = (source: SourceRow) => source.is_watched && source.is_enabled
  return [
    {
      name: 'class_cords_source_failures',
      help: 'Failed polls in a row.',
      samples: each(({ failures }) => failures),
    },
    {
      name: 'class_cords_source_on_time',
      help: '1 when every watched group was asked within twice the interval. Groups that failed 3 times in a row count only if all did.',
      samples: each((source) => (isWatched(source) ? Number(isOnTime(source, now)) : null)),
    },
    {
      name: 'class_cords_source_unread_sections',
      help: 'Watched sections that were not observed for three intervals, at least two minutes; 1000 at most.',
      samples: each((source) => (isWatched(source) ? source.unread.sections : null)),
    },
    {
      name: 'class_cords_source_last_good_timestamp_seconds',
      help: 'When the source was last believed.',
      samples: each(({ last_good_at: at }) => (at === null ? null : at / 1000)),
    },
  ]
}
