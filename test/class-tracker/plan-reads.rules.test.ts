import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  readMs,
  planReads,
  RECENT_OPENING_MS,
  requestsWithExtras,
  weightOf,
} from '../../src/class-tracker/polling/plan-reads.ts'

const POLL_MS = 15_000

/**
 * Polls a source whose budget is too small: rounds in runs of some reads each. Returns how long each group waited
 * between reads, in ms.
 */
function playRounds(weights: readonly number[], budget: number, readAtOnce: number, minutes: number) {
  const requests = requestsWithExtras(weights.length, { poll_seconds: 15, requests_per_minute: budget })
  const interval_ms = Math.max(POLL_MS, (60_000 * requests) / budget)
  const pace = 60_000 / budget
  const read_ms = Math.min(readMs(interval_ms, weights.length), pace)
  const groups = weights.map((weight, id) => ({ id, weight, term: '1', asked_at: -interval_ms + id * pace }))
  const gaps = weights.map((): number[] => [])
  let now = 0
  let round = 0
  while (now < minutes * 60_000) {
    const due = groups.flatMap((group) => {
      const is_extra = group.asked_at >= round
      return is_extra && now - group.asked_at < POLL_MS ? [] : [{ ...group, is_extra }]
    })
    const plan = planReads(due, { now, interval_ms, read_ms })
    if (plan.length === 0) {
      // A finished round is followed by the next, at once or when its interval has passed.
      now = Math.max(now, round + POLL_MS)
      round = now
      continue
    }
    for (const { id } of plan.slice(0, readAtOnce)) {
      const group = groups[id]
      if (!group) continue
      gaps[id]?.push(now - group.asked_at)
      group.asked_at = now
      now += pace
    }
  }
  return { gaps, interval_ms, pace }
}

const average = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

describe('reads of a source with too small a budget for its poll seconds', () => {
  test('leave no group waiting longer than the displayed interval, regardless of which groups wait', () => {
    const weights = fc.array(fc.oneof(fc.constant(1), fc.nat(5), fc.nat(400)), { minLength: 20, maxLength: 120 })
    fc.assert(
      fc.property(weights, fc.integer({ min: 20, max: 70 }), fc.integer({ min: 1, max: 25 }), (all, budget, atOnce) => {
        const { gaps, interval_ms, pace } = playRounds(all, budget, atOnce, 20)
        for (const own of gaps) {
          expect(own.length).toBeGreaterThan(0)
          // A read takes time, too.
          for (const gap of own.slice(1)) expect(gap).toBeLessThanOrEqual(interval_ms + pace)
        }
      }),
    )
  })

  test('go first to the groups with the most watchers', () => {
    const weights = [500, ...Array.from({ length: 119 }, () => 1)]
    const { gaps, interval_ms } = playRounds(weights, 60, 5, 60)
    expect(average(gaps[0] ?? [])).toBeLessThan(interval_ms / 3)
    expect(average(gaps[60] ?? [])).toBeGreaterThan(interval_ms * 0.75)
  })

  test('are in the order of their age if all have the same weight, once per round', () => {
    const due = [5, 3, 9, 1].map((asked_at) => ({ asked_at, term: '1', weight: 2, is_extra: asked_at === 9 }))
    const plan = planReads(due, { now: 10, interval_ms: 1e9, read_ms: 1 })
    expect(plan.map(({ asked_at }) => asked_at)).toEqual([1, 3, 5])
  })

  test('of one term stay together, the term that waited longest first', () => {
    const due = [1, 2, 3, 4].map((asked_at) => ({
      asked_at,
      term: String(asked_at % 2),
      weight: asked_at,
      is_extra: false,
    }))
    const plan = planReads(due, { now: 10, interval_ms: 1e9, read_ms: 1 })
    expect(plan.map(({ asked_at }) => asked_at)).toEqual([3, 1, 2, 4])
  })
})

test('prefer a group with a recent opening', () => {
  const now = 1e9
  expect(weightOf(3, null, now)).toBe(3)
  expect(weightOf(3, now - RECENT_OPENING_MS, now)).toBe(3)
  expect(weightOf(3, now - RECENT_OPENING_MS + 1, now)).toBe(12)
})

test('a round that fits into the poll seconds has no extra reads', () => {
  expect(requestsWithExtras(15, { poll_seconds: 15, requests_per_minute: 60 })).toBe(15)
  expect(requestsWithExtras(16, { poll_seconds: 15, requests_per_minute: 60 })).toBe(20)
})
