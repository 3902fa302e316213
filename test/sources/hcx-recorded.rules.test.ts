import { describe, expect, it } from 'vitest'
import { readDetails } from '../../src/sources/hcx/details.ts'
import { readOptions } from '../../src/sources/hcx/options.ts'
import { readRow } from '../../src/sources/hcx/rows.ts'
import { type Asked, readSearchPage } from '../../src/sources/hcx/search-page.ts'
import { judge, whyUnknown } from '../../src/sources/judge.ts'
import type { Status } from '../../src/sources/source.ts'
import { fixtureText } from './kind-fixtures.ts'
import { believed } from './lanes.ts'
import { recordedHcx } from './recorded.ts'

interface Row {
  class_nbr: number
  strm?: string
  institution?: string
  subject: string
  catalog_nbr: string
  enrl_stat: string
  enrollment_available: number
  class_capacity: number
  meetings: { days: string }[]
}
interface Details {
  section_info: {
    class_details: { institution: string; subject: string; class_number: number }
    class_availability: { class_capacity: string; enrollment_available: number }
  }
}

const STATUSES: Readonly<Record<string, Status>> = { O: 'open', W: 'waitlisted', C: 'closed' }
const own = ['options.json', 'classes.json', 'classes-older.json', 'details.json'].map((name) => ({
  name: `our own ${name}`,
  bytes: new TextEncoder().encode(fixtureText('hcx', name)),
}))
const FILES = [...own, ...recordedHcx()].map((file) => ({
  ...file,
  value: JSON.parse(new TextDecoder().decode(file.bytes)) as unknown,
}))

const sentOf = (bytes: Uint8Array) => ({ url: 'https://classes.example.edu/', contentType: '', bytes })
const rowsIn = (value: unknown): Row[] =>
  Array.isArray(value) ? value : ((value as { classes?: Row[]; sections?: Row[] }).classes ?? [])
const cuts = (bytes: Uint8Array) =>
  [0.1, 0.5, 0.9, 0.999].map((part) => bytes.subarray(0, Math.floor((bytes.length - 3) * part)))

describe('recorded HCX rows', () => {
  it.each(FILES.filter(({ value }) => rowsIn(value).length > 0))(
    'are all read, each as it is: $name',
    ({ bytes, value }) => {
      const rows = rowsIn(value)
      const asked: Asked = { institution: rows[0]?.institution ?? '', isShared: false, term: rows[0]?.strm ?? '' }
      const page = believed(readSearchPage(sentOf(bytes), asked, 1))
      expect(page.unidentified).toBe(0)
      expect(
        page.sections.map((section) => [section.section_key, judge(section).status, judge(section).seats_available]),
      ).toEqual(rows.map((row) => [String(row.class_nbr), STATUSES[row.enrl_stat], row.enrollment_available]))
      for (const section of page.sections) {
        expect(section.instruction_list).not.toBeNull()
        expect([section.subject, section.level, section.section, section.title, section.component]).not.toContain('')
        expect(section.place).not.toContain('*')
      }
      const timed = rows.findIndex(({ meetings }) => meetings.some(({ days }) => days.length > 1 && days !== 'TBA'))
      expect(page.sections[timed]?.instruction_list?.[0]?.days_times).toMatch(
        /^(?:[A-Z][a-z])+ \d+:\d\d[AP]M - \d+:\d\d[AP]M/,
      )
      for (const cut of cuts(bytes)) expect(readSearchPage(sentOf(cut), asked, 1).known).toBe(false)
      expect(readSearchPage(sentOf(bytes), { ...asked, term: 'none' }, 1)).toMatchObject({ reason: 'wrong_scope' })
      expect(readSearchPage(sentOf(bytes), { ...asked, subject: 'NONE' }, 1)).toMatchObject({ reason: 'wrong_scope' })
      if (asked.institution !== '') {
        expect(readSearchPage(sentOf(bytes), { ...asked, institution: 'NONE' }, 1)).toMatchObject({
          reason: 'wrong_scope',
        })
      }
    },
  )

  it.each(FILES.filter(({ name }) => name.includes('BrowseSections')))(
    'of a course are of the same shape: $name',
    ({ value }) => {
      for (const row of (value as { sections: Row[] }).sections) {
        const section = readRow(row)?.section
        expect(section && judge(section)).toMatchObject({
          section_key: String(row.class_nbr),
          // Its seats are reserved for the waitlist.
          status: 'waitlisted',
          seats_available: row.enrollment_available,
          capacity: row.class_capacity,
        })
      }
    },
  )
})

it.each(FILES.filter(({ name }) => /details\.json|ClassDetails/.test(name)))(
  'a recorded HCX section asked alone is read: $name',
  ({ bytes, value }) => {
    const { class_details, class_availability } = (value as Details).section_info
    const { institution, subject } = class_details
    const key = String(class_details.class_number)
    const asked: Asked = { institution, subject, term: '', isShared: true }
    const seen = believed(readDetails(sentOf(bytes), asked, key))
    expect(whyUnknown(seen)).toBeNull()
    expect(judge(seen)).toMatchObject({
      seats_available: class_availability.enrollment_available,
      capacity: Number(class_availability.class_capacity),
    })
    expect(readDetails(sentOf(bytes), { ...asked, institution: 'NONE' }, key)).toMatchObject({ reason: 'wrong_scope' })
    expect(readDetails(sentOf(bytes), asked, '1')).toMatchObject({ reason: 'wrong_scope' })
    for (const cut of cuts(bytes)) expect(readDetails(sentOf(cut), asked, key).known).toBe(false)
  },
)

it.each(FILES)('a recorded HCX answer is recognized: $name', ({ name, bytes, value }) => {
  const asked: Asked = { institution: '', isShared: false, term: '' }
  expect(readOptions(sentOf(bytes)).known).toBe(/options\.json|CatalogSubjects/.test(name))
  expect(readSearchPage(sentOf(bytes), asked, 1).known).toBe(
    rowsIn(value).length > 0 && !name.includes('BrowseSections'),
  )
})
