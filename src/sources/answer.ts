import type { Answer, UnknownReason } from './source.ts'

export type Unknown = Extract<Answer<never>, { known: false }>

/** A believed value with what was odd about it. */
export function known<Value>(value: Value, warnings: string[] = []): Answer<Value> {
  return { known: true, value, warnings }
}

/** An honest *unknown*: `why` is a sentence for a person, with the evidence. */
export function unknown(reason: UnknownReason, why: string, retryAfterSeconds: number | null = null): Unknown {
  return { known: false, reason, why, retry_after_seconds: retryAfterSeconds }
}

/** No answer in time, told in one form, so that {@link saysTimedOut} knows it where only the sentence was kept. `time`: "700 ms". */
export function timedOut(part: 'answer' | 'whole answer', time: string): Unknown {
  return unknown('timeout', `No ${part} within ${time}.`)
}

/** Whether a sentence about a school tells of a time-out. */
export function saysTimedOut(sentence: string): boolean {
  return /\bNo (?:whole )?answer within [^:]+\.$/.test(sentence)
}
