import { GiveUp, type JobContext, RetryAt } from '../../jobs/job.ts'
import { saysTimedOut, timedOut } from '../../sources/answer.ts'
import { BudgetSpent } from '../../sources/source.ts'

/** The actor of the nightly refresh. */
export const nightly = 'nightly'
const NIGHTLY_RETRY_MS = 30 * 60_000
/** After this many runs without the whole answer of a school it is left out: others must not wait for it forever. */
const MAX_STUCK_RUNS = 5

const divider = ' · '

/** A job's failures joined into its one-line error. */
export function inOneLine(failures: readonly string[]): string {
  return failures.join(divider)
}

/** Whether such a line names only schools that did not answer in time. */
export function isTimeOut(line: string): boolean {
  return line.split(divider).every(saysTimedOut)
}

/** What a job has read so far, for the run that continues it. */
interface Progress {
  /** Ids that this run and earlier ones have finished. */
  done: number[]
  failures: string[]
  by: string
  /** Runs in a row in which the budget or the time ended before the answer that comes next. */
  stuck?: number | undefined
}

/**
 * Reads one after another what earlier runs of a job have not finished, and counts failures. Fails a refresh that nobody
 * answered: the nightly one tries again in half an hour, a person sees the error at once.
 * @param read returns why the answer was not believed; null if it was
 * @returns when the next run must continue, ms; null once everything has been read
 * @throws RetryAt, GiveUp
 */
export async function readRest<One extends { id: number; label: string }>(
  { now, deadline, progress, checkpoint }: JobContext,
  next: Progress,
  { all, what }: { all: readonly One[]; what: string },
  read: (one: One, tools: { now: () => number; deadline: number }) => Promise<string | null>,
): Promise<number | null> {
  const finished = new Set(next.done)
  for (const one of all.filter(({ id }) => !finished.has(id))) {
    await progress(next.done.length, all.length, `Reading ${what} of ${one.label}`)
    try {
      const why = await read(one, { now, deadline: deadline - 2000 })
      if (why !== null) next.failures.push(`${one.label}: ${why}`)
    } catch (error) {
      if (!(error instanceof BudgetSpent)) throw error
      next.stuck = (next.stuck ?? 0) + 1
      if (next.stuck < MAX_STUCK_RUNS) return error.retry_at
      next.failures.push(`${one.label}: ${timedOut('whole answer', 'one run').why}`)
    }
    next.stuck = 0
    next.done.push(one.id)
    await checkpoint()
    if (now() > deadline - 8000 && next.done.length < all.length) return now()
  }
  if (all.length === 0 || next.failures.length < all.length) return null
  const message = inOneLine(next.failures)
  if (next.by === nightly) throw new RetryAt(message, now() + NIGHTLY_RETRY_MS)
  throw new GiveUp(message)
}
