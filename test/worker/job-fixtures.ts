import { createExecutionContext, runInDurableObject, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { app } from '../../src/app.tsx'
import type { QueueName } from '../../src/jobs/job.ts'
import type { JobState } from '../../src/lib/contract.ts'
import { ledgerOf } from '../../src/jobs/ledgers.ts'
import { rows } from './rows.ts'
import { addUser, browserOf, site, type Visitor } from './visitor.ts'

/** Jobs added directly to the ledgers, in any state, where nothing runs them, and an operator to look at them. */

export const dayMilliseconds = 24 * 60 * 60_000

/** A superuser's browser with a form's token. */
export async function operator(username?: string): Promise<Visitor> {
  return browserOf(await addUser({ isSuperuser: true, ...(username && { username }) }))
}

/** A date as in JSON. */
export const isoDate = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

interface Put {
  task?: string
  input?: unknown
  state?: JobState
  error?: string
  result?: unknown
  key?: string
  worker?: string
  /** How long ago it was created, in ms. */
  age?: number
}

type SqlValues = (string | number | null)[]

/** Writes into a ledger's own tables: the states a test begins with. */
export async function write(queue: QueueName, statement: string, ...values: SqlValues): Promise<void> {
  await runInDurableObject(env.LEDGER.get(env.LEDGER.idFromName(queue)), (_, state) => {
    state.storage.sql.exec(statement, ...values)
  })
}

/** `count` jobs in a queue, due tomorrow unless a state says otherwise; returns their names, oldest first. */
export async function put(queue: QueueName, count: number, job: Put = {}): Promise<string[]> {
  const { task = 'sample', input = {}, state = 'scheduled', key } = job
  const limit = { attempts: 3, run_seconds: 20, retry_seconds: [5, 30] }
  const request = { task, input: JSON.stringify(input), limit, at: Date.now() + dayMilliseconds, ...(key && { key }) }
  const names: string[] = []
  while (names.length < count) {
    const some = Array.from({ length: Math.min(1000, count - names.length) }, () => request)
    names.push(...(await ledgerOf(env, queue).enqueue(some)).map(({ id }) => id))
  }
  if (state !== 'scheduled' || job.age !== undefined) await settle(queue, names, { ...job, state })
  return names
}

async function settle(queue: QueueName, names: string[], { state = 'scheduled', ...job }: Put): Promise<void> {
  const now = Date.now()
  const hasRun = ['started', 'finished', 'failed', 'stopped'].includes(state)
  const hasEnded = ['finished', 'failed', 'stopped', 'canceled'].includes(state)
  await write(
    queue,
    `UPDATE job SET state = ?, error = ?, result = ?, created_at = created_at - ?, queued_at = ?, started_at = ?, ended_at = ?,
       lease_until = ?, heartbeat_at = ?, worker = ?, tries = ? WHERE id IN (SELECT value FROM json_each(?))`,
    state,
    job.error ?? null,
    job.result === undefined ? null : JSON.stringify(job.result),
    job.age ?? 0,
    state === 'scheduled' ? null : now,
    hasRun ? now - 2500 : null,
    hasEnded ? now : null,
    state === 'started' ? now + dayMilliseconds : null,
    state === 'started' ? now : null,
    job.worker ?? null,
    hasRun ? 1 : 0,
    JSON.stringify(names),
  )
}

export const one = async (queue: QueueName, job: Put = {}): Promise<string> => (await put(queue, 1, job))[0] ?? ''

export const stateOf = async (queue: QueueName, job: string): Promise<JobState | null> =>
  (await ledgerOf(env, queue).get(job))?.state ?? null

/** The flash messages of the next page. */
export async function flashes(visitor: Visitor): Promise<string[]> {
  const { data } = await visitor.see('/')
  return data.context.messages.map(({ level_tag, message }) => `${level_tag}: ${message}`)
}

/** Calls the app itself, with parts of its environment replaced. */
export async function askWith(
  parts: Partial<Env> & { STATS_TOKEN?: string },
  path: string,
  { visitor, ...init }: RequestInit & { visitor?: Visitor } = {},
): Promise<Response> {
  const headers = new Headers({ accept: 'text/html', 'sec-fetch-site': 'none', ...init.headers })
  if (visitor) headers.set('cookie', [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; '))
  const context = createExecutionContext()
  const response = await app.fetch(
    new Request(site + path, { redirect: 'manual', ...init, headers }),
    { ...env, ...parts },
    context,
  )
  await waitOnExecutionContext(context)
  return response
}

/** The ledgers, some of which never answer. */
export const silent = (...queues: QueueName[]): Env['LEDGER'] => ledgersThat(() => new Promise(() => undefined), queues)

/** The ledgers, of which these refuse every call. */
export const refusing = (...queues: QueueName[]): Env['LEDGER'] =>
  ledgersThat(() => Promise.reject(new Error('The ledger is down.')), queues)

/** The ledgers, of which these do the same at every call. */
export function ledgersThat(answer: () => Promise<unknown>, queues: readonly QueueName[]): Env['LEDGER'] {
  const ids = queues.map((queue) => env.LEDGER.idFromName(queue).toString())
  const stub = new Proxy({}, { get: () => answer })
  return new Proxy(env.LEDGER, {
    get(namespace, name) {
      if (name === 'get') return (id: DurableObjectId) => (ids.includes(id.toString()) ? stub : namespace.get(id))
      const value: unknown = Reflect.get(namespace, name, namespace)
      return typeof value === 'function' ? value.bind(namespace) : value
    },
  })
}

/** The site's audit entries about the scheduler, oldest first. */
export async function audited(): Promise<{ who: string; act: string; table_name: string; row_key: string }[]> {
  return rows("SELECT who, act, table_name, row_key FROM audit WHERE area = 'scheduler' ORDER BY id")
}
