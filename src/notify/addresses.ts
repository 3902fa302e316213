import type { ContactKind } from '../lib/contract.ts'
import { maskedWebhook, parseWebhook, webhookId, webhookKey } from './discord/webhook-address.ts'
import { maskedMailbox, parseMailbox } from './email/mail-address.ts'
import { endpointIn, maskedDevice, pushHost } from './push/push-address.ts'
import { maskedPhone, parsePhone } from './sms/phone-address.ts'

/** An account with its own limits and its own pacer; Discord as a whole is one only for its global pauses. */
export type PacedAccount = 'sms' | 'mail' | 'discord' | `discord:${string}` | `push:${string}`

/** The pace of an account: units a second, 0 for none. */
interface Pace {
  setting: string
  initial: number
  meaning: string
  unit: string
}

/** The facts about one kind of address, and about the provider accounts for messages to it. */
interface AddressKind {
  /** A message there: "SMS". */
  message: string
  /** A contact there: "Phone (SMS)". */
  contact: string
  field: { label: string; help: string; keyboard: 'tel' | 'email' | 'url' | 'text' }
  /** Characters. */
  maxLength: number
  /**
   * The address in a typed text as it is stored, or what is wrong with it, in a sentence.
   * @param discordApiUrl the `DISCORD_API_URL` setting: a webhook there is accepted too
   */
  parse(text: string, discordApiUrl: string): { address: string } | { error: string }
  keyOf(address: string): string
  masked(address: string): string
  accountOf(address: string): PacedAccount
  /** Which accounts have its pace. */
  accounts: RegExp
  pace: Pace
}

/**
 * The kinds of addresses. The initial paces are the providers' defaults: a US long code sends one segment a second
 * (Twilio, "Understanding Twilio Rate Limits and Message Queues"), Resend takes two requests a second ("Rate limit"),
 * and Discord five messages in two seconds from a webhook. Push services state no pace, but say when there are too many
 * requests.
 */
export const addressKinds: Readonly<Record<ContactKind, AddressKind>> = {
  phone: {
    message: 'SMS',
    contact: 'Phone (SMS)',
    field: { label: 'Phone Number', help: 'With its area code, such as (202) 555-0143.', keyboard: 'tel' },
    maxLength: 40,
    parse: parsePhone,
    keyOf: (address) => address,
    masked: maskedPhone,
    accountOf: () => 'sms',
    accounts: /^sms$/,
    pace: {
      setting: 'sms_segments_per_second',
      initial: 1,
      meaning:
        'SMS segments sent per second: 1 for a US long code, 3 toll-free, 100 for a short code. 0 means no limit.',
      unit: 'segments per second',
    },
  },
  email: {
    message: 'Email',
    contact: 'Email',
    field: { label: 'Email Address', help: 'Such as name@example.com.', keyboard: 'email' },
    maxLength: 254,
    parse: parseMailbox,
    keyOf: (address) => address.toLowerCase(),
    masked: maskedMailbox,
    accountOf: () => 'mail',
    accounts: /^mail$/,
    pace: {
      setting: 'mail_requests_per_second',
      initial: 2,
      meaning: 'Requests to the email provider per second; Resend allows 2. 0 means no limit.',
      unit: 'requests per second',
    },
  },
  discord: {
    message: 'Discord',
    contact: 'Discord webhook',
    field: {
      label: 'Webhook URL',
      help: 'In Discord: Edit Channel, Integrations, Webhooks, Copy Webhook URL.',
      keyboard: 'url',
    },
    maxLength: 400,
    parse: parseWebhook,
    keyOf: webhookKey,
    masked: maskedWebhook,
    accountOf: (address) => `discord:${webhookId(address)}`,
    accounts: /^discord:/,
    pace: {
      setting: 'discord_requests_per_second',
      initial: 2,
      meaning: 'Messages to one Discord webhook per second. 0 means no limit.',
      unit: 'messages per second',
    },
  },
  push: {
    message: 'Notification',
    contact: 'Notifications',
    field: { label: 'Device', help: 'Added on the recipient’s own page.', keyboard: 'text' },
    maxLength: 0,
    parse: () => ({ error: 'A device is added on the recipient’s own page.' }),
    keyOf: endpointIn,
    masked: maskedDevice,
    accountOf: (address) => `push:${pushHost(address)}`,
    accounts: /^push:/,
    pace: {
      setting: 'push_requests_per_second',
      initial: 0,
      meaning: 'Notifications to one push service (Google, Mozilla, Apple, Microsoft) per second. 0 means no limit.',
      unit: 'notifications per second',
    },
  },
}

/** Messages to two addresses with the same key reach the same place. All comparisons use it. */
export function addressKey(kind: ContactKind, address: string): string {
  return addressKinds[kind].keyOf(address)
}

/** An address as it may be shown. One that is too short to mask becomes dots. */
export function maskedAddress(kind: ContactKind, address: string): string {
  return addressKinds[kind].masked(address)
}

/** The account for messages of this channel to this address: a webhook's id, a push service's host. */
export function accountOf(channel: ContactKind, address: string): PacedAccount {
  return addressKinds[channel].accountOf(address)
}

export const MAX_PACE = 1000

export const paces: readonly Pace[] = Object.values(addressKinds).map(({ pace }) => pace)

/** The pace of this account; null if it only has pauses. */
export function paceOf(account: string): Pace | null {
  return Object.values(addressKinds).find(({ accounts }) => accounts.test(account))?.pace ?? null
}
