import * as z from 'zod/mini'
import { withTimeout, MINUTE_MS } from '../lib/time.ts'
import { enqueue } from './enqueue.ts'
import { defineJob, queueNames, runAgain, type JobRecord, type QueueName } from './job.ts'
import { BULK_JOB, type BulkAct, type BulkResult } from './ledger/calls.ts'
import { JobFilter } from './ledger/views.ts'
import { normalizedSearch } from './ledger/search.ts'
import { ledgerOf } from './ledgers.ts'

const pastTense: Readonly<Record<BulkAct, string>> = {
  cancel: 'canceled',
  stop: 'stopping',
  requeue: 're-queued',
  delete: 'deleted',
}

/**
 * Performs one action on every job of a queue that a filter matches, 500 per run, newest first. It skips itself and
 * jobs that came into the list after the person was asked. A person can stop it between two runs; completed actions
 * stay done.
 */
export const bulkAct = defineJob({
  name: BULK_JOB,
  queue: 'maintenance',
  input: z.object({
    queue: z.enum(queueNames),
    act: z.enum(['cancel', 'stop', 'requeue', 'delete']),
    filter: JobFilter,
    /** Where to continue; null: from the newest. */
    cursor: z.nullable(z.number()),
    done: z.number(),
    /** Absent in actions that began before an earlier version counted these. */
    stop_asked: z._default(z.number(), 0),
    refused: z.number(),
    /** How many match; 0: unknown. */
    total: z.number(),
    by: z.nullable(z.string()),
    /** When the person was asked, ms since epoch; absent in actions that began before an earlier version recorded it. */
    began_at: z.exactOptional(z.number()),
  }),
  limit: { attempts: 5, run_seconds: 20, retry_seconds: [1, 5, 30] },
  async run({ env, job, now, checkpoint, progress }, input) {
    const { queue, act, filter, cursor, by, began_at } = input
    await checkpoint()
    const step = await withTimeout(
      ledgerOf(env, queue).bulk({
        act,
        filter,
        by,
        except: job.id,
        ...(cursor !== null && { cursor }),
        ...(began_at !== undefined && { began_at }),
      }),
    )
    const done = input.done + step.done
    const stop_asked = input.stop_asked + step.stop_asked
    const refused = input.refused + step.refused
    const soFar = { done, stop_asked, refused }
    await progress(done + refused, step.cursor === null ? done + refused : input.total, labelOf(act, soFar))
    return step.cursor === null ? soFar : runAgain(now(), { ...input, ...soFar, cursor: step.cursor })
  },
})

/** "3 canceled, 1 stopping, 2 refused". */
function labelOf(act: BulkAct, { done, stop_asked: asked, refused }: Omit<BulkResult, 'cursor'>): string {
  return [
    ...(done > asked || asked === 0 ? [`${done - asked} ${pastTense[act]}`] : []),
    ...(asked > 0 ? [`${asked} stopping`] : []),
    ...(refused > 0 ? [`${refused} refused`] : []),
  ].join(', ')
}

export interface BulkStart {
  queue: QueueName
  act: BulkAct
  filter: JobFilter
  by: string | null
  /** When the person was asked, ms since epoch; default: now. */
  began_at?: number
  /** The results of an earlier call, so that no job is changed twice. */
  from?: BulkResult | null
}

/** Starts an action on all matching jobs; a second call meanwhile returns the same job. Rejects without an answer. */
export async function startBulk(
  env: Env,
  { queue, act, filter, by, began_at = Date.now(), from = null }: BulkStart,
): Promise<JobRecord> {
  const { total } = await withTimeout(ledgerOf(env, queue).list({ ...filter, size: 1 }))
  const input = {
    queue,
    act,
    filter,
    ...(from ?? { done: 0, stop_asked: 0, refused: 0, cursor: null }),
    total: total ?? 0,
    by,
    began_at,
  }
  return enqueue(env, bulkAct, input, { key: bulkKey(queue, act, filter, began_at), priority: 10, asked_by: by })
}

/** The key is equal for a second click, even if the filter contains "the last hour" in ms; a later question is another. */
function bulkKey(
  queue: QueueName,
  act: BulkAct,
  { registry, state, task, q, since, until }: JobFilter,
  beganAt: number,
): string {
  const minutes = [since, until, beganAt].map((at) => (at === undefined ? null : Math.floor(at / MINUTE_MS)))
  return `bulk:${queue}:${act}:${JSON.stringify([registry, state, task, normalizedSearch(q), ...minutes])}`
}
