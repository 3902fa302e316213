import type { ContactKind } from '../lib/contract.ts'
import type { Channel, Tools } from './channel.ts'
import { discordChannel } from './discord/webhook.ts'
import { cloudflareMailChannel, type MailBinding } from './email/cloudflare.ts'
import { type MailBatches, resendBatches, resendChannel } from './email/resend.ts'
import { refusedForGood } from './outcome.ts'
import { pushChannel } from './push/web-push.ts'
import { twilioChannel } from './sms/twilio.ts'

/** The Worker's variables and secrets that messages need, under their own names, so that `env` itself can be passed. */
interface NotifySettings {
  APP_URL: string
  SMS_API_URL: string
  TWILIO_ACCOUNT_SID: string
  TWILIO_AUTH_TOKEN?: string | undefined
  SMS_FROM: string
  MAIL_PROVIDER: string
  RESEND_API_URL: string
  RESEND_API_KEY?: string | undefined
  MAIL_FROM: string
  DISCORD_API_URL: string
  VAPID_PUBLIC_KEY?: string | undefined
  VAPID_PRIVATE_KEY?: string | undefined
  VAPID_SUBJECT?: string | undefined
  PUSH_SERVICE_URL?: string | undefined
}

interface NotifyTools extends Tools {
  /** The `send_email` binding, needed when `MAIL_PROVIDER` is "cloudflare". */
  mail?: MailBinding | undefined
}

/** The channel for a kind of contact. A channel that is not set up refuses every message and says what is missing. */
export function channelFor(kind: ContactKind, settings: NotifySettings, tools: NotifyTools): Channel {
  switch (kind) {
    case 'phone':
      return phoneChannel(settings, tools)
    case 'email':
      return emailChannel(settings, tools)
    case 'push':
      return devicesChannel(settings, tools)
    case 'discord':
      return discordChannel({ apiUrl: bare(settings.DISCORD_API_URL), appUrl: settings.APP_URL }, tools)
  }
}

function phoneChannel(settings: NotifySettings, tools: NotifyTools): Channel {
  const { SMS_API_URL, TWILIO_ACCOUNT_SID: accountSid, TWILIO_AUTH_TOKEN: authToken, SMS_FROM: from } = settings
  if (!SMS_API_URL || !accountSid || !authToken || !from) {
    return unavailable('SMS needs SMS_API_URL, TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN and SMS_FROM')
  }
  return twilioChannel({ apiUrl: bare(SMS_API_URL), accountSid, authToken, from }, tools)
}

function emailChannel(settings: NotifySettings, tools: NotifyTools): Channel {
  const { MAIL_PROVIDER, MAIL_FROM: from } = settings
  if (!from) return unavailable('email needs MAIL_FROM')
  if (MAIL_PROVIDER === 'cloudflare') {
    if (tools.mail === undefined) return unavailable('email by Cloudflare needs the send_email binding MAIL')
    return cloudflareMailChannel({ binding: tools.mail, from }, tools)
  }
  if (MAIL_PROVIDER !== 'resend') return unavailable('MAIL_PROVIDER is neither "resend" nor "cloudflare"')
  const resend = resendOf(settings)
  return resend ? resendChannel(resend, tools) : unavailable('email by Resend needs RESEND_API_URL and RESEND_API_KEY')
}

/** What mail by Resend needs; null if some of it is missing. */
function resendOf({ RESEND_API_URL, RESEND_API_KEY: apiKey, MAIL_FROM: from }: NotifySettings) {
  return RESEND_API_URL && apiKey && from ? { apiUrl: bare(RESEND_API_URL), apiKey, from } : null
}

function devicesChannel(settings: NotifySettings, tools: NotifyTools): Channel {
  const keys = vapidKeysOf(settings)
  if (!keys) return unavailable('push needs VAPID_PUBLIC_KEY, VAPID_PRIVATE_KEY and VAPID_SUBJECT')
  return pushChannel({ ...keys, serviceUrl: bare(settings.PUSH_SERVICE_URL ?? '') }, tools)
}

/** What push needs; null if some of it is missing. */
function vapidKeysOf(settings: NotifySettings) {
  const { VAPID_PUBLIC_KEY: publicKey, VAPID_PRIVATE_KEY: privateKey, VAPID_SUBJECT: subject } = settings
  return publicKey && privateKey && subject ? { publicKey, privateKey, subject } : null
}

/** Whether devices can be added: push needs its keys. */
export const isPushSetUp = (settings: NotifySettings): boolean => vapidKeysOf(settings) !== null

/** Batch requests for email, if the provider has them; otherwise null. */
export function mailBatchesFor(settings: NotifySettings, tools: NotifyTools): MailBatches | null {
  const resend = settings.MAIL_PROVIDER === 'resend' ? resendOf(settings) : null
  return resend && resendBatches(resend, tools)
}

function unavailable(reason: string): Channel {
  return {
    is_resend_safe: true,
    send: async () => refusedForGood(reason),
    find: async () => ({ kind: 'cannot_ask', reason }),
  }
}

function bare(url: string): string {
  return url.replace(/\/+$/, '')
}
