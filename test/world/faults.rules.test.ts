import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Visitor, control } from './client.ts'
import { Faults } from './faults.ts'
import type { Call, StandIn } from './http.ts'
import { startWorld, type RunningWorld } from './server.ts'

const NOW = Date.parse('2026-11-21T12:00:00Z')
const HARBOR = 'Harbor State University'
const TERMS = '/schools/harbor/StudentRegistrationSsb/ssb/classSearch/getTerms?offset=1&max=10'
const BASIC = `Basic ${Buffer.from('AC1:t').toString('base64')}`
let running: RunningWorld

beforeAll(async () => {
  running = await startWorld({
    appUrl: 'http://localhost:1',
    twilioAccountSid: 'AC1',
    twilioAuthToken: 't',
    now: NOW,
    slowMs: 300,
  })
})
afterEach(() => control(running.url, 'DELETE', 'faults'))
afterAll(() => running.close())

const fault = (service: string, mode: string, times?: number): Promise<Response> =>
  control(running.url, 'POST', 'faults', { service, mode, times })
const terms = (timeoutMs = 5000): Promise<Response> =>
  fetch(running.url + TERMS, { signal: AbortSignal.timeout(timeoutMs) })
const outbox = async (): Promise<{ sms: unknown[]; email: unknown[] }> =>
  (await (await control(running.url, 'GET', 'outbox')).json()) as { sms: unknown[]; email: unknown[] }

function sms(timeoutMs = 5000): Promise<Response> {
  const body = new URLSearchParams({ To: '+12025550143', From: '+12025550100', Body: 'a seat' })
  const signal = AbortSignal.timeout(timeoutMs)
  return fetch(`${running.url}/sms/2010-04-01/Accounts/AC1/Messages.json`, {
    method: 'POST',
    body,
    headers: { authorization: BASIC },
    signal,
  })
}
function mail(key: string, timeoutMs = 5000): Promise<Response> {
  const body = JSON.stringify({ from: 'a@example.com', to: 'b@example.com', subject: 's', text: 't' })
  const headers = { authorization: 'Bearer re_1', 'idempotency-key': key }
  return fetch(`${running.url}/mail/emails`, { method: 'POST', body, headers, signal: AbortSignal.timeout(timeoutMs) })
}

describe('faults on a school', () => {
  it('http_500 and http_429 refuse, the second with Retry-After', async () => {
    await fault(HARBOR, 'http_500')
    expect((await terms()).status).toBe(500)
    await fault(HARBOR, 'http_429')
    const limited = await terms()
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '2'])
  })

  it('timeout never answers', async () => {
    await fault(HARBOR, 'timeout')
    await expect(terms(200)).rejects.toThrow(/timeout/i)
  })

  it('reset drops the connection', async () => {
    await fault(HARBOR, 'reset')
    await expect(terms()).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } })
  })

  it('slow answers late', async () => {
    await fault(HARBOR, 'slow')
    const began = performance.now()
    expect((await terms()).status).toBe(200)
    expect(performance.now() - began).toBeGreaterThan(290)
  })

  it('maintenance_html is a page with status 200', async () => {
    await fault(HARBOR, 'maintenance_html')
    const page = await terms()
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html;charset=UTF-8'])
    expect(await page.text()).toContain('maintenance')
  })

  it('truncated breaks off one time and ends early the next', async () => {
    const whole = await (await terms()).text()
    await fault(HARBOR, 'truncated')
    const ends = await Promise.all(
      [terms(), terms()].map(async (answer) => (await answer).text().catch(() => 'broke off')),
    )
    expect(ends.toSorted()).toEqual(
      [whole.slice(0, ends[0] === 'broke off' ? ends[1]?.length : ends[0]?.length), 'broke off'].toSorted(),
    )
    expect(Math.min(...ends.map((end) => end.length))).toBeLessThan(whole.length)
  })

  it("empty is the protocol's own answer without data, and spares calls without data", async () => {
    await fault(HARBOR, 'empty', 2)
    const someone = new Visitor(running.url)
    const base = '/schools/harbor/StudentRegistrationSsb/ssb'
    expect(await someone.json(`${base}/term/search?mode=search`, { term: '202640' })).toHaveProperty('fwdURL')
    const search = (): Promise<{ data: unknown[] | null }> =>
      someone.json(`${base}/searchResults/searchResults?txt_term=202640&txt_subject=MATH`)
    expect(await search()).toMatchObject({ success: true, totalCount: 0, data: null })
    expect(await (await terms()).json()).toEqual([])
    expect((await search()).data).not.toHaveLength(0)
  })

  it('empty at CUNY is an empty page at every step', async () => {
    await fault('CUNY Global Search', 'empty')
    const someone = new Visitor(running.url)
    const at = '/cuny/CFGlobalSearchTool/CFSearchToolController'
    expect(await someone.page('/cuny/CFGlobalSearchTool/search.jsp')).not.toContain('QNS01')
    const criteria = await someone.page(at, { inst_selection: 'QNS01', term_value: '1269', next_btn: 'Next' })
    expect([criteria.includes('class_search_form'), criteria.includes('CMSC')]).toEqual([true, false])
    expect(
      await someone.page(at, { subject_name: 'CMSC', courseCareer: 'UGRD', search_btn_search: 'Search' }),
    ).toContain('The search returns no results')
  })

  it('stale_list lists an earlier state, also of a shared room, while the page of one section is current', async () => {
    const shared = running.world.catalog.sections.find(
      ({ school, term, crossList, seats }) =>
        school.name === HARBOR && !term.past && crossList !== null && crossList.capacity > 0 && seats.enrolled > 0,
    )
    if (!shared) throw new Error('no cross-listed section')
    const base = '/schools/harbor/StudentRegistrationSsb/ssb'
    const code = shared.school.banner?.termCode(shared.term) ?? ''
    const someone = new Visitor(running.url)
    await someone.page(`${base}/term/search?mode=search`, { term: code })
    interface Row {
      courseReferenceNumber: string
      enrollment: number
      crossListCount: number
    }
    const listed = async (): Promise<Row | undefined> => {
      const query = `txt_term=${code}&txt_subject=${shared.course.subject.code}&pageMaxSize=500`
      const { data } = await someone.json<{ data: Row[] }>(`${base}/searchResults/searchResults?${query}`)
      return data.find(({ courseReferenceNumber }) => courseReferenceNumber === shared.number)
    }
    const alone = async (): Promise<string | undefined> => {
      const query = `term=${code}&courseReferenceNumber=${shared.number}`
      const page = await someone.page(`${base}/searchResults/getEnrollmentInfo?${query}`)
      return /Enrollment Actual:<\/span> <span dir="ltr"> (\d+)/.exec(page)?.[1]
    }
    const before = await listed()
    await fault(HARBOR, 'stale_list', 2)
    shared.seats.enrolled += 3
    const now = shared.seats.enrolled
    expect(await alone()).toBe(String(now))
    expect(await listed()).toEqual(before)
    expect(await listed()).toEqual(before)
    expect(await listed()).toMatchObject({ enrollment: now, crossListCount: (before?.crossListCount ?? 0) + 3 })
    shared.seats.enrolled -= 3
  })

  it('strikes a set number of times, only one service, and can be cleared', async () => {
    await fault(HARBOR, 'http_500', 2)
    const other = await fetch(
      `${running.url}/schools/northfield/StudentRegistrationSsb/ssb/classSearch/getTerms?offset=1&max=1`,
    )
    const statuses = [other.status, (await terms()).status, (await terms()).status, (await terms()).status]
    expect(statuses).toEqual([200, 500, 500, 200])
    await fault(HARBOR, 'http_500')
    await control(running.url, 'DELETE', 'faults')
    expect((await terms()).status).toBe(200)
  })
})

describe('faults on the channels', () => {
  it.each(['http_500', 'http_429', 'timeout', 'reset', 'empty', 'maintenance_html'])(
    '%s on sms and email accepts nothing',
    async (mode) => {
      await control(running.url, 'DELETE', 'outbox')
      await fault('sms', mode)
      await fault('email', mode)
      await sms(200).catch(() => undefined)
      await mail(`none-${mode}`, 200).catch(() => undefined)
      expect(await outbox()).toMatchObject({ sms: [], email: [] })
    },
  )

  it.each(['accept_then_timeout', 'accept_then_reset'])(
    '%s accepts the message, says nothing, and can be asked',
    async (mode) => {
      await control(running.url, 'DELETE', 'outbox')
      await fault('sms', mode)
      await fault('email', mode, 1)
      await expect(sms(200)).rejects.toThrow()
      await expect(mail(mode, 200)).rejects.toThrow()
      const found = await fetch(`${running.url}/sms/2010-04-01/Accounts/AC1/Messages.json?To=%2B12025550143`, {
        headers: { authorization: BASIC },
      })
      expect(((await found.json()) as { messages: { body: string }[] }).messages[0]?.body).toBe('a seat')
      expect((await mail(mode)).status).toBe(200)
      const { sms: messages, email } = await outbox()
      expect([messages.length, email.length]).toEqual([1, 1])
    },
  )

  it("uses Discord's own words when it limits", async () => {
    await fault('discord', 'http_429')
    const limited = await fetch(`${running.url}/discord/api/webhooks/118000000000000001/token`, {
      method: 'POST',
      body: '{"content":"x"}',
    })
    expect([limited.status, await limited.json()]).toEqual([
      429,
      { message: 'You are being rate limited.', retry_after: 2, global: false },
    ])
  })
})

describe('a rate', () => {
  const limit = (service: string, per_second?: unknown) =>
    control(running.url, 'POST', 'faults', { service, mode: 'rate', per_second })
  const statuses = async (calls: Promise<Response>[]): Promise<number[]> =>
    (await Promise.all(calls)).map(({ status }) => status)

  it('accepts a number of messages per second and refuses the rest with Retry-After', async () => {
    await limit('email', 3)
    const answers = await Promise.all(Array.from({ length: 8 }, () => mail(crypto.randomUUID())))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3)
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused.map(({ headers }) => headers.get('retry-after'))).toEqual(Array.from({ length: 5 }, () => '1'))
  })

  it.each([
    { heads: [0, 1100, 550], refused: [] },
    { heads: [600, 0, 300], refused: [300] },
    { heads: [999, 0, 1000, 500], refused: [500] },
    { heads: [0, 0, 1000, 1000, 1999, 2000], refused: [1999] },
  ])('compares when heads arrived, in whatever order the bodies end: $heads', ({ heads, refused }) => {
    const faults = new Faults()
    faults.set({ service: 'sms', mode: 'rate', times: null, per_second: 2 })
    const standIn: StandIn = {
      service: 'sms',
      prefix: '/sms',
      answer: () => ({ status: 201, headers: {}, body: '' }),
      emptyAnswer: () => null,
      accepts: () => true,
      errorBody: () => ({ type: 'text/plain', body: '' }),
    }
    const call: Omit<Call, 'at'> = {
      method: 'POST',
      path: '/',
      url: new URL('http://localhost/sms/'),
      headers: {},
      body: '',
      bytes: Buffer.from(''),
      cookies: new Map(),
    }
    expect(heads.filter((at) => faults.strike(standIn, { ...call, at: NOW + at }) !== null)).toEqual(refused)
  })

  it('counts only messages', async () => {
    await limit('sms', 1)
    const list = () =>
      fetch(`${running.url}/sms/2010-04-01/Accounts/AC1/Messages.json`, { headers: { authorization: BASIC } })
    expect(await statuses([list(), list(), list()])).toEqual([200, 200, 200])
    expect((await statuses([sms(), sms()])).toSorted()).toEqual([201, 429])
  })

  it('also applies to webhooks', async () => {
    await limit('discord', 2)
    const post = () =>
      fetch(`${running.url}/discord/api/webhooks/1180000000000000001/token?wait=true`, {
        method: 'POST',
        body: JSON.stringify({ content: 'a seat' }),
      })
    expect((await statuses([post(), post(), post()])).toSorted()).toEqual([200, 200, 429])
  })

  it('is refused without a number, and for services that send nothing', async () => {
    expect((await limit('email')).status).toBe(400)
    expect((await limit('email', 0)).status).toBe(400)
    expect((await limit(HARBOR, 2)).status).toBe(400)
    expect((await limit('fax', 2)).status).toBe(404)
  })
})

describe('a batch of emails', () => {
  const good = (to: string) => ({ from: 'a@example.com', to: [to], subject: 's', text: 't' })
  const send = async (list: unknown, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${running.url}/mail/emails/batch`, {
      method: 'POST',
      body: JSON.stringify(list),
      headers: { authorization: 'Bearer re_1', ...headers },
    })
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }
  const ids = (count: number) => Array.from({ length: count }, () => ({ id: expect.any(String) }))

  it('is all or nothing, or with its header the valid ones', async () => {
    const list = [good('one@example.com'), good('nobody'), good('two@example.com')]
    expect(await send(list)).toMatchObject({ status: 422, body: { name: 'validation_error' } })
    const { status, body } = await send(list, { 'x-batch-validation': 'permissive' })
    expect({ status, body }).toEqual({
      status: 200,
      body: { data: ids(2), errors: [{ index: 1, message: expect.stringContaining('Invalid `to` field') }] },
    })
  })

  it('is answered once under its key, and refuses other content', async () => {
    const key = { 'idempotency-key': crypto.randomUUID() }
    const first = await send([good('one@example.com')], key)
    expect(await send([good('one@example.com')], key)).toEqual(first)
    expect(await send([good('other@example.com')], key)).toMatchObject({
      status: 409,
      body: { name: 'invalid_idempotent_request' },
    })
  })

  it('has at most a hundred, and no attachments', async () => {
    const many = Array.from({ length: 101 }, (_, index) => good(`p${index}@example.com`))
    expect((await send(many)).status).toBe(422)
    expect((await send(many.slice(1))).body['data']).toHaveLength(100)
    expect((await send([{ ...good('one@example.com'), attachments: [] }])).status).toBe(422)
    expect((await send([])).status).toBe(422)
  })
})
