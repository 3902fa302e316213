import type { FindOutcome, SendOutcome } from '../../notify/channel.ts'
import { HOUR_MS, MINUTE_MS } from '../../lib/time.ts'

/** How long a claim holds: longer than waiting for a turn, a lookup, a send and both writes can take in total. */
export const CLAIM_MS = 45_000
/** No try starts with less time left in its claim, so that its request ends before another runner takes over. */
export const MAX_TRY_MS = 15_000
/** The wait after the first failed try; each later one is three times as long, up to {@link MAX_WAIT_MS}. */
export const FIRST_WAIT_MS = 20_000
export const MAX_WAIT_MS = 10 * MINUTE_MS
/**
 * An unconfirmed message is looked up this long after its try ended. Twilio's list may lag behind what Twilio accepted,
 * and a request that timed out may still arrive; before this, absence proves nothing.
 */
export const ASK_AFTER_MS = 15_000
/**
 * Whether enough of the claim is left for the answer and for the next runner's lookup. Checked just before a request,
 * because the database or the pacer may have been slow.
 */
export const hasTimeToSend = ({ claim, timeout_ms }: { claim: number; timeout_ms: number }, now: number): boolean =>
  now + timeout_ms + ASK_AFTER_MS <= claim

const ASK_AGAIN_MS = 30_000
/** Of the jobs that send: it covers a database outage of ten minutes, after which the sweep finds the row. */
export const sendLimit = { attempts: 24, run_seconds: 20, retry_seconds: [2, 10, 30] }
/** A message whose provider could not be asked for this long is sent once more, shown as repeated. */
export const REPEAT_AFTER_MS = 2 * MINUTE_MS
/** Resend keeps an idempotency key for 24 hours; after this, sending again under it is no longer a lookup. */
const KEY_LIFE_MS = 23 * HOUR_MS

/** A delivery's next state. If it is not final, the delivery is due again at `due_at` (ms). */
export interface Settlement {
  state: 'sent' | 'queued' | 'unconfirmed' | 'failed' | 'gone' | 'expired' | 'canceled' | 'not_needed'
  due_at: number
  error: string | null
  provider_id: string | null
  accepted_at: number | null
  is_repeated: boolean
  /** The provider may have a copy: the text and the time of the first try are kept for looking it up. */
  may_have_arrived: boolean
  /** The provider says that the person opted out. */
  is_opt_out: boolean
  /** The provider says that the address no longer exists. */
  is_address_gone: boolean
  /** The provider only asked for a pause: the try does not count. */
  is_uncounted: boolean
}

/** One send whose outcome is about to be recorded. */
export interface Try {
  /** The delivery's id, which spreads the retries. */
  id: number
  /** This one included. */
  attempts: number
  /** The provider may have an earlier copy, which this try does not settle. */
  may_have_arrived: boolean
  was_repeated: boolean
  is_repeat: boolean
  is_resend_safe: boolean
  /** The end of the pause that came with the answer, in ms; null without one. */
  paused_until: number | null
}

/** Facts about a delivery that the provider may have accepted. */
export interface UnconfirmedTry {
  id: number
  attempts: number
  tried_at: number
  is_repeated: boolean
  last_error: string | null
}

/** Why a message is no longer to be sent, and its resulting state. */
export interface Cancellation {
  state: 'canceled' | 'gone' | 'expired' | 'not_needed'
  reason: string
}

/** Send now, with the facts that {@link Try} needs. */
export interface SendNow extends Pick<Try, 'may_have_arrived' | 'was_repeated' | 'is_repeat'> {
  state: 'send'
}

/** No number of refusals ends a delivery: only its age or a {@link Cancellation} does. */
export function afterSend(outcome: SendOutcome, sent: Try, now: number): Settlement {
  const isRepeated = sent.was_repeated || sent.is_repeat
  if (outcome.kind === 'accepted') return accepted(outcome.provider_id, outcome.at, isRepeated)
  const isUncounted = sent.paused_until !== null
  const pausedUntil = sent.paused_until ?? 0
  if (outcome.kind === 'ambiguous') {
    const wait = sent.is_resend_safe ? backOff(sent) : ASK_AFTER_MS
    const dueAt = Math.max(now + wait, pausedUntil)
    return { ...undecided(dueAt, outcome.reason, isRepeated), is_uncounted: isUncounted }
  }
  // A refused send did not create a second copy.
  if (outcome.is_opt_out) return { ...failed('Opted out.', sent.may_have_arrived, sent.was_repeated), is_opt_out: true }
  if (outcome.is_permanent) {
    const end = failed(outcome.reason, sent.may_have_arrived, sent.was_repeated)
    return { ...end, is_address_gone: outcome.is_address_gone }
  }
  const wait = Math.max(backOff(sent), (outcome.retry_after_seconds ?? 0) * 1000)
  const refused = undecided(isUncounted ? pausedUntil : now + wait, outcome.reason, sent.was_repeated)
  if (sent.may_have_arrived) return { ...refused, is_uncounted: isUncounted }
  return { ...refused, state: 'queued', may_have_arrived: false, is_uncounted: isUncounted }
}

/** `absent` is believed only once the next try is due, so a message that failed instantly is looked up twice. */
export function afterFind(found: FindOutcome, unconfirmed: UnconfirmedTry, now: number): Settlement | SendNow {
  if (found.kind === 'found') return accepted(found.provider_id, now, unconfirmed.is_repeated)
  if (found.kind === 'absent') {
    const dueAt = unconfirmed.tried_at + backOff(unconfirmed)
    if (dueAt > now) return undecided(dueAt, unconfirmed.last_error, false)
    return { state: 'send', is_repeat: false, was_repeated: false, may_have_arrived: false }
  }
  const repeatAt = unconfirmed.tried_at + REPEAT_AFTER_MS
  if (repeatAt > now)
    return undecided(Math.min(now + ASK_AGAIN_MS, repeatAt), unconfirmed.last_error, unconfirmed.is_repeated)
  if (unconfirmed.is_repeated) return failed(unconfirmed.last_error ?? found.reason, true, unconfirmed.is_repeated)
  return { state: 'send', is_repeat: true, was_repeated: false, may_have_arrived: true }
}

/** Ends a message that is no longer wanted. @param found a copy the provider may have; null if there is none */
export function afterCancellation(
  { state, reason }: Cancellation,
  found: FindOutcome | null,
  isRepeated: boolean,
  now: number,
): Settlement {
  if (found?.kind === 'found') return accepted(found.provider_id, now, isRepeated)
  const mayHaveArrived = found?.kind === 'cannot_ask'
  return { ...undecided(now, why(reason, mayHaveArrived), isRepeated), state, may_have_arrived: mayHaveArrived }
}

/** No copy of it is at the contact's present address: the next try is a new message, perhaps a later one. */
export function startOver({ is_repeat }: SendNow, now: number): Settlement {
  return { ...undecided(now, null, is_repeat), state: 'queued', may_have_arrived: false }
}

/** Nothing was tried: the message is as it was, and due at `dueAt` (ms). */
export function postponed(dueAt: number, error: string | null, mayHaveArrived: boolean): Settlement {
  const state = mayHaveArrived ? 'unconfirmed' : 'queued'
  return { ...undecided(dueAt, error, false), state, may_have_arrived: mayHaveArrived }
}

/** Whether sending again under the first try's key returns that try's result. */
export function isKeyAlive(firstTriedAt: number, now: number): boolean {
  return now - firstTriedAt < KEY_LIFE_MS
}

export function failed(reason: string, mayHaveArrived: boolean, isRepeated: boolean): Settlement {
  return { ...undecided(0, why(reason, mayHaveArrived), isRepeated), state: 'failed', may_have_arrived: mayHaveArrived }
}

/** The next try comes no later than the end of the message's life, so that it expires on time. */
export function withinLife(settlement: Settlement, expiresAt: number, now: number): Settlement {
  return { ...settlement, due_at: Math.min(settlement.due_at, Math.max(expiresAt, now + 1000)) }
}

/** The wait after the latest try, in ms, plus or minus a quarter; always the same for the same try. */
export function backOff({ id, attempts }: Pick<Try, 'id' | 'attempts'>): number {
  const tries = Math.max(1, attempts)
  const wait = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 3 ** (tries - 1))
  const fraction = (Math.imul(id + 1, 0x9e3779b1) ^ Math.imul(tries, 0x85ebca6b)) >>> 0
  return Math.round(wait * (0.75 + fraction / 2 ** 33))
}

function why(reason: string, mayHaveArrived: boolean): string {
  const sentence = reason.endsWith('.') ? reason : `${reason}.`
  return mayHaveArrived ? `${sentence} It may have arrived.` : sentence
}

export function accepted(providerId: string | null, at: number, isRepeated: boolean): Settlement {
  return { ...undecided(at, null, isRepeated), state: 'sent', provider_id: providerId, accepted_at: at }
}

function undecided(dueAt: number, error: string | null, isRepeated: boolean): Settlement {
  return {
    state: 'unconfirmed',
    due_at: dueAt,
    error,
    provider_id: null,
    accepted_at: null,
    is_repeated: isRepeated,
    may_have_arrived: true,
    is_opt_out: false,
    is_address_gone: false,
    is_uncounted: false,
  }
}
