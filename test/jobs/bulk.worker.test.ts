import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { bulkAct, startBulk } from '../../src/jobs/bulk.ts'
import { enqueue, enqueueMany } from '../../src/jobs/enqueue.ts'
import type { QueueName } from '../../src/jobs/job.ts'
import { ledgerOf, waitForJob } from '../../src/jobs/ledgers.ts'
import { testJob } from './test-jobs.ts'
import { findJob } from '../worker/find-job.ts'
import { runContext } from '../worker/job-context.ts'
import { until } from '../worker/world.ts'

const nothing = async () => null

/** Jobs that are due tomorrow, so that nothing runs them now. */
async function putOff(queue: QueueName, jobs: number) {
  const job = testJob(queue, nothing)
  const at = Date.now() + 24 * 3_600_000
  const records = await enqueueMany(
    env,
    job,
    Array.from({ length: jobs }, () => ({ input: {}, options: { at } })),
  )
  return { job, records }
}

test('an action on everything a filter matches runs in steps of 500 and reports its progress', async () => {
  const { job, records } = await putOff('alerts', 1030)
  const other = await putOff('alerts', 1)
  const asked = await startBulk(env, {
    queue: 'alerts',
    act: 'cancel',
    filter: { registry: 'scheduled', task: job.name },
    by: 'ada',
  })
  const end = await waitForJob(env, asked.id, 60_000)
  expect(end).toMatchObject({
    state: 'finished',
    result: { done: 1030, refused: 0 },
    progress: { done: 1030, total: 1030, label: '1030 canceled' },
  })
  const ledger = ledgerOf(env, 'alerts')
  expect((await ledger.stats()).counts).toMatchObject({ canceled: 1030, scheduled: 1 })
  expect((await findJob(env, records[0]?.id ?? ''))?.state).toBe('canceled')
  expect((await findJob(env, other.records[0]?.id ?? ''))?.state).toBe('scheduled')
  expect((await findJob(env, asked.id))?.runs.map(({ outcome }) => outcome)).toEqual(['finished', 'again', 'again'])
  // One audit entry for people, however many steps it took.
  expect(await ledger.audit(null, 10)).toMatchObject([{ who: 'ada', act: 'cancel', job: null, jobs: 1030 }])

  const again = await startBulk(env, { queue: 'alerts', act: 'requeue', filter: { registry: 'failed' }, by: 'ada' })
  expect(again.id).not.toBe(asked.id)
  expect(await waitForJob(env, again.id, 60_000)).toMatchObject({ result: { done: 0, refused: 0 } })
})

test('a background action counts running jobs, which it only asks to stop, separately from canceled ones', async () => {
  const { job } = await putOff('alerts', 3)
  await runInDurableObject(env.LEDGER.get(env.LEDGER.idFromName('alerts')), (_, { storage }) => {
    const running =
      "state = 'started', lease_until = due_at, heartbeat_at = created_at, started_at = created_at, tries = 1"
    storage.sql.exec(`UPDATE job SET ${running} WHERE seq = (SELECT max(seq) FROM job)`)
  })
  const asked = await startBulk(env, { queue: 'alerts', act: 'cancel', filter: { task: job.name }, by: 'ada' })
  expect(await waitForJob(env, asked.id, 60_000)).toMatchObject({
    result: { done: 3, stop_asked: 1, refused: 0 },
    progress: { label: '2 canceled, 1 stopping' },
  })
})

test('a second click joins the first; an action canceled before its turn does nothing', async () => {
  const { job } = await putOff('refresh', 3)
  const keeper = ledgerOf(env, 'maintenance')
  await keeper.pause('ada')
  const now = Date.now()
  const since = now - (now % 60_000)
  const first = await startBulk(env, { queue: 'refresh', act: 'delete', filter: { task: job.name, since }, by: 'ada' })
  const second = await startBulk(env, {
    queue: 'refresh',
    act: 'delete',
    filter: { task: job.name, since: since + 59_999 },
    by: 'bob',
  })
  const other = await startBulk(env, { queue: 'refresh', act: 'cancel', filter: { task: job.name, since }, by: 'bob' })
  expect(second.id).toBe(first.id)
  expect(other.id).not.toBe(first.id)
  expect(await keeper.act('cancel', other.id, 'bob')).toMatchObject({ done: true, state: 'canceled' })
  await keeper.resume('ada')
  expect(await waitForJob(env, first.id, 60_000)).toMatchObject({ state: 'finished', result: { done: 3 } })
  expect((await ledgerOf(env, 'refresh').list({ task: job.name })).jobs).toEqual([])
})

test('an action that is repeated because its answer was lost leaves jobs alone that failed again since', async () => {
  const queue = 'refresh'
  const job = testJob(queue, () => Promise.reject(new Error('Not today.')), { attempts: 1 })
  const { id: name } = await enqueue(env, job, {})
  await waitForJob(env, name, 60_000)
  await ledgerOf(env, 'maintenance').pause('ada')
  const filter = { registry: 'failed', task: job.name } as const
  const { input } = await startBulk(env, { queue, act: 'requeue', filter, by: 'ada' })
  const act = () => bulkAct.runWithRawInput(runContext({}), input)
  expect(await act()).toMatchObject({ done: 1 })
  expect(await waitForJob(env, name, 60_000)).toMatchObject({ state: 'failed', attempt: 2 })
  expect(await act()).toMatchObject({ done: 0, refused: 0 })
  await ledgerOf(env, 'maintenance').resume('ada')
})

test('an action leaves jobs alone that were created while it waited', async () => {
  const { job } = await putOff('alerts', 3)
  await ledgerOf(env, 'maintenance').pause('ada')
  const asked = await startBulk(env, { queue: 'alerts', act: 'delete', filter: { task: job.name }, by: 'ada' })
  await until(
    async () => Date.now(),
    (now) => now > asked.created_at,
    'time goes on',
  )
  const [later] = await enqueueMany(env, job, [{ input: {}, options: { at: Date.now() + 24 * 3_600_000 } }])
  await ledgerOf(env, 'maintenance').resume('ada')
  expect(await waitForJob(env, asked.id, 60_000)).toMatchObject({ result: { done: 3, refused: 0 } })
  expect((await ledgerOf(env, 'alerts').list({ task: job.name })).jobs).toMatchObject([{ id: later?.id }])
})

test('an action on its own queue skips itself, and does not count itself', async () => {
  const { records } = await putOff('maintenance', 2)
  for (const act of ['stop', 'cancel', 'delete'] as const) {
    const asked = await startBulk(env, { queue: 'maintenance', act, filter: {}, by: 'ada' })
    const end = await waitForJob(env, asked.id, 60_000)
    expect(end, act).toMatchObject({ state: 'finished' })
    if (act === 'cancel') expect(end?.result).toMatchObject({ done: 2 })
  }
  expect(await findJob(env, records[0]?.id ?? '')).toBeNull()
})
