import * as z from 'zod/mini'
import { bytesOf, parseJson } from '../../lib/text.ts'
import { base64url } from '../../lib/bytes.ts'
import type { Channel, Message, SendOutcome, Tools } from '../channel.ts'
import { cut } from '../clean-text.ts'
import type { HttpAnswer } from '../http.ts'
import { accountRefused, ambiguous, outcomeOfStatus, post, refusedForGood } from '../outcome.ts'
import { encryptFor } from './encrypt.ts'
import { parsePushAddress, type Subscription } from './push-address.ts'
import { type VapidKeys, vapidHeader } from './vapid.ts'

interface PushSettings extends VapidKeys {
  /** The `PUSH_SERVICE_URL` setting: endpoints under it are accepted besides those of the known services. */
  serviceUrl: string
}

/** How long a push service keeps a message for a device out of reach: a day, or until it is no longer valid. */
const MAX_LIFE_SECONDS = 86_400
/** The longest texts, in characters of up to four bytes; together they fit well within one encryption record. */
const MAX_TITLE = 120
const MAX_BODY = 400

/** Apple gives a reason, Mozilla a message. */
const problem = z.object({ reason: z.optional(z.string()), message: z.optional(z.string()) })

const gone = { ...refusedForGood('The device no longer accepts notifications.'), is_address_gone: true }

/**
 * Web Push (RFC 8030, 8291, 8292). A notification with the same tag silently replaces the one before it, so sending
 * again shows no second message; a push service cannot be asked about a message.
 */
export function pushChannel(settings: PushSettings, tools: Tools): Channel {
  async function send(message: Message): Promise<SendOutcome> {
    const device = parsePushAddress(message.address, settings.serviceUrl)
    if (device === null) return gone
    const body = await bodyOf(device, message, tools.now())
    if (body === null) return gone
    let authorization: string
    try {
      authorization = await vapidHeader(settings, device.endpoint, tools.now())
    } catch {
      return refusedForGood('VAPID_PUBLIC_KEY and VAPID_PRIVATE_KEY are not a key pair')
    }
    const headers = { authorization, ...(await headersOf(message, tools.now())) }
    const request = { url: device.endpoint, headers, body }
    return post(tools, request, (answer) => outcomeOf(answer, message, tools.now()))
  }

  return {
    is_resend_safe: true,
    send,
    find: async () => ({ kind: 'cannot_ask', reason: 'push services do not report on messages' }),
  }
}

/** Null if the device's key is not valid. */
async function bodyOf(
  device: Subscription,
  { subject, text, push, idempotency_key }: Message,
  now: number,
): Promise<Uint8Array | null> {
  const notification = {
    title: cut(subject, MAX_TITLE, '…'),
    body: cut(text, MAX_BODY, '…'),
    tag: idempotency_key,
    sent_at: now,
    // Not `about`, which lists every section and could make it too long to encrypt.
    ...(push && { url: push.url, is_silent: push.is_silent, delivery: push.delivery, token: push.token }),
  }
  try {
    return await encryptFor(device, bytesOf(JSON.stringify(notification)))
  } catch {
    return null
  }
}

async function headersOf({ push, valid_until }: Message, now: number): Promise<Record<string, string>> {
  const left = valid_until === null ? MAX_LIFE_SECONDS : Math.floor((valid_until - now) / 1000)
  return {
    'content-type': 'application/octet-stream',
    'content-encoding': 'aes128gcm',
    ttl: String(Math.max(0, Math.min(MAX_LIFE_SECONDS, left))),
    urgency: push?.is_silent ? 'low' : 'high',
    // If several messages about the same seats wait for a device, the newest is delivered (RFC 8030 §5.4).
    ...(push && { topic: await topicOf(push.about) }),
  }
}

/** Always at most 32 characters of base64url. */
async function topicOf(about: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', bytesOf(about))
  return base64url(new Uint8Array(hash).slice(0, 16))
}

function outcomeOf(answer: HttpAnswer, { idempotency_key }: Message, now: number): SendOutcome {
  if (answer.status === 201 || answer.status === 202) {
    const id = answer.headers.get('location')?.split('/').at(-1)
    return { kind: 'accepted', provider_id: cut(id || idempotency_key, 200, ''), at: now }
  }
  // A 200 may come from another server in between.
  if (answer.status < 300) return ambiguous(`HTTP ${answer.status} without a message in it`)
  if (answer.status === 404 || answer.status === 410) return gone
  const { reason, message } = problem.safeParse(parseJson(answer.text)).data ?? {}
  // Windows answers 406 to too many requests (Microsoft's list of WNS response codes).
  const meaning = answer.status === 406 ? 429 : answer.status
  const outcome = outcomeOfStatus(answer, now, reason ?? message ?? null, meaning)
  // Apple's word for a token with a subject that it cannot use, which is ours.
  return reason === 'BadJwtToken' ? accountRefused(outcome.reason) : outcome
}
