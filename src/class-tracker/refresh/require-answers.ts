import { GiveUp, RetryAt } from '../../jobs/job.ts'
import { saysTimedOut } from '../../sources/answer.ts'

/** The actor of the nightly refresh. */
export const nightly = 'nightly'
const NIGHTLY_RETRY_MS = 30 * 60_000

const divider = ' · '

/** A job's failures joined into its one-line error. */
export function inOneLine(failures: readonly string[]): string {
  return failures.join(divider)
}

/** Whether such a line names only schools that did not answer in time. */
export function isTimeOut(line: string): boolean {
  return line.split(divider).every(saysTimedOut)
}

/**
 * Fails a refresh that no source answered: the nightly one tries again in half an hour, a person sees the error at
 * once.
 * @throws RetryAt, GiveUp
 */
export function requireAnswers(asked: number, failures: readonly string[], by: string, now: number): void {
  if (asked === 0 || failures.length < asked) return
  const message = inOneLine(failures)
  if (by === nightly) throw new RetryAt(message, now + NIGHTLY_RETRY_MS)
  throw new GiveUp(message)
}
