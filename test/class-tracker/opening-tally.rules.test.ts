import { describe, expect, test } from 'vitest'
import { OpeningTally } from '../../src/class-tracker/polling/opening-tally.ts'
import { proposeChanges, type Proposal } from '../../src/class-tracker/polling/openings.ts'
import type { PolledGroup } from '../../src/class-tracker/polling/watched-groups.ts'

let ids = 0

/** A group of a college with so many watched sections, all of them closed. */
function groupOf(school: string, count: number, term = '1269'): PolledGroup {
  const sections = Array.from({ length: count }, () => ({
    id: (ids += 1),
    section_key: String(ids),
    level: '101',
    status: 'closed' as const,
    seats_available: null,
    seats_for_anyone: null,
    capacity: null,
    waitlist_available: null,
    version: 1,
    new_watch_count: 0,
  }))
  const group = { school, school_name: school, term, term_name: '', subject: 'MATH', subject_name: '', career: '' }
  return {
    id: (ids += 1),
    asked_at: 0,
    failures: 0,
    watch_count: count,
    opened_at: null,
    has_unobserved: false,
    watched: { group, watched: sections },
    sections,
  }
}

/** The first `opened` of the group's sections seem to open. */
const openingsOf = (group: PolledGroup, opened: number): Proposal[] =>
  proposeChanges(
    group.sections,
    group.sections.slice(0, opened).map((section) => ({ ...section, status: 'open' as const })),
    { group_id: group.id, asked_at: 1, seen_at: 2 },
  )

const many = (school: string, groups: number, sections: number): PolledGroup[] =>
  Array.from({ length: groups }, () => groupOf(school, sections))

const nothingBefore = {}
const noDoubts = new Map()

describe('a source of many schools', () => {
  const colleges = Array.from({ length: 24 }, (_, index) => many(`COL${index}`, 10, 20)).flat()

  test('reads a college again in which too many sections open, and no other', () => {
    const queens = many('QNS01', 10, 20)
    const tally = new OpeningTally([...colleges, ...queens], nothingBefore, noDoubts)
    for (const group of colleges) tally.add(group, openingsOf(group, 1))
    expect(tally.looksSuspect()).toBe(false)
    for (const [index, group] of queens.entries()) {
      tally.add(group, openingsOf(group, 6))
      // From the first answer on, its openings wait for the others.
      expect(tally.looksSuspect(), `after ${index + 1} groups`).toBe(true)
    }
    expect(queens.every((group) => tally.isSuspect(group))).toBe(true)
    expect(colleges.some((group) => tally.isSuspect(group))).toBe(false)
  })

  test('reads a subject again in which too many sections open, and not the rest of its college', () => {
    const [subject, others] = [groupOf('QNS01', 40), many('QNS01', 10, 20)]
    const tally = new OpeningTally([...colleges, subject, ...others], nothingBefore, noDoubts)
    tally.add(subject, openingsOf(subject, 21))
    for (const group of others) tally.add(group, openingsOf(group, 1))
    expect(tally.isSuspect(subject)).toBe(true)
    expect(others.some((group) => tally.isSuspect(group))).toBe(false)
  })

  test('remembers what earlier runs of the round found', () => {
    const [first, second] = many('QNS01', 2, 30)
    if (!first || !second) throw new Error('there is no subject')
    const before = new OpeningTally([first, second], nothingBefore, noDoubts)
    before.add(first, openingsOf(first, 14))
    expect(before.isSuspect(first)).toBe(false)
    const after = new OpeningTally([first, second], before.opened, noDoubts)
    after.add(second, openingsOf(second, 7))
    expect(after.isSuspect(second)).toBe(true)
  })

  test('keeps terms of a college apart', () => {
    const [fall, spring] = [groupOf('QNS01', 30), groupOf('QNS01', 30, '1272')]
    const tally = new OpeningTally([fall, spring], nothingBefore, noDoubts)
    tally.add(fall, openingsOf(fall, 14))
    tally.add(spring, openingsOf(spring, 14))
    expect([fall, spring].some((group) => tally.isSuspect(group))).toBe(false)
  })

  test('delays nothing at a college that has too few watched sections for it', () => {
    const [small, large] = [groupOf('QNS01', 12), groupOf('BKL01', 100)]
    const tally = new OpeningTally([small, large], nothingBefore, noDoubts)
    tally.add(small, openingsOf(small, 6))
    expect(tally.looksSuspect()).toBe(false)
  })

  test('does not count openings that a second look doubts: they are not new', () => {
    const group = groupOf('QNS01', 20)
    const doubts = new Map(group.sections.map(({ id }) => [id, { rounds: 0, doubted_at: 0 }]))
    const tally = new OpeningTally([group], nothingBefore, doubts)
    tally.add(group, openingsOf(group, 20))
    expect(tally.isSuspect(group)).toBe(false)
    expect(tally.opened).toEqual({})
  })
})
