import * as z from 'zod/mini'

import type { Accepted, Message, Refused, SendOutcome, Tools } from '../channel.ts'
import { type Answer, ask, parseJson } from '../http.ts'
import { ambiguous, refusedForGood } from '../outcome.ts'
import { mailProblem } from './mail-fields.ts'
import { mailJson, outcomeOfMail, type ResendSettings } from './resend.ts'

/** The most mails in one request (Resend, "Send Batch Emails"). */
export const MAX_MAILS = 100

/** One outcome for each mail in order, or one for all if the request was refused or its outcome is unknown. */
export type BatchOutcome = { kind: 'each'; outcomes: (Accepted | Refused)[] } | Exclude<SendOutcome, Accepted>

/** Sends batches of mail. A payload is sent exactly as stored, so that a repeat under its key is identical. */
export interface MailBatches {
  payload(messages: readonly Message[]): string
  /** Why a mail may not be in a payload, or null. */
  problem(message: Message): Refused | null
  /** For 24 hours a repeat under the same key returns the first answer and sends nothing. */
  send(payload: string, key: string): Promise<BatchOutcome>
}

const answered = z.object({
  data: z.array(z.object({ id: z.string().check(z.minLength(1), z.maxLength(200)) })),
  errors: z.nullish(z.array(z.object({ index: z.int().check(z.minimum(0)), message: z.nullish(z.string()) }))),
})

/** Through Resend's batch call, whose permissive mode sends the valid mails and reports the others. */
export function resendBatches(settings: ResendSettings, tools: Tools): MailBatches {
  return {
    payload: (messages) => `[${messages.map((message) => JSON.stringify(mailJson(settings.from, message))).join(',')}]`,
    problem: mailProblem,
    async send(payload, key) {
      const headers = {
        authorization: `Bearer ${settings.apiKey}`,
        accept: 'application/json',
        'content-type': 'application/json',
        'idempotency-key': key,
        'x-batch-validation': 'permissive',
      }
      const init = { method: 'POST', headers, body: payload } as const
      const answer = await ask(tools, `${settings.apiUrl}/emails/batch`, init)
      return answer.kind === 'no_answer' ? ambiguous(answer.reason) : outcomeOf(answer, countOf(payload), tools.now())
    },
  }
}

function countOf(payload: string): number {
  return z.array(z.unknown()).parse(JSON.parse(payload)).length
}

/** `data` has the accepted mails in order, `errors` the positions of the others. */
function outcomeOf(answer: Answer, count: number, now: number): BatchOutcome {
  if (answer.status < 200 || answer.status >= 300) return outcomeOfMail(answer, now)
  const parsed = answered.safeParse(parseJson(answer.text))
  const errors = new Map(parsed.data?.errors?.map(({ index, message }) => [index, message ?? '']) ?? [])
  const ids = parsed.data?.data ?? []
  const isComplete = ids.length + errors.size === count && [...errors.keys()].every((index) => index < count)
  if (!parsed.success || !isComplete) {
    return ambiguous(`HTTP ${answer.status} without an answer for each mail`)
  }
  let taken = 0
  const outcomes = Array.from({ length: count }, (_, place): Accepted | Refused => {
    // Resend's message may contain the address, and reasons are stored.
    if (errors.has(place)) return refusedForGood('Resend refused this mail')
    return { kind: 'accepted', provider_id: ids[taken++]?.id ?? '', at: now }
  })
  return { kind: 'each', outcomes }
}
