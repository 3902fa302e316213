import type { Embed } from './compose/discord-embeds.ts'

/** The provider asks for a pause of some seconds (null: unspecified), on one account or everywhere. */
export interface Pause {
  seconds: number | null
  is_global: boolean
}

/** Any answer may contain a pause: nothing is sent through the account until it is over, and the try does not count. */
interface MayPause {
  pause?: Pause
}

/** The provider accepted the message. `at`: when its answer was read, ms since epoch. */
export interface Accepted extends MayPause {
  kind: 'accepted'
  provider_id: string
  at: number
}

/**
 * The message was certainly not accepted. `is_permanent`: it would be refused again, so do not retry.
 * `is_opt_out`: the person asked the provider to stop. `is_address_gone`: the address no longer exists.
 * `retry_after_seconds`: as the provider asked, if it did.
 */
export interface Refused extends MayPause {
  kind: 'refused'
  reason: string
  is_permanent: boolean
  is_opt_out: boolean
  is_address_gone: boolean
  retry_after_seconds: number | null
}

/** Time-out, reset, 5xx or an unreadable answer: the message may have been accepted. Ask before sending again. */
export interface Ambiguous extends MayPause {
  kind: 'ambiguous'
  reason: string
}

export type SendOutcome = Accepted | Refused | Ambiguous

/**
 * One message to one address. `address` is E.164 for a phone, a mailbox for an email, a webhook's URL for Discord, a
 * device's subscription (`push/push-address.ts`) for a notification. `idempotency_key` (1–256 characters) stays the
 * same over all tries of one delivery, and so must the content. `subject` is used by email, push and Discord's forums,
 * `html` by email only, `status_callback_url` by SMS only, `embeds` by Discord only, `push` by push only.
 */
export interface Message {
  idempotency_key: string
  address: string
  subject: string
  text: string
  html: string
  embeds?: readonly Embed[]
  unsubscribe_url: string | null
  status_callback_url: string | null
  /** When the provider should give up delivering it, ms since epoch; null: its own limit. */
  valid_until: number | null
  push?: PushParts | undefined
}

interface PushParts {
  /** The page of this site that it opens. */
  url: string
  /** The topic: a newer message with the same topic replaces one that is still waiting for the device. */
  about: string
  /** Whether it comes without sound or vibration. */
  is_silent: boolean
  /** Identifies message and device in the device's reports. */
  delivery: string
  token: string
}

/** What the provider says about a message that it may have accepted. `cannot_ask` never means absent. */
export type FindOutcome =
  | { kind: 'found'; provider_id: string }
  | { kind: 'absent' }
  | { kind: 'cannot_ask'; reason: string }

/**
 * One provider. Neither function throws. No request takes longer than the timeout of the {@link Tools}, and neither does
 * `send` as a whole. No reason contains an address or a secret, so it can be stored, logged and shown.
 */
export interface Channel {
  /** Whether sending again under the same idempotency key creates no second message. */
  is_resend_safe: boolean
  send(message: Message): Promise<SendOutcome>
  /**
   * Looks for a message sent at or after `since` (ms since epoch, the time of the first try).
   * @param signal ends the whole lookup, which may take several requests
   */
  find(message: Message, since: number, signal?: AbortSignal): Promise<FindOutcome>
}

/** What every channel depends on; tests replace it. */
export interface Tools {
  fetch: typeof fetch
  now: () => number
  /** How long one request may take, in ms; default: {@link DEFAULT_TIMEOUT_MS}. */
  timeoutMs?: number
}

export const DEFAULT_TIMEOUT_MS = 10_000
