import { $ZodError, config } from 'zod/v4/core'
import en from 'zod/v4/locales/en.js'
import { PermanentFailure, JobStopped, RetryAt, RunAgain, type AnyJob } from './job.ts'
import { type Ending, type ClaimedJob, MAX_ERROR_LENGTH } from './ledger/calls.ts'
import { withTimeout } from '../lib/time.ts'
import { type Invocation, Lease } from './lease.ts'

// Gives input errors English messages, because zod/mini has none of its own.
config(en())

const MAX_RESULT_LENGTH = 100_000

/** Runs one attempt; never rejects. Returns how it ended; null if the job now belongs to another worker. */
export async function runJob(
  env: Env,
  claimed: ClaimedJob,
  job: AnyJob | undefined,
  invocation: Invocation,
): Promise<Ending | null> {
  if (!job) return { how: 'returned', reason: `This version has no job named ${claimed.task}.` }
  const lease = new Lease(env, claimed, invocation)
  const milliseconds = Math.max(0, claimed.deadline - Date.now())
  try {
    const running = job.runWithRawInput(lease.context(), JSON.parse(claimed.input))
    const value = await withTimeout(running, milliseconds, `Ran longer than ${job.limit.run_seconds} s.`)
    if (value instanceof RunAgain) {
      const { at, input, priority } = value
      return { how: 'again', at, input: JSON.stringify(input ?? null), priority }
    }
    return { how: 'finished', result: resultText(value) }
  } catch (error) {
    if (lease.isLost) return null
    return error instanceof JobStopped ? { how: 'stopped', reason: error.message } : failure(error)
  } finally {
    lease.end()
  }
}

function failure(error: unknown): Ending {
  return {
    how: 'failed',
    error: errorText(error).slice(0, MAX_ERROR_LENGTH),
    retry_at: error instanceof RetryAt ? error.retry_at : null,
    gives_up: error instanceof PermanentFailure || error instanceof $ZodError,
  }
}

/** A job's own error is shown as its message, any other error with its stack and cause. */
function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof $ZodError) return inputErrors(error)
  if (error instanceof PermanentFailure || error instanceof RetryAt) return error.message
  const cause = error.cause === undefined ? '' : `\nCaused by: ${errorText(error.cause)}`
  return `${error.stack ?? String(error)}${cause}`
}

/** The first line, the only one that lists show, names the fields; the others say what is wrong with each. */
function inputErrors({ issues }: $ZodError): string {
  const names = [...new Set(issues.map(({ path }) => path.join('.')))].filter((name) => name !== '')
  const errors = issues.map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`))
  return [names.length === 0 ? 'Invalid input' : `Invalid input: ${names.join(', ')}`, ...errors].join('\n')
}

/** A job's result as JSON; a notice if it is too long or cannot be serialized. */
function resultText(value: unknown): string {
  try {
    const text = JSON.stringify(value ?? null) ?? 'null'
    if (text.length <= MAX_RESULT_LENGTH) return text
    return JSON.stringify({ truncated: true, length: text.length, beginning: text.slice(0, 2000) })
  } catch (error) {
    return JSON.stringify({ unwritable: true, why: String(error) })
  }
}
