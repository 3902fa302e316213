import { createExecutionContext, createMessageBatch, getQueueResult } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test, vi } from 'vitest'
import { jobs } from '../../src/background-jobs.ts'
import { consume } from '../../src/jobs/consume.ts'
import { enqueue } from '../../src/jobs/enqueue.ts'
import { PermanentFailure, JobStopped, RetryAt, runAgain } from '../../src/jobs/job.ts'
import { jobUrl, ledgerOf, waitForJob } from '../../src/jobs/ledgers.ts'
import { testJob, until } from './test-jobs.ts'
import { findJob } from '../worker/find-job.ts'

test('a job that runs again gets its new input and keeps its name', async () => {
  const job = testJob('refresh', async (_, input) => {
    const page = Number(input['page'])
    return page < 3 ? runAgain(Date.now(), { page: page + 1 }) : { pages: page }
  })
  const asked = await enqueue(env, job, { page: 1 })
  expect(await waitForJob(env, asked.id, 60_000)).toMatchObject({
    state: 'finished',
    result: { pages: 3 },
    input: { page: 3 },
  })
  expect((await findJob(env, asked.id))?.runs.map((run) => run.outcome)).toEqual(['finished', 'again', 'again'])
  expect(jobUrl(asked)).toBe(`/scheduler/jobs/${asked.id}/`)
})

test('a job can set the time of its retry; one that gives up, or with invalid input, is not retried', async () => {
  const at = Date.now() + 3_600_000
  const busy = await enqueue(
    env,
    testJob('refresh', async () => Promise.reject(new RetryAt('busy', at))),
    {},
  )
  await vi.waitFor(
    async () => expect(await findJob(env, busy.id)).toMatchObject({ state: 'scheduled', due_at: at, attempt: 2 }),
    60_000,
  )

  const hopeless = await enqueue(
    env,
    testJob('refresh', async () => Promise.reject(new PermanentFailure('No such number.'))),
    {},
  )
  expect(await waitForJob(env, hopeless.id, 60_000)).toMatchObject({ state: 'failed', attempt: 1 })

  const [odd] = await ledgerOf(env, 'refresh').enqueue([
    {
      task: testJob('refresh', async () => 'never').name,
      input: '"not an object"',
      limit: { attempts: 3, run_seconds: 5, retry_seconds: [0] },
    },
  ])
  const end = await waitForJob(env, odd?.id ?? '', 60_000)
  expect(end).toMatchObject({ state: 'failed', attempt: 1 })
  expect(end?.error).toMatch(/^Invalid input\nInvalid input: expected \w+/)
})

test('an error is stored with its stack and its cause', async () => {
  const job = testJob(
    'refresh',
    async () => {
      throw new Error('The page was not read.', { cause: new Error('Connection reset.') })
    },
    { attempts: 1 },
  )
  const asked = await enqueue(env, job, {})
  const end = await waitForJob(env, asked.id, 60_000)
  expect(end?.error).toMatch(/^Error: The page was not read\.\n\s+at [^]*Caused by: Error: Connection reset\./)
})

test('an attempt that runs too long ends in the ledger, and its next checkpoint throws', async () => {
  let thrown: unknown = null
  const job = testJob(
    'refresh',
    async (context) => {
      await scheduler.wait(1300)
      await context.checkpoint().catch((error: unknown) => {
        thrown = error
      })
    },
    { attempts: 1, run_seconds: 0.5 },
  )
  // The rest of a job lives no longer than its batch: another job keeps that open.
  const other = await enqueue(
    env,
    testJob('refresh', () => until(() => thrown !== null)),
    {},
  )
  const asked = await enqueue(env, job, {})
  const end = await waitForJob(env, asked.id, 60_000)
  expect(end).toMatchObject({ state: 'failed' })
  expect(end?.error).toContain('Ran longer than 0.5 s')
  await waitForJob(env, other.id, 60_000)
  expect(thrown).toBeInstanceOf(JobStopped)
})

test('a person stops a running job at its next checkpoint', async () => {
  let isRunning = false
  const job = testJob('refresh', async (context) => {
    isRunning = true
    for (;;) {
      await scheduler.wait(50)
      await context.checkpoint()
    }
  })
  const asked = await enqueue(env, job, {})
  await until(() => isRunning)
  expect(await ledgerOf(env, 'refresh').act('stop', asked.id, 'ada')).toMatchObject({ done: true })
  expect(await waitForJob(env, asked.id, 60_000)).toMatchObject({
    state: 'stopped',
    error: 'Someone stopped the job.',
  })
})

test('progress and log lines can be read while the job runs', async () => {
  let mayEnd = false
  const job = testJob('refresh', async (context) => {
    await context.log('Asked Queens')
    await context.progress(3, 12, 'Queens')
    await until(() => mayEnd)
  })
  const asked = await enqueue(env, job, {})
  const ledger = ledgerOf(env, 'refresh')
  await vi.waitFor(async () => {
    const seen = await ledger.get(asked.id)
    expect(seen?.progress).toEqual({ done: 3, total: 12, label: 'Queens' })
  }, 60_000)
  expect((await findJob(env, asked.id))?.lines.map(({ line }) => line)).toEqual(['Asked Queens'])
  const began = Date.now()
  expect(await ledger.wait(asked.id, 300)).toMatchObject({ state: 'started' })
  expect(Date.now() - began).toBeGreaterThanOrEqual(290)
  mayEnd = true
  expect(await waitForJob(env, asked.id, 60_000)).toMatchObject({ state: 'finished', result: null })
  expect(await waitForJob(env, 'refresh-nothing', 60_000)).toBeNull()
})

test('a result that is too long is replaced by a notice', async () => {
  const asked = await enqueue(
    env,
    testJob('refresh', async () => ({ text: 'x'.repeat(200_000) })),
    {},
  )
  expect(await waitForJob(env, asked.id, 60_000)).toMatchObject({
    state: 'finished',
    result: { truncated: true, length: 200_011 },
  })
})

test('a paused queue runs nothing until it is resumed', async () => {
  let runs = 0
  const job = testJob('maintenance', async () => void (runs += 1))
  const ledger = ledgerOf(env, 'maintenance')
  await ledger.pause('ada')
  const asked = await enqueue(env, job, {})
  await env.MAINTENANCE_QUEUE.send({ job: asked.id, attempt: 1 })
  expect(await waitForJob(env, asked.id, 1500)).toMatchObject({ state: 'queued' })
  expect(runs).toBe(0)
  await ledger.resume('ada')
  expect(await waitForJob(env, asked.id, 60_000)).toMatchObject({ state: 'finished' })
  expect((await ledger.audit(null, 10)).map(({ act, who }) => `${who} ${act}`)).toEqual(['ada resume', 'ada pause'])
})

test('a canceled job does not start when its message arrives', async () => {
  let runs = 0
  const job = testJob('maintenance', async () => void (runs += 1))
  const ledger = ledgerOf(env, 'maintenance')
  const asked = await enqueue(env, job, {}, { at: Date.now() + 3_600_000 })
  expect(await ledger.act('cancel', asked.id, 'ada')).toEqual({ done: true, state: 'canceled', why: '' })
  await env.MAINTENANCE_QUEUE.send({ job: asked.id, attempt: 1 })
  const next = await enqueue(env, job, {})
  await waitForJob(env, next.id, 60_000)
  expect(runs).toBe(1)
})

test('a job of a newer version that an older one claims is returned unchanged, and the newer one runs it', async () => {
  let runs = 0
  const job = testJob('refresh', async () => void (runs += 1), { attempts: 1 })
  // The older version: its list of jobs does not have this one.
  jobs.splice(jobs.indexOf(job), 1)
  const asked = await enqueue(env, job, { kept: 1 })
  const returned = { state: 'scheduled', attempt: 2, tries: 0, error: null }
  await vi.waitFor(async () => expect(await findJob(env, asked.id)).toMatchObject(returned), 60_000)
  const seen = await findJob(env, asked.id)
  expect(seen?.runs.map(({ outcome }) => outcome)).toEqual(['returned'])
  expect(seen?.runs[0]?.error).toBe(`This version has no job named ${job.name}.`)
  jobs.push(job)
  await ledgerOf(env, 'refresh').act('requeue', asked.id, 'ada')
  expect(await waitForJob(env, asked.id, 60_000)).toMatchObject({ state: 'finished', input: { kept: 1 } })
  expect(runs).toBe(1)
})

async function consumeOne(body: unknown, environment: Env): ReturnType<typeof getQueueResult> {
  const batch = createMessageBatch('refresh', [{ id: '1', timestamp: new Date(), attempts: 1, body }])
  await consume(batch, environment, [])
  return getQueueResult(batch, createExecutionContext())
}

test('a message is acknowledged unless the ledger could not be reached', async () => {
  const asked = await enqueue(
    env,
    testJob('refresh', async () => 'ran'),
    {},
    { at: Date.now() + 3_600_000 },
  )
  const message = { job: asked.id, attempt: 1 }
  expect(await consumeOne(message, env)).toMatchObject({ explicitAcks: ['1'], retryMessages: [] })
  expect(await consumeOne({ nothing: 'known' }, env)).toMatchObject({ explicitAcks: ['1'], retryMessages: [] })
  const unreachable = {
    idFromName: () => '',
    get: () => ({ take: () => Promise.reject(new Error('Network connection lost.')) }),
  }
  const broken: Env = { ...env, LEDGER: unreachable as unknown as Env['LEDGER'] }
  const result = await consumeOne(message, broken)
  expect(result.explicitAcks).toEqual([])
  expect(result.retryMessages).toMatchObject([{ msgId: '1' }])
})
