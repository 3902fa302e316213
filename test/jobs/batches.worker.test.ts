import { createMessageBatch, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { jobs } from '../../src/background-jobs.ts'
import { consume } from '../../src/jobs/consume.ts'
import { enqueueMany } from '../../src/jobs/enqueue.ts'
import type { Ledger } from '../../src/jobs/ledger/index.ts'
import { ledgerOf } from '../../src/jobs/ledgers.ts'
import { testJob } from './test-jobs.ts'

test("a batch starts at most a hundred jobs, within one invocation's query limit, and the next one continues", async () => {
  let runs = 0
  const job = testJob('maintenance', async () => void (runs += 1))
  const stub = (env.LEDGER as DurableObjectNamespace<Ledger>).get(env.LEDGER.idFromName('maintenance'))
  await runInDurableObject(stub, (instance: Ledger) => {
    const silent = { sendBatch: async () => undefined }
    Object.defineProperty(instance, 'env', { value: { ...env, MAINTENANCE_QUEUE: silent }, configurable: true })
  })
  const asked = await enqueueMany(
    env,
    job,
    Array.from({ length: 130 }, () => ({ input: {} })),
  )
  const wake = (name: string) =>
    createMessageBatch('maintenance', [
      { id: name, timestamp: new Date(), attempts: 1, body: { job: name, attempt: 1 } },
    ])
  await consume(wake(asked[0]?.id ?? ''), env, jobs)
  expect(runs).toBe(100)
  await consume(wake(asked.at(-1)?.id ?? ''), env, jobs)
  expect((await ledgerOf(env, 'maintenance').stats()).counts).toMatchObject({ finished: 130, queued: 0, started: 0 })
})
