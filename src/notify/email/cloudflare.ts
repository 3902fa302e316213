import { type Channel, DEFAULT_TIMEOUT_MS, type Message, type SendOutcome, type Tools } from '../channel.ts'
import { withTimeout } from '../../lib/time.ts'
import { accountRefused, ambiguous, refused, refusedForGood } from '../outcome.ts'
import { mailProblem, unsubscribeHeaders } from './mail-address.ts'

/** The part of a Worker's `send_email` binding that is used (Cloudflare Email Service, "Workers API"). */
export interface MailBinding {
  send(mail: {
    from: string | { email: string; name: string }
    to: string
    subject: string
    text: string
    html: string
    headers: Record<string, string>
  }): Promise<unknown>
}

interface CloudflareMailSettings {
  binding: MailBinding
  /** An address of a domain that is onboarded to the service, or `Name <address>`. */
  from: string
}

/** Temporary refusals, with the wait in seconds for each if the service names none. */
const TRANSIENT_CODES = new Map<string, number | null>([
  ['E_RATE_LIMIT_EXCEEDED', null],
  ['E_DAILY_LIMIT_EXCEEDED', 3600],
  ['E_DELIVERY_FAILED', null],
])

/** Refusals of our domain, which say nothing about the message. */
const ACCOUNT_CODES = new Set(['E_SENDER_NOT_VERIFIED', 'E_SENDER_DOMAIN_NOT_AVAILABLE'])

/** Refusals of this message or its recipient. All `E_HEADER…` codes are also of this kind. */
const PERMANENT_CODES = new Set([
  'E_VALIDATION_ERROR',
  'E_FIELD_MISSING',
  'E_TOO_MANY_RECIPIENTS',
  'E_RECIPIENT_NOT_ALLOWED',
  'E_RECIPIENT_SUPPRESSED',
  'E_CONTENT_TOO_LARGE',
])

/** Email through the Worker's own binding, which has neither idempotency keys nor a lookup. */
export function cloudflareMailChannel(settings: CloudflareMailSettings, tools: Tools): Channel {
  const { now, timeoutMs = DEFAULT_TIMEOUT_MS } = tools

  async function send(message: Message): Promise<SendOutcome> {
    const problem = mailProblem(message)
    if (problem !== null) return problem
    // The binding takes no abort signal, so after a timeout it may still send.
    return withTimeout(handOver(message), timeoutMs).catch(() => ambiguous(`no answer within ${timeoutMs / 1000} s`))
  }

  async function handOver(message: Message): Promise<SendOutcome> {
    try {
      return outcomeOfResult(await settings.binding.send(mailOf(settings.from, message)), now())
    } catch (error) {
      return outcomeOfError(error)
    }
  }

  return {
    is_resend_safe: false,
    send,
    find: async () => ({ kind: 'cannot_ask', reason: 'Cloudflare has no lookup for sent mail' }),
  }
}

function mailOf(from: string, message: Message): Parameters<MailBinding['send']>[0] {
  // The service refuses a whole email whose List-Unsubscribe is not https.
  const url = message.unsubscribe_url?.startsWith('https://') ? message.unsubscribe_url : null
  const { address: to, subject, text, html } = message
  return { from: senderOf(from), to, subject, text, html, headers: unsubscribeHeaders(url) }
}

/** The binding takes a name only beside the address. */
function senderOf(from: string): string | { email: string; name: string } {
  const [, name = '', email = ''] = /^"?([^"<]*?)"?\s*<([^<>]+)>$/.exec(from.trim()) ?? []
  return email === '' ? from.trim() : name === '' ? email : { email, name }
}

function outcomeOfResult(result: unknown, now: number): SendOutcome {
  const id = typeof result === 'object' && result !== null && 'messageId' in result ? result.messageId : null
  if (typeof id !== 'string' || id === '') return ambiguous('the mail service answered without a message id')
  return { kind: 'accepted', provider_id: id, at: now }
}

/** By the service's codes: its messages may contain addresses. Unknown codes leave the message unconfirmed. */
function outcomeOfError(error: unknown): SendOutcome {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
  const wait = TRANSIENT_CODES.get(code)
  if (wait !== undefined) {
    const outcome = refused(`Cloudflare ${code}`, { retry_after_seconds: wait })
    return code === 'E_DELIVERY_FAILED' ? outcome : { ...outcome, pause: { seconds: wait, is_global: false } }
  }
  if (ACCOUNT_CODES.has(code)) return accountRefused(`Cloudflare ${code}`)
  if (PERMANENT_CODES.has(code) || code.startsWith('E_HEADER')) return refusedForGood(`Cloudflare ${code}`)
  return ambiguous(code === '' ? 'the mail service failed' : `Cloudflare ${code}`)
}
