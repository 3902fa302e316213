import * as z from 'zod'
import { jobs } from '../../../src/background-jobs.ts'
import { enqueueMany } from '../../../src/jobs/enqueue.ts'
import { defineJob, type QueueName } from '../../../src/jobs/job.ts'
import type { LedgerCalls } from '../../../src/jobs/ledger/index.ts'
import type { Sql } from '../../../src/jobs/ledger/sql.ts'
import { storageSql } from '../../../src/jobs/ledger/sql.ts'
import { ledgerOf } from '../../../src/jobs/ledgers.ts'
import { fillLedger } from '../filled-ledger.ts'
import measured, { Checker, Ledger as PlainLedger, Limiter, Pacer, Runner } from './measured-worker.ts'

export { Checker, Limiter, Pacer, Runner }

/** A ledger that can also be filled directly. */
export class Ledger extends PlainLedger {
  readonly #sql: Sql

  constructor(...[context, env]: ConstructorParameters<typeof PlainLedger>) {
    super(context, env)
    this.#sql = storageSql(context.storage)
  }

  /** Sends no messages from now on: the measurement claims the jobs itself. */
  async silence(): Promise<void> {
    const { env } = this as unknown as { env: Bindings }
    const silent = { sendBatch: async () => undefined }
    Object.defineProperty(this, 'env', { value: { ...env, REFRESH_QUEUE: silent } })
  }

  async fill(count: number): Promise<number> {
    return fillLedger(this.#sql, count, Date.now())
  }
}

const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

type Bindings = Parameters<typeof ledgerOf>[0]

const nothing = defineJob({
  name: 'bench-nothing',
  queue: 'alerts',
  input: z.object({ number: z.number() }),
  limit: { attempts: 3, run_seconds: 10, retry_seconds: [1] },
  run: async () => null,
})
jobs.push(nothing)

interface Asked {
  queue: QueueName
  /** Jobs to run, or to fill the ledger with; calls to repeat. */
  count: number
  /** Simultaneous callers. */
  lanes?: number
  call?: Calls
  values?: unknown[]
  /** ms between two jobs of a stream. */
  every?: number
}

type Calls = 'list' | 'stats' | 'minutes'

/** Enqueues and waits until the queue's consumers are done; returns ms. */
async function passJobs(env: Bindings, count: number): Promise<number> {
  const before = (await ledgerOf(env, 'alerts').stats()).counts.finished
  const began = Date.now()
  await enqueueMany(
    env,
    nothing,
    Array.from({ length: count }, (_, number) => ({ input: { number } })),
  )
  while ((await ledgerOf(env, 'alerts').stats()).counts.finished < before + count) await wait(20)
  return Date.now() - began
}

/**
 * Only the three calls of a job, by `lanes` simultaneous callers: no messages are sent, because the callers claim what
 * they enqueue.
 */
async function callThreeTimes(env: Bindings, queue: QueueName, count: number, lanes: number): Promise<number> {
  await (env.LEDGER.get(env.LEDGER.idFromName(queue)) as unknown as Ledger).silence()
  let left = count
  const by = 'bench'
  const request = { task: nothing.name, input: '{}', limit: nothing.limit }
  const lane = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      await ledgerOf(env, queue).enqueue([request])
      const [grant] = await ledgerOf(env, queue).take(by, { ended: [], messages: [], count: 1 })
      if (grant) {
        const ending = { how: 'finished', result: 'null' } as const
        await ledgerOf(env, queue).end([{ job: grant.job, attempt: grant.attempt, ending }])
      }
    }
  }
  const began = Date.now()
  await Promise.all(Array.from({ length: lanes }, lane))
  return Date.now() - began
}

/** The same call repeatedly; the ms of all together, and the bytes of rows that one returns. */
async function repeat(env: Bindings, { queue, count, call, values = [] }: Asked): Promise<object> {
  const ledger = ledgerOf(env, queue)
  const ask = (): Promise<unknown> => {
    const calls = ledger as unknown as Record<string, (...asked: unknown[]) => Promise<unknown>>
    return calls[call ?? ('stats' satisfies keyof LedgerCalls)]?.(...values) ?? Promise.resolve()
  }
  const answer = await ask()
  const began = Date.now()
  for (let calls = 0; calls < count; calls += 1) await ask()
  return { ms: Date.now() - began, answer }
}

/** This many jobs at a fixed interval, as on a busy site; returns once the last is enqueued. */
async function stream(env: Bindings, count: number, every: number): Promise<number> {
  const began = Date.now()
  for (let number = 0; number < count; number += 1) {
    await enqueueMany(env, nothing, [{ input: { number } }])
    await wait(Math.max(0, began + (number + 1) * every - Date.now()))
  }
  return Date.now() - began
}

async function answer(path: string, env: Bindings, asked: Asked): Promise<unknown> {
  if (path === 'through') return passJobs(env, asked.count)
  if (path === 'thrice') return callThreeTimes(env, asked.queue, asked.count, asked.lanes ?? 1)
  if (path === 'stream') return stream(env, asked.count, asked.every ?? 50)
  if (path === 'repeat') return repeat(env, asked)
  const stub = env.LEDGER.get(env.LEDGER.idFromName(asked.queue)) as unknown as Ledger
  return stub.fill(asked.count)
}

type Fetch = typeof measured.fetch

/** The measured app, with calls that fill and time a ledger. */
export default {
  ...measured,
  async fetch(request: Request, env: Parameters<Fetch>[1], context: Parameters<Fetch>[2]): Promise<Response> {
    const [, path] = /^\/_ledger\/(\w+)$/.exec(new URL(request.url).pathname) ?? []
    if (path === undefined) return measured.fetch(request, env, context)
    return Response.json(await answer(path, env, await request.json()))
  },
}
