import { expect, test } from 'vitest'
import { alertDays } from '../../client/islands/class-tracker/alert-days.ts'
import { alertSearch } from '../../client/islands/class-tracker/alert-query.ts'
import { deliverySteps, seatToPhoneText } from '../../client/islands/class-tracker/delivery-steps.ts'
import { DeliveryState } from '../../src/class-tracker/contract.ts'
import { classAlert, delivery } from './samples.ts'

test('alerts stand under the day they fell on where the reader is', () => {
  const alerts = ['2026-11-03T06:00:00Z', '2026-11-03T04:00:00Z', '2026-11-02T12:00:00Z'].map((made, index) =>
    classAlert({ id: index, datetime_created: made }),
  )
  const days = alertDays(alerts, 'America/New_York')
  expect(days.map(({ key, alerts: of }) => [key, of.length])).toEqual([
    ['2026-11-03', 1],
    ['2026-11-02', 2],
  ])
})

test('the address says what is filtered, and nothing more', () => {
  expect(alertSearch({ recipientId: null, q: ' ', page: 1 })).toBe('')
  expect(alertSearch({ recipientId: 4, q: 'c++ & more', page: 2 })).toBe('?recipient_id=4&q=c%2B%2B+%26+more&page=2')
})

test('no state is shown as sent or delivered before the provider said so', () => {
  const done = (state: DeliveryState) =>
    deliverySteps({ state })
      .filter((step) => step.state === 'done')
      .map(({ label }) => label)
  for (const state of DeliveryState.options) {
    expect(done(state).includes('sent'), state).toBe(state === 'sent' || state === 'delivered')
    expect(done(state).includes('delivered'), state).toBe(state === 'delivered')
  }
})

test('from seat to phone is told once a provider accepted, for an opening', () => {
  expect(seatToPhoneText(classAlert())).toBe('8 s from seat to phone')
  expect(seatToPhoneText(classAlert({ deliveries: [delivery({ channel: 'email' })] }))).toBe('8 s from seat to message')
  expect(seatToPhoneText(classAlert({ accepted_at: null }))).toBe('')
  expect(seatToPhoneText(classAlert({ kind: 'reminder' }))).toBe('')
})
