import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { ledgerOf } from '../../src/jobs/ledgers.ts'
import { addUser, browserOf, stranger, Visitor } from '../worker/visitor.ts'
import { audited, one, operator, stateOf } from '../worker/job-fixtures.ts'

const pages = [
  '/scheduler/',
  '/scheduler/queues/',
  '/scheduler/queues/polls/workers/',
  '/scheduler/queues/polls/settings/',
  '/scheduler/queues/polls/failed/jobs',
  '/scheduler/queues/polls/failed/empty/',
  '/scheduler/workers/',
  '/scheduler/workers/nobody/',
  '/scheduler/jobs/nothing/',
  '/scheduler/jobs/nothing/delete/',
  '/scheduler/audit/',
]

let job = ''
let acts: string[] = []

beforeAll(async () => {
  job = await one('polls', { state: 'failed' })
  acts = [
    '/scheduler/queues/polls/pause/',
    '/scheduler/queues/polls/resume/',
    '/scheduler/queues/polls/settings/',
    '/scheduler/queues/polls/confirm-action/',
    '/scheduler/queues/polls/actions/',
    '/scheduler/queues/polls/failed/empty/',
    '/scheduler/schedules/polls/run/',
    `/scheduler/jobs/${job}/delete/`,
    `/scheduler/jobs/${job}/requeue/`,
  ]
})

const fields = { action: 'delete', job_names: 'x', ahead: '1', keep_days: '1', keep_rows: '1000' }

describe('the scheduler', () => {
  it('sends visitors to log in, and answers a call with 401', async () => {
    const visitor = new Visitor()
    for (const path of pages) {
      const page = await visitor.get(path)
      expect([path, page.status, page.headers.get('location')]).toEqual([
        path,
        302,
        `/accounts/login/?${new URLSearchParams({ next: path })}`,
      ])
      expect((await visitor.get(path, { accept: 'application/json' })).status, path).toBe(401)
    }
  })

  it('is a 404 for people who are not superusers', async () => {
    const visitor = await browserOf(await addUser())
    for (const path of pages) expect((await visitor.get(path)).status, path).toBe(404)
    for (const path of acts) expect((await visitor.submit(path, fields)).status, path).toBe(404)
  })

  it('allows actions only to superusers with the token', async () => {
    const visitor = await stranger()
    for (const path of acts) expect((await visitor.submit(path, fields)).status, path).toBe(302)
    const boss = await operator()
    boss.csrfToken = 'no token'
    for (const path of acts) expect((await boss.submit(path, fields)).status, path).toBe(403)
    expect(await stateOf('polls', job)).toBe('failed')
    expect(await ledgerOf(env, 'polls').audit(null, 10)).toEqual([])
    expect(await audited()).toEqual([])
  })

  it('shows superusers each page, uncached', async () => {
    const boss = await operator()
    const expected = new Map([
      ['/scheduler/', 302],
      ['/scheduler/workers/nobody/', 404],
      ['/scheduler/jobs/nothing/', 302],
      ['/scheduler/jobs/nothing/delete/', 302],
    ])
    for (const path of pages) {
      const response = await boss.get(path)
      expect([path, response.status]).toEqual([path, expected.get(path) ?? 200])
      expect(response.headers.get('cache-control'), path).toBe('private, no-store')
    }
    expect((await boss.get('/scheduler/')).headers.get('location')).toBe('/scheduler/queues/')
  })

  it('answers its pages with and without their slashes, and wrong methods with 405', async () => {
    const boss = await operator()
    expect((await boss.get('/scheduler/queues')).status).toBe(200)
    expect((await boss.get('/scheduler/queues/polls/failed/jobs/')).status).toBe(200)
    // `jobs` is the list itself, not an action on it.
    for (const method of ['POST', 'PUT', 'DELETE']) {
      for (const path of ['/scheduler/queues/polls/failed/jobs', '/scheduler/queues/polls/failed/jobs/']) {
        const refused = await boss.call(method, path, {})
        expect([method, refused.status, refused.headers.get('allow')]).toEqual([method, 405, 'GET, HEAD'])
      }
    }
    const acted = await boss.call('PUT', '/scheduler/queues/polls/failed/jobs-again/', {})
    expect([acted.status, acted.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST'])
    expect((await boss.get('/scheduler/queues/polls/resume/')).status).toBe(405)
    expect((await boss.submit('/scheduler/workers/', {})).status).toBe(405)
  })

  it('answers page data to clients that prefer JSON', async () => {
    const boss = await operator()
    const names: Record<string, string> = {}
    for (const path of ['queues/', 'workers/', 'queues/polls/workers/', 'queues/polls/failed/jobs', 'audit/']) {
      const response = await boss.get(`/scheduler/${path}`, { accept: 'application/json' })
      names[path] = (await response.json<{ page: string }>()).page
    }
    expect(names).toEqual({
      'queues/': 'Queues',
      'workers/': 'Workers',
      'queues/polls/workers/': 'QueueWorkers',
      'queues/polls/failed/jobs': 'RegistryJobs',
      'audit/': 'Audit',
    })
  })
})
