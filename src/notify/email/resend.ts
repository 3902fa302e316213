import * as z from 'zod/mini'

import type { Ambiguous, Channel, Message, Refused, SendOutcome, Tools } from '../channel.ts'
import { type Answer, parseJson } from '../http.ts'
import { maskedMailbox } from './mail-address.ts'
import { ambiguous, outcomeOfStatus, post, refusedForGood } from '../outcome.ts'
import { mailProblem, unsubscribeHeaders } from './mail-fields.ts'

/** `apiUrl` is `https://api.resend.com`, without a slash at its end; `from` may be `Name <address>`. */
export interface ResendSettings {
  apiUrl: string
  apiKey: string
  from: string
}

const created = z.object({ id: z.string().check(z.minLength(1), z.maxLength(200)) })
const problem = z.object({ name: z.string(), message: z.nullish(z.string()) })

/**
 * Mail through Resend. Repeating a request is the lookup: for 24 hours a request under the same `Idempotency-Key` gets
 * the first one's answer and sends nothing (Resend, "Idempotency Keys"), so `find` cannot ask and `is_resend_safe` is
 * set.
 */
export function resendChannel(settings: ResendSettings, tools: Tools): Channel {
  async function send(message: Message): Promise<SendOutcome> {
    const fault = mailProblem(message)
    if (fault !== null) return fault
    if (!/^[\x21-\x7E]{1,256}$/.test(message.idempotency_key)) return refusedForGood('the idempotency key is malformed')
    const headers = {
      authorization: `Bearer ${settings.apiKey}`,
      'content-type': 'application/json',
      'idempotency-key': message.idempotency_key,
    }
    const body = JSON.stringify(mailJson(settings.from, message))
    const request = { url: `${settings.apiUrl}/emails`, headers, body }
    return post(tools, request, (answer) => outcomeOf(answer, message.address, tools.now()))
  }

  return {
    kind: 'email',
    is_resend_safe: true,
    send,
    find: async () => ({ kind: 'cannot_ask', reason: 'sending again under the same key is the look-up' }),
  }
}

export function mailJson(from: string, { address, subject, text, html, unsubscribe_url }: Message): object {
  return { from, to: [address], subject, text, html, headers: unsubscribeHeaders(unsubscribe_url) }
}

function outcomeOf(answer: Answer, address: string, now: number): SendOutcome {
  if (answer.status < 200 || answer.status >= 300) return outcomeOfMail(answer, now, address)
  const mail = created.safeParse(parseJson(answer.text))
  if (!mail.success) return ambiguous(`HTTP ${answer.status} without a mail in it`)
  return { kind: 'accepted', provider_id: mail.data.id, at: now }
}

/** What an answer other than 2xx means. @param address masked in Resend's explanation; null leaves that out */
export function outcomeOfMail(answer: Answer, now: number, address: string | null = null): Refused | Ambiguous {
  const refusal = problem.safeParse(parseJson(answer.text))
  if (!refusal.success) return outcomeOfStatus(answer, now, null)
  const { name, message } = refusal.data
  const words = address === null ? '' : (message ?? '').replaceAll(address, maskedMailbox(address))
  // The key was used with other content, so every repeat would be refused, and the first mail was sent.
  if (name === 'invalid_idempotent_request')
    return refusedForGood('Resend already received this key with other content')
  return outcomeOfStatus(answer, now, `Resend ${name} ${words}`.trim())
}
