import { describe, expect, test } from 'vitest'
import { alertGroups } from '../../client/islands/class-tracker/alert-groups.ts'
import { sourcesText } from '../../client/islands/class-tracker/source-table.tsx'
import { sectionCode } from '../../client/islands/class-tracker/section-text.ts'
import type { Today } from '../../src/class-tracker/alerts/opened-today.ts'
import type { SourceHealth } from '../../src/class-tracker/courses/contract.ts'
import { answerText } from '../../src/class-tracker/pages/today-figures.tsx'
import { classAlert, courseSection } from './samples.ts'

test('alerts of one opening are one entry, and a second one for the same person begins another', () => {
  const of = (id: number, person: number, changes = {}) =>
    classAlert({ id, recipient: { id: person, name: `Person ${person}` }, ...changes })
  const later = { seen_open_at: '2026-11-03T20:05:00Z' }
  const groups = alertGroups([of(6, 1, later), of(5, 2), of(4, 1), of(3, 1), of(2, 3, { kind: 'reminder' })])
  expect(groups.map((group) => group.map(({ id }) => id))).toEqual([[6], [5, 4], [3], [2]])
})

test("the section's suffix is shown beside its course, unless it is its number", () => {
  expect(sectionCode(courseSection())).toBe('CMIS 2300-KTRA')
  expect(sectionCode(courseSection({ section: '39314' }))).toBe('CMIS 2300')
})

describe('the summary of sources', () => {
  const source = (name: string, health: SourceHealth['health'], failures = 0) =>
    ({ name, health, failures }) as SourceHealth

  test('says that all is well, or what is not and where', () => {
    expect(sourcesText([])).toBe('')
    expect(sourcesText([source('Baruch', 'healthy'), source('Old', 'disabled')])).toBe('The source is healthy.')
    const some = [source('A', 'paused', 7), source('B', 'paused'), source('C', 'failing', 1), source('D', 'healthy')]
    expect(sourcesText(some)).toBe('1 of 4 sources are healthy. Failing: A and C. Paused: B.')
  })
})

describe('the summary of the front page', () => {
  const today: Today = {
    watched_sections: 20,
    open_sections: 3,
    recipients: 4,
    openings: 5,
    messages: 9,
    failed_deliveries: 0,
    sources: 2,
    sources_on_time: 2,
    last_opened_at: null,
  }
  const text = (changes: Partial<Today>, sections = 0) =>
    answerText({
      at: 0,
      today: { ...today, ...changes },
      problems: sections > 0 ? { unread_sources: [{ id: 1, name: 'A', sections, since: '' }] } : {},
      opened: [],
      failed_messages: [],
      troubled_sources: [],
      warning: null,
    })

  test('says what is open, and that all is well unless the page lists a problem', () => {
    expect(text({})).toBe('3 watched sections are open now. All sources are responding, and no messages failed today.')
    expect(text({ open_sections: 0, messages: 0 })).toBe('No watched section is open now. All sources are responding.')
    expect(text({ open_sections: 1 }, 1)).toBe('1 watched section is open now.')
    for (const problem of [{ failed_deliveries: 2 }, { sources_on_time: 1 }]) {
      expect(text(problem)).toBe('3 watched sections are open now.')
    }
    expect(text({ watched_sections: 0, open_sections: 0, messages: 0, sources: 0 })).toBe('Nothing is watched yet.')
    expect(text({ watched_sections: 1000 })).toMatch(/^At least 3 /)
  })
})
