import { describe, expect, it } from 'vitest'
import { judge } from '../../src/sources/judge.ts'
import { readRow } from '../../src/sources/banner9/rows.ts'
import { readSearchPage } from '../../src/sources/banner9/search-page.ts'
import { readResultsPage } from '../../src/sources/cuny/results-page.ts'
import { fakeRow } from './fake-banner.ts'
import { ASKED, resultsHtml } from './cuny-page.ts'
import { believed } from './lanes.ts'
import { type RecordedEnvelope, type RecordedRow, recordedResults, recordedRows, recordedSearches } from './recorded.ts'

/** Our own fixture beside the recorded ones, in the same format, so that the rules are always tested. */
const ownSearch: RecordedEnvelope = (() => {
  const rows = [1, 2, 3].map((crn) => ({
    ...fakeRow(crn, { enrollment: 32 - crn }),
    term: '202610',
    seatsAvailable: crn - 2,
  }))
  const envelope = { success: true, totalCount: 3, data: rows, pathMode: 'search', ztcEncodedImage: 'x' }
  return { name: 'our own search', bytes: new TextEncoder().encode(JSON.stringify(envelope)), totalCount: 3, rows }
})()

const ownRows = [{ number: '1' }, { number: '2', status: ['status_waiting.gif', 'Wait'] as const }]
const ownResults = { name: 'our own page', html: resultsHtml([{ heading: 'DAN 1 - Dance', rows: ownRows }]) }

describe('a recorded Banner search', () => {
  it.each([ownSearch, ...recordedSearches()])('is read with exactly its rows: $name', ({ bytes, totalCount, rows }) => {
    const criteria = {
      term: rows[0]?.term ?? '',
      subject: [...new Set(rows.map(({ subject }) => subject))].join(','),
    }
    const page = { url: '', contentType: 'application/json', bytes }
    const answer = readSearchPage(page, criteria)
    const read = believed(answer)
    expect(answer).toMatchObject({ warnings: [] })
    expect(read.totalCount).toBe(totalCount)
    expect(read.sections.map((section) => [section.number, judge(section).seats_available])).toEqual(
      rows.map((row) => [row.courseReferenceNumber, row.seatsAvailable]),
    )
    expect(read.sections.map(judge).filter(({ status }) => status === 'unknown')).toEqual([])
    for (const part of [0.1, 0.5, 0.9, 0.999]) {
      const cut = { ...page, bytes: bytes.subarray(0, Math.floor((bytes.length - 1) * part)) }
      expect(readSearchPage(cut, criteria).known).toBe(false)
    }
    expect(readSearchPage(page, { ...criteria, term: '000000' })).toMatchObject({ reason: 'wrong_scope' })
    expect(readSearchPage(page, { ...criteria, subject: 'NONE' })).toMatchObject({ reason: 'wrong_scope' })
  })
})

const ownRowsOfBanner: RecordedRow[] = [0, 2, 5].map((waitCount) => ({
  ...fakeRow(waitCount, { maximumEnrollment: 30, enrollment: 27, waitCapacity: 5 }),
  term: '202610',
  seatsAvailable: 3,
  crossListAvailable: null,
  waitCount,
  waitAvailable: 5 - waitCount,
}))

/** How many recorded rows of each school are read differently because waiting people keep a section from being open. */
const OWED_TO_THE_LIST: Readonly<Record<string, readonly [rows: number, changed: number]>> = {
  tamu: [157, 0],
  tru: [1673, 7],
  kccd: [4, 0],
  'our own': [3, 1],
}

describe('a recorded Banner row', () => {
  it.each([['our own', ownRowsOfBanner] as const, ...recordedRows()])(
    'of %s is read as ever, but where people wait for free seats',
    (school, rows) => {
      const changed = rows.filter((row) => {
        const section = readRow(row)?.section
        if (section === undefined) throw new Error('the row was not read')
        const free = Math.min(row.seatsAvailable, row.crossListAvailable ?? row.seatsAvailable)
        const isListed = row.waitCount > 0 || row.waitAvailable > 0
        const former = free > row.waitCount ? 'open' : isListed ? 'waitlisted' : 'closed'
        const { status } = judge(section)
        if (status === former) return false
        expect([former, status, free > 0 && row.waitCount > 0]).toEqual(['open', 'waitlisted', true])
        return true
      })
      const expected = OWED_TO_THE_LIST[school]
      if (expected !== undefined) expect([rows.length, changed.length]).toEqual(expected)
    },
  )
})

describe('a recorded CUNY page', () => {
  it.each([ownResults, ...recordedResults()])('is read with exactly its rows: $name', ({ html }) => {
    const asked = {
      school: /class="shadowbox">\s*<p>(.*?) \|/.exec(html)?.[1] ?? '',
      term: /class="shadowbox">\s*<p>.*?\| (.*?)<\/p>/.exec(html)?.[1] ?? '',
      subject: /Course Subject: <strong>(.*?)<\/strong>/.exec(html)?.[1] ?? '',
      career: /Course Career: <strong>(.*?)<\/strong>/.exec(html)?.[1] ?? '',
    }
    const answer = readResultsPage(html, asked)
    if (html.includes('Show Open Classes Only: <strong>Yes')) {
      expect(answer).toMatchObject({ known: false, reason: 'wrong_scope' })
      return
    }
    const { sections } = believed(answer)
    expect(answer).toMatchObject({ warnings: [] })
    expect(sections).toHaveLength(Number(/(\d+) class section\(s\) found/.exec(html)?.[1]))
    const numbers = [...html.matchAll(/data-label="Class"[^>]*><a[^>]*>(\d+)</g)].map(([, number]) => number)
    expect(sections.map(({ number }) => number)).toEqual(numbers)
    const pictures = [...html.matchAll(/data-label="Status".*?status_(open|waiting|closed)/g)].map(([, word]) => word)
    expect(sections.map(judge).map(({ status }) => (status === 'waitlisted' ? 'waiting' : status))).toEqual(pictures)
    for (const part of [0.1, 0.5, 0.9]) {
      expect(readResultsPage(html.slice(0, Math.floor(html.length * part)), asked).known).toBe(false)
    }
    expect(readResultsPage(html, { ...asked, school: `${ASKED.school} North` })).toMatchObject({
      reason: 'wrong_scope',
    })
  })
})
