import fc from 'fast-check'
import { expect, test } from 'vitest'
import { spareRequests } from '../../src/class-tracker/courses/host-share.ts'

const ALONE = { host_requests_per_minute: null, other_polls: 0 }

test('a refresh gets what the polls leave: everything if no one watches, a tenth if they need it all', () => {
  expect(spareRequests({ ...ALONE, requests_per_minute: 60, requests_a_round: 0, poll_seconds: 60 })).toBe(60)
  expect(spareRequests({ ...ALONE, requests_per_minute: 60, requests_a_round: 20, poll_seconds: 60 })).toBe(40)
  expect(spareRequests({ ...ALONE, requests_per_minute: 60, requests_a_round: 20, poll_seconds: 120 })).toBe(50)
  expect(spareRequests({ ...ALONE, requests_per_minute: 60, requests_a_round: 200, poll_seconds: 60 })).toBe(6)
  expect(spareRequests({ ...ALONE, requests_per_minute: 1, requests_a_round: 5, poll_seconds: 15 })).toBe(1)
})

test('it always gets enough for a group, never more than there is, and never takes what a round needs beyond a tenth', () => {
  const figures = fc.record({
    requests_per_minute: fc.integer({ min: 1, max: 6000 }),
    requests_a_round: fc.nat(2000),
    poll_seconds: fc.integer({ min: 15, max: 3600 }),
  })
  fc.assert(
    fc.property(figures, (source) => {
      const spare = spareRequests({ ...ALONE, ...source })
      expect(spare).toBeGreaterThanOrEqual(Math.min(6, source.requests_per_minute))
      expect(spare).toBeLessThanOrEqual(source.requests_per_minute)
      const polls = Math.min(source.requests_per_minute, (60 * source.requests_a_round) / source.poll_seconds)
      expect(source.requests_per_minute - spare).toBeGreaterThanOrEqual(
        Math.min(polls, Math.floor(source.requests_per_minute * 0.9), source.requests_per_minute - 6) - 1,
      )
    }),
  )
})

test('on a shared host all refreshes together get what the polls of all its sources leave', () => {
  const source = { requests_per_minute: 20, requests_a_round: 10, poll_seconds: 60, host_requests_per_minute: 60 }
  expect(spareRequests({ ...source, other_polls: 0 })).toBe(50)
  expect(spareRequests({ ...source, other_polls: 30 })).toBe(20)
  expect(spareRequests({ ...source, other_polls: 300 })).toBe(6)
})
