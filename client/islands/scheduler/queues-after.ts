import type { QueuesProps } from '../../../src/scheduler/contract.ts'
import type { LiveFrame } from '../../../src/scheduler/live/contract.ts'
import { liveQueue } from './live-queue.ts'

const failuresShown = 5

/** The page of all queues: the figures of one of them, and failures that float up. */
export function queuesAfter(props: QueuesProps, frame: LiveFrame): QueuesProps {
  const queues = props.queues.map((queue) => (queue.name === frame.queue.name ? liveQueue(queue, frame.queue) : queue))
  const news = new Set(frame.jobs.map(({ name }) => name))
  const failures = [...frame.jobs, ...props.failures.filter(({ name }) => !news.has(name))]
    .toSorted((one, other) => (other.ended_at ?? '').localeCompare(one.ended_at ?? ''))
    .slice(0, failuresShown)
  return { ...props, queues, failures }
}
