import { counted } from '../../lib/text.ts'
import { DAY_MS, MINUTE_MS } from '../../lib/time.ts'
import type { QueueRow, QueuesProps } from '../contract.ts'

/** Since when a job may be queued before it counts as late, in minutes; refreshes and maintenance come in bursts. */
const lateAfter = { urgent: 5, other: 60 }
const urgent: ReadonlySet<string> = new Set(['polls', 'alerts'])

const MAX_MINUTES_WITHOUT_TICK = 3

/** What is not well with queues, jobs and schedules, in sentences. Pauses are shown separately. */
export function problemsOf(
  { queues, failures, schedules }: Pick<QueuesProps, 'queues' | 'failures' | 'schedules'>,
  now: number,
): string[] {
  const failed = failures.filter(({ ended_at: at }) => at !== null && Date.parse(at) > now - DAY_MS)
  return [
    ...queues.filter((queue) => !queue.is_reachable).map(({ name }) => `The ${name} queue does not answer.`),
    ...[...new Set(failed.map(({ queue }) => queue))].map(
      (name) => `Jobs in the ${name} queue failed in the last 24 hours.`,
    ),
    ...queues.flatMap((queue) => lateness(queue, now)),
    ...missedTicks(queues, now),
    ...schedules.filter(({ is_enabled: isOn }) => !isOn).map(({ name }) => `The schedule ${name} is off.`),
    ...schedules.filter(({ last_error: error }) => error).map(({ name }) => `The schedule ${name} failed.`),
  ]
}

/** Every queue gets a tick from the minute cron; one that did not answer has none here. */
function missedTicks(queues: readonly QueueRow[], now: number): string[] {
  const ticks = queues.flatMap(({ last_tick_at: at }) => (at === null ? [] : [Date.parse(at)]))
  const minutes = Math.floor((now - Math.max(...ticks)) / MINUTE_MS)
  if (ticks.length === 0 || minutes <= MAX_MINUTES_WITHOUT_TICK) return []
  return [`The last tick was ${counted(minutes, 'minute')} ago: recurring jobs do not start.`]
}

function lateness({ name, paused, oldest_queued_at: oldest }: QueueRow, now: number): string[] {
  if (paused || oldest === null) return []
  const minutes = Math.floor((now - Date.parse(oldest)) / MINUTE_MS)
  const most = urgent.has(name) ? lateAfter.urgent : lateAfter.other
  return minutes <= most ? [] : [`A job in the ${name} queue has been waiting for ${counted(minutes, 'minute')}.`]
}
