import type { ChannelKind } from '../channel.ts'
import { pushHost } from '../push/push-address.ts'

/**
 * The pace of each kind of provider account, as its setting says: units a second, 0 for none. The defaults are what accounts
 * have when nothing else was agreed: a US long code sends one segment a second (Twilio, "Understanding Twilio Rate Limits and
 * Message Queues"), Resend takes two requests a second ("Rate limit"), and Discord five messages in two seconds from a webhook.
 * Push services name no pace: they say when it is too much.
 */
export const paces = {
  sms: { setting: 'sms_segments_per_second', initial: 1 },
  mail: { setting: 'mail_requests_per_second', initial: 2 },
  webhook: { setting: 'discord_requests_per_second', initial: 2 },
  push: { setting: 'push_requests_per_second', initial: 0 },
} as const

/** The largest pace that a setting may have. */
export const MAX_PACE = 1000

/** One account that has limits of its own, and so a pacer: all of Discord is one only for pauses that it orders everywhere. */
export type PacedAccount = 'sms' | 'mail' | 'discord' | `discord:${string}` | `push:${string}`

/** Which setting holds the pace of this account, and what it is without one; null where only pauses count. */
export function paceOf(account: string): { setting: string; initial: number } | null {
  if (account === 'sms') return paces.sms
  if (account === 'mail') return paces.mail
  if (account.startsWith('push:')) return paces.push
  return account.startsWith('discord:') ? paces.webhook : null
}

/** The account that messages of this channel to this address go through. A webhook is one by its id, a push service by its host. */
export function accountOf(channel: ChannelKind, address: string): PacedAccount {
  if (channel === 'phone') return 'sms'
  if (channel === 'email') return 'mail'
  if (channel === 'push') return `push:${pushHost(address)}`
  return `discord:${/\/webhooks\/(\d{1,20})\//.exec(address)?.[1] ?? 'unknown'}`
}
