import { evictDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeAll, expect, test } from 'vitest'
import { ledgerOf } from '../../src/jobs/ledgers.ts'
import type { JobListProps } from '../../src/scheduler/contract.ts'
import { LiveSocket, upgrade, waitingJob, watch } from '../worker/live-socket.ts'
import { addUser, Visitor } from '../worker/visitor.ts'

let operator: Visitor

beforeAll(async () => {
  operator = await Visitor.loggedInAs(await addUser({ isSuperuser: true }))
})

test('a socket requires a superuser, our own origin, and an existing queue or job', async () => {
  const student = await Visitor.loggedInAs(await addUser())
  const query = 'queue=refresh'
  expect((await upgrade(new Visitor(), query)).status).toBe(401)
  expect((await upgrade(student, query)).status).toBe(404)
  expect((await upgrade(operator, query, { origin: 'https://elsewhere.example' })).status).toBe(403)
  expect((await upgrade(operator, query, { origin: 'null' })).status).toBe(403)
  expect((await operator.fetch(`/scheduler/live/?${query}`, { headers: { upgrade: 'websocket' } })).status).toBe(403)
  expect((await operator.call('GET', `/scheduler/live/?${query}`)).status).toBe(426)
  expect((await upgrade(operator, 'queue=nothing')).status).toBe(404)
  expect((await upgrade(operator, `${query}&job=of-the-other-queue-00000000000000p`)).status).toBe(404)
})

test('the ledger does not trust what a browser says about itself', async () => {
  const viewer = JSON.stringify({ sessionHash: 'x', job: 'none' })
  const response = await upgrade(operator, 'queue=refresh', { 'x-live-viewer': viewer })
  expect(response.status).toBe(101)
  const socket = new LiveSocket(response.webSocket ?? expect.fail('no socket'))
  await ledgerOf(env, 'refresh').closeSockets(['session:x'])
  await socket.notified(() => waitingJob('refresh'), 'a job of the queue')
  expect(socket.closed).toBeNull()
  await socket.close()
})

/** The page's own data, as its script requests it. */
async function pageOf<Props>(address: string): Promise<Props> {
  const page = await operator.call('GET', address)
  return (await page.json<{ props: Props }>()).props
}

const scheduled = '/scheduler/queues/refresh/scheduled/jobs'

test('a list is notified of jobs that are added, change and leave; its own data has the details', async () => {
  const socket = await watch(operator, 'queue=refresh')
  let name = ''
  await socket.notified(async () => {
    name = (await waitingJob('refresh', '{"page":7}')).id
  }, 'the new job')
  const { jobs, queue } = await pageOf<JobListProps>(scheduled)
  const shown = jobs.find((job) => job.name === name)
  expect(shown).toMatchObject({ status: 'scheduled', arguments: '{"page":7}', error: null })
  expect(queue.counts.scheduled).toBeGreaterThan(0)
  await socket.notified(() => ledgerOf(env, 'refresh').act('cancel', name, null), 'the canceled job')
  await socket.notified(() => ledgerOf(env, 'refresh').act('delete', name, null), 'the deleted job')
  expect((await pageOf<JobListProps>(scheduled)).jobs.map((job) => job.name)).not.toContain(name)
  expect(new Set(socket.messages.map(({ text }) => text))).toEqual(new Set(['changed']))
  await socket.close()
})

test('a pause and the minute tick are changes as well; reading is not', async () => {
  const ledger = ledgerOf(env, 'maintenance')
  const socket = await watch(operator, 'queue=maintenance')
  await socket.notified(() => ledger.pause(null), 'the pause')
  await ledger.resume(null)
  await socket.notified(() => ledger.tick(), 'the tick')
  await settled(socket)
  const before = socket.messages.length
  await Promise.all([ledger.stats(), ledger.list({}), ledger.schedules(), ledger.minutes(0, 60_000, 1)])
  await scheduler.wait(1200)
  expect(socket.messages).toHaveLength(before)
  await socket.close()
})

/** Waits until a socket is quiet. */
async function settled(socket: { messages: readonly unknown[] }): Promise<void> {
  for (let before = -1; before < socket.messages.length;) {
    before = socket.messages.length
    await scheduler.wait(1200)
  }
}

test('many quick changes are one notification a second, including the last of them', async () => {
  const socket = await watch(operator, 'queue=refresh')
  const startedAt = Date.now()
  for (let count = 0; count < 30; count += 1) await waitingJob('refresh')
  // Each right after the previous notification: the next has to wait all the same.
  for (let count = 0; count < 3; count += 1) await socket.notified(() => waitingJob('refresh'), 'the last job')
  expect(socket.messages.length).toBeLessThanOrEqual(2 + (Date.now() - startedAt) / 1000)
  // A busy machine may deliver one late, and the next in time.
  for (const [index, { at }] of socket.messages.entries()) expect(at - startedAt).toBeGreaterThanOrEqual(950 * index)
  await socket.close()
})

test('every page of a job is notified even if more jobs changed than a ledger remembers', async () => {
  const job = await waitingJob('refresh')
  const socket = await watch(operator, `queue=refresh&job=${job.id}`)
  await settled(socket)
  const limit = { attempts: 1, run_seconds: 20, retry_seconds: [] }
  const request = { task: 'of a test', input: '{}', limit, at: Date.now() + 3_600_000 }
  await socket.notified(
    () => ledgerOf(env, 'refresh').enqueue(Array.from({ length: 1000 }, () => request)),
    'many jobs',
  )
  await socket.close()
})

test('sockets only listen: a ping is answered, anything else closes them', async () => {
  const listener = await watch(operator, 'queue=refresh')
  let answered = false
  listener.socket.addEventListener('message', (event) => {
    if (event.data === 'pong') answered = true
  })
  listener.socket.send('ping')
  await expect.poll(() => answered).toBe(true)
  expect(listener.closed).toBeNull()
  listener.socket.send('delete everything')
  expect(await listener.ended()).toBe(1008)
})

test('a socket survives the hibernation of its ledger', async () => {
  const list = await watch(operator, 'queue=refresh')
  await evictDurableObject(env.LEDGER.get(env.LEDGER.idFromName('refresh')), { webSockets: 'hibernate' })
  await list.notified(() => waitingJob('refresh'), 'the job after the sleep')
  await list.close()
})

test('a job with an impossible name is a 404, and delays no one else', async () => {
  const odd = ['x'.repeat(4000), 'ü', 'a b', 'a\nb']
  for (const name of odd) {
    const query = `queue=refresh&job=${encodeURIComponent(name)}-00000000000000r`
    expect((await upgrade(operator, query)).status, name.slice(0, 10)).toBe(404)
  }
  await ledgerOf(env, 'refresh').tick()
})
