import { describe, expect, it } from 'vitest'
import { colleague } from '../../src/sources/colleague/colleague.ts'
import { readCourseSections } from '../../src/sources/colleague/courses.ts'
import { readFilters } from '../../src/sources/colleague/filters.ts'
import { readSearchPage } from '../../src/sources/colleague/search-page.ts'
import { judge } from '../../src/sources/judge.ts'
import type { Status } from '../../src/sources/source.ts'
import { FAKE_COLLEAGUE, fakeColleague, fixture } from './fake-colleague.ts'
import { believed, collected, groupOf, openCounted } from './lanes.ts'
import {
  recordedCatalogs,
  recordedCourses,
  type RecordedListing,
  recordedListings,
  type RecordedSection,
  sectionsOfCourse,
} from './recorded.ts'

const STATUSES: Readonly<Record<string, Status>> = {
  Open: 'open',
  Waitlisted: 'waitlisted',
  Closed: 'closed',
  0: 'open',
  1: 'waitlisted',
  2: 'closed',
}

/** Our own fixtures beside the recorded ones, so that the rules are always tested. */
function own(name: 'sections-in-words.json' | 'sections-in-numbers.json'): RecordedListing[] {
  const text = fixture(name)
  const { Sections } = JSON.parse(text) as { Sections: RecordedSection[] }
  return [{ name, bytes: new TextEncoder().encode(text), page: 1, total: 3, pages: 1, rows: Sections }]
}
const LISTINGS = [own('sections-in-words.json'), own('sections-in-numbers.json'), ...recordedListings()]

function sentOf({ bytes }: { bytes: Uint8Array }) {
  return { url: '', contentType: 'application/json', bytes }
}

function statusOf(row: RecordedSection): Status | undefined {
  return STATUSES[row.AvailabilityStatus]
}

describe('a recorded Colleague list of sections', () => {
  const pages = LISTINGS.flat()

  it.each(pages)('is read with exactly its rows: $name, page $page', (listing) => {
    const { page, rows, total, pages: pageCount } = listing
    const asked = { term: rows[0]?.TermId ?? '', locations: [] }
    const answer = readSearchPage(sentOf(listing), asked, page)
    const read = believed(answer)
    expect(answer).toMatchObject({ warnings: [] })
    expect([read.rows, read.totalCount, read.pages]).toEqual([rows.length, total, pageCount])
    expect(
      read.sections.map((section) => [section.section_key, judge(section).status, judge(section).seats_available]),
    ).toEqual(rows.map((row) => [row.Id, statusOf(row), row.Available]))
    for (const section of read.sections) {
      expect(section.instruction_list).not.toBeNull()
      expect([section.subject, section.level, section.section, section.title]).not.toContain('')
    }
    for (const part of [0.1, 0.5, 0.9, 0.999]) {
      const cut = { bytes: listing.bytes.subarray(0, Math.floor((listing.bytes.length - 1) * part)) }
      expect(readSearchPage(sentOf(cut), asked, page).known).toBe(false)
    }
    expect(readSearchPage(sentOf(listing), { ...asked, term: 'none' }, page)).toMatchObject({ reason: 'wrong_scope' })
    expect(readSearchPage(sentOf(listing), { ...asked, subject: 'NONE' }, page)).toMatchObject({
      reason: 'wrong_scope',
    })
    expect(readSearchPage(sentOf(listing), asked, page + 1)).toMatchObject({ reason: 'wrong_scope' })
  })

  it.each(
    LISTINGS.filter((whole) => whole.length === whole[0]?.pages).map((whole) => ({ name: whole[0]?.name, whole })),
  )('is walked through to its end, each section once: $name', async ({ whole }) => {
    const rows = whole.flatMap((listing) => listing.rows)
    const { fetch, asked } = fakeColleague({
      'Courses/PostSearchCriteria': ({ body }) => {
        const wanted = whole.find(({ page }) => page === body?.['pageNumber'])
        return new Response(new TextDecoder().decode(wanted?.bytes))
      },
    })
    const { lane } = openCounted(colleague, FAKE_COLLEAGUE, { fetch })
    const walked = await collected(lane.wholeTerm?.(groupOf({ term: rows[0]?.TermId ?? '', subject: '' })))
    const sections = walked.flatMap((page) => believed(page).sections)
    expect(sections.map(({ section_key }) => section_key)).toEqual(rows.map(({ Id }) => Id))
    expect(asked).toHaveLength(1 + whole.length)
  })
})

describe('a recorded Colleague course', () => {
  const bytes = new TextEncoder().encode(fixture('course.json'))
  const courses = [{ name: 'our own', bytes, rows: sectionsOfCourse(bytes) }, ...recordedCourses()]

  it.each(courses)('is read with exactly its sections: $name', (recorded) => {
    const keys = recorded.rows.map(({ Id }) => Id)
    const course = { id: '1', subject: 'MATH', sectionKeys: keys, course: { SubjectCode: 'MATH', Number: '1010' } }
    const { rows, whyIncomplete } = believed(readCourseSections(sentOf(recorded), course, keys))
    expect(whyIncomplete).toBe('')
    expect(
      rows.map(({ section, term }) => {
        const { status, seats_available, capacity } = judge(section)
        expect(section).toMatchObject({ subject: 'MATH', level: '1010' })
        expect(section.instruction_list).toHaveLength(1)
        return [section.section_key, section.section, term, status, seats_available, capacity]
      }),
    ).toEqual(recorded.rows.map((row) => [row.Id, row.Number, row.TermId, statusOf(row), row.Available, row.Capacity]))
    for (const others of [keys.slice(1), [...keys, '99999'], ['99999', ...keys.slice(1)]]) {
      expect(readCourseSections(sentOf(recorded), course, others)).toMatchObject({
        value: { rows: [], whyIncomplete: expect.stringContaining('sections of a course') },
      })
    }
    for (const part of [0.1, 0.5, 0.9, 0.999]) {
      const cut = { bytes: recorded.bytes.subarray(0, Math.floor((recorded.bytes.length - 1) * part)) }
      expect(readCourseSections(sentOf(cut), course, keys).known).toBe(false)
    }
  })
})

describe('a recorded Colleague answer of another kind', () => {
  const ownFilters = { name: 'our own', bytes: new TextEncoder().encode(fixture('filters.json')), isFilters: true }

  it.each([ownFilters, ...recordedCatalogs()])('is recognized: $name', (file) => {
    const page = sentOf(file)
    const filters = readFilters(page)
    expect(filters.known).toBe(file.isFilters)
    if (filters.known) {
      expect(filters.value.terms.length).toBeGreaterThan(0)
      expect(filters.value.subjects.length).toBeGreaterThan(0)
    }
    const asked = { term: 'F26', locations: [] }
    const listed = readSearchPage(page, asked, 1)
    if (file.isFilters) expect(listed).toMatchObject({ known: false, reason: 'not_the_protocol' })
    else expect(believed(listed).courses.map(({ sectionKeys }) => sectionKeys)).toEqual([['214770', '220557']])
    expect(readSearchPage(page, { ...asked, subject: 'NONE' }, 1).known).toBe(false)
  })
})
