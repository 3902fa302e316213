import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test, vi } from 'vitest'
import { CallBatcher } from '../../src/jobs/call-batcher.ts'
import { Connections } from '../../src/jobs/connections.ts'
import { enqueue, enqueueMany } from '../../src/jobs/enqueue.ts'
import { type QueueName, nameJob } from '../../src/jobs/job.ts'
import type { Ledger } from '../../src/jobs/ledger/index.ts'
import { ledgerOf, tickLedgers, waitForJob, openSocket } from '../../src/jobs/ledgers.ts'
import { runJob } from '../../src/jobs/run-job.ts'
import { testJob, until } from './test-jobs.ts'
import { ledgersThat, refusing, silent } from '../worker/job-fixtures.ts'
import { findJob } from '../worker/find-job.ts'

const later = 3_600_000

const stubOf = (queue: QueueName) => (env.LEDGER as DurableObjectNamespace<Ledger>).get(env.LEDGER.idFromName(queue))

/** Moves the times stored with a job into the past, as if `milliseconds` had passed. */
async function age(
  queue: QueueName,
  job: string,
  column: 'lease_until' | 'rung_at' | 'due_at',
  milliseconds: number,
): Promise<void> {
  await runInDurableObject(stubOf(queue), (_, state) => {
    state.storage.sql.exec(`UPDATE job SET ${column} = ${column} - ? WHERE id = ?`, milliseconds, job)
  })
}

/** The ledger's queue answers as specified instead of accepting messages. */
async function breakSends(queue: QueueName, sendBatch: () => Promise<unknown>): Promise<void> {
  await runInDurableObject(stubOf(queue), (instance: Ledger) => {
    Object.defineProperty(instance, 'env', { value: { ...env, REFRESH_QUEUE: { sendBatch } }, configurable: true })
  })
}

test('a repeated or late message runs nothing again', async () => {
  let runs = 0
  const job = testJob('refresh', async () => void (runs += 1))
  const asked = await enqueue(env, job, {})
  const message = { job: asked.id, attempt: 1 }
  await env.REFRESH_QUEUE.sendBatch([{ body: message }, { body: message }])
  await waitForJob(env, asked.id, 60_000)
  await env.REFRESH_QUEUE.send(message)
  const after = await enqueue(env, job, {})
  await waitForJob(env, after.id, 60_000)
  expect(runs).toBe(2)
})

test('a lost message is sent again', async () => {
  const job = testJob('refresh', async () => 'came')
  await breakSends('refresh', async () => undefined)
  const asked = await enqueue(env, job, {})
  await evictDurableObject(stubOf('refresh'))
  expect(await findJob(env, asked.id)).toMatchObject({ state: 'queued' })
  await age('refresh', asked.id, 'rung_at', 60_000)
  await tickLedgers(env)
  expect(await waitForJob(env, asked.id, 60_000)).toMatchObject({ state: 'finished', result: 'came' })
})

test('a queue that refuses messages loses none, and one that hangs does not delay the code that enqueues', async () => {
  const job = testJob('refresh', async () => 'came')
  const refuse = vi.fn(async () => Promise.reject(new Error('Queue is overloaded')))
  await breakSends('refresh', refuse)
  const asked = await enqueue(env, job, {})
  await vi.waitFor(() => expect(refuse).toHaveBeenCalled(), 60_000)
  await breakSends('refresh', () => new Promise(() => undefined))
  const second = await enqueue(env, job, {})
  expect(second.state).toBe('queued')
  await evictDurableObject(stubOf('refresh'))
  const ends = await Promise.all([asked, second].map(({ id }) => waitForJob(env, id, 60_000)))
  expect(ends.map((end) => end?.state)).toEqual(['finished', 'finished'])
})

test('a lost alarm is repaired by the next tick', async () => {
  const job = testJob('refresh', async () => 'came')
  const asked = await enqueue(env, job, {}, { at: Date.now() + later })
  await runInDurableObject(stubOf('refresh'), (_, state) => state.storage.deleteAlarm())
  await age('refresh', asked.id, 'due_at', later - 500)
  await ledgerOf(env, 'refresh').tick()
  expect(await waitForJob(env, asked.id, 60_000)).toMatchObject({ state: 'finished' })
})

test('a tick deletes more per minute than a queue receives, in turns of a thousand', async () => {
  await runInDurableObject(stubOf('alerts'), (_, { storage }) => {
    storage.sql.exec(
      `WITH RECURSIVE n (seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM n WHERE seq < 2300)
       INSERT INTO job (seq, id, task, state, priority, input, attempts_limit, run_seconds, retry_seconds, created_at, due_at, ended_at)
       SELECT seq, 'old-' || seq, 'old', 'finished', 0, '{}', 1, 1, '[]', 1, 1, 1 FROM n`,
    )
  })
  await ledgerOf(env, 'alerts').tick()
  expect((await ledgerOf(env, 'alerts').stats()).counts.finished).toBe(0)
})

test('a job that is due later is started by the alarm of a ledger that was evicted in the meantime', async () => {
  const job = testJob('refresh', async () => 'came')
  const asked = await enqueue(env, job, {}, { at: Date.now() + 700 })
  await evictDurableObject(stubOf('refresh'))
  await vi.waitFor(async () => expect(await findJob(env, asked.id)).toMatchObject({ state: 'finished' }), {
    timeout: 60_000,
    interval: 100,
  })
})

test('a consumer killed after its claim loses the job to another; its late report changes nothing', async () => {
  const job = testJob('maintenance', async (context) => `attempt ${context.job.attempt}`)
  const ledger = ledgerOf(env, 'maintenance')
  await ledger.pause(null)
  const asked = await enqueue(env, job, {})
  await runInDurableObject(stubOf('maintenance'), (_, state) => {
    state.storage.sql.exec(`UPDATE setting SET value = 0 WHERE name = 'paused'`)
  })
  const [claimed] = await ledger.take('doomed', { ended: [], messages: [{ job: asked.id, attempt: 1 }], count: 1 })
  expect(claimed).toMatchObject({ attempt: 1 })
  await age('maintenance', asked.id, 'lease_until', 60_000)
  await tickLedgers(env)
  expect(await waitForJob(env, asked.id, 60_000)).toMatchObject({ state: 'finished', result: 'attempt 2' })
  const ending = { how: 'finished', result: '"from the grave"' } as const
  await ledger.end([{ job: asked.id, attempt: 1, ending }])
  expect(await ledger.heartbeat(asked.id, 1)).toBe('lost')
  expect(await findJob(env, asked.id)).toMatchObject({
    result: 'attempt 2',
    runs: [{ outcome: 'finished' }, { outcome: 'lost', worker: 'doomed' }],
  })
})

test('a ledger that is evicted while a job runs still records its end', async () => {
  let isRunning = false
  let mayEnd = false
  const job = testJob('refresh', async () => {
    isRunning = true
    await until(() => mayEnd)
    return 'heard'
  })
  const asked = await enqueue(env, job, {})
  await until(() => isRunning)
  await evictDurableObject(stubOf('refresh'))
  mayEnd = true
  expect(await waitForJob(env, asked.id, 60_000)).toMatchObject({ state: 'finished', result: 'heard', attempt: 1 })
})

test('every job ends despite failing jobs, duplicated messages, lost alarms and evictions, and each effect belongs to a claimed attempt', async () => {
  const effects: string[] = []
  const job = testJob(
    'polls',
    async (context, input) => {
      effects.push(`${context.job.id} ${context.job.attempt}`)
      await scheduler.wait(Number(input['milliseconds']))
      if (context.job.attempt <= Number(input['failures'])) throw new Error('Not yet.')
      return 'done'
    },
    { attempts: 4 },
  )
  const asked = await enqueueMany(
    env,
    job,
    Array.from({ length: 60 }, (_, number) => ({
      input: { milliseconds: (number * 7) % 40, failures: number % 4 },
      options: {
        at: Date.now() + (number % 3) * 200,
        ...(number % 5 === 0 ? { exclusive: { name: 'one', when_held: 'wait' as const } } : {}),
      },
    })),
  )
  for (let round = 0; round < 6; round += 1) {
    await env.POLLS_QUEUE.sendBatch(
      asked.slice(round * 10, round * 10 + 10).map(({ id }) => ({ body: { job: id, attempt: 1 + (round % 2) } })),
    )
    await runInDurableObject(stubOf('polls'), (_, state) => state.storage.deleteAlarm())
    await evictDurableObject(stubOf('polls'))
    await scheduler.wait(100)
  }
  await tickLedgers(env)
  await vi.waitFor(
    async () => {
      const { counts } = await ledgerOf(env, 'polls').stats()
      expect(counts.finished).toBe(60)
    },
    { timeout: 60_000, interval: 250 },
  )
  const runs = (await Promise.all(asked.map(({ id }) => findJob(env, id)))).flatMap((detail) => detail?.runs ?? [])
  expect(effects.toSorted()).toEqual(runs.map((run) => `${run.job} ${run.attempt}`).toSorted())
  expect(runs.every((run) => run.outcome !== null)).toBe(true)
})

const unanswered: [what: string, ask: (broken: Env) => Promise<unknown>][] = [
  [
    'adding a job to',
    (broken) =>
      enqueue(
        broken,
        testJob('refresh', async () => 'came'),
        {},
      ),
  ],
  ['waiting for a job of', (broken) => waitForJob(broken, nameJob('fetch', 'refresh', 0, 1), 1000)],
  ['watching', (broken) => openSocket(broken, 'refresh', { sessionHash: 'hash', job: null })],
]

test.each(unanswered)('%s a ledger that does not answer rejects', async (_, ask) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const asked = ask({ ...env, LEDGER: silent('refresh') }).catch(String)
    vi.advanceTimersByTime(10_000)
    expect(await asked).toBe('Error: No answer in time.')
  } finally {
    vi.useRealTimers()
  }
})

test.each([
  ['does not answer', silent('refresh')],
  ['refuses every call', refusing('refresh')],
])('a job goes on while its ledger %s, and waits for it only once', async (_, LEDGER) => {
  vi.useFakeTimers()
  const waits = vi.spyOn(scheduler, 'wait')
  waits.mockImplementation((milliseconds) => new Promise((resolve) => void setTimeout(resolve, milliseconds)))
  try {
    const job = testJob('refresh', async ({ checkpoint, progress, log, now }) => {
      const begunAt = now()
      for (let step = 1; step <= 4; step += 1) {
        await progress(step, 4, 'Queens')
        await log('Asked Queens')
        await scheduler.wait(1000)
        await checkpoint()
      }
      return now() - begunAt
    })
    const end = runHere(job, { ...env, LEDGER })
    await vi.advanceTimersByTimeAsync(20_000)
    const ended = await end
    expect(ended).toMatchObject({ how: 'finished' })
    expect(Number(ended?.how === 'finished' && ended.result)).toBeLessThanOrEqual(6000)
  } finally {
    waits.mockRestore()
    vi.useRealTimers()
  }
})

test('a job waits for each of the lines that it writes at the same time', async () => {
  const stored: string[] = []
  const LEDGER = ledgersThat(async () => {
    await scheduler.wait(0)
    stored.push('line')
    return 'continue'
  }, ['refresh'])
  let storedBefore = 0
  const job = testJob('refresh', async ({ log }) => {
    await Promise.all(['Asked Queens', 'Asked Baruch', 'Asked Hunter'].map((line) => log(line)))
    storedBefore = stored.length
    return 'done'
  })
  expect(await runHere(job, { ...env, LEDGER })).toMatchObject({ how: 'finished' })
  expect(storedBefore).toBe(3)
})

/** Runs a job's first attempt as a consumer does. */
function runHere(job: ReturnType<typeof testJob>, where: Env) {
  const now = Date.now()
  const claimed = { job: nameJob('fetch', 'refresh', now, 1), attempt: 1, task: job.name, queue: 'refresh' } as const
  return runJob(where, { ...claimed, input: '{}', lease_until: now + 20_000, deadline: now + 20_000 }, job, {
    batcher: new CallBatcher(where),
    connections: new Connections(),
  })
}
