import type { JobPage, JobProps } from '../../../src/scheduler/contract.ts'
import type { LiveFrame } from '../../../src/scheduler/live/contract.ts'

const linesKept = 200

type Lines = JobPage['lines']

/** The page of a job: its state, its progress and its lines. A frame cuts errors and arguments short: those stay as they are. */
export function jobAfter(props: JobProps, frame: LiveFrame): JobProps {
  const row = frame.jobs.find(({ name }) => name === props.job.name)
  if (!row) return props
  const { error: _error, arguments: _arguments, ...news } = row
  return { job: { ...props.job, ...news, lines: joinedLines(props.job.lines, frame.lines) } }
}

/** Whether a frame says more than can be seen from it: another run, another state, or that the job is gone. */
export function isNewState(props: JobProps, frame: LiveFrame): boolean {
  if (frame.left.some(({ name }) => name === props.job.name)) return true
  return frame.jobs.some(
    ({ name, status, attempt }) =>
      name === props.job.name && (status !== props.job.status || attempt !== props.job.attempt),
  )
}

/**
 * Lines put together with the newest few, of which some are there already: the end of one is the beginning of the other.
 * Lines that nobody told of in between are missing until the page is loaded anew.
 */
export function joinedLines(known: Lines, newest: Lines): Lines {
  for (let overlap = Math.min(known.length, newest.length); overlap > 0; overlap -= 1) {
    const end = known.slice(known.length - overlap)
    if (end.every(({ at, line }, index) => newest[index]?.at === at && newest[index].line === line))
      return [...known, ...newest.slice(overlap)].slice(-linesKept)
  }
  return [...known, ...newest].slice(-linesKept)
}
