import { createHash, randomUUID } from 'node:crypto'
import { json, jsonObjectOf, refusalOfNameless, type Answer, type Call, type StandIn } from '../http.ts'
import type { EmailRecord, World } from '../world.ts'
import { reportLater } from './report.ts'

const KEY_LIFE = 24 * 60 * 60_000

function resendError(statusCode: number, name: string, message: string): Answer {
  return json({ statusCode, name, message }, statusCode)
}

function addresses(value: unknown): string[] {
  const list = Array.isArray(value) ? (value as unknown[]) : [value]
  return list.flatMap((item) => (typeof item === 'string' && item !== '' ? [item] : []))
}

function validAddress(value: string): boolean {
  return /^[^<>]*<[^\s<>@]+@[^\s<>@]+\.[^\s<>@]+>$|^[^\s<>@]+@[^\s<>@]+\.[^\s<>@]+$/.test(value.trim())
}

function emailOf(body: Record<string, unknown>, now: number): EmailRecord | Answer {
  const asText = (name: string): string => (typeof body[name] === 'string' ? body[name] : '')
  const to = addresses(body.to)
  const missing = ['from', 'to', 'subject'].find((name) => (name === 'to' ? to.length === 0 : asText(name) === ''))
  if (missing) return resendError(422, 'missing_required_field', `Missing \`${missing}\` field.`)
  if (!asText('html') && !asText('text'))
    return resendError(422, 'missing_required_field', 'Missing `html` or `text` field.')
  const invalid = !validAddress(asText('from')) ? 'from' : to.length > 50 || !to.every(validAddress) ? 'to' : null
  if (invalid)
    return resendError(
      422,
      'validation_error',
      `Invalid \`${invalid}\` field. The email address needs to follow the \`email@example.com\` or \`Name <email@example.com>\` format.`,
    )
  const headers = typeof body.headers === 'object' && body.headers !== null ? Object.entries(body.headers) : []
  return {
    id: randomUUID(),
    from: asText('from'),
    to,
    subject: asText('subject'),
    text: asText('text'),
    html: asText('html'),
    headers: Object.fromEntries(headers.map(([name, value]) => [name, String(value)])),
    at: now,
    inOutbox: true,
  }
}

function resourceOf(email: EmailRecord): object {
  const { id, to, from, subject, html, text, headers, at } = email
  const created = new Date(at).toISOString()
  return {
    object: 'email',
    id,
    to,
    from,
    created_at: created,
    subject,
    html,
    text,
    headers,
    bcc: [],
    cc: [],
    reply_to: [],
    last_event: 'delivered',
  }
}

const MAX_BATCH = 100

function messageOf(answer: Answer): string {
  const { message } = JSON.parse(String(answer.body)) as { message: string }
  return message
}

/** The emails of a batch as a list; null if the body is none. */
function batchOf(call: Call): unknown[] | null {
  try {
    const value: unknown = JSON.parse(call.body)
    return Array.isArray(value) ? value : null
  } catch {
    return null
  }
}

/** An email provider that speaks Resend's API, with its idempotency keys and batches. */
export function mailStandIn(world: World): StandIn {
  const keys = new Map<string, { fingerprint: string; answer: Answer; at: number }>()

  /** Answers once under a key, and repeats the answer for a day. Only accepted emails are remembered. */
  const once = (call: Call, body: unknown, send: () => Answer): Answer => {
    const key = call.headers['idempotency-key']
    if (typeof key !== 'string') return send()
    if (key.length === 0 || key.length > 256)
      return resendError(400, 'invalid_idempotency_key', 'The idempotency key must be between 1 and 256 characters.')
    const fingerprint = createHash('sha256')
      .update(`${call.path} ${JSON.stringify(body)}`)
      .digest('hex')
    const seen = keys.get(key)
    if (seen && world.now() - seen.at < KEY_LIFE) {
      if (seen.fingerprint === fingerprint) return seen.answer
      return resendError(
        409,
        'invalid_idempotent_request',
        'This idempotency key has already been used on a request with a different payload.',
      )
    }
    const answer = send()
    if (answer.status === 200) keys.set(key, { fingerprint, answer, at: world.now() })
    return answer
  }

  const take = (emails: readonly EmailRecord[]): void => {
    world.emails.push(...emails)
    world.changed()
    for (const email of emails) reportLater(world, email)
  }

  const sendOne = (call: Call): Answer => {
    const body = jsonObjectOf(call)
    if (!body) return resendError(422, 'validation_error', 'The request body must be valid JSON.')
    return once(call, body, () => {
      const email = emailOf(body, world.now())
      if ('status' in email) return email
      take([email])
      return json({ id: email.id })
    })
  }

  /** Strictly all or none; with `x-batch-validation: permissive` the valid ones, and what is wrong with the others. */
  const sendBatch = (call: Call): Answer => {
    const list = batchOf(call)
    if (!list) return resendError(422, 'validation_error', 'The request body must be a JSON array.')
    if (list.length === 0 || list.length > MAX_BATCH)
      return resendError(422, 'validation_error', `A batch holds 1 to ${MAX_BATCH} emails.`)
    return once(call, list, () => {
      const made = list.map((item) => {
        const fields = typeof item === 'object' && item !== null ? { ...item } : {}
        if ('attachments' in fields)
          return resendError(422, 'validation_error', 'The `attachments` field is not supported in batches.')
        return emailOf(fields, world.now())
      })
      const faults = made.flatMap((one, index) => ('status' in one ? [{ index, answer: one }] : []))
      const [first] = faults
      const isPermissive = call.headers['x-batch-validation'] === 'permissive'
      if (first && !isPermissive) return first.answer
      const emails = made.flatMap((one) => ('status' in one ? [] : [one]))
      take(emails)
      const data = emails.map(({ id }) => ({ id }))
      if (!isPermissive) return json({ data })
      const errors = faults.map(({ index, answer }) => ({ index, message: messageOf(answer) }))
      return json(errors.length > 0 ? { data, errors } : { data })
    })
  }

  const late = async (answer: Answer): Promise<Answer> => {
    const { mailAnswerMs } = world.options
    if (mailAnswerMs > 0) await new Promise((resolve) => setTimeout(resolve, mailAnswerMs).unref())
    return answer
  }

  return {
    service: 'email',
    prefix: '/mail',
    accepts: (call) => call.method === 'POST' && (call.path === '/emails' || call.path === '/emails/batch'),
    answer: (call) => {
      const refusal = refusalOfNameless(call)
      if (refusal) return refusal
      const authorization = call.headers.authorization ?? ''
      if (!authorization) return resendError(401, 'missing_api_key', 'Missing API key in the authorization header.')
      if (!/^Bearer \S+$/.test(authorization)) return resendError(403, 'invalid_api_key', 'API key is invalid.')
      if (call.method === 'POST' && call.path === '/emails') return late(sendOne(call))
      if (call.method === 'POST' && call.path === '/emails/batch') return late(sendBatch(call))
      const id = call.path.match(/^\/emails\/([0-9a-f-]{36})$/)?.[1]
      const email = world.emails.find((candidate) => candidate.id === id)
      return call.method === 'GET' && email
        ? json(resourceOf(email))
        : resendError(404, 'not_found', 'The requested endpoint does not exist.')
    },
    emptyAnswer: () => json({}),
    errorBody: (status) => ({
      type: 'application/json;charset=UTF-8',
      body: JSON.stringify(
        status === 429
          ? {
              statusCode: 429,
              name: 'rate_limit_exceeded',
              message: 'Too many requests. You can only make 2 requests per second.',
            }
          : { statusCode: 500, name: 'internal_server_error', message: 'An unexpected error occurred.' },
      ),
    }),
  }
}
