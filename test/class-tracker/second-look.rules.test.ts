import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  areContradicted,
  type DoubtedOpening,
  doubtAfter,
  findingOf,
  nextStep,
} from '../../src/class-tracker/polling/second-look-rules.ts'
import { NO_FIGURES, type StatedSeats, statedSeats } from '../../src/sources/judge.ts'
import type { Figures, Observation, Status } from '../../src/sources/source.ts'
import { isGroupImplausible, isImplausible, looksImplausible } from '../../src/class-tracker/polling/openings.ts'

describe('a second look', () => {
  const told = (stated: Status | null, figures: Partial<Figures>, more: Partial<Observation> = {}): StatedSeats =>
    statedSeats({ section_key: '1', stated, figures: { ...NO_FIGURES, ...figures }, doubts: [], ...more })
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
    expect(findingOf(seen, { capacity, known: { capacity } })).toBe(finding)
  })

  test.each([
    ['the new capacity of a class that the list has just enlarged', 30, 35, 35, 'not_open'],
    ['the old capacity of a class that the list has just enlarged', 30, 35, 30, 'not_open'],
    ['another capacity than both', 30, 35, 40, 'no_answer'],
    ['zeros where the list no longer gives a capacity', 30, null, 0, 'no_answer'],
    ['a capacity where the list never gave one', null, null, 35, 'not_open'],
  ] as const)('that has %s', (_, stored, listed, capacity, finding) => {
    const seen = told(null, { capacity, enrolled: capacity, available: 0 })
    expect(findingOf(seen, { capacity: listed, known: { capacity: stored } })).toBe(finding)
  })

  const waited = { ...free, waitlist_total: 6 }

  test.each([
    ['and the list has no figures', false, 'people_wait'],
    ['and the list shows that no one waits', undefined, 'not_open'],
  ] as const)('that tells of people waiting, %s', (_, has_figures, finding) => {
    const list = has_figures === false ? { has_figures } : {}
    for (const seen of [told(null, waited), told('open', waited), told('closed', { ...full, waitlist_total: 6 })])
      expect(findingOf(seen, { ...list, capacity: 30, known: { capacity: 30 } })).toBe(finding)
  })

  /** What is done about an opening in rounds so far apart, when each look finds the same. */
  function stepsOf(apartMs: number, rounds: number, finding: 'not_open' | 'people_wait'): string[] {
    let doubt: DoubtedOpening | undefined
    const steps: string[] = []
    for (let round = 0; round < rounds; round += 1) {
      const now = 1_000_000 + round * apartMs
      const step = nextStep(doubt, now)
      steps.push(step)
      if (step === 'look') doubt = doubtAfter(doubt, finding, now)
    }
    return steps
  }

  test('is overruled in the third round in a row in which the list says open, but not within three minutes', () => {
    expect(stepsOf(300_000, 3, 'not_open')).toEqual(['look', 'look', 'overrule'])
    for (const apartMs of [15_000, 30_000, 60_000, 90_000, 120_000]) {
      const steps = stepsOf(apartMs, 20, 'not_open')
      const after = steps.indexOf('overrule') * apartMs
      expect(after, `every ${apartMs} ms`).toBeGreaterThanOrEqual(180_000)
      expect(after, `every ${apartMs} ms`).toBeLessThanOrEqual(240_000)
      expect(new Set(steps.slice(0, steps.indexOf('overrule')))).toEqual(new Set(['look']))
    }
  })

  test('is never overruled while it tells of people waiting', () => {
    const steps = stepsOf(60_000, 100, 'people_wait')
    expect(new Set(steps)).toEqual(new Set(['look', 'wait']))
    // Every other minute, so that new openings find looks left.
    expect(steps.filter((step) => step === 'look')).toHaveLength(50)
  })

  test('waits if two reads belong to one round', () => {
    expect(nextStep({ rounds: 1, doubted_at: 50_000 }, 52_000)).toBe('wait')
    expect(nextStep({ rounds: 2, doubted_at: 50_000 }, 52_000)).toBe('wait')
    expect(nextStep({ rounds: 1, doubted_at: 50_000 }, 65_000)).toBe('look')
  })

  test('that tells of people waiting does not make the list wrong about other sections', () => {
    expect(areContradicted(['not_open', 'not_open', 'no_answer'])).toBe(true)
    expect(areContradicted(['people_wait', 'people_wait', 'no_answer'])).toBe(false)
    expect(areContradicted(['people_wait', 'not_open', 'no_answer'])).toBe(false)
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

  test.each([
    [20, 20, false],
    [21, 41, true],
    [21, 42, false],
    [30, 59, true],
  ])('of one group: %d openings among its %d watched sections', (opened, watched, isTripped) => {
    expect(isGroupImplausible(opened, watched)).toBe(isTripped)
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
