import type { JobListProps, JobRow } from '../../../src/scheduler/contract.ts'
import type { LiveFrame } from '../../../src/scheduler/live/contract.ts'
import { liveQueue } from './live-queue.ts'

/** A list: the rows it shows change in place, also those that have left it meanwhile. */
export function listAfter(props: JobListProps, frame: LiveFrame): JobListProps {
  const changed = new Map(frame.jobs.map((job) => [job.name, job]))
  const left = new Map(frame.left.map(({ name, status }) => [name, status ?? 'deleted']))
  const jobs = props.jobs.map((job): JobRow => {
    const status = left.get(job.name)
    return changed.get(job.name) ?? (status === undefined ? job : { ...job, status })
  })
  return { ...props, queue: liveQueue(props.queue, frame.queue), jobs }
}

/** Names of jobs a frame brings that a list does not show: they would stand above the others. */
export function newJobs(props: JobListProps, frame: LiveFrame): string[] {
  const newest = props.jobs[0]
  const shown = new Set(props.jobs.map(({ name }) => name))
  return frame.jobs
    .filter(({ name, created_at: at }) => !shown.has(name) && (newest === undefined || at >= newest.created_at))
    .map(({ name }) => name)
}
