import { describe, expect, test } from 'vitest'
import { healthOf, type SourceRecord } from '../../src/class-tracker/courses/health-of-source.ts'

const source: SourceRecord = {
  is_enabled: true,
  failures: 0,
  paused_until: null,
  last_good_at: 1,
  terms_refreshed_at: 1,
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
