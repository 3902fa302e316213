import { retryAfterSeconds } from '../../lib/time.ts'
import { type Channel, DEFAULT_TIMEOUT_MS, type Message, type Pause, type SendOutcome, type Tools } from '../channel.ts'
import { cut } from '../clean-text.ts'
import { parseJson } from '../../lib/text.ts'
import type { HttpAnswer } from '../http.ts'
import { accountRefused, ambiguous, outcomeOfStatus, post, refused, refusedForGood } from '../outcome.ts'
import { API_VERSION, discordHeaders } from './api.ts'
import { isWebhookAddress } from './webhook-address.ts'

import * as z from 'zod/mini'

const MAX_CONTENT = 2000

/** Statuses with Discord's codes for a webhook that was deleted, or whose token is no longer valid. */
const goneCodes: ReadonlySet<string> = new Set(['404 10015', '401 50027'])

/** Discord's firewall refused the request before Discord saw it, in words like "internal network error". */
const BLOCKED = 40333
/** The webhook's channel is a forum: each message begins a thread with a name. */
const NEEDS_THREAD = 220001
const MAX_THREAD_NAME = 100
/** The least time that is worth asking for a thread, in ms. */
const MIN_THREAD_MS = 1000

const created = z.object({ id: z.string().check(z.regex(/^\d{1,20}$/)) })
const problem = z.object({
  code: z.nullish(z.number()),
  message: z.string(),
  retry_after: z.nullish(z.number()),
  global: z.nullish(z.boolean()),
})

/**
 * A message into a Discord channel by webhook. `wait=true` makes Discord answer with the message it stored (Discord,
 * "Execute Webhook"). Its messages can be read only by id, so one whose id was never received cannot be looked up.
 * @param settings.apiUrl the `DISCORD_API_URL` setting; webhooks under it are accepted beside Discord's own
 */
export function discordChannel({ apiUrl, appUrl }: { apiUrl: string; appUrl: string }, tools: Tools): Channel {
  async function send(message: Message): Promise<SendOutcome> {
    if (!isWebhookAddress(message.address, apiUrl)) return refusedForGood('not a Discord webhook')
    const headers = { 'content-type': 'application/json', ...discordHeaders(appUrl) }
    const url = `${message.address.replace(/\/api(\/v\d+)?(?=\/webhooks\/)/, `/api${API_VERSION}`)}?wait=true`
    // No mention may notify anyone, because parts of the text come from a school.
    const content = cut(message.text, MAX_CONTENT, '…')
    const body = { content, embeds: message.embeds, allowed_mentions: { parse: [] } }
    // Both requests together may take as long as one.
    const deadline = tools.now() + (tools.timeoutMs ?? DEFAULT_TIMEOUT_MS)
    let needsThread = false
    const execute = (sent: object) => {
      const timeoutMs = Math.max(0, deadline - tools.now())
      return post({ ...tools, timeoutMs }, { url, headers, body: JSON.stringify(sent) }, (answer) => {
        needsThread = codeOf(answer) === NEEDS_THREAD
        return outcomeOf(answer, tools.now())
      })
    }
    const outcome = await execute(body)
    if (!needsThread) return outcome
    // Nothing was posted so far, which would no longer be certain after a request that ends too early.
    if (deadline - tools.now() < MIN_THREAD_MS) return refused('Discord answered too slowly to begin a thread.')
    return execute({ ...body, thread_name: cut(message.subject, MAX_THREAD_NAME, '…') })
  }

  return {
    is_resend_safe: false,
    send,
    find: async () => ({ kind: 'cannot_ask', reason: 'Discord shows webhook messages by id only' }),
  }
}

const codeOf = (answer: HttpAnswer): number | null | undefined => problem.safeParse(parseJson(answer.text)).data?.code

function outcomeOf(answer: HttpAnswer, now: number): SendOutcome {
  const body = parseJson(answer.text)
  if (answer.status >= 200 && answer.status < 300) {
    const message = created.safeParse(body)
    if (!message.success) return ambiguous(`HTTP ${answer.status} without a message in it`)
    return { kind: 'accepted', provider_id: message.data.id, at: now, ...usedUp(answer.headers) }
  }
  const refusal = problem.safeParse(body)
  if (answer.status === 403 && (!refusal.success || refusal.data.code === BLOCKED))
    return accountRefused("HTTP 403: blocked by Discord's firewall")
  if (!refusal.success) return outcomeOfStatus(answer, now, null)
  const { code, message, retry_after, global } = refusal.data
  if (goneCodes.has(`${answer.status} ${code}`))
    return refused(`HTTP ${answer.status}: Discord ${code} ${message}`, { is_permanent: true, is_address_gone: true })
  const outcome = outcomeOfStatus(answer, now, `Discord ${code ?? ''} ${message}`)
  if (outcome.kind !== 'refused' || outcome.is_permanent || typeof retry_after !== 'number') return outcome
  // The value in the body is exact; the header's is rounded.
  const seconds = retryAfterSeconds(retry_after.toFixed(3), now)
  const isGlobal = global === true || answer.headers.get('x-ratelimit-global') === 'true'
  const pause = outcome.pause && { pause: { seconds, is_global: isGlobal } }
  return { ...outcome, retry_after_seconds: seconds, ...pause }
}

/** The message was the last that the webhook may send for now (Discord, "Rate Limits"). */
function usedUp(headers: Headers): { pause?: Pause } {
  if (headers.get('x-ratelimit-remaining') !== '0') return {}
  const seconds = Number(headers.get('x-ratelimit-reset-after') ?? NaN)
  return seconds > 0 && Number.isFinite(seconds) ? { pause: { seconds, is_global: false } } : {}
}
