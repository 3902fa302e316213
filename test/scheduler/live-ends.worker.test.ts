import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { closeSockets, ledgerOf } from '../../src/jobs/ledgers.ts'
import type { JobProps } from '../../src/scheduler/contract.ts'
import { MAX_LEDGER_WAIT_MS } from '../../src/scheduler/ask-ledgers.ts'
import { hurry } from '../worker/hurry.ts'
import { askWith, silent } from '../worker/job-fixtures.ts'
import { rows } from '../worker/rows.ts'
import { LiveSocket, runningJob, upgrade, watch } from '../worker/live-socket.ts'
import { addUser, goodPassword, site, Visitor } from '../worker/visitor.ts'

async function operator(): Promise<{ user: { id: number }; visitor: Visitor }> {
  const user = await addUser({ isSuperuser: true })
  return { user, visitor: await Visitor.loggedInAs(user) }
}

test("logging out closes that browser's sockets in every queue, and no other browser's", async () => {
  const { user, visitor } = await operator()
  const elsewhere = await Visitor.loggedInAs(user)
  const polls = await watch(visitor, 'queue=polls')
  const alerts = await watch(visitor, 'queue=alerts')
  const other = await watch(elsewhere, 'queue=alerts')
  await visitor.see('/accounts/')
  await visitor.submit('/accounts/logout/', {})
  expect(await polls.ended()).toBe(4001)
  expect(await alerts.ended()).toBe(4001)
  expect(other.closed).toBeNull()
  expect((await upgrade(visitor, 'queue=polls')).status).toBe(401)
  await other.close()
})

test("ending all other sessions closes their sockets, and keeps this one's", async () => {
  const { user, visitor } = await operator()
  const elsewhere = await Visitor.loggedInAs(user)
  const here = await watch(visitor, 'queue=polls')
  const there = await watch(elsewhere, 'queue=polls')
  await visitor.see('/accounts/sessions/')
  await visitor.submit('/accounts/sessions/', { action_end_others: '1' })
  expect(await there.ended()).toBe(4001)
  expect(here.closed).toBeNull()
  await here.close()
})

test('a password change closes all sockets of that person', async () => {
  const { user, visitor } = await operator()
  const elsewhere = await Visitor.loggedInAs(user)
  const here = await watch(visitor, 'queue=refresh')
  const there = await watch(elsewhere, 'queue=refresh')
  await visitor.see('/accounts/password/change/')
  const changed = await visitor.submit('/accounts/password/change/', {
    oldpassword: goodPassword,
    password1: 'another horse battery staple',
    password2: 'another horse battery staple',
  })
  expect(changed.status).toBe(303)
  expect(await there.ended()).toBe(4001)
  expect(await here.ended()).toBe(4001)
})

test.each([
  ['is disabled', 'UPDATE user SET is_active = 0 WHERE id = ?', 401],
  ['is no longer a superuser', 'UPDATE user SET is_superuser = 0 WHERE id = ?', 404],
])('a user who %s sees nothing more', async (_, change, status) => {
  const { user, visitor } = await operator()
  const other = await operator()
  const socket = await watch(visitor, 'queue=maintenance')
  const others = await watch(other.visitor, 'queue=maintenance')
  await env.DB.prepare(change).bind(user.id).run()
  const sessions = await rows<{ id_hash: string }>('SELECT id_hash FROM session WHERE user_id = ?', user.id)
  await closeSockets(env, { sessionHashes: sessions.map(({ id_hash }) => id_hash) })
  expect(await socket.ended()).toBe(4001)
  expect((await upgrade(visitor, 'queue=maintenance')).status).toBe(status)
  expect(others.closed).toBeNull()
  await others.close()
})

test('a user who loses the right while a socket opens receives nothing on it', async () => {
  const { user, visitor } = await operator()
  const opening = {
    idFromName: (name: string) => env.LEDGER.idFromName(name),
    get(id: DurableObjectId) {
      const ledger = env.LEDGER.get(id)
      return {
        closeSockets: (tags: string[]) => ledger.closeSockets(tags),
        async fetch(request: Request) {
          const answer = await ledger.fetch(request)
          await env.DB.prepare('UPDATE user SET is_superuser = 0 WHERE id = ?').bind(user.id).run()
          return answer
        },
      }
    },
  }
  const headers = { upgrade: 'websocket', origin: site }
  const LEDGER = opening as unknown as Env['LEDGER']
  const answer = await askWith({ LEDGER }, '/scheduler/live/?queue=polls', { visitor, headers })
  const socket = new LiveSocket(answer.webSocket ?? expect.fail('no socket'))
  expect(await socket.ended()).toBe(4001)
})

test('an old socket is closed by the minute tick, so that its login is checked again', async () => {
  const { visitor } = await operator()
  const old = await watch(visitor, 'queue=polls')
  const fresh = await watch(visitor, 'queue=polls&job=of-a-test-00000000000000p')
  const stub = env.LEDGER.get(env.LEDGER.idFromName('polls'))
  await runInDurableObject(stub, (_, state) => {
    for (const socket of state.getWebSockets()) {
      const attached = socket.deserializeAttachment() as { job: string | null; endsAt: number }
      expect(attached.endsAt).toBeLessThanOrEqual(Date.now() + 4 * 60_000)
      if (attached.job === null) socket.serializeAttachment({ ...attached, endsAt: Date.now() - 1 })
    }
  })
  await ledgerOf(env, 'polls').tick()
  expect(await old.ended()).toBe(4000)
  expect(fresh.closed).toBeNull()
  await fresh.close()
})

test('only pages of a job are notified of its progress and log lines', async () => {
  const { visitor } = await operator()
  const ledger = ledgerOf(env, 'alerts')
  const job = await runningJob('alerts')
  const other = await runningJob('alerts')
  const socket = await watch(visitor, `queue=alerts&job=${job.name}`)
  const others = await watch(visitor, `queue=alerts&job=${other.name}`)
  const page = async () => {
    const answer = await visitor.call('GET', `/scheduler/jobs/${job.name}/?page=1`)
    return (await answer.json<{ props: JobProps }>()).props.job
  }
  await socket.notified(() => ledger.log(job.name, job.attempt, 'first line'), 'the line')
  expect((await page()).lines.map(({ line }) => line)).toEqual(['first line'])
  await socket.notified(() => ledger.progress(job.name, job.attempt, 3, 10, 'Sending'), 'the progress')
  expect((await page()).progress).toEqual({ done: 3, total: 10, label: 'Sending' })
  await socket.notified(
    () => ledger.end([{ job: job.name, attempt: job.attempt, ending: { how: 'finished', result: 'null' } }]),
    'the end',
  )
  expect((await page()).status).toBe('finished')
  expect(others.messages).toEqual([])
  const heard = socket.messages.length
  await others.notified(() => ledger.log(other.name, other.attempt, 'of the other'), 'the line of the other')
  expect(socket.messages).toHaveLength(heard)
  await socket.close()
  await others.close()
})

test('two hundred and fifty may watch a queue; the next is refused for now, and its page polls instead', async () => {
  const { visitor } = await operator()
  const sockets = []
  for (let count = 0; count < 250; count += 1) sockets.push(await watch(visitor, 'queue=refresh'))
  const refused = await upgrade(visitor, 'queue=refresh', { accept: 'application/json' })
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60'])
  expect(await refused.json()).toEqual([
    'Too many pages watch the queue refresh. This page asks every few seconds instead.',
  ])
  await Promise.all(sockets.map((socket) => socket.close()))
})

test('a socket to a ledger that does not answer is a time-out, not an error of ours', async () => {
  hurry(MAX_LEDGER_WAIT_MS)
  const { visitor } = await operator()
  const headers = { upgrade: 'websocket', origin: site, accept: 'application/json' }
  const answer = await askWith({ LEDGER: silent('polls') }, '/scheduler/live/?queue=polls', { visitor, headers })
  expect([answer.status, await answer.json()]).toEqual([
    504,
    ['The queue polls did not respond in time. Please try again.'],
  ])
})
