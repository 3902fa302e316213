import { workersTitle } from '../../client/islands/scheduler/texts.ts'
import { Hono } from 'hono'
import { showIsland } from '../web/page/island.tsx'
import { positiveInteger } from '../web/parse.ts'
import { notFound, upstreamError } from '../web/refusal.ts'
import type { SiteContext, SiteEnv } from '../web/site.ts'
import { pathQueue } from './path-parts.ts'
import type { QueueName } from '../jobs/job.ts'
import { MAX_WORKERS_LISTED } from '../jobs/ledger/workers.ts'
import type { RunRecord, WorkerRecord } from '../jobs/ledger/views.ts'
import { iso } from '../lib/time.ts'
import { paginate } from '../web/pagination.ts'
import { type Answer, askLedger, askLedgers, unreachableAmong } from './ask-ledgers.ts'
import type { WorkerProps, WorkerRow, WorkersProps } from './contract.ts'
import { runRow } from './shown-jobs.ts'

export const workerRoutes = new Hono<SiteEnv>()

workerRoutes.get('/queues/:queue/workers/', async (c) =>
  showWorkers(c, 'QueueWorkers', await readWorkers(c.env, pathQueue(c), includesGone(c))),
)

workerRoutes.get('/workers/', async (c) => showWorkers(c, 'Workers', await readWorkers(c.env, null, includesGone(c))))

workerRoutes.get('/workers/:name/', async (c) => {
  const props = await readWorker(c.env, c.req.param('name'), positiveInteger(c.req.query('p')) ?? 1)
  if (!props) throw notFound('There is no worker with this name.')
  return showIsland(c, 'scheduler/worker', { page: 'Worker', title: `Worker ${props.worker.name}`, props })
})

const includesGone = (c: SiteContext) => c.req.query('gone') === '1'

function showWorkers(c: SiteContext, page: string, props: WorkersProps): Promise<Response> {
  return showIsland(c, 'scheduler/workers', { page, title: workersTitle(props), props })
}

const PAGE_SIZE = 20
/** How far back runs are listed, because several ledgers' lists are merged from their start. */
const MAX_PAGES = 250
const states = ['busy', 'idle', 'gone'] as const

/** The workers of one queue, or of all (null). A ledger that does not answer hides only its own workers. */
async function readWorkers(env: Env, queue: QueueName | null, withGone: boolean): Promise<WorkersProps> {
  const answers =
    queue === null
      ? await askAll(env, withGone)
      : [{ queue, answer: await askLedger(env, queue, (ledger) => ledger.workers(withGone)) }]
  const found = answers.flatMap(({ queue: name, answer }) => (answer ?? []).map((record) => ({ queue: name, record })))
  const workers = [...Map.groupBy(found, ({ record }) => record.name).values()]
    .map(joined)
    .toSorted((one, other) => other.born_at.localeCompare(one.born_at) || one.name.localeCompare(other.name))
  const isCut = answers.some(({ answer }) => answer?.length === MAX_WORKERS_LISTED)
  return { queue, workers, with_gone: withGone, is_cut: isCut, unreachable: unreachableAmong(answers) }
}

/** A busy worker's figures include its work for other queues, which may have last seen it an hour ago. */
async function askAll(env: Env, withGone: boolean): Promise<Answer<WorkerRecord[]>[]> {
  const answers = await askLedgers(env, (ledger) => ledger.workers(withGone))
  const names = new Set(answers.flatMap(({ answer }) => (answer ?? []).map(({ name }) => name)))
  if (withGone || names.size === 0) return answers
  // A ledger that did not answer is not awaited twice.
  const reached = answers.flatMap(({ queue, answer }) => (answer === null ? [] : [queue]))
  const named = await askLedgers(env, (ledger) => ledger.workersNamed([...names]), reached)
  return answers.map((first) => named.find(({ queue }) => queue === first.queue) ?? first)
}

/** Null if no ledger knows the worker. @throws upstreamError if a ledger that might know it does not answer */
async function readWorker(env: Env, name: string, page: number): Promise<WorkerProps | null> {
  const wanted = Math.min(page, MAX_PAGES)
  const answers = await askLedgers(env, async (ledger) => {
    const [[record], ran] = await Promise.all([ledger.workersNamed([name]), ledger.runs(name, wanted * PAGE_SIZE)])
    return { record, ran }
  })
  const found = answers.flatMap(({ queue, answer }) => (answer?.record ? [{ queue, record: answer.record }] : []))
  if (found.length === 0) {
    if (unreachableAmong(answers).length > 0)
      throw upstreamError(504, 'A queue did not respond in time. Please try again.')
    return null
  }
  const runs = answers.flatMap(({ answer }) => answer?.ran.runs ?? []).toSorted(newestFirst)
  const total = answers.reduce((sum, { answer }) => sum + (answer?.ran.total ?? 0), 0)
  const pagination = paginate({ page: wanted, size: PAGE_SIZE, total: Math.min(total, MAX_PAGES * PAGE_SIZE) })
  const offset = (pagination.current_page - 1) * PAGE_SIZE
  return { worker: joined(found), jobs: runs.slice(offset, offset + PAGE_SIZE).map(runRow), pagination, total }
}

const newestFirst = (one: RunRecord, other: RunRecord) => other.started_at - one.started_at

/** Adds up the counts and times of one isolate, which takes jobs of several queues. */
function joined(found: readonly { queue: QueueName; record: WorkerRecord }[]): WorkerRow {
  const records = found.map(({ record }) => record)
  const sum = (read: (record: WorkerRecord) => number) => records.reduce((total, record) => total + read(record), 0)
  return {
    name: records[0]?.name ?? '',
    queues: found.map(({ queue }) => queue),
    state: states.find((state) => records.some((record) => record.state === state)) ?? 'gone',
    location: null,
    born_at: iso(Math.min(...records.map(({ born_at }) => born_at))),
    seen_at: iso(Math.max(...records.map(({ seen_at }) => seen_at))),
    current_jobs: records.flatMap(({ current_jobs }) => current_jobs),
    successful: sum(({ successful }) => successful),
    failed: sum(({ failed }) => failed),
    busy_ms: sum(({ busy_ms }) => busy_ms),
  }
}
