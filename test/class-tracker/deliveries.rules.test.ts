import { describe, expect, test } from 'vitest'
import {
  afterFind,
  afterCancellation,
  afterSend,
  ASK_AFTER_MS,
  backOff,
  FIRST_WAIT_MS,
  hasTimeToSend,
  MAX_WAIT_MS,
  REPEAT_AFTER_MS,
  withinLife,
  type UnconfirmedTry,
  type Try,
} from '../../src/class-tracker/deliveries/delivery-rules.ts'
import type { Refused } from '../../src/notify/channel.ts'

const now = 1_000_000
const firstTry: Try = {
  id: 7,
  attempts: 1,
  may_have_arrived: false,
  was_repeated: false,
  is_repeat: false,
  is_resend_safe: false,
  paused_until: null,
}
const firstWait = backOff(firstTry)
const optedOut = { state: 'canceled', reason: 'Opted out.' } as const
const gone = { state: 'gone', reason: 'Seat gone before it was sent.' } as const
const refusal: Refused = {
  kind: 'refused',
  reason: 'HTTP 429',
  is_permanent: false,
  is_opt_out: false,
  is_address_gone: false,
  retry_after_seconds: null,
}
const timeOut = { kind: 'ambiguous', reason: 'no answer within 10 s' } as const
const doubt: UnconfirmedTry = {
  id: 7,
  attempts: 1,
  tried_at: now,
  is_repeated: false,
  last_error: 'no answer within 10 s',
}
const cannotAsk = { kind: 'cannot_ask', reason: 'HTTP 500' } as const

describe('after an attempt', () => {
  test("an accepted message is sent, with the provider's id and time", () => {
    const outcome = { kind: 'accepted', provider_id: 'SM1', at: now - 5 } as const
    expect(afterSend(outcome, firstTry, now)).toMatchObject({
      state: 'sent',
      provider_id: 'SM1',
      accepted_at: now - 5,
      error: null,
      is_repeated: false,
    })
  })

  test('no number of refusals ends it: the delays grow to the maximum', () => {
    for (let attempts = 1; attempts <= 100; attempts += 1) {
      const next = afterSend(refusal, { ...firstTry, attempts }, now)
      expect(next).toMatchObject({ state: 'queued', may_have_arrived: false, is_uncounted: false })
      const usual = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 3 ** (attempts - 1))
      expect(next.due_at - now).toBeGreaterThanOrEqual(0.75 * usual)
      expect(next.due_at - now).toBeLessThanOrEqual(1.25 * usual)
    }
  })

  test('messages refused together are not retried together', () => {
    const waits = Array.from({ length: 500 }, (_, id) => backOff({ id, attempts: 1 }))
    expect(Math.min(...waits)).toBeLessThan(0.78 * FIRST_WAIT_MS)
    expect(Math.max(...waits)).toBeGreaterThan(1.22 * FIRST_WAIT_MS)
    expect(new Set(waits).size).toBeGreaterThan(450)
  })

  test('a pause costs no attempt and lasts as long as the provider says', () => {
    const paused = { ...firstTry, paused_until: now + 7000 }
    expect(afterSend(refusal, paused, now)).toMatchObject({
      state: 'queued',
      due_at: now + 7000,
      is_uncounted: true,
      may_have_arrived: false,
    })
    expect(afterSend(refusal, { ...paused, may_have_arrived: true }, now)).toMatchObject({
      state: 'unconfirmed',
      due_at: now + 7000,
      is_uncounted: true,
    })
    expect(afterSend(timeOut, { ...paused, paused_until: now + 60_000 }, now)).toMatchObject({
      state: 'unconfirmed',
      due_at: now + 60_000,
      is_uncounted: true,
      may_have_arrived: true,
    })
  })

  test("a provider's longer delay is respected, and a shorter one ignored", () => {
    expect(afterSend({ ...refusal, retry_after_seconds: 300 }, firstTry, now).due_at).toBe(now + 300_000)
    expect(afterSend({ ...refusal, retry_after_seconds: 1 }, firstTry, now).due_at).toBe(now + firstWait)
  })

  test('the next attempt is never after the message expires, which is recorded in time', () => {
    const next = afterSend(refusal, { ...firstTry, attempts: 9 }, now)
    expect(withinLife(next, now + 30_000, now).due_at).toBe(now + 30_000)
    expect(withinLife(next, now - 1, now).due_at).toBe(now + 1000)
  })

  test('a permanent refusal fails at once', () => {
    expect(afterSend({ ...refusal, is_permanent: true }, firstTry, now)).toMatchObject({
      state: 'failed',
      is_opt_out: false,
    })
    expect(afterSend({ ...refusal, is_permanent: true, is_opt_out: true }, firstTry, now)).toMatchObject({
      state: 'failed',
      error: 'Opted out.',
      is_opt_out: true,
    })
  })

  test('an attempt without an answer counts neither as sent nor as refused', () => {
    expect(afterSend(timeOut, firstTry, now)).toMatchObject({
      state: 'unconfirmed',
      due_at: now + ASK_AFTER_MS,
      may_have_arrived: true,
      provider_id: null,
    })
    expect(afterSend(timeOut, { ...firstTry, attempts: 50 }, now).state).toBe('unconfirmed')
  })

  test('if sending again is the lookup, an ambiguous message waits for the next attempt, after any number of attempts', () => {
    const safe = { ...firstTry, is_resend_safe: true }
    expect(afterSend(timeOut, safe, now)).toMatchObject({ state: 'unconfirmed', due_at: now + firstWait })
    expect(afterSend(timeOut, { ...safe, attempts: 50 }, now)).toMatchObject({
      state: 'unconfirmed',
      may_have_arrived: true,
    })
  })

  test('a refusal does not settle an earlier ambiguous attempt, and is not a repeat', () => {
    const repeat = { ...firstTry, attempts: 2, may_have_arrived: true, is_repeat: true }
    expect(afterSend(refusal, repeat, now)).toMatchObject({
      state: 'unconfirmed',
      may_have_arrived: true,
      is_repeated: false,
    })
    expect(afterSend({ ...refusal, is_permanent: true }, repeat, now)).toMatchObject({
      state: 'failed',
      may_have_arrived: true,
      error: 'HTTP 429. It may have arrived.',
      is_repeated: false,
    })
    expect(afterSend({ kind: 'accepted', provider_id: '7', at: now }, repeat, now).is_repeated).toBe(true)
  })
})

describe('after a lookup', () => {
  test('a found message is sent', () => {
    expect(afterFind({ kind: 'found', provider_id: 'SM9' }, doubt, now)).toMatchObject({
      state: 'sent',
      provider_id: 'SM9',
      accepted_at: now,
    })
  })

  test('a missing message is sent again, but not before the next attempt is due', () => {
    const early = afterFind({ kind: 'absent' }, doubt, now + ASK_AFTER_MS)
    expect(early).toMatchObject({ state: 'unconfirmed', due_at: now + firstWait })
    expect(afterFind({ kind: 'absent' }, doubt, now + firstWait)).toEqual({
      state: 'send',
      is_repeat: false,
      was_repeated: false,
      may_have_arrived: false,
    })
    expect(afterFind({ kind: 'absent' }, { ...doubt, attempts: 50 }, now + 9e9)).toMatchObject({ state: 'send' })
  })

  test('a provider that cannot be asked is asked for two minutes, then one repeat is sent and no second', () => {
    const soon = afterFind(cannotAsk, doubt, now + ASK_AFTER_MS)
    expect(soon).toMatchObject({ state: 'unconfirmed', is_repeated: false })
    expect(afterFind(cannotAsk, doubt, now + REPEAT_AFTER_MS - 1)).toMatchObject({ due_at: now + REPEAT_AFTER_MS })
    expect(afterFind(cannotAsk, doubt, now + REPEAT_AFTER_MS)).toMatchObject({ state: 'send', is_repeat: true })
    const repeated = { ...doubt, attempts: 2, is_repeated: true }
    expect(afterFind(cannotAsk, repeated, now + REPEAT_AFTER_MS - 1).state).toBe('unconfirmed')
    expect(afterFind(cannotAsk, repeated, now + REPEAT_AFTER_MS)).toMatchObject({
      state: 'failed',
      is_repeated: true,
      may_have_arrived: true,
      error: 'no answer within 10 s. It may have arrived.',
    })
  })

  test('a message that is no longer needed is not sent again, and shows what is known', () => {
    expect(afterCancellation(optedOut, null, false, now)).toMatchObject({ state: 'canceled', error: 'Opted out.' })
    expect(afterCancellation(optedOut, { kind: 'absent' }, false, now).error).toBe('Opted out.')
    expect(afterCancellation(optedOut, cannotAsk, false, now).error).toBe('Opted out. It may have arrived.')
    expect(afterCancellation(optedOut, { kind: 'found', provider_id: 'SM1' }, false, now).state).toBe('sent')
    expect(afterCancellation(gone, null, false, now)).toMatchObject({
      state: 'gone',
      error: 'Seat gone before it was sent.',
      may_have_arrived: false,
    })
  })
})

test('a message leaves only if the next runner, when the claim is over, can find it at its provider', () => {
  const claim = { claim: now + ASK_AFTER_MS + 10_000, timeout_ms: 10_000 }
  expect(hasTimeToSend(claim, now)).toBe(true)
  expect(hasTimeToSend(claim, now + 1)).toBe(false)
})
