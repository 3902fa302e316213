import type { Answer, UnknownReason } from './source.ts'

export type Unknown = Extract<Answer<never>, { known: false }>

export function known<Value>(value: Value, warnings: string[] = []): Answer<Value> {
  return { known: true, value, warnings }
}

/** The same answer with a value made from its own; an unknown stays as it is. */
export function mapKnown<From, To>(answer: Answer<From>, map: (value: From) => To): Answer<To> {
  return answer.known ? known(map(answer.value), answer.warnings) : answer
}

/** `why`: a sentence for a person, with the evidence. */
export function unknown(reason: UnknownReason, why: string, retryAfterSeconds: number | null = null): Unknown {
  return { known: false, reason, why, retry_after_seconds: retryAfterSeconds }
}

/** The answer is not part of the protocol. @param wanted "its terms" */
export function unexpectedAnswer(wanted: string): Unknown {
  return unknown('not_the_protocol', `The school returned something other than ${wanted}.`)
}

export const asksToSignIn = unknown('not_the_protocol', 'The school asks visitors to sign in.')

/** Why an answer is not to our question: "We asked for term 202610, and the school answered with term 202620." */
export function answeredWith(field: string, asked: string, got: string): string {
  return `We asked for ${field} ${asked}, and the school answered with ${field} ${got || 'unnamed'}.`
}

/** {@link answeredWith}; null for what was asked, and if nothing was. */
export function whyOther(field: string, asked: string | null | undefined, got: string): string | null {
  return asked === null || asked === undefined || asked === got ? null : answeredWith(field, asked, got)
}

/** In one wording, so that {@link saysTimedOut} recognizes the stored sentence. `time`: "700 ms". */
export function timedOut(part: 'answer' | 'whole answer', time: string): Unknown {
  return unknown('timeout', `No ${part} within ${time}.`)
}

export function saysTimedOut(sentence: string): boolean {
  return /\bNo (?:whole )?answer within [^:]+\.$/.test(sentence)
}
