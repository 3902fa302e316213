import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { MAX_BODY_BYTES } from '../../src/lib/body.ts'
import { Conversation, type Reply } from '../../src/sources/http.ts'
import { BudgetSpent, type Tools } from '../../src/sources/source.ts'

const HOME = 'https://school.example.edu/app/ssb/list'

type Answering = (url: URL, init: RequestInit) => Response | Promise<Response>

function converse(answering: Answering, tools: Partial<Tools> = {}) {
  const asked: { url: string; method: string; cookie: string | null; body: string | null }[] = []
  const clock = { now: Date.parse('2026-11-21T12:00:00Z') }
  const conversation = new Conversation({
    budget: () => Promise.resolve(),
    now: () => clock.now,
    timeout_ms: 1000,
    fetch: async (input, init) => {
      // Never left to `fetch`, which would drop the cookies set on the way.
      expect(init.redirect).toBe('manual')
      const body = init.body instanceof URLSearchParams ? init.body.toString() : ((init.body as string | null) ?? null)
      asked.push({ url: input, method: init.method ?? 'GET', cookie: new Headers(init.headers).get('cookie'), body })
      return answering(new URL(input), init)
    },
    ...tools,
  })
  return { conversation, asked, clock }
}

function reasonOf(reply: Reply): string {
  return reply.page === null ? reply.unknown.reason : 'a page'
}

function setting(...cookies: string[]): Response {
  const headers = new Headers()
  for (const cookie of cookies) headers.append('set-cookie', cookie)
  return new Response('{}', { headers })
}

describe('cookies', () => {
  async function sentBack(cookies: string[], url = HOME): Promise<string | null> {
    let isFirst = true
    const { conversation, asked } = converse(() => {
      const response = isFirst ? setting(...cookies) : new Response('{}')
      isFirst = false
      return response
    })
    await conversation.request({ url: HOME })
    await conversation.request({ url })
    return asked.at(-1)?.cookie ?? null
  }

  it('of the session and of the load balancer are both sent back, the longer path first', async () => {
    const cookies = ['AWSALB=node+a/1==; Path=/', 'JSESSIONID=12!34; Path=/app; HttpOnly; Secure']
    expect(await sentBack(cookies)).toBe('JSESSIONID=12!34; AWSALB=node+a/1==')
  })

  it('are sent only under their path', async () => {
    expect(await sentBack(['a=1; Path=/app/ssb'])).toBe('a=1')
    expect(await sentBack(['a=1; Path=/app/s'])).toBeNull()
    expect(await sentBack(['a=1'], 'https://school.example.edu/app/other')).toBeNull()
    expect(await sentBack(['a=1'], 'https://school.example.edu/app/ssb/deeper/still')).toBe('a=1')
  })

  it('are replaced, expire by age or date, and are refused if meant for another host', async () => {
    expect(await sentBack(['a=1; Path=/', 'a=2; Path=/'])).toBe('a=2')
    expect(await sentBack(['a=1; Path=/', 'a=; Path=/; Max-Age=0'])).toBeNull()
    expect(await sentBack(['a=1; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT'])).toBeNull()
    expect(await sentBack(['a=1; Path=/; Domain=elsewhere.example.org', 'nonsense'])).toBeNull()
    expect(await sentBack(['a=1; Path=/; Domain=.example.edu'])).toBe('a=1')
  })

  it('are forgotten on demand', async () => {
    const { conversation, asked } = converse(() => setting('a=1; Path=/'))
    await conversation.request({ url: HOME })
    conversation.clearCookies()
    await conversation.request({ url: HOME })
    expect(asked.map(({ cookie }) => cookie)).toEqual([null, null])
  })
})

describe('redirects', () => {
  const to = (location: string, status = 302, cookie = 'a=1; Path=/') =>
    new Response(null, { status, headers: { location, 'set-cookie': cookie } })

  it('are followed within the origin with their cookies, and a form becomes a GET', async () => {
    const { conversation, asked } = converse((url) =>
      url.pathname.endsWith('list') ? to('../home') : new Response('x'),
    )
    expect(reasonOf(await conversation.request({ url: HOME, form: new URLSearchParams({ t: '1' }) }))).toBe('a page')
    expect(asked).toEqual([
      { url: HOME, method: 'POST', cookie: null, body: 't=1' },
      { url: 'https://school.example.edu/app/home', method: 'GET', cookie: 'a=1', body: null },
    ])
  })

  it('send JSON unchanged, with its type, and repeat it if the status says so', async () => {
    const types: (string | null)[] = []
    const { conversation, asked } = converse((url, init) => {
      types.push(new Headers(init.headers).get('content-type'))
      return url.search === '' ? to(`${HOME}?again`, 308) : new Response('x')
    })
    await conversation.request({ url: HOME, json: '{"term":"2026FA"}' })
    expect(asked.map(({ method, body }) => [method, body])).toEqual([
      ['POST', '{"term":"2026FA"}'],
      ['POST', '{"term":"2026FA"}'],
    ])
    expect(types).toEqual(['application/json; charset=utf-8', 'application/json; charset=utf-8'])
  })

  it('repeat the form if the status says so', async () => {
    const { conversation, asked } = converse((url) =>
      url.search === '' ? to(`${HOME}?again`, 307) : new Response('x'),
    )
    await conversation.request({ url: HOME, form: new URLSearchParams({ t: '1' }) })
    expect(asked[1]).toMatchObject({ method: 'POST', body: 't=1' })
  })

  it('to another origin, or without end, are not followed', async () => {
    const away = converse(() => to('https://sso.example.edu/login'))
    expect(reasonOf(await away.conversation.request({ url: HOME }))).toBe('not_the_protocol')
    expect(away.asked).toHaveLength(1)
    const round = converse(() => to(HOME))
    expect(reasonOf(await round.conversation.request({ url: HOME }))).toBe('not_the_protocol')
    expect(round.asked).toHaveLength(6)
  })

  it.each(['https://10.0.0.1/', 'https://169.254.169.254/latest/', 'http://school.example.edu/', 'https://[::1]/'])(
    'to %s are not followed',
    async (location) => {
      const { conversation, asked } = converse(() => to(location))
      expect(reasonOf(await conversation.request({ url: HOME }))).toBe('not_the_protocol')
      expect(asked).toHaveLength(1)
    },
  )
})

describe('an internal address', () => {
  it.each([
    'https://10.0.0.1/ssb',
    'https://[fd00::1]/ssb',
    'http://school.example.edu/ssb',
    'https://db.internal/ssb',
  ])('is never asked, wherever it came from: %s', async (url) => {
    const { conversation, asked } = converse(() => new Response('{}'))
    expect(reasonOf(await conversation.request({ url }))).toBe('not_the_protocol')
    expect(asked).toEqual([])
  })
})

describe('an unusable answer', () => {
  it('is a timeout if it never comes, or never ends', async () => {
    const silent = converse(() => new Promise<Response>(() => undefined), { timeout_ms: 20 })
    expect(reasonOf(await silent.conversation.request({ url: HOME }))).toBe('timeout')
    const stream = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(10)) })
    const endless = converse(() => new Response(stream), { timeout_ms: 20 })
    expect(reasonOf(await endless.conversation.request({ url: HOME }))).toBe('timeout')
  })

  it('is unreachable if the connection fails, incomplete if it breaks off', async () => {
    const refused = converse(() => Promise.reject(new TypeError('fetch failed')))
    expect(reasonOf(await refused.conversation.request({ url: HOME }))).toBe('unreachable')
    const stream = new ReadableStream({ pull: (controller) => controller.error(new Error('reset')) })
    const broken = converse(() => new Response(stream))
    expect(reasonOf(await broken.conversation.request({ url: HOME }))).toBe('incomplete')
    const short = converse(() => new Response('12345', { headers: { 'content-length': '9' } }))
    expect(reasonOf(await short.conversation.request({ url: HOME }))).toBe('incomplete')
  })

  it('is reported in one sentence with one period', async () => {
    const refused = converse(() => Promise.reject(new Error('Network connection lost.')))
    expect(await refused.conversation.request({ url: HOME })).toMatchObject({
      unknown: { why: 'The school could not be reached: Network connection lost.' },
    })
    const stream = new ReadableStream({ pull: (controller) => controller.error(new Error('Gone away. ')) })
    expect(await converse(() => new Response(stream)).conversation.request({ url: HOME })).toMatchObject({
      unknown: { why: 'The answer broke off: Gone away.' },
    })
    const coded = new TypeError('fetch failed.', { cause: Object.assign(new Error(), { code: 'ECONNRESET' }) })
    expect(await converse(() => Promise.reject(coded)).conversation.request({ url: HOME })).toMatchObject({
      unknown: { why: 'The school could not be reached: fetch failed (ECONNRESET).' },
    })
    const internal = new Error('internal error; reference = 0sq9kk77ac6p7gulhuf71nm0')
    expect(await converse(() => Promise.reject(internal)).conversation.request({ url: HOME })).toMatchObject({
      unknown: { why: 'The school could not be reached.' },
    })
  })

  it('is too large if it is larger than anything a school sends', async () => {
    const megabyte = new Uint8Array(1024 * 1024)
    let sent = 0
    const stream = new ReadableStream({
      pull: (controller) => {
        sent += megabyte.length
        controller.enqueue(megabyte)
      },
    })
    const { conversation } = converse(() => new Response(stream))
    expect(reasonOf(await conversation.request({ url: HOME }))).toBe('too_large')
    expect(sent).toBeLessThanOrEqual(10 * megabyte.length)
  })

  it('is not even read if it states such a size itself', async () => {
    let sent = 0
    const stream = new ReadableStream(
      {
        pull: (controller) => {
          sent++
          controller.enqueue(new Uint8Array(1024))
        },
      },
      { highWaterMark: 0 },
    )
    const headers = { 'content-length': String(MAX_BODY_BYTES + 1) }
    const { conversation } = converse(() => new Response(stream, { headers }))
    expect(reasonOf(await conversation.request({ url: HOME }))).toBe('too_large')
    expect(sent).toBe(0)
  })

  it('is too large when it unpacks to far more than it says', async () => {
    const packed = gzipSync(new Uint8Array(3 * MAX_BODY_BYTES))
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': packed.length }).end(packed)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const { conversation } = converse((url, init) => fetch(url, init), { timeout_ms: 10_000 })
    expect(packed.length).toBeLessThan(MAX_BODY_BYTES)
    expect(await conversation.request({ url: `http://127.0.0.1:${port}/` })).toMatchObject({
      unknown: { reason: 'too_large', why: 'The answer is larger than 8 MB.' },
    })
    server.closeAllConnections()
    server.close()
  })

  it('may be as large as a school ever sends', async () => {
    const { conversation } = converse(() => new Response(new Uint8Array(MAX_BODY_BYTES)))
    expect(reasonOf(await conversation.request({ url: HOME }))).toBe('a page')
  })

  it('is passed on as it arrives if it is too large to keep', async () => {
    const pieces: number[] = []
    const take = (piece: Uint8Array) => pieces.push(piece.byteLength)
    const stream = () => new Response(new Uint8Array(2 * MAX_BODY_BYTES))
    const { conversation } = converse(stream)
    const reply = await conversation.request({ url: HOME, maxBytes: 3 * MAX_BODY_BYTES, take })
    expect(reply.page?.bytes.byteLength).toBe(0)
    expect(pieces.reduce((sum, length) => sum + length, 0)).toBe(2 * MAX_BODY_BYTES)
    expect(reasonOf(await conversation.request({ url: HOME, maxBytes: MAX_BODY_BYTES, take }))).toBe('too_large')
    const short = converse(() => new Response('half', { headers: { 'content-length': '8' } })).conversation
    expect(reasonOf(await short.request({ url: HOME, take }))).toBe('incomplete')
  })

  it('is an error with any other status', async () => {
    const { conversation } = converse(() => new Response('no', { status: 500 }))
    expect(await conversation.request({ url: HOME })).toMatchObject({ status: 500, unknown: { reason: 'http_error' } })
  })
})

it.each([521, 523, 530])('status %i is what Cloudflare answers for a host that it cannot reach', async (status) => {
  const { conversation } = converse(() => new Response('error code: 1016', { status }))
  expect(await conversation.request({ url: HOME })).toMatchObject({ unknown: { reason: 'unreachable' } })
})

it('status 520 is what Cloudflare answers for a host that it reached, but did not understand', async () => {
  const { conversation } = converse(() => new Response('error code: 520', { status: 520 }))
  expect(await conversation.request({ url: HOME })).toMatchObject({ unknown: { reason: 'http_error' } })
})

describe('a request to wait', () => {
  it.each([
    [429, '30', 30],
    [503, '30', 30],
    [429, 'Sat, 21 Nov 2026 12:02:00 GMT', 120],
    [429, null, 60],
    [429, '99999999999', 3600],
    [429, '9'.repeat(30), 3600],
    [503, 'Fri, 01 Jan 9999 00:00:00 GMT', 3600],
    [429, '-5', 60],
    [429, '1e9', 60],
    [429, '2.5', 3],
    [429, 'NaN', 60],
    [429, 'Someday', 60],
    [429, ' 30 ', 30],
    [429, '3600', 3600],
  ])(
    'with status %i and Retry-After %s is respected for %i s: nothing is sent before',
    async (status, header, seconds) => {
      let isLimited = true
      const { conversation, asked, clock } = converse(() =>
        isLimited
          ? new Response('', { status, headers: header === null ? {} : { 'retry-after': header } })
          : new Response('x'),
      )
      const limited = { unknown: { reason: 'limited', retry_after_seconds: seconds } }
      expect(await conversation.request({ url: HOME })).toMatchObject(limited)
      isLimited = false
      expect(await conversation.request({ url: HOME })).toMatchObject(limited)
      expect(asked).toHaveLength(1)
      clock.now += seconds * 1000
      expect(reasonOf(await conversation.request({ url: HOME }))).toBe('a page')
    },
  )

  it('ends when its time is over', async () => {
    for (const header of ['0', 'Sat, 21 Nov 2026 11:59:00 GMT']) {
      const { conversation, asked } = converse(
        () => new Response('', { status: 429, headers: { 'retry-after': header } }),
      )
      const limited = { unknown: { reason: 'limited', retry_after_seconds: 0 } }
      expect(await conversation.request({ url: HOME })).toMatchObject(limited)
      await conversation.request({ url: HOME })
      expect(asked).toHaveLength(2)
    }
  })

  it('is an error if a 503 does not say for how long', async () => {
    for (const headers of [{}, { 'retry-after': 'soon' }]) {
      const { conversation } = converse(() => new Response('', { status: 503, headers }))
      expect(reasonOf(await conversation.request({ url: HOME }))).toBe('http_error')
    }
  })
})

describe('the caller', () => {
  it('is asked for budget before every request, including redirects, and its refusal is passed on', async () => {
    let left = 2
    const { conversation, asked } = converse(() => new Response(null, { status: 302, headers: { location: HOME } }), {
      budget: async () => {
        if (left-- === 0) throw new BudgetSpent(5)
      },
    })
    await expect(conversation.request({ url: HOME })).rejects.toThrow(BudgetSpent)
    expect(asked).toHaveLength(2)
  })

  it('can abort at any time, and gets its own reason', async () => {
    const controller = new AbortController()
    const { conversation } = converse(() => new Promise<Response>(() => undefined), { signal: controller.signal })
    const request = conversation.request({ url: HOME })
    controller.abort(new Error('the job was stopped'))
    await expect(request).rejects.toThrow('the job was stopped')
    await expect(conversation.request({ url: HOME })).rejects.toThrow('the job was stopped')
  })
})
