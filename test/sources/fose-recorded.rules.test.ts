import { describe, expect, it } from 'vitest'
import { readDetails } from '../../src/sources/fose/details.ts'
import { readRow } from '../../src/sources/fose/rows.ts'
import { readSearchPage } from '../../src/sources/fose/search-page.ts'
import { judge } from '../../src/sources/judge.ts'
import type { Status } from '../../src/sources/source.ts'
import { fixture } from './fake-fose.ts'
import { believed } from './lanes.ts'
import { type RecordedClass, recordedClassDetails, recordedClasses } from './recorded.ts'

const STATUSES: Readonly<Record<string, Status>> = { A: 'open', W: 'waitlisted', F: 'closed', C: 'closed' }

const sentOf = (bytes: Uint8Array) => ({ url: '', contentType: 'application/json', bytes })
const bytesOf = (text: string) => new TextEncoder().encode(text)

/** Our own fixtures beside the recorded ones, so that the rules are always tested. */
const own = bytesOf(fixture('search.json'))
const LISTS = [
  {
    name: 'our own',
    bytes: own,
    ...(JSON.parse(fixture('search.json')) as { srcdb: string; results: RecordedClass[] }),
  },
  ...recordedClasses(),
]
const DETAILS = [
  { name: 'our own', details: [JSON.parse(fixture('details.json')) as RecordedClass] },
  ...recordedClassDetails(),
]

describe('a recorded list of a CourseLeaf class search', () => {
  it.each(LISTS)('is read with exactly its rows: $name', ({ bytes, srcdb, results }) => {
    const { count } = JSON.parse(new TextDecoder().decode(bytes)) as { count: number }
    const answer = readSearchPage(sentOf(bytes), { term: srcdb, subject: null })
    // Only one row of this answer was recorded.
    if (count !== results.length) expect(answer).toMatchObject({ known: false, reason: 'incomplete' })
    else {
      expect(answer).toMatchObject({ known: true, warnings: [] })
      expect(
        believed(answer).sections.map((section) => [section.section_key, judge(section).status, section.section]),
      ).toEqual(results.map(({ crn, stat, no }) => [crn, STATUSES[stat], no]))
    }
    for (const row of results) {
      const read = readRow(row)?.section
      expect(`${read?.code} ${read?.level}`).toBe(row.code)
      expect(read?.instruction_list).not.toBeNull()
    }
    for (const part of [0.1, 0.5, 0.9, 0.999]) {
      const cut = bytes.subarray(0, Math.floor((bytes.length - 2) * part))
      expect(readSearchPage(sentOf(cut), { term: srcdb, subject: null }).known).toBe(false)
    }
    for (const asked of [
      { term: '1', subject: null },
      { term: srcdb, subject: 'NONE' },
    ]) {
      expect(readSearchPage(sentOf(bytes), asked)).toMatchObject({ reason: 'wrong_scope' })
    }
  })
})

describe('recorded details of a CourseLeaf class search', () => {
  it.each(DETAILS)('are read with letter and seats: $name', ({ details }) => {
    for (const detail of details) {
      const asked = { term: detail.srcdb, subject: detail.code.replace(/ \S+$/, ''), sectionKey: detail.crn }
      const answer = readDetails(sentOf(bytesOf(JSON.stringify(detail))), asked)
      const seats = judge(believed(answer))
      const [capacity, available] = [...detail.seats.matchAll(/<\/strong>: (\d+)/g)].map(([, figure]) => Number(figure))
      expect([seats.section_key, seats.status, seats.capacity, seats.seats_available]).toEqual([
        detail.crn,
        STATUSES[detail.stat],
        capacity,
        available,
      ])
      expect(readDetails(sentOf(bytesOf(JSON.stringify(detail))), { ...asked, sectionKey: '0' }).known).toBe(false)
    }
  })

  it.each(DETAILS)('list the sections of a list in their courses: $name', ({ details }) => {
    for (const row of details.flatMap(({ allInGroup = [] }) => allInGroup)) {
      const read = readRow(row)
      expect([read?.section.section_key, read?.section.stated, read?.term]).toEqual([
        row.crn,
        STATUSES[row.stat],
        row.srcdb,
      ])
    }
  })
})
