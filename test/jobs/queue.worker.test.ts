import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { enqueue, enqueueMany } from '../../src/jobs/enqueue.ts'
import { ledgerOf, waitForJob } from '../../src/jobs/ledgers.ts'
import { testJob, until } from './test-jobs.ts'
import { findJob } from '../worker/find-job.ts'

test('an enqueued job runs at once, and its result reaches a waiting caller', async () => {
  const job = testJob('refresh', async (_, input) => ({ doubled: Number(input['number']) * 2 }))
  const began = Date.now()
  const asked = await enqueue(env, job, { number: 21 })
  const ended = await waitForJob(env, asked.id, 60_000)
  expect(ended).toMatchObject({ state: 'finished', result: { doubled: 42 }, error: null })
  expect(Date.now() - began).toBeLessThan(20_000)
})

test('two hundred polls are run four at a time, each once', async () => {
  let [runs, running, most] = [0, 0, 0]
  const job = testJob('polls', async () => {
    runs += 1
    running += 1
    most = Math.max(most, running)
    await until(() => most >= 4)
    await scheduler.wait(20)
    running -= 1
  })
  const asked = await enqueueMany(
    env,
    job,
    Array.from({ length: 200 }, (_, number) => ({ input: { number } })),
  )
  await Promise.all(asked.map((record) => waitForJob(env, record.id, 60_000)))
  expect((await ledgerOf(env, 'polls').stats()).counts).toMatchObject({ finished: 200, queued: 0, started: 0 })
  expect(runs).toBe(200)
  expect(most).toBe(4)
})

test('a failing job is retried under the same name until it has no attempts left', async () => {
  let runs = 0
  const job = testJob('refresh', async () => {
    runs += 1
    throw new Error(`Refused for the ${runs}. time`)
  })
  const asked = await enqueue(env, job, {})
  const ended = await waitForJob(env, asked.id, 60_000)
  expect(ended).toMatchObject({ state: 'failed', attempt: 3 })
  expect(ended?.error).toContain('Refused for the 3. time')
  expect((await findJob(env, asked.id))?.runs.map((run) => run.outcome)).toEqual(['failed', 'retried', 'retried'])
})
