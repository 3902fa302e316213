import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { app } from '../../src/app.tsx'
import { addUser, site, stranger, Visitor } from '../worker/visitor.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

/** A request while the database is unavailable. */
function withoutDatabase(headers: Record<string, string>): Response | Promise<Response> {
  const DB = new Proxy(env.DB, {
    get() {
      throw new Error('D1_ERROR: secret detail of the database')
    },
  })
  return app.request(
    `${site}/`,
    { headers: { cookie: 'session=x', ...headers } },
    { ...env, DB },
    createExecutionContext(),
  )
}

describe('an internal error', () => {
  it('shows a page with an id that is also in the log, and no details', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    const response = await withoutDatabase({ accept: 'text/html' })
    const html = await response.text()
    expect(response.status).toBe(500)
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
    const id = /send us this ID: ([\da-f-]{36})/.exec(html)?.[1]
    expect(logged).toHaveBeenCalledWith(
      expect.objectContaining({ id, error: expect.stringContaining('secret detail') }),
    )
    expect(html).not.toContain('secret detail')
    expect(html).not.toContain('.ts')
    expect(html).toContain('<a href="/">Home</a>')
  })

  it('is an array for a call', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const response = await withoutDatabase({ accept: 'application/json' })
    expect(response.status).toBe(500)
    expect(await response.json()).toEqual([expect.stringMatching(/^Something went wrong on our end\..* [\da-f-]{36}$/)])
  })
})

describe('a form', () => {
  const send = async (type: string | undefined, body: BodyInit) => {
    const visitor = await stranger()
    return visitor.fetch('/accounts/login/', {
      method: 'POST',
      headers: {
        origin: site,
        'x-csrftoken': visitor.csrfToken,
        accept: 'application/json',
        ...(type === undefined ? {} : { 'content-type': type }),
      },
      body,
    })
  }
  const urlencoded = 'application/x-www-form-urlencoded'

  it.each([
    ['application/json', '{}', 415],
    ['text/plain', 'login=a', 415],
    [undefined, new Uint8Array([1]), 415],
    [urlencoded, `login=${'x'.repeat(70_000)}`, 413],
    ['multipart/form-data', 'x', 400],
    ['multipart/form-data; boundary=b', '--b\r\nnonsense', 400],
    [urlencoded, '%%%=%&&&==', 422],
    [urlencoded, '', 422],
  ])('of type %s is read, or refused with a reason', async (type, body, status) => {
    const response = await send(type, body)
    expect(response.status).toBe(status)
    if (status !== 422) expect(await response.json()).toEqual([expect.any(String)])
  })

  it('is cut off if it is long, even if it does not state its length', async () => {
    let sent = 0
    const endless = new ReadableStream({
      pull(controller) {
        sent += 1
        if (sent > 100) controller.close()
        else controller.enqueue(new TextEncoder().encode('x'.repeat(4096)))
      },
    })
    expect((await send(urlencoded, endless)).status).toBe(413)
    expect(sent).toBeLessThan(60)
  })
})

describe('the log', () => {
  it('has one line per request, with no personal data', async () => {
    const logged = vi.spyOn(console, 'log').mockImplementation(() => {})
    const user = await addUser({ username: 'grace', email: 'grace@navy.example' })
    const visitor = await Visitor.loggedInAs(user)
    await visitor.get('/accounts/inactive?email=grace@navy.example', { 'cf-ray': 'ray-1', 'user-agent': 'Lynx' })
    expect(logged.mock.calls).toEqual([
      [
        {
          event: 'request',
          id: expect.stringMatching(/^[\da-f-]{36}$/),
          ray: 'ray-1',
          method: 'GET',
          route: '/accounts/inactive',
          status: 200,
          ms: expect.any(Number),
          user: user.id,
        },
      ],
    ])
  })
})
