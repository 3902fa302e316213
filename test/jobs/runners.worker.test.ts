import { createMessageBatch, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { jobs } from '../../src/background-jobs.ts'
import { consume } from '../../src/jobs/consume.ts'
import { enqueueMany } from '../../src/jobs/enqueue.ts'
import type { JobRecord } from '../../src/jobs/job.ts'
import type { Ledger } from '../../src/jobs/ledger/index.ts'
import { ledgerOf } from '../../src/jobs/ledgers.ts'
import { testJob, until } from './test-jobs.ts'
import { findJob } from '../worker/find-job.ts'

/** Jobs that run at the same time, and the maximum so far. */
class Crowd {
  now = 0
  most = 0
  runs = 0

  /** Takes this long, and longer until the maximum is reached: on a busy machine jobs start slowly. */
  async join(milliseconds: number, size = 0): Promise<void> {
    this.runs += 1
    this.now += 1
    this.most = Math.max(this.most, this.now)
    await until(() => this.most >= size)
    await scheduler.wait(milliseconds)
    this.now -= 1
  }
}

/** The queues send no messages: only the test itself consumes. */
async function silence(): Promise<void> {
  const stub = (env.LEDGER as DurableObjectNamespace<Ledger>).get(env.LEDGER.idFromName('alerts'))
  await runInDurableObject(stub, (instance: Ledger) => {
    const silent = { sendBatch: async () => undefined }
    Object.defineProperty(instance, 'env', { value: { ...env, ALERTS_QUEUE: silent }, configurable: true })
  })
}

const enqueue = (job: ReturnType<typeof testJob>, count: number): Promise<JobRecord[]> =>
  enqueueMany(
    env,
    job,
    Array.from({ length: count }, () => ({ input: {} })),
  )

async function answer(asked: readonly JobRecord[], environment: Env = env): Promise<void> {
  const body = { job: asked[0]?.id ?? '', attempt: 1 }
  const batch = createMessageBatch('alerts', [{ id: '1', timestamp: new Date(), attempts: 1, body }])
  await consume(batch, environment, jobs)
}

const workersOf = (asked: readonly JobRecord[]): Promise<(string | null)[]> =>
  Promise.all(asked.map(async ({ id }) => (await findJob(env, id))?.worker ?? null))

test('a long queue of alerts is shared by runners, each a worker with six jobs at a time, and each job runs once', async () => {
  await silence()
  const crowd = new Crowd()
  const asked = await enqueue(
    testJob('alerts', () => crowd.join(100, 61)),
    90,
  )
  await answer(asked)
  expect(crowd).toMatchObject({ now: 0, runs: 90 })
  expect(crowd.most).toBeGreaterThan(60)
  const workers = Map.groupBy(await workersOf(asked), (worker) => worker)
  expect(workers.size).toBeGreaterThan(10)
  const records = await ledgerOf(env, 'alerts').workers(false)
  for (const [worker, ran] of workers)
    expect(records.find(({ name }) => name === worker)).toMatchObject({ successful: ran.length, failed: 0 })
})

test('work that fits into one consumer wakes no runner', async () => {
  await silence()
  const job = testJob('alerts', () => scheduler.wait(100))
  const asked = await enqueue(job, 6)
  await answer(asked)
  expect(new Set(await workersOf(asked)).size).toBe(1)
})

test('failing runners lose nothing: the consumer continues alone', async () => {
  await silence()
  const crowd = new Crowd()
  const asked = await enqueue(
    testJob('alerts', () => crowd.join(10)),
    40,
  )
  let wakes = 0
  const run = async (): Promise<never> => {
    wakes += 1
    throw new Error('Object reset.')
  }
  const failing = { idFromName: () => '', get: () => ({ run }) }
  await answer(asked, { ...env, RUNNER: failing as unknown as Env['RUNNER'] })
  expect(crowd).toMatchObject({ runs: 40, most: 6 })
  // Each is woken once per check, not repeatedly.
  expect(wakes).toBeGreaterThan(0)
  expect(wakes).toBeLessThan(500)
  expect((await ledgerOf(env, 'alerts').stats()).counts).toMatchObject({ queued: 0, started: 0 })
})

test('two consumers share the same runners, and each uses no more than its connections', async () => {
  await silence()
  const [begun, connected] = [new Crowd(), new Crowd()]
  const asked = await enqueue(
    testJob(
      'alerts',
      async (context) => {
        begun.now += 1
        begun.most = Math.max(begun.most, begun.now)
        const connect = async () => (await connected.join(100, 101), true)
        while (!(await context.connected(connect)));
        begun.now -= 1
      },
      // A job that runs too long on a busy machine would be run again.
      { run_seconds: 120 },
    ),
    300,
  )
  await Promise.all([answer(asked), answer(asked.slice(1))])
  expect(connected.runs).toBe(300)
  expect(connected.most).toBeGreaterThan(100)
  expect(begun.most).toBeGreaterThan(connected.most)
  expect(connected.most).toBeLessThanOrEqual(26 * 6)
  expect(new Set(await workersOf(asked)).size).toBeLessThanOrEqual(25)
})

test('jobs of a runner that died are retried', async () => {
  await silence()
  const asked = await enqueue(
    testJob('alerts', () => scheduler.wait(10)),
    3,
  )
  // It claimed, and then disappeared.
  const lost = await ledgerOf(env, 'alerts').take('runner-that-died', { ended: [], messages: [], count: 3 })
  expect(lost).toHaveLength(3)
  const stub = (env.LEDGER as DurableObjectNamespace<Ledger>).get(env.LEDGER.idFromName('alerts'))
  await runInDurableObject(stub, (_, state) => {
    state.storage.sql.exec(`UPDATE job SET lease_until = 1 WHERE worker = 'runner-that-died'`)
  })
  await ledgerOf(env, 'alerts').tick()
  await answer(asked)
  const ends = await Promise.all(asked.map(({ id }) => findJob(env, id)))
  expect(ends.map((job) => job?.runs.map(({ outcome }) => outcome))).toEqual(asked.map(() => ['finished', 'lost']))
})
