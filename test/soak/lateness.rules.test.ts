import { describe, expect, it } from 'vitest'
import { latenessOf, type Sent } from './lateness.ts'

const start = Date.UTC(2026, 10, 22)
const sms = (made: number, accepted: number, attempts = 1): Sent => ({
  channel: 'phone',
  created_at: start + made * 1000,
  accepted_at: start + accepted * 1000,
  attempts,
  units: 1,
})
const fault = (channel: 'phone' | 'email' | 'every', from: number, to: number) => ({
  channel,
  from: start + from * 1000,
  to: start + to * 1000,
})

describe('late alerts of a soak run', () => {
  it('are those that wait longer than their turn and their transfer explain', () => {
    const { late, waits } = latenessOf([sms(0, 2), sms(100, 130)], [])
    expect(waits).toEqual([2, 30])
    expect(late).toHaveLength(1)
  })

  it('do not include those that wait for their turn behind others', () => {
    const burst = Array.from({ length: 60 }, (_, place) => sms(0, place * 1.1 + 5))
    expect(latenessOf(burst, []).late).toEqual([])
    expect(
      latenessOf(
        burst.map((one) => ({ ...one, accepted_at: one.accepted_at + 60_000 })),
        [],
      ).late,
    ).toHaveLength(60)
    const long = [{ ...sms(0, 2), units: 3 }, sms(0, 12)]
    expect(latenessOf(long, []).late).toEqual([])
    expect(latenessOf([sms(0, 63)], []).late).toHaveLength(1)
  })

  it('do not include those delayed by a fault of their provider or a stop of the app, for as long as that explains', () => {
    const met = [sms(0, 200)]
    expect(latenessOf(met, [fault('phone', 1, 20)]).late).toEqual([])
    expect(latenessOf(met, [fault('every', 1, 5)]).late).toEqual([])
    expect(latenessOf(met, [fault('email', 1, 20)]).late).toHaveLength(1)
    expect(latenessOf([sms(25, 100)], [fault('phone', 1, 20)]).late).toEqual([])
    expect(latenessOf([sms(25, 120)], [fault('phone', 1, 20)]).late).toHaveLength(1)
    expect(latenessOf(met, [fault('phone', 201, 220)]).late).toHaveLength(1)
    expect(latenessOf([sms(0, 2000)], [fault('phone', 1, 20)]).late).toHaveLength(1)
  })
})
