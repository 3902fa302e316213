import { describe, expect, test } from 'vitest'
import type { Message } from '../../src/notify/channel.ts'
import { cloudflareMailChannel } from '../../src/notify/email/cloudflare.ts'
import { isEmailAddress } from '../../src/notify/email/mail-address.ts'
import { resendBatches, resendChannel } from '../../src/notify/email/resend.ts'
import { json, message, providerOfFile } from './provider.ts'

const NOW = Date.UTC(2026, 8, 1, 12)
const tools = { fetch: globalThis.fetch, now: () => NOW }
const mail = (more: Partial<Message> = {}) => message({ address: 'ada@example.com', ...more })

const INJECTIONS: Partial<Message>[] = [
  { address: 'ada@example.com\r\nBcc: eve@example.com' },
  { address: 'ada@example.com, eve@example.com' },
  { address: 'Ada <ada@example.com>' },
  { address: 'ada@example.com\n' },
  { subject: 'Seat open\r\nBcc: eve@example.com' },
  { subject: 'Seat open\nX: y' },
  { subject: 'Seat\u0000open' },
  { unsubscribe_url: 'https://x.example/\r\nBcc: eve@example.com' },
  { unsubscribe_url: 'https://x.example/>, <mailto:eve@example.com' },
]

const provider = await providerOfFile()

describe('Resend', () => {
  const open = () =>
    resendChannel({ apiUrl: `${provider.url}/mail`, apiKey: 're_1', from: 'Class Cords <a@class.example>' }, tools)

  test('posts the email with its key and both unsubscribe headers', async () => {
    provider.behave(json(200, { id: 'm1' }))
    expect(await open().send(mail())).toMatchObject({ kind: 'accepted', provider_id: 'm1' })
    const [request] = provider.received
    expect(request).toMatchObject({ method: 'POST', path: '/mail/emails' })
    expect(request?.headers).toMatchObject({ authorization: 'Bearer re_1', 'idempotency-key': 'delivery/41' })
    expect(JSON.parse(request?.body ?? '')).toEqual({
      from: 'Class Cords <a@class.example>',
      to: ['ada@example.com'],
      subject: mail().subject,
      text: mail().text,
      html: mail().html,
      headers: {
        'List-Unsubscribe': '<https://class.example/notify/unsubscribe/7.abc>',
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      },
    })
  })

  test('an email without an unsubscribe link has no such header', async () => {
    provider.behave(json(200, { id: 'm1' }))
    await open().send(mail({ unsubscribe_url: null }))
    expect(JSON.parse(provider.received[0]?.body ?? '')).toHaveProperty('headers', {})
  })

  test('a key that is not shaped like one is about the account, despite status 400', async () => {
    provider.behave(json(400, { statusCode: 400, name: 'validation_error', message: 'API key is invalid' }))
    expect(await open().send(mail())).toMatchObject({ kind: 'refused', is_permanent: false, pause: { seconds: null } })
  })

  test('the repeat is the lookup: the same key and the same bytes', async () => {
    provider.behave(json(500, {}))
    const channel = open()
    expect(channel.is_resend_safe).toBe(true)
    expect(await channel.send(mail())).toMatchObject({ kind: 'ambiguous' })
    expect(await channel.find(mail(), NOW)).toMatchObject({ kind: 'cannot_ask' })
    expect(provider.received).toHaveLength(1)
    provider.behave(json(200, { id: 'm1' }))
    expect(await channel.send(mail())).toMatchObject({ kind: 'accepted', provider_id: 'm1' })
    const [first, second] = provider.received
    expect(second?.body).toBe(first?.body)
    expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key'])
  })

  test('a first attempt still running is a temporary conflict; a key of other content is not', async () => {
    provider.behave(json(409, { statusCode: 409, name: 'concurrent_idempotent_requests', message: 'x' }))
    expect(await open().send(mail())).toMatchObject({ kind: 'refused', is_permanent: false })
    provider.behave(json(409, { statusCode: 409, name: 'invalid_idempotent_request', message: 'x' }))
    expect(await open().send(mail())).toMatchObject({ kind: 'refused', is_permanent: true })
  })

  test.each([...INJECTIONS, { idempotency_key: 'a\r\nb' }, { idempotency_key: '' }])('%j never leaves', async (bad) => {
    provider.behave(json(200, { id: 'm1' }))
    expect(await open().send(mail(bad))).toMatchObject({ kind: 'refused', is_permanent: true })
    expect(provider.received).toHaveLength(0)
  })
})

describe("Resend's batch request", () => {
  test.each([
    { data: [{ id: 'm1' }], errors: [{ index: 2, message: 'x' }] },
    { data: [{ id: 'm1' }], errors: [] },
    { data: [{ id: 'm1' }, { id: 'm2' }, { id: 'm3' }] },
  ])('leaves its two emails unconfirmed if it is answered with %j', async (answer) => {
    provider.behave(json(200, answer))
    const settings = { apiUrl: `${provider.url}/mail`, apiKey: 're_1', from: 'Class Cords <a@class.example>' }
    const batches = resendBatches(settings, tools)
    const payload = batches.payload([mail(), mail({ address: 'bob@example.com' })])
    expect(await batches.send(payload, 'key')).toMatchObject({ kind: 'ambiguous' })
  })
})

describe('Cloudflare', () => {
  function open(send: (sent: unknown) => Promise<unknown>, timeoutMs = 5_000) {
    return cloudflareMailChannel({ binding: { send }, from: 'a@class.example' }, { ...tools, timeoutMs })
  }

  test('passes the email to the binding', async () => {
    const seen: unknown[] = []
    const channel = open(async (sent) => {
      seen.push(sent)
      return { messageId: 'cf-1' }
    })
    expect(await channel.send(mail())).toEqual({ kind: 'accepted', provider_id: 'cf-1', at: NOW })
    expect(seen).toEqual([
      {
        from: 'a@class.example',
        to: 'ada@example.com',
        subject: mail().subject,
        text: mail().text,
        html: mail().html,
        headers: {
          'List-Unsubscribe': '<https://class.example/notify/unsubscribe/7.abc>',
          'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        },
      },
    ])
  })

  test.each([
    ['Class Cords <a@class.example>', { email: 'a@class.example', name: 'Class Cords' }],
    ['"Cords, Inc." <a@class.example>', { email: 'a@class.example', name: 'Cords, Inc.' }],
    ['<a@class.example>', 'a@class.example'],
  ])('the sender %s is passed as the binding takes it', async (from, expected) => {
    const seen: unknown[] = []
    const send = async (sent: unknown) => {
      seen.push(sent)
      return { messageId: 'cf-1' }
    }
    await cloudflareMailChannel({ binding: { send }, from }, { fetch: globalThis.fetch, now: () => NOW }).send(mail())
    expect(seen[0]).toHaveProperty('from', expected)
  })

  test.each(['E_SENDER_NOT_VERIFIED', 'E_SENDER_DOMAIN_NOT_AVAILABLE'])('%s is about our domain', async (code) => {
    expect(await failing(code).send(mail())).toMatchObject({ is_permanent: false, pause: { seconds: null } })
  })

  test('an unsubscribe link that is not https is left out, because the service would reject the email', async () => {
    const seen: unknown[] = []
    const channel = open(async (sent) => {
      seen.push(sent)
      return { messageId: 'cf-1' }
    })
    await channel.send(mail({ unsubscribe_url: 'http://localhost:8787/notify/unsubscribe/7.abc' }))
    expect(seen[0]).toHaveProperty('headers', {})
  })

  const failing = (code: string | undefined) =>
    open(() => Promise.reject(Object.assign(new Error('to ada@example.com'), { code })))

  test.each(['E_VALIDATION_ERROR', 'E_RECIPIENT_SUPPRESSED', 'E_HEADER_VALUE_INVALID', 'E_HEADERS_TOO_MANY'])(
    '%s refuses for good',
    async (code) => {
      const outcome = await failing(code).send(mail())
      expect(outcome).toMatchObject({ kind: 'refused', is_permanent: true, reason: expect.stringContaining(code) })
      expect(JSON.stringify(outcome)).not.toContain('ada@')
    },
  )

  test('limits refuse temporarily', async () => {
    expect(await failing('E_RATE_LIMIT_EXCEEDED').send(mail())).toMatchObject({ kind: 'refused', is_permanent: false })
    expect(await failing('E_DAILY_LIMIT_EXCEEDED').send(mail())).toMatchObject({
      kind: 'refused',
      is_permanent: false,
      retry_after_seconds: 3600,
    })
  })

  test.each(['E_INTERNAL_SERVER_ERROR', 'E_SOMETHING_NEW', undefined])('%s is ambiguous', async (code) => {
    expect(await failing(code).send(mail())).toMatchObject({ kind: 'ambiguous' })
  })

  test.each([undefined, null, {}, { messageId: '' }, { messageId: 5 }, 'ok'])('%j is no receipt', async (result) => {
    expect(await open(async () => result).send(mail())).toMatchObject({ kind: 'ambiguous' })
  })

  test('a binding that never answers, throws at once, or times out', async () => {
    const never = () => new Promise(() => undefined)
    expect(await open(never, 60).send(mail())).toMatchObject({ kind: 'ambiguous', reason: 'no answer within 0.06 s' })
    const throwing = open(() => {
      throw new Error('no binding')
    })
    expect(await throwing.send(mail())).toMatchObject({ kind: 'ambiguous' })
  })

  test.each(INJECTIONS)('%j never reaches the binding', async (bad) => {
    let calls = 0
    const channel = open(async () => (calls += 1))
    expect(await channel.send(mail(bad))).toMatchObject({ kind: 'refused', is_permanent: true })
    expect(calls).toBe(0)
  })

  test('cannot be asked, and a repeat is a second email', async () => {
    const channel = open(async () => ({ messageId: 'cf-1' }))
    expect(channel.is_resend_safe).toBe(false)
    expect(await channel.find(mail(), NOW)).toMatchObject({ kind: 'cannot_ask' })
  })
})

test('valid email addresses', () => {
  for (const good of ['a@b.example', "o'hara+x@mail.example", 'josé@exämple.example'])
    expect(isEmailAddress(good)).toBe(true)
  for (const bad of [
    '',
    '@b.example',
    'a@',
    'a b@c.example',
    'a@b@c.example',
    '"a"@b.example',
    `${'a'.repeat(65)}@b.example`,
  ])
    expect(isEmailAddress(bad)).toBe(false)
})
