import { GiveUp, RetryAt } from '../../jobs/job.ts'

/** Who asks when nobody does: the job of the night. */
export const nightly = 'nightly'
const nightlyRetryMs = 30 * 60_000

/**
 * Ends a refresh of which nothing was answered: that of the night tries again in half an hour, a person is told at once.
 * @throws RetryAt, GiveUp
 */
export function requireAnswers(asked: number, failures: readonly string[], by: string, now: number): void {
  if (asked === 0 || failures.length < asked) return
  const message = failures.join(' · ')
  if (by === nightly) throw new RetryAt(message, now + nightlyRetryMs)
  throw new GiveUp(message)
}
