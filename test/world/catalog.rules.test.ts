import { describe, expect, it } from 'vitest'
import { makeCatalog } from './schools/catalog.ts'
import { crossListAvailable, seatsAvailable, statusOf } from './schools/seats.ts'
import { termsAt } from './schools/terms.ts'
import { reportSections } from './schools/find.ts'

const NOW = Date.parse('2026-11-21T12:00:00Z')
const everyday = makeCatalog('a seed', NOW)

describe('the catalog', () => {
  it('depends only on the seed', () => {
    const reports = (seed: string): unknown => reportSections(makeCatalog(seed, NOW))
    expect(reports('a seed')).toEqual(reportSections(everyday))
    expect(reports('another seed')).not.toEqual(reports('a seed'))
  })

  it('has at least 3 schools, 60 subjects and 3 000 sections', () => {
    const subjects = new Set(everyday.sections.map(({ school, course }) => `${school.name}/${course.subject.key}`))
    expect(everyday.schools.length).toBeGreaterThanOrEqual(3)
    expect(subjects.size).toBeGreaterThanOrEqual(60)
    expect(everyday.sections.length).toBeGreaterThanOrEqual(3000)
  })

  it('gives every section of a source in a term a unique number', () => {
    const ids = everyday.sections.map(({ school, term, number }) => `${school.source}/${term.name}/${number}`)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('has every kind of section that schools have', () => {
    const some = (test: (section: (typeof everyday.sections)[number]) => boolean): boolean =>
      everyday.sections.some(test)
    for (const status of ['open', 'waitlisted', 'closed'])
      expect(some((section) => statusOf(section) === status)).toBe(true)
    expect(some((section) => seatsAvailable(section) < 0)).toBe(true)
    expect(some((section) => seatsAvailable(section) > 0 && statusOf(section) === 'waitlisted')).toBe(true)
    expect(some((section) => seatsAvailable(section) > 0 && crossListAvailable(section) === 0)).toBe(true)
    expect(some((section) => section.meetings.length >= 3)).toBe(true)
    expect(some((section) => section.meetings.length === 0)).toBe(true)
    expect(some((section) => section.meetings[0]?.kind === 'online')).toBe(true)
    expect(some((section) => section.instructors.length === 0)).toBe(true)
    expect(some((section) => section.instructors.length === 2)).toBe(true)
    expect(some((section) => section.course.title.includes('&'))).toBe(true)
    expect(some((section) => section.partOfTerm === null)).toBe(true)
    expect(some((section) => section.seats.held > 0 && statusOf(section) === 'closed')).toBe(true)
  })

  it('grows to the requested size', () => {
    const big = makeCatalog('a seed', NOW, { subjects: 30, sections: 40 })
    const [school] = big.schools
    const [, current] = big.terms
    expect(school && current && big.of(school, current).length).toBe(1200)
  })
})

describe('terms', () => {
  it.each([
    ['2026-11-21', '2026 Fall Term', '2027 Spring Term'],
    ['2026-12-18', '2027 Spring Term', '2027 Summer Term'],
    ['2027-01-02', '2027 Spring Term', '2027 Summer Term'],
    ['2027-06-30', '2027 Summer Term', '2027 Fall Term'],
  ])('on %s are %s and %s', (day, current, next) => {
    const terms = termsAt(Date.parse(`${day}T12:00:00Z`))
    expect([terms.current.name, terms.next.name]).toEqual([current, next])
    expect(Date.parse(terms.current.ends)).toBeGreaterThan(Date.parse(day))
    expect(Date.parse(terms.past.ends)).toBeLessThan(Date.parse(terms.current.starts))
  })
})
