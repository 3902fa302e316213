import './straight-out.ts'
import type { D1Database, KVNamespace, RateLimit } from '@cloudflare/workers-types'
import { enqueueMails, prepareMail } from '../../../src/accounts/mails/prepare-mail.ts'
import { hashPassword } from '../../../src/accounts/password-hash.ts'
import { jobs } from '../../../src/background-jobs.ts'
import { queueDeliveries } from '../../../src/class-tracker/deliveries/queue-deliveries.ts'
import { write } from '../../../src/db/query.ts'
import { queueNames } from '../../../src/jobs/job.ts'
import { ledgerOf, waitForJob } from '../../../src/jobs/ledgers.ts'
import { bare } from '../pages/bare-app.tsx'
import { prefix } from '../pages/prefix.ts'
import worker, { Checker, Ledger, Limiter, Pacer, Runner as PlainRunner } from '../../../src/worker.ts'
import { countedDatabase, StatementCounts } from './counted-database.ts'
import { countedSessions } from './counted-sessions.ts'
import { nearLimit } from './near-limit.ts'

/**
 * The app with every D1 statement counted, and some additional calls: what was counted, running a job to its end,
 * whether anything is still running, and bare pages without the app around them.
 */

export { Checker, Ledger, Limiter, Pacer }

type Bindings = Parameters<typeof ledgerOf>[0] & { DB: D1Database; SESSIONS: KVNamespace; READ_LIMIT: RateLimit }

// The local runtime prints each line for a terminal, which takes it a fifth of a millisecond. The deployed one makes JSON of it.
console.log = (line: unknown) => void JSON.stringify(line)

const counts = new StatementCounts()
const readLimit = nearLimit()
const measured = (env: Bindings): Bindings => ({
  ...env,
  DB: countedDatabase(env.DB, counts) as D1Database,
  SESSIONS: countedSessions(env.SESSIONS, counts),
  READ_LIMIT: readLimit,
})

/** A runner whose statements are counted with the others. */
export class Runner extends PlainRunner {
  constructor(...[context, env]: ConstructorParameters<typeof PlainRunner>) {
    super(context, measured(env as Bindings))
  }
}

async function runJob(env: Bindings, task: string, input: unknown): Promise<unknown> {
  const job = jobs.find(({ name }) => name === task)
  if (!job) throw new Error(`There is no job ${task}.`)
  const [asked] = await ledgerOf(env, job.queue).enqueue([{ task, input: JSON.stringify(input), limit: job.limit }])
  for (;;) {
    const record = await waitForJob(env, asked?.id ?? '', 20_000)
    if (record === null || ['finished', 'failed', 'stopped', 'canceled'].includes(record.state)) return record
  }
}

/** Jobs that are due or running. Those scheduled for later do not count. */
async function busyJobs(env: Bindings): Promise<number> {
  const stats = await Promise.all(queueNames.map((queue) => ledgerOf(env, queue).stats()))
  return stats.reduce((sum, { counts: jobCounts }) => sum + jobCounts.queued + jobCounts.started, 0)
}

/** Sending jobs that wait, run or are scheduled for later. */
async function livingJobs(env: Bindings): Promise<number> {
  const { counts: jobCounts } = await ledgerOf(env, 'alerts').stats()
  return jobCounts.scheduled + jobCounts.queued + jobCounts.started
}

/** Deliveries that have not ended. */
const unsettled = (env: Bindings): Promise<number | null> =>
  env.DB.prepare(`SELECT count(*) AS n FROM delivery WHERE state IN ('queued', 'sending', 'unconfirmed')`).first('n')

/** Queues every delivery that waits for its first attempt, as a poll does for its own. */
async function queueEverything(env: Bindings): Promise<number> {
  const waiting = await env.DB.prepare(`SELECT id FROM delivery WHERE state = 'queued' AND attempts = 0`).all()
  const results = waiting.results as { id: number }[]
  await queueDeliveries(
    env,
    results.map(({ id }) => id),
  )
  return results.length
}

/** One account email, stored and queued as the site does it. */
async function writeAccountMail(env: Bindings): Promise<string> {
  const mail = { subject: 'Sign-in code', before: ['Your code:'], code: 'ABCD-EFGH', after: [] }
  const address = `owner-${crypto.randomUUID()}@example.com`
  const waiting = await prepareMail(env, { kind: 'sign_in_code', address, userId: null, mail }, Date.now())
  await write(env.DB, waiting.statement)
  await enqueueMails(env, [waiting])
  return waiting.key
}

async function answer(request: Request, env: Bindings): Promise<unknown> {
  const { pathname } = new URL(request.url)
  if (pathname === '/_bench/counts') return counts.take()
  if (pathname === '/_bench/busy') return busyJobs(env)
  if (pathname === '/_bench/jobs') return livingJobs(env)
  if (pathname === '/_bench/unsettled') return unsettled(env)
  if (pathname === '/_bench/queue') return queueEverything(env)
  if (pathname === '/_bench/mail') return writeAccountMail(env)
  if (pathname === '/_bench/hash')
    return hashPassword(new URL(request.url).searchParams.get('password') ?? '', new Uint8Array(16))
  const { task, input } = (await request.json()) as { task: string; input: unknown }
  return runJob(env, task, input)
}

type Handlers = Required<Pick<typeof worker, 'fetch' | 'scheduled' | 'queue'>>
const handlers: Handlers = worker

/** The app without Miniflare's Workers before it. */
export const straight: Pick<Handlers, 'fetch'> = {
  fetch: (request, env, context) => handlers.fetch(request, measured(env), context),
}

export default {
  async fetch(request: Request, env: Bindings, context: Parameters<Handlers['fetch']>[2]): Promise<Response> {
    const { pathname } = new URL(request.url)
    if (pathname.startsWith(prefix)) return bare.fetch(request, measured(env), context)
    if (pathname.startsWith('/_bench/')) return Response.json(await answer(request, env))
    return handlers.fetch(request, measured(env), context)
  },
  scheduled: (controller: Parameters<Handlers['scheduled']>[0], env: Bindings) =>
    handlers.scheduled(controller, measured(env)),
  queue: (batch: Parameters<Handlers['queue']>[0], env: Bindings) => handlers.queue(batch, measured(env)),
}
