import type { JobListProps, JobProps, JobRow, QueueRow, QueuesProps } from '../../../src/scheduler/contract.ts'
import type { LiveFrame } from '../../../src/scheduler/live/contract.ts'

/*
 * What a frame does to a page. All of it is pure: a frame that says nothing new changes nothing but the figures.
 */

const failuresShown = 5
const linesKept = 200

const rowOf = (queue: LiveFrame['queue']): QueueRow => ({ ...queue, is_reachable: true })

/** The page of all queues: the figures of one of them, and failures that float up. */
export function queuesAfter(props: QueuesProps, frame: LiveFrame): QueuesProps {
  const queues = props.queues.map((queue) => (queue.name === frame.queue.name ? rowOf(frame.queue) : queue))
  const news = new Set(frame.jobs.map(({ name }) => name))
  const failures = [...frame.jobs, ...props.failures.filter(({ name }) => !news.has(name))]
    .toSorted((one, other) => (other.ended_at ?? 0) - (one.ended_at ?? 0))
    .slice(0, failuresShown)
  return { ...props, queues, failures }
}

/** A list: the rows it shows change in place, also those that have left it meanwhile. */
export function listAfter(props: JobListProps, frame: LiveFrame): JobListProps {
  const changed = new Map(frame.jobs.map((job) => [job.name, job]))
  const left = new Map(frame.left.map(({ name, status }) => [name, status ?? 'deleted']))
  const jobs = props.jobs.map((job): JobRow => {
    const status = left.get(job.name)
    return changed.get(job.name) ?? (status === undefined ? job : { ...job, status })
  })
  return { ...props, queue: rowOf(frame.queue), jobs }
}

/** Names of jobs a frame brings that a list does not show: they would stand above the others. */
export function newJobs(props: JobListProps, frame: LiveFrame): string[] {
  const newest = props.jobs[0]
  const shown = new Set(props.jobs.map(({ name }) => name))
  return frame.jobs
    .filter(({ name, created_at: at }) => !shown.has(name) && (newest === undefined || at >= newest.created_at))
    .map(({ name }) => name)
}

/** The page of a job: its state, its progress and its lines. */
export function jobAfter(props: JobProps, frame: LiveFrame): JobProps {
  const row = frame.jobs.find(({ name }) => name === props.job.name)
  if (!row) return props
  const job = { ...props.job, status: row.status, progress: row.progress }
  return { ...props, job, row, lines: joinedLines(props.lines, frame.lines) }
}

/** Whether a frame says more than can be seen from it: another run, another state, or that the job is gone. */
export function isNewState(props: JobProps, frame: LiveFrame): boolean {
  if (frame.left.some(({ name }) => name === props.job.name)) return true
  return frame.jobs.some(
    ({ name, status, attempt }) =>
      name === props.job.name && (status !== props.job.status || attempt !== props.row.attempt),
  )
}

/**
 * Lines put together with the newest few, of which some are there already: the end of one is the beginning of the other.
 * Lines that nobody told of in between are missing until the page is loaded anew.
 */
export function joinedLines(known: JobProps['lines'], newest: JobProps['lines']): JobProps['lines'] {
  for (let overlap = Math.min(known.length, newest.length); overlap > 0; overlap -= 1) {
    const end = known.slice(known.length - overlap)
    if (end.every(({ at, line }, index) => newest[index]?.at === at && newest[index].line === line))
      return [...known, ...newest.slice(overlap)].slice(-linesKept)
  }
  return [...known, ...newest].slice(-linesKept)
}
