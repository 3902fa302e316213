import type { Embed } from './compose/discord-embeds.ts'

/** The ways a person can be reached. The values are stored with the contact and shown in JSON. */
export type ChannelKind = 'phone' | 'email' | 'discord' | 'push'

/** The provider wants no more requests for so many seconds (null: it did not say how many), on one account or anywhere. */
export interface Pause {
  seconds: number | null
  is_global: boolean
}

/** Any answer may come with a pause: then nobody sends through the account before it is over, and the try is not counted. */
interface MayPause {
  pause?: Pause
}

/** The provider took the message. `at` is when its answer was read, in ms since the epoch. */
export interface Accepted extends MayPause {
  kind: 'accepted'
  provider_id: string
  at: number
}

/**
 * The message was certainly not taken. `is_permanent`: the same message will be refused again, so a retry is no use.
 * `is_opt_out`: the person asked the provider to stop. `is_address_gone`: nobody is there any more, and nobody will be.
 * `retry_after_seconds`: what the provider asked for, if it did.
 */
export interface Refused extends MayPause {
  kind: 'refused'
  reason: string
  is_permanent: boolean
  is_opt_out: boolean
  is_address_gone: boolean
  retry_after_seconds: number | null
}

/** Time-out, reset, 5xx or an answer that cannot be read: the message may have been taken. Ask before sending again. */
export interface Ambiguous extends MayPause {
  kind: 'ambiguous'
  reason: string
}

export type SendOutcome = Accepted | Refused | Ambiguous

/**
 * One message to one address. `address` is E.164 for a phone, a mailbox for an e-mail, a webhook's URL for Discord,
 * a device's subscription (`push/push-address.ts`) for a notification.
 * `idempotency_key` (1–256 characters) stays the same over all tries of one delivery, and so must the content.
 * `subject` is used by e-mail and push, `html` by e-mail only, `status_callback_url` by SMS only, `embeds` by Discord only, `push`
 * by push only.
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
  /** The provider gives the message up when it could not pass it on by then (ms since the epoch); null: its own limit. */
  valid_until: number | null
  push?: PushParts | undefined
}

/** What a notification has besides its words. */
export interface PushParts {
  /** The page that it opens, on this site. */
  url: string
  /** What it tells of: a newer message about the same replaces one that still waits for the device. */
  about: string
  /** Comes without sound or vibration. */
  is_silent: boolean
  /** Which message and which device this is, for the device's reports. */
  delivery: string
  token: string
}

/** What the provider says of a message that may have been taken. `cannot_ask` is never a no. */
export type FindOutcome =
  | { kind: 'found'; provider_id: string }
  | { kind: 'absent' }
  | { kind: 'cannot_ask'; reason: string }

export interface SendOptions {
  /** Gives up early. A message given up on while under way is ambiguous. */
  signal?: AbortSignal
}

/**
 * One provider. Neither function throws, and neither outlasts the channel's time-out for one request.
 * No reason holds an address or a secret, so it can be stored, logged and shown.
 */
export interface Channel {
  kind: ChannelKind
  /** Sending again under the same idempotency key gives the first try's result and no second message. */
  is_resend_safe: boolean
  send(message: Message, options?: SendOptions): Promise<SendOutcome>
  /** Looks for a message that was sent at or after `since` (ms since the epoch, the time of the first try). */
  find(message: Message, since: number, options?: SendOptions): Promise<FindOutcome>
}

/** What every channel is handed: nothing here is reached for. */
export interface Tools {
  fetch: typeof fetch
  /** Milliseconds since the epoch. */
  now: () => number
}

/** How long one request to a provider may take, in ms, unless the channel's options say otherwise. */
export const DEFAULT_TIMEOUT_MS = 10_000
