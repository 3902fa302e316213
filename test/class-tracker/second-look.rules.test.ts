import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type DoubtedOpening,
  findingOf,
  MAX_DOUBTED_ROUNDS,
  nextStep,
} from '../../src/class-tracker/polling/second-look-rules.ts'
import { isImplausible, looksImplausible } from '../../src/class-tracker/polling/openings.ts'

describe('a second look', () => {
  const closed = { status: 'closed', capacity: 30 }

  test.each([
    ['says open', { status: 'open', capacity: 30 }, 30, 'open'],
    ['says closed, of the same capacity', closed, 30, 'not_open'],
    ['says waitlisted, of the same capacity', { status: 'waitlisted', capacity: 30 }, 30, 'not_open'],
    ['is about another capacity', closed, 25, 'no_answer'],
    ['is full of zeros, as for a section that does not exist', { status: 'closed', capacity: 0 }, 30, 'no_answer'],
    ['names no capacity', { status: 'closed', capacity: null }, 30, 'no_answer'],
    ['says closed where the list gives no capacity', closed, null, 'not_open'],
    ['is full of zeros where the list gives none', { status: 'closed', capacity: 0 }, null, 'no_answer'],
    ['contradicts itself', { status: 'unknown', capacity: 30 }, 30, 'no_answer'],
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
