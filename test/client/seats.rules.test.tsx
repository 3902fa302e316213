import { renderToString } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import { SeatBar, takenShare } from '../../client/components/seat-bar.tsx'
import { seatLine, describeSeats } from '../../client/components/seat-line.ts'
import {
  alertsHref,
  instructionText,
  seatsText,
  sectionName,
  sectionNumbers,
  waitlistText,
  withheldText,
} from '../../client/islands/class-tracker/section-text.ts'
import type { SeatChange } from '../../src/class-tracker/courses/contract.ts'
import { courseSection } from './samples.ts'

const frame = { from: 0, to: 100_000, width: 100, height: 10 }
const at = (milliseconds: number, seats: number | null, status: SeatChange['status'] = 'closed'): SeatChange => ({
  at: new Date(milliseconds).toISOString(),
  status,
  seats_available: seats,
  capacity: 10,
  waitlist_available: null,
})

describe('the line of seats', () => {
  test('is stepped up to the right edge', () => {
    const { line, top } = seatLine([at(0, 0), at(50_000, 4, 'open')], frame)
    expect(line).toBe('M0 10H50V0H100')
    expect(top).toBe(4)
  })

  test('marks when the section was open', () => {
    expect(seatLine([at(0, 1, 'open'), at(25_000, 0)], frame).open).toEqual([{ x: 0, width: 25 }])
  })

  test('has a gap if nothing was known, and treats negative seats as zero', () => {
    expect(seatLine([at(0, -3), at(20_000, null, 'unknown'), at(60_000, 2)], frame).line).toBe('M0 10H20M60 0H100')
  })

  test('starts at the frame with the state before it', () => {
    expect(seatLine([at(-50_000, 1), at(50_000, 2)], frame).line).toBe('M0 5H50V0H100')
    expect(seatLine([at(-50_000, 1), at(-10_000, 2)], { ...frame }).line).toBe('M0 0H100')
  })

  test('is empty without a history', () => {
    expect(seatLine([], frame)).toEqual({ line: '', open: [], top: 1 })
  })

  test('has a text for screen readers', () => {
    expect(describeSeats([])).toBe('No seat history yet')
    expect(describeSeats([at(0, -1), at(1, 3, 'open'), at(2, 2, 'open')])).toBe(
      'Seats between 0 and 3, open once, now 2',
    )
  })
})

describe('the bar of seats', () => {
  test('shows the taken part: a share between nothing and everything', () => {
    expect(takenShare({ seats: 3, capacity: 120 })).toBe(97.5)
    expect(takenShare({ seats: 0, capacity: 120 })).toBe(100)
    expect(takenShare({ seats: -4, capacity: 120 })).toBe(100)
    expect(takenShare({ seats: 130, capacity: 120 })).toBe(0)
    expect(takenShare({ seats: null, capacity: 120 })).toBeNull()
    expect(takenShare({ seats: 1, capacity: null })).toBeNull()
    expect(takenShare({ seats: 0, capacity: 0 })).toBeNull()
  })

  test('has a dot only for an open section, and never cut off', () => {
    const drawn = (status: 'open' | 'waitlisted' | 'closed' | 'unknown', seats: number | null) =>
      renderToString(<SeatBar status={status} seats={seats} capacity={120} />)
    expect(drawn('open', 3)).toContain('cx="97.5%"')
    expect(drawn('open', 1)).toContain('cx="98.2%"')
    expect(drawn('open', 120)).toContain('cx="2%"')
    expect(drawn('closed', 0)).not.toContain('circle')
    expect(drawn('closed', 3)).not.toContain('seat-dot')
    expect(drawn('waitlisted', 0)).toContain('seat-ring')
    expect(drawn('unknown', 3)).not.toContain('seat-dot')
    expect(drawn('open', null)).not.toContain('seat-dot')
  })
})

describe('a section in words', () => {
  test("has its topic, otherwise its course's title", () => {
    expect(sectionName(courseSection())).toBe('CMIS 2300 - Business Analytics')
    expect(sectionName(courseSection({ topic: ' ' }))).toBe('CMIS 2300 - Analytics')
  })

  test.each([
    [3, 120, '3 left of 120'],
    [-2, 120, '0 left of 120'],
    [null, 120, 'Unknown (120 total)'],
    [3, null, '3 left'],
    [null, null, 'Unknown'],
  ])('%s of %s seats is %s', (seats, capacity, text) => {
    expect(seatsText({ seats_available: seats, capacity })).toBe(text)
  })

  test('shows the waitlist of a section without a seat', () => {
    expect(withheldText({ status: 'closed', seats_available: 14 })).toBe('Seats reserved or shared')
    expect(withheldText({ status: 'waitlisted', seats_available: 2 })).toBe('Seats go to the waitlist')
    expect(withheldText({ status: 'open', seats_available: 2 })).toBe('')
    expect(withheldText({ status: 'closed', seats_available: 0 })).toBe('')
    const shared = { status: 'open', seats_available: 5, seats_for_anyone: 2, capacity: 30 } as const
    expect(withheldText(shared)).toBe('3 more reserved or shared')
    expect(seatsText(shared)).toBe('2 left of 30')
    expect(waitlistText({ status: 'waitlisted', waitlist_available: 1 })).toBe('1 waitlist place')
    expect(waitlistText({ status: 'closed', waitlist_available: 0 })).toBe('Waitlist full')
    expect(waitlistText({ status: 'closed', waitlist_available: null })).toBe('')
    expect(waitlistText({ status: 'open', waitlist_available: 5 })).toBe('')
  })

  test('is found among the alerts, with and without a number', () => {
    expect(alertsHref(courseSection())).toBe('/class_tracker/class_alerts/?q=39314')
    expect(alertsHref(courseSection({ number: '' }))).toBe('/class_tracker/class_alerts/?q=CMIS+2300+KTRA')
  })

  test('leaves out what the school does not say', () => {
    expect(
      instructionText([
        { name: '', days_times: 'Mo 9' },
        { name: 'Lee', days_times: '' },
      ]),
    ).toBe('Mo 9; Lee')
    expect(sectionNumbers({ section: '39314', number: '39314', number_label: 'CRN' })).toBe('CRN 39314')
    expect(sectionNumbers({ section: 'A1', number: '', number_label: 'CRN' })).toBe('Section A1')
  })
})
