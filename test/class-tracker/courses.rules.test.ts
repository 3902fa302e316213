import { describe, expect, test } from 'vitest'
import { effectiveInterval, healthOf, type SourceRecord } from '../../src/class-tracker/courses/health-of-source.ts'
import { byCourse, naturalOrder } from '../../src/class-tracker/courses/natural-order.ts'

const source: SourceRecord = {
  is_enabled: true,
  failures: 0,
  paused_until: null,
  last_good_at: 1,
  terms_refreshed_at: 1,
  poll_seconds: 60,
  requests_per_minute: 60,
  requests_a_round: 10,
  is_watched: true,
}

describe('source health', () => {
  test.each([
    ['healthy', {}],
    ['healthy', { paused_until: 999 }],
    ['healthy', { last_good_at: null }],
    ['never', { last_good_at: null, terms_refreshed_at: null }],
    ['failing', { failures: 1, last_good_at: null, terms_refreshed_at: null }],
    ['paused', { failures: 5, paused_until: 1001 }],
    ['disabled', { is_enabled: false, failures: 5, paused_until: 1001 }],
  ] as const)('is %s with %j', (health, facts) => {
    expect(healthOf({ ...source, ...facts }, 1000)).toBe(health)
  })

  test.each([
    ['partial', { unread_sections: 1 }, {}],
    ['healthy', { unread_sections: 0 }, {}],
    ['paused', { unread_sections: 1, are_polls_paused: true }, {}],
    ['paused', { are_polls_paused: true }, {}],
    ['failing', { unread_sections: 1, are_polls_paused: true }, { failures: 1 }],
    ['disabled', { unread_sections: 1, are_polls_paused: true }, { is_enabled: false }],
    ['never', { are_polls_paused: true }, { last_good_at: null, terms_refreshed_at: null }],
  ] as const)('is %s where %j is also so', (health, reading, facts) => {
    expect(healthOf({ ...source, ...facts }, 1000, reading)).toBe(health)
  })
})

describe('effective interval', () => {
  test.each([
    [60, {}],
    [120, { requests_a_round: 120 }],
    [61, { requests_a_round: 61, requests_per_minute: 60 }],
    [13, { requests_a_round: 61, requests_per_minute: 300, poll_seconds: 5 }],
    [60, { requests_a_round: null }],
    [null, { is_watched: false }],
  ])('is %j seconds with %j', (seconds, facts) => {
    expect(effectiveInterval({ ...source, ...facts })).toBe(seconds)
  })
})

test('natural order counts numbers in text and ignores case', () => {
  expect(['10H', '9', '100', '10'].toSorted(naturalOrder)).toEqual(['9', '10', '10H', '100'])
  const courses = [
    { code: 'MATH', level: '1' },
    { code: 'cis', level: '1000' },
    { code: 'CIS', level: '999' },
  ]
  expect(courses.toSorted(byCourse).map(({ level }) => level)).toEqual(['999', '1000', '1'])
})
