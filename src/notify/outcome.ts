import { retryAfterSeconds } from '../lib/time.ts'
import { truncated } from '../lib/text.ts'
import type { Ambiguous, Refused, Tools } from './channel.ts'
import { type HttpAnswer, ask } from './http.ts'

const MAX_REASON = 200

/** 4xx statuses that are temporary and not about the message: timeout, conflict, too early, too many. */
const TRANSIENT_STATUSES = new Set([408, 409, 425, 429])

/** A refusal; temporary unless `more` says otherwise. */
export function refused(reason: string, more: Partial<Omit<Refused, 'kind' | 'reason'>> = {}): Refused {
  return {
    kind: 'refused',
    reason: shortReason(reason),
    is_permanent: false,
    is_opt_out: false,
    is_address_gone: false,
    retry_after_seconds: null,
    ...more,
  }
}

/** A refusal that a retry cannot change. */
export function refusedForGood(reason: string): Refused {
  return refused(reason, { is_permanent: true })
}

/** A refusal of our account, such as a replaced key: its messages wait until the account works again. */
export function accountRefused(reason: string): Refused {
  return { ...refused(reason), pause: { seconds: null, is_global: false } }
}

export function ambiguous(reason: string): Ambiguous {
  return { kind: 'ambiguous', reason: shortReason(reason) }
}

/**
 * What an HTTP answer other than 2xx means, from any provider. 4xx: refused, permanently unless the status is
 * temporary. An HTML page does not come from the provider itself (but from a firewall, or for maintenance), so such a
 * 4xx is tried again. Redirects are never followed, because the request contains our credentials, and say nothing about
 * the message.
 * @param explanation the provider's own, if there was one
 * @param meaning the usual status, if the provider has one of its own for it
 */
export function outcomeOfStatus(
  answer: HttpAnswer,
  now: number,
  explanation: string | null,
  meaning = answer.status,
): Refused | Ambiguous {
  const reason = explanation === null ? `HTTP ${answer.status}` : `HTTP ${answer.status}: ${explanation}`
  const retryAfter = retryAfterSeconds(answer.headers.get('retry-after'), now)
  const pause = { seconds: retryAfter, is_global: false }
  // A proxy may have answered after the message was accepted, so the outcome is unknown.
  if (answer.status === 503) return { ...ambiguous(reason), pause }
  if (answer.status < 400 || answer.status >= 500) return ambiguous(reason)
  if (meaning === 429) return { ...refused(reason, { retry_after_seconds: retryAfter }), pause }
  if (TRANSIENT_STATUSES.has(answer.status)) return refused(reason, { retry_after_seconds: retryAfter })
  return refused(reason, { is_permanent: !isPage(answer) })
}

/** Whether the reason of an ambiguous outcome is that the provider itself, and nothing in between, answered with a failure. */
export const isProviderFailure = (reason: string): boolean => /^HTTP 500\b/.test(reason)

function isPage(answer: HttpAnswer): boolean {
  const type = answer.headers.get('content-type') ?? ''
  return /\bhtml\b/i.test(type) || /^\s*</.test(answer.text ?? '')
}

function shortReason(reason: string): string {
  return truncated(reason.replace(/[\p{Cc}\s]+/gu, ' ').trim(), MAX_REASON)
}

/** Posts a message to a provider; `read` says what an answer means. Without an answer the message is unconfirmed. */
export async function post<Outcome>(
  tools: Tools,
  { url, headers, body }: { url: string; headers: Record<string, string>; body: string | Uint8Array },
  read: (answer: HttpAnswer) => Outcome,
): Promise<Outcome | Ambiguous> {
  const init = { method: 'POST', headers: { accept: 'application/json', ...headers }, body } as const
  const answer = await ask(tools, url, init)
  return answer.kind === 'no_answer' ? ambiguous(answer.reason) : read(answer)
}
