import type { Accepted, Ambiguous, Channel, Message, Refused, SendOutcome, Tools } from '../channel.ts'
import { parseJson } from '../../lib/text.ts'
import type { HttpAnswer } from '../http.ts'
import { maskedMailbox, mailProblem, unsubscribeHeaders } from './mail-address.ts'
import { accountRefused, ambiguous, outcomeOfStatus, post, refusedForGood } from '../outcome.ts'

import * as z from 'zod/mini'

/** `apiUrl` is `https://api.resend.com`, without a slash at its end; `from` may be `Name <address>`. */
interface ResendSettings {
  apiUrl: string
  apiKey: string
  from: string
}

const created = z.object({ id: z.string().check(z.minLength(1), z.maxLength(200)) })
const problem = z.object({ name: z.string(), message: z.nullish(z.string()) })

/**
 * Email through Resend. Repeating a request is the lookup: for 24 hours a request under the same `Idempotency-Key` gets
 * the first one's answer and sends nothing (Resend, "Idempotency Keys"), so `find` cannot ask and `is_resend_safe` is
 * set.
 */
export function resendChannel(settings: ResendSettings, tools: Tools): Channel {
  async function send(message: Message): Promise<SendOutcome> {
    const refusal = mailProblem(message)
    if (refusal !== null) return refusal
    if (!/^[\x21-\x7E]{1,256}$/.test(message.idempotency_key)) return refusedForGood('the idempotency key is malformed')
    const body = JSON.stringify(mailJson(settings.from, message))
    const request = { url: `${settings.apiUrl}/emails`, headers: headersOf(settings, message.idempotency_key), body }
    return post(tools, request, (answer) => outcomeOf(answer, message.address, tools.now()))
  }

  return {
    is_resend_safe: true,
    send,
    find: async () => ({ kind: 'cannot_ask', reason: 'sending again under the same key is the look-up' }),
  }
}

function headersOf({ apiKey }: ResendSettings, key: string): Record<string, string> {
  return { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', 'idempotency-key': key }
}

function mailJson(from: string, { address, subject, text, html, unsubscribe_url }: Message): object {
  return { from, to: [address], subject, text, html, headers: unsubscribeHeaders(unsubscribe_url) }
}

function outcomeOf(answer: HttpAnswer, address: string, now: number): SendOutcome {
  if (answer.status < 200 || answer.status >= 300) return outcomeOfMail(answer, now, address)
  const mail = created.safeParse(parseJson(answer.text))
  if (!mail.success) return ambiguous(`HTTP ${answer.status} without an email in it`)
  return { kind: 'accepted', provider_id: mail.data.id, at: now }
}

/** What an answer other than 2xx means. @param address masked in Resend's explanation; null leaves that out */
function outcomeOfMail(answer: HttpAnswer, now: number, address: string | null = null): Refused | Ambiguous {
  const refusal = problem.safeParse(parseJson(answer.text))
  if (!refusal.success) return ofAccount(answer, outcomeOfStatus(answer, now, null))
  const { name, message } = refusal.data
  const words = address === null ? '' : (message ?? '').replaceAll(address, maskedMailbox(address))
  // The key was used with other content, so every repeat would be refused, and the first email was sent.
  if (name === 'invalid_idempotent_request')
    return refusedForGood('Resend already received this key with other content')
  const outcome = outcomeOfStatus(answer, now, `Resend ${name} ${words}`.trim())
  // A key that is not even shaped like one is a validation error with status 400 (Resend, "Errors").
  return /\bAPI key\b/i.test(message ?? '') ? accountRefused(outcome.reason) : ofAccount(answer, outcome)
}

/** Resend's 401 and 403 are about the key or the sender's domain, never about one email (Resend, "Errors"). */
function ofAccount({ status }: HttpAnswer, outcome: Refused | Ambiguous): Refused | Ambiguous {
  return status === 401 || status === 403 ? accountRefused(outcome.reason) : outcome
}

/** The most emails in one request (Resend, "Send Batch Emails"). */
export const MAX_MAILS = 100

/** One outcome for each email in order, or one for all if the request was refused or its outcome is unknown. */
export type BatchOutcome = { kind: 'each'; outcomes: (Accepted | Refused)[] } | Exclude<SendOutcome, Accepted>

/** Sends batches of email. A payload is sent exactly as stored, so that a repeat under its key is identical. */
export interface MailBatches {
  payload(messages: readonly Message[]): string
  /** Why an email may not be in a payload, or null. */
  problem(message: Message): Refused | null
  /** For 24 hours a repeat under the same key returns the first answer and sends nothing. */
  send(payload: string, key: string): Promise<BatchOutcome>
}

const answered = z.object({
  data: z.array(created),
  errors: z.nullish(z.array(z.object({ index: z.int().check(z.minimum(0)) }))),
})

/** Through Resend's batch call, whose permissive mode sends the valid emails and reports the others. */
export function resendBatches(settings: ResendSettings, tools: Tools): MailBatches {
  return {
    payload: (messages) => JSON.stringify(messages.map((message) => mailJson(settings.from, message))),
    problem: mailProblem,
    send(payload, key) {
      const headers = { ...headersOf(settings, key), 'x-batch-validation': 'permissive' }
      const request = { url: `${settings.apiUrl}/emails/batch`, headers, body: payload }
      return post(tools, request, (answer) => outcomeOfBatch(answer, countOf(payload), tools.now()))
    },
  }
}

function countOf(payload: string): number {
  return z.array(z.unknown()).parse(JSON.parse(payload)).length
}

/** `data` has the accepted emails in order, `errors` the positions of the others. */
function outcomeOfBatch(answer: HttpAnswer, count: number, now: number): BatchOutcome {
  if (answer.status < 200 || answer.status >= 300) return outcomeOfMail(answer, now)
  const parsed = answered.safeParse(parseJson(answer.text))
  const errors = new Set(parsed.data?.errors?.map(({ index }) => index))
  const ids = parsed.data?.data ?? []
  const isComplete = ids.length + errors.size === count && [...errors].every((index) => index < count)
  if (!parsed.success || !isComplete) return ambiguous(`HTTP ${answer.status} without an answer for each email`)
  let taken = 0
  const outcomes = Array.from({ length: count }, (_, place): Accepted | Refused => {
    // Resend's message may contain the address, and reasons are stored.
    if (errors.has(place)) return refusedForGood('Resend refused this email')
    return { kind: 'accepted', provider_id: ids[taken++]?.id ?? '', at: now }
  })
  return { kind: 'each', outcomes }
}
