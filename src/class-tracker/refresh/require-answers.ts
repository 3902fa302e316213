import { PermanentFailure, type JobContext, RetryAt } from '../../jobs/job.ts'
import { saysTimedOut, timedOut } from '../../sources/answer.ts'
import { BudgetSpent, type Lane } from '../../sources/source.ts'
import { type LaneSource, openLane } from '../polling/open-lane.ts'
import { counted } from '../../lib/text.ts'
import { MINUTE_MS } from '../../lib/time.ts'

export const refreshLimit = { attempts: 3, run_seconds: 20, retry_seconds: [30, 300] }

/** The actor of the nightly refresh. */
export const nightly = 'nightly'
const NIGHTLY_RETRY_MS = 30 * MINUTE_MS
/** After this many runs without the whole answer of a school it is left out: others must not wait for it forever. */
const MAX_STUCK_RUNS = 5
/** Time that a run reserves for writing, in ms. */
const WRITING_MS = 2000
/** The least time left in which another school is asked, in ms. */
const ASKING_MS = 8000

/** The most that such sentences take of a result, in characters of JSON: a longer result of a job would be cut off. */
const MAX_SENTENCES_LENGTH = 8000

/** The first sentences of a result, and how many others there are. */
export function firstSentences(all: readonly string[]): string[] {
  let length = 0
  const shown = all.findIndex((sentence) => (length += JSON.stringify(sentence).length) > MAX_SENTENCES_LENGTH)
  return shown < 0 ? [...all] : [...all.slice(0, shown), `And ${counted(all.length - shown, 'other')}.`]
}

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
  /** Runs in a row that asked for the answer that comes next, but whose budget or time ended before it was whole. */
  stuck: number
}

/**
 * Reads one after another what earlier runs of a job have not finished, and counts failures. Fails a refresh that no
 * one answered: the nightly one tries again in half an hour, a person sees the error at once.
 * @param read asks the school; returns why the answer was not believed, or null if it was
 * @returns when the next run must continue, in ms; null once everything has been read
 * @throws RetryAt, PermanentFailure
 */
export async function readRest<One extends { id: number; label: string; source: LaneSource }>(
  { env, now, deadline, progress, checkpoint }: JobContext,
  next: Progress,
  { all, what }: { all: readonly One[]; what: string },
  read: (one: One, lane: Lane) => Promise<string | null>,
): Promise<number | null> {
  const finished = new Set(next.done)
  const readUntil = deadline - WRITING_MS
  for (const one of all.filter(({ id }) => !finished.has(id))) {
    await progress(next.done.length, all.length, `Reading ${what} of ${one.label}`)
    const { lane, requests } = await openLane(env, one.source, { now, deadline: readUntil })
    try {
      const why = await read(one, lane)
      if (why !== null) next.failures.push(`${one.label}: ${why}`)
    } catch (error) {
      const isSpent = error instanceof BudgetSpent
      if (!isSpent && now() < readUntil - 1) throw error
      // Another job may have used up the budget of the school's host.
      next.stuck += Number(requests() > 0)
      if (next.stuck < MAX_STUCK_RUNS) return isSpent ? error.retry_at : now()
      next.failures.push(`${one.label}: ${timedOut('whole answer', 'one run').why}`)
    }
    next.stuck = 0
    next.done.push(one.id)
    await checkpoint()
    if (now() > deadline - ASKING_MS && next.done.length < all.length) return now()
  }
  if (all.length === 0 || next.failures.length < all.length) return null
  const message = inOneLine(next.failures)
  if (next.by === nightly) throw new RetryAt(message, now() + NIGHTLY_RETRY_MS)
  throw new PermanentFailure(message)
}
