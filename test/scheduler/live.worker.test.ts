import { evictDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeAll, expect, test } from 'vitest'
import { ledgerOf } from '../../src/jobs/ledgers.ts'
import { addUser, Visitor } from '../worker/visitor.ts'
import { upgrade, waitingJob, watch } from '../worker/live-socket.ts'

let operator: Visitor

beforeAll(async () => {
  operator = await Visitor.signedInAs(await addUser({ isSuperuser: true }))
})

test('a socket is for a superuser, on a page of our own, and for something that exists', async () => {
  const student = await Visitor.signedInAs(await addUser())
  const query = 'queue=refresh'
  expect((await upgrade(new Visitor(), query)).status).toBe(401)
  expect((await upgrade(student, query)).status).toBe(404)
  expect((await upgrade(operator, query, { origin: 'https://elsewhere.example' })).status).toBe(403)
  expect((await upgrade(operator, query, { origin: 'null' })).status).toBe(403)
  expect((await operator.fetch(`/scheduler/live/?${query}`, { headers: { upgrade: 'websocket' } })).status).toBe(403)
  expect((await operator.call('GET', `/scheduler/live/?${query}`)).status).toBe(426)
  expect((await upgrade(operator, 'queue=nothing')).status).toBe(404)
  expect((await upgrade(operator, `${query}&registry=deferred`)).status).toBe(400)
  expect((await upgrade(operator, `${query}&job=of-the-other-queue-00000000000000p`)).status).toBe(404)
})

test('what a browser says of itself is not taken over by the ledger', async () => {
  const viewer = JSON.stringify({ userId: 987_654, sessionHash: 'x', view: { of: 'job', job: 'none' } })
  const response = await upgrade(operator, 'queue=refresh', { 'x-live-viewer': viewer })
  expect(response.status).toBe(101)
  const before = await ledgerOf(env, 'refresh').closeSockets(['user:987654', 'session:x'])
  expect(before).toBe(0)
  response.webSocket?.accept()
  response.webSocket?.close()
})

test('a list is told of jobs that come, change and leave', async () => {
  const list = await watch(operator, 'queue=refresh&registry=scheduled')
  const job = await waitingJob('refresh', '{"page":7}')
  const came = await list.frame(({ jobs }) => jobs.some(({ name }) => name === job.name), 'the new job')
  expect(came.jobs[0]).toMatchObject({ name: job.name, status: 'scheduled', arguments: '{"page":7}', error: null })
  expect(came.queue.counts.scheduled).toBeGreaterThan(0)
  expect(came.more).toBe(0)

  await ledgerOf(env, 'refresh').cancel(job.name, null)
  const left = await list.frame((frame) => frame.left.some(({ name }) => name === job.name), 'the canceled job')
  expect(left.left).toEqual([{ name: job.name, status: 'canceled' }])
  expect(left.jobs).toEqual([])

  await ledgerOf(env, 'refresh').delete(job.name, null)
  const gone = await list.frame((frame) => frame.left.some(({ status }) => status === null), 'the deleted job')
  expect(gone.left).toEqual([{ name: job.name, status: null }])
  await list.close()
})

test('the page of the queues is told figures and failures, not rows', async () => {
  const page = await watch(operator, 'queue=maintenance')
  await ledgerOf(env, 'maintenance').pause(null)
  expect((await page.frame(({ queue }) => queue.paused, 'the pause')).queue.name).toBe('maintenance')
  await ledgerOf(env, 'maintenance').resume(null)
  const frame = await page.frame(({ queue }) => !queue.paused, 'the end of the pause')
  expect(frame.jobs).toEqual([])
  expect(frame.lines).toEqual([])
  await page.close()
})

test('many quick changes are few frames, and none of them is lost', async () => {
  const list = await watch(operator, 'queue=refresh&registry=scheduled')
  const startedAt = Date.now()
  const names: string[] = []
  for (let count = 0; count < 30; count += 1) names.push((await waitingJob('refresh')).name)
  // Each right behind the frame that told of the one before: the next has to wait all the same.
  for (let count = 0; count < 3; count += 1) {
    const { name } = await waitingJob('refresh')
    names.push(name)
    await list.frame(({ jobs }) => jobs.some((job) => job.name === name), 'the last job')
  }
  const told = new Set(list.frames.flatMap(({ jobs }) => jobs.map(({ name }) => name)))
  expect(names.every((name) => told.has(name))).toBe(true)
  expect(list.frames.length).toBeLessThanOrEqual(2 + (Date.now() - startedAt) / 500)
  list.frames.slice(1).forEach((frame, index) => {
    expect(Date.parse(frame.at) - Date.parse(list.frames[index]?.at ?? '')).toBeGreaterThanOrEqual(450)
  })
  await list.close()
})

test('of very many changes a frame brings fifty, and says that there are more', async () => {
  const list = await watch(operator, 'queue=refresh&registry=scheduled')
  const limit = { attempts: 1, run_seconds: 20, retry_seconds: [] }
  const requests = Array.from({ length: 120 }, () => ({
    task: 'of a test',
    input: '{}',
    limit,
    at: Date.now() + 3_600_000,
  }))
  const names = (await ledgerOf(env, 'refresh').enqueue(requests)).map(({ name }) => name)
  const frame = await list.frame(({ jobs }) => jobs.length > 0, 'the jobs')
  expect(frame.jobs).toHaveLength(50)
  expect(frame.more).toBe(70)
  await ledgerOf(env, 'refresh').bulk({ act: 'cancel', jobs: names, by: null })
  const gone = await list.frame(({ left }) => left.length > 0, 'the jobs that left')
  expect([gone.jobs.length, gone.left.length, gone.more]).toEqual([0, 50, 70])
  await list.close()
})

test('sockets only listen: a ping is answered, anything else ends them', async () => {
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

test('a socket outlives the sleep of its ledger', async () => {
  const list = await watch(operator, 'queue=refresh&registry=scheduled')
  await evictDurableObject(env.LEDGER.get(env.LEDGER.idFromName('refresh')), { webSockets: 'hibernate' })
  const job = await waitingJob('refresh')
  await list.frame(({ jobs }) => jobs.some(({ name }) => name === job.name), 'the job after the sleep')
  await list.close()
})

test('a job of a name no job can have is not there, and holds up nobody else', async () => {
  const odd = ['x'.repeat(4000), 'ü', 'a b', 'a\nb']
  for (const name of odd) {
    const query = `queue=refresh&job=${encodeURIComponent(name)}-00000000000000r`
    expect((await upgrade(operator, query)).status, name.slice(0, 10)).toBe(404)
  }
  expect((await ledgerOf(env, 'refresh').tick()).pruned).toBe(0)
})
