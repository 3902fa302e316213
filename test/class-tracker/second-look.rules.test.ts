import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type DoubtedOpening,
  findingOf,
  MAX_DOUBTED_ROUNDS,
  nextStep,
} from '../../src/class-tracker/polling/second-look-rules.ts'
import { NO_FIGURES, type Told, toldBy } from '../../src/sources/judge.ts'
import type { Figures, Observation, Status } from '../../src/sources/source.ts'
import { isImplausible, looksImplausible } from '../../src/class-tracker/polling/openings.ts'

describe('a second look', () => {
  const told = (stated: Status | null, figures: Partial<Figures>, more: Partial<Observation> = {}): Told =>
    toldBy({ section_key: '1', stated, figures: { ...NO_FIGURES, ...figures }, doubts: [], ...more })
  const full = { capacity: 30, enrolled: 30, available: 0 }
  const free = { capacity: 30, enrolled: 29, available: 1 }
  const zeros = { capacity: 0, enrolled: 0, available: 0 }
  const closed = told('closed', full)

  test.each([
    ['says open', told('open', free), 30, 'open'],
    ['says closed, of the same capacity', closed, 30, 'not_open'],
    ['says closed while seats are free', told('closed', free), 30, 'not_open'],
    ['says waitlisted, of the same capacity', told('waitlisted', full), 30, 'not_open'],
    ['is about another capacity', closed, 25, 'no_answer'],
    ['is full of zeros, as for a section that does not exist', told('closed', zeros), 30, 'no_answer'],
    ['names no capacity', told('closed', {}), 30, 'no_answer'],
    ['says closed where the list gives no capacity', closed, null, 'not_open'],
    ['is full of zeros where the list gives none', told('closed', zeros), null, 'no_answer'],
    ['says open, and that no seat is free', told('open', full), 30, 'not_open'],
    [
      'says open, and that more are enrolled than it has seats',
      told('open', { ...full, enrolled: 31 }),
      30,
      'not_open',
    ],
    [
      'says open, and that every free seat is reserved',
      told('open', { ...free, unreserved_available: 0 }),
      30,
      'not_open',
    ],
    ['says open, with no free seat in the shared room', told('open', { ...free, shared_available: 0 }), 30, 'not_open'],
    ['says open, and that no seat of another capacity is free', told('open', full), 25, 'no_answer'],
    ['is full, of a school that has no word', told(null, { ...full, waitlist_capacity: 5 }), 30, 'not_open'],
    ['has figures that do not add up', told('open', { ...full, available: 3 }), 30, 'no_answer'],
    ['has figures that do not add up to none', told('closed', { ...full, enrolled: 20 }), 30, 'no_answer'],
    ['is full in a row that cannot be believed', told('open', full, { doubts: ['Half a row.'] }), 30, 'no_answer'],
    ['has no status', told('unknown', free), 30, 'no_answer'],
    ['gets no answer', null, 30, 'no_answer'],
  ])('that %s', (_, seen, capacity, finding) => {
    expect(findingOf(seen, { capacity })).toBe(finding)
  })

  test('is overruled by a list that says open in three consecutive rounds, never later', () => {
    let doubt: DoubtedOpening | undefined
    const steps: string[] = []
    for (let round = 0; round < MAX_DOUBTED_ROUNDS; round += 1) {
      const now = 1_000_000 + round * 15_000
      const step = nextStep(doubt, now)
      steps.push(step)
      doubt = { rounds: (doubt?.rounds ?? 0) + 1, doubted_at: now }
    }
    expect(steps).toEqual(['look', 'look', 'overrule'])
  })

  test('waits if two reads belong to one round', () => {
    expect(nextStep({ rounds: 1, doubted_at: 50_000 }, 52_000)).toBe('wait')
    expect(nextStep({ rounds: 2, doubted_at: 50_000 }, 52_000)).toBe('wait')
    expect(nextStep({ rounds: 1, doubted_at: 50_000 }, 65_000)).toBe('look')
  })
})

describe('an implausible round', () => {
  test.each([
    [20, 40, false],
    [21, 84, false],
    [21, 83, true],
    [21, 21, true],
    [500, 2001, false],
    [501, 2000, true],
  ])('of %d openings among %d watched sections', (opened, watched, isTripped) => {
    expect(isImplausible(opened, watched)).toBe(isTripped)
  })

  test('is anticipated: openings wait for more answers only while they are many and a large share', () => {
    expect(looksImplausible(4, 4)).toBe(false)
    expect(looksImplausible(5, 19)).toBe(true)
    expect(looksImplausible(5, 20)).toBe(false)
    fc.assert(
      fc.property(fc.nat(400), fc.nat(400), (opened, more) => {
        // Whatever would exceed the limit at the end of a round has waited since its sixth opening.
        if (isImplausible(opened, opened + more)) expect(looksImplausible(opened, opened + more)).toBe(true)
      }),
    )
  })
})
