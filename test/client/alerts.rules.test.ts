import { describe, expect, test } from 'vitest'
import { alertDays } from '../../client/islands/class-tracker/alert-groups.ts'
import { alertSearch, noQuery } from '../../client/islands/class-tracker/use-alerts.ts'
import {
  answerStep,
  deliverySteps,
  responseTimeText,
  stepTimeText,
} from '../../client/islands/class-tracker/delivery-steps.ts'
import { type ClassAlert, Delivery } from '../../src/class-tracker/alerts/contract.ts'
import { classAlert, delivery } from './samples.ts'

test("alerts are grouped by day in the reader's time zone", () => {
  const alerts = ['2026-11-03T06:00:00Z', '2026-11-03T04:00:00Z', '2026-11-02T12:00:00Z'].map((made, index) =>
    classAlert({ id: index, datetime_created: made }),
  )
  const days = alertDays(alerts, 'America/New_York')
  expect(days.map(([day, of]) => [day, of.length])).toEqual([
    ['2026-11-03', 1],
    ['2026-11-02', 2],
  ])
})

test('the address contains only active filters', () => {
  expect(alertSearch({ ...noQuery, q: ' ' })).toBe('')
  expect(alertSearch({ recipient_id: '4', result: 'failed', channel: 'email', q: 'c++ & more' }, 2)).toBe(
    '?recipient_id=4&result=failed&channel=email&q=c%2B%2B+%26+more&page=2',
  )
})

test('no state is shown as sent or delivered before the provider said so', () => {
  const done = (state: Delivery['state']) =>
    deliverySteps({ channel: 'phone', state })
      .filter((step) => step.state === 'done')
      .map(({ label }) => label)
  for (const state of Delivery.shape.state.options) {
    expect(done(state).includes('accepted'), state).toBe(['sent', 'delivered', 'opened'].includes(state))
    expect(done(state).includes('delivered'), state).toBe(state === 'delivered')
  }
})

test('a channel without receipts ends when its provider accepts the message', () => {
  const labels = (channel: 'phone' | 'email' | 'discord', state: Delivery['state']) =>
    deliverySteps({ channel, state }).map(({ label }) => label)
  expect(labels('phone', 'sent')).toEqual(['queued', 'accepted', 'delivered'])
  for (const channel of ['email', 'discord'] as const) {
    expect(labels(channel, 'sent')).toEqual(['queued', 'accepted'])
    for (const state of ['queued', 'unconfirmed'] as const) expect(labels(channel, state)).not.toContain('delivered')
  }
})

test('a message that the school did not confirm is not called too old', () => {
  const last = (changes: Partial<Delivery>) => deliverySteps(delivery({ state: 'expired', ...changes })).at(-1)?.label
  expect(last({ is_seat_unconfirmed: true })).toBe('seat not confirmed')
  expect(last({})).toBe('expired before it was sent')
})

test('seconds count from when the seat was seen, only if recorded', () => {
  const from = '2026-11-03T19:05:00.000Z'
  const sent = delivery({ accepted_at: '2026-11-03T19:05:00.400Z', delivered_at: '2026-11-03T19:05:03.100Z' })
  expect(
    ['queued', 'accepted', 'delivered', 'shown', 'opened'].map((label) => stepTimeText(sent, label, from)),
  ).toEqual(['', '400 ms', '3.1 s', '3.1 s', ''])
  expect(stepTimeText({ ...sent, delivered_at: null }, 'delivered', from)).toBe('')
})

describe('seeing a message', () => {
  const from = '2026-11-03T19:05:00.000Z'
  const at = '2026-11-03T19:05:41.000Z'
  const steps = (changes: Partial<Delivery>) => {
    const one = delivery({ accepted_at: null, delivered_at: null, ...changes })
    return [...deliverySteps(one), ...answerStep(one)].map(({ label }) => [label, stepTimeText(one, label, from)])
  }

  test.each([
    ['got_it', 'got it'],
    ['passed', 'passed'],
    ['copied', 'number copied'],
    ['stopped', 'stopped'],
    [null, 'seen'],
  ] as const)('by %s is its last step, with the time since we saw the seat', (seen_by, label) => {
    for (const channel of ['phone', 'email', 'discord'] as const)
      expect(steps({ channel, state: 'opened', seen_at: at, seen_by }).at(-1)).toEqual([label, '41 s'])
  })

  test('is reported by its device: shown, then opened', () => {
    const shown = { channel: 'push', delivered_at: '2026-11-03T19:05:01.200Z' } as const
    expect(steps({ ...shown, state: 'delivered', seen_at: shown.delivered_at, seen_by: 'shown' }).at(-1)).toEqual([
      'shown',
      '1.2 s',
    ])
    expect(steps({ ...shown, state: 'opened', seen_at: shown.delivered_at, seen_by: 'shown' }).slice(-2)).toEqual([
      ['shown', '1.2 s'],
      ['opened', ''],
    ])
    expect(steps({ ...shown, state: 'opened', delivered_at: at, seen_at: at, seen_by: 'opened' }).slice(-2)).toEqual([
      ['shown', '41 s'],
      ['opened', '41 s'],
    ])
  })

  test('is never assumed: without an answer, an email and a webhook end as accepted', () => {
    for (const state of Delivery.shape.state.options) expect(answerStep(delivery({ state }))).toEqual([])
    for (const channel of ['email', 'discord'] as const)
      expect(steps({ channel, state: 'sent', accepted_at: at })).toEqual([
        ['queued', ''],
        ['accepted', '41 s'],
      ])
  })
})

describe("the summary of an alert's timing", () => {
  const at = (seconds: number) => new Date(Date.UTC(2026, 10, 3, 19, 5, 0) + seconds * 1000).toISOString()
  const accepted = (seconds: number, changes: Partial<Delivery> = {}) =>
    delivery({ state: 'sent', accepted_at: at(seconds), delivered_at: null, ...changes })
  const text = (deliveries: Delivery[], changes: Partial<ClassAlert> = {}) =>
    responseTimeText(classAlert({ seen_open_at: at(0), last_closed_at: at(-16.2), deliveries, ...changes }))

  test('gives our own time, and how long the seat may have been open unseen', () => {
    expect(text([accepted(1)])).toBe('Sent 1 s after we saw it · open at most 17 s before that')
    expect(text([accepted(0.2)], { last_closed_at: at(-121) })).toBe(
      'Sent under 1 s after we saw it · open at most 3 min before that',
    )
  })

  test('leaves out unknown times, and is never negative', () => {
    expect(text([accepted(1)], { last_closed_at: null })).toBe('Sent 1 s after we saw it')
    expect(text([accepted(-5)], { last_closed_at: at(9) })).toBe(
      'Sent under 1 s after we saw it · open at most 1 s before that',
    )
  })

  test('counts the last message, and only those that a provider accepted', () => {
    expect(text([accepted(1), accepted(40, { channel: 'email' })])).toMatch(/^Sent 40 s after/)
    const doubtful = delivery({ state: 'unconfirmed', accepted_at: null, delivered_at: null })
    expect(text([doubtful])).toBe('')
    expect(text([accepted(1, { channel: 'email' }), doubtful], { last_closed_at: null })).toBe(
      'Email sent 1 s after we saw it, SMS on its way',
    )
    // A provider accepted it and gave it up later: its acceptance does not count.
    expect(text([accepted(1, { state: 'failed' })])).toBe('')
    expect(text([accepted(1)], { kind: 'reminder' })).toBe('')
  })
})
