import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { archiveWatches } from '../../src/class-tracker/watches/archive-watches.ts'
import { enqueue } from '../../src/jobs/enqueue.ts'
import { addUser, Visitor } from '../worker/visitor.ts'

describe('every address', () => {
  it.each(['/accounts/login', '/accounts/login/', '/accounts/inactive', '/accounts/inactive/'])(
    '%s answers',
    async (path) => {
      expect((await new Visitor().get(path)).status).toBe(200)
    },
  )

  it.each([
    '/nowhere',
    '/nowhere/',
    '/accounts/x/',
    '/accounts/login/x',
    '/accounts/login//',
    '//accounts/login/',
    '/%E0%A4%A',
  ])('%s is a 404 page with a way home', async (path) => {
    const { response, html } = await new Visitor().read(await new Visitor().get(path))
    expect(response.status).toBe(404)
    expect(html).toMatch(/<a href="\/">Home<\/a>/)
  })

  it('is a JSON 404 for a client that prefers it, and for a call', async () => {
    const visitor = new Visitor()
    for (const [path, accept] of [
      ['/nowhere', 'application/json'],
      ['/classcords/ajax/nowhere/', 'text/html'],
      ['/nowhere.json', '*/*'],
    ] as const) {
      const response = await visitor.get(path, { accept })
      expect(response.status).toBe(404)
      expect(await response.json()).toEqual(['There is nothing at this address.'])
    }
  })

  it('lists its methods if requested with another', async () => {
    const visitor = new Visitor()
    await visitor.see('/')
    const put = await visitor.call('PUT', '/accounts/logout/')
    expect(put.status).toBe(405)
    expect(put.headers.get('allow')).toBe('GET, HEAD, POST')
    const post = await visitor.submit('/accounts/inactive', {})
    expect(post.status).toBe(405)
    expect(post.headers.get('allow')).toBe('GET, HEAD')
    expect((await visitor.fetch('/', { method: 'OPTIONS' })).status).toBe(405)
  })

  it('answers HEAD like GET, without a body and without using up messages', async () => {
    const user = await addUser()
    const visitor = await Visitor.loggedInAs(user)
    await visitor.see('/')
    await visitor.submit('/accounts/logout/', {})
    const head = await visitor.fetch('/', { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect((await visitor.see('/')).data.context.messages).toHaveLength(1)
  })

  it('is checked before anyone is sent to log in', async () => {
    expect((await new Visitor().get('/scheduler/nowhere/')).status).toBe(404)
  })
})

describe('the scheduler', () => {
  it('sends visitors to log in and leads back', async () => {
    const response = await new Visitor().get('/scheduler/jobs/poll-1/?a=1')
    expect(response.status).toBe(302)
    expect(response.headers.get('location')).toBe('/accounts/login/?next=%2Fscheduler%2Fjobs%2Fpoll-1%2F%3Fa%3D1')
  })

  it('answers 401 to a client that wants JSON', async () => {
    const response = await new Visitor().get('/scheduler/jobs/poll-1/', { accept: 'application/json' })
    expect(response.status).toBe(401)
    expect(await response.json()).toEqual(['Please log in first.'])
  })

  it('is a 404 for people who are not superusers', async () => {
    const visitor = await Visitor.loggedInAs(await addUser())
    expect((await visitor.get('/scheduler/jobs/poll-1/')).status).toBe(404)
  })

  it('shows superusers a job, as JSON and as a page', async () => {
    const job = await enqueue(env, archiveWatches, {}, { at: Date.now() + 3_600_000 })
    const visitor = await Visitor.loggedInAs(await addUser({ isSuperuser: true }))
    const shown = {
      id: job.id,
      name: job.id,
      queue: 'maintenance',
      status: 'scheduled',
      progress: { done: 0, total: 0, label: '' },
      result: null,
      error: null,
    }
    const response = await visitor.get(`/scheduler/jobs/${job.id}/`, { accept: 'application/json' })
    expect(await response.json()).toEqual(shown)
    const { html, data } = await visitor.see(`/scheduler/jobs/${job.id}/`)
    expect(data).toMatchObject({ page: 'Job', props: { job: shown } })
    expect(html).toMatch(new RegExp(`<main[^]*${job.id}[^]*</main>`))
  })

  it('answers 404 for an unknown job', async () => {
    const visitor = await Visitor.loggedInAs(await addUser({ isSuperuser: true }))
    const response = await visitor.get('/scheduler/jobs/poll-1/', { accept: 'application/json' })
    expect([response.status, await response.json()]).toEqual([404, ['There is no job with this name.']])
  })
})
