import * as z from 'zod/mini'

import { bytesOf, parseJson } from '../../lib/text.ts'
import type { Channel, Message, SendOutcome, Tools } from '../channel.ts'
import type { HttpAnswer } from '../http.ts'
import { base64 } from '../../lib/bytes.ts'
import { isPhoneNumber, maskedPhone } from './phone-address.ts'
import { accountRefused, ambiguous, outcomeOfStatus, post, refused, refusedForGood } from '../outcome.ts'
import { findTwilioMessage } from './find-twilio-message.ts'

/** `apiUrl` is Twilio's origin, e.g. `https://api.twilio.com`, without a slash at its end. */
interface TwilioSettings {
  apiUrl: string
  accountSid: string
  authToken: string
  /** The number or name that messages come from. */
  from: string
}

const OPTED_OUT = 21610
/** Codes for numbers that are invalid or not mobile: nothing will ever arrive there. */
const NO_NUMBER = new Set([21211, 21614])

/** Codes for credentials, an account or a sender that Twilio does not accept, which say nothing about the message. */
const ACCOUNT_CODES = [20003, 20005, 20006, 21212, 21603, 21660, 30002]
/** The same if the sender is a phone number; another sender may only not be usable in this message's country. */
const NUMBER_CODES = [21606, 21659]

/** Temporary refusals despite status 400: too many, a full queue (Twilio, "Error and Warning Dictionary"). */
const TRANSIENT_CODES = new Set([14107, 20429, 21611, 30001, 30022, 63017, 63018])
/** Bounds of `ValidityPeriod` in seconds (Twilio, "Message resource"). */
const VALIDITY = { least: 1, most: 36_000 }

const created = z.object({
  sid: z.string().check(z.regex(/^(SM|MM)[0-9A-Za-z]{1,62}$/)),
  status: z.nullish(z.string()),
  error_code: z.nullish(z.number()),
})
const problem = z.object({ code: z.number(), message: z.nullish(z.string()) })

/** Twilio's Messages resource has no idempotency key, so `find` looks up an unconfirmed message. */
export function twilioChannel(settings: TwilioSettings, tools: Tools): Channel {
  const messagesUrl = `${settings.apiUrl}/2010-04-01/Accounts/${encodeURIComponent(settings.accountSid)}/Messages.json`
  const credentials = bytesOf(`${settings.accountSid}:${settings.authToken}`)
  const accountCodes = new Set(isPhoneNumber(settings.from) ? [...ACCOUNT_CODES, ...NUMBER_CODES] : ACCOUNT_CODES)
  const headers = { authorization: `Basic ${base64(credentials)}`, accept: 'application/json' }

  async function send(message: Message): Promise<SendOutcome> {
    if (!isPhoneNumber(message.address)) return refusedForGood('not a phone number')
    const form = new URLSearchParams({ To: message.address, From: settings.from, Body: message.text })
    if (message.status_callback_url !== null) form.set('StatusCallback', message.status_callback_url)
    if (message.valid_until !== null) form.set('ValidityPeriod', validity(message.valid_until - tools.now()))
    const typed = { 'content-type': 'application/x-www-form-urlencoded', ...headers }
    const request = { url: messagesUrl, headers: typed, body: form.toString() }
    return post(tools, request, (answer) => outcomeOf(answer, message.address, accountCodes, tools.now()))
  }

  return {
    is_resend_safe: false,
    send,
    find: (message, since, signal) =>
      findTwilioMessage({ messagesUrl, apiUrl: settings.apiUrl, headers }, tools, message, since, signal),
  }
}

function outcomeOf(answer: HttpAnswer, address: string, accountCodes: ReadonlySet<number>, now: number): SendOutcome {
  const body = parseJson(answer.text)
  if (answer.status >= 200 && answer.status < 300) {
    const message = created.safeParse(body)
    if (!message.success) return ambiguous(`HTTP ${answer.status} without a message in it`)
    const { sid, status, error_code } = message.data
    if (status === 'failed' || status === 'undelivered' || status === 'canceled') {
      const reason = `Twilio reports the message as ${status}`
      if (error_code && accountCodes.has(error_code)) return accountRefused(`${reason} (${error_code})`)
      return refusedWith(error_code ?? null, reason)
    }
    return { kind: 'accepted', provider_id: sid, at: now }
  }
  const refusal = problem.safeParse(body)
  if (!refusal.success) return answer.status === 401 ? accountRefused('HTTP 401') : outcomeOfStatus(answer, now, null)
  const { code, message } = refusal.data
  // Twilio's message may repeat the number, and reasons are stored and shown.
  const words = (message ?? '').replaceAll(address, maskedPhone(address))
  const byStatus = outcomeOfStatus(answer, now, `Twilio ${code} ${words}`)
  if (answer.status === 401 || accountCodes.has(code)) return accountRefused(byStatus.reason)
  return byStatus.kind === 'refused' && byStatus.is_permanent ? refusedWith(code, byStatus.reason) : byStatus
}

function refusedWith(code: number | null, reason: string): SendOutcome {
  if (code === OPTED_OUT) return refused(reason, { is_permanent: true, is_opt_out: true })
  if (code !== null && NO_NUMBER.has(code)) return { ...refusedForGood(reason), is_address_gone: true }
  if (code === null || !TRANSIENT_CODES.has(code)) return refusedForGood(reason)
  return { ...refused(reason), pause: { seconds: null, is_global: false } }
}

/** How long Twilio may keep the message in its own queue, in its terms. */
function validity(remainingMs: number): string {
  return String(Math.min(VALIDITY.most, Math.max(VALIDITY.least, Math.floor(remainingMs / 1000))))
}
