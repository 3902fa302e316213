import { describe, expect, it } from 'vitest'
import { readDetails } from '../../src/sources/banner8/details.ts'
import { readListing } from '../../src/sources/banner8/listing.ts'
import { readTitle } from '../../src/sources/banner8/title.ts'
import { readTerm } from '../../src/sources/banner8/lane.ts'
import { readFormPage } from '../../src/sources/form-page.ts'
import { judge } from '../../src/sources/judge.ts'
import { detailsHtml, LISTING, TERMS } from './banner8/pages.ts'
import { believed } from './lanes.ts'
import { recordedBanner8, recordedSeatTables } from './recorded.ts'

const OWN = {
  listing: LISTING,
  terms: TERMS,
  detail: detailsHtml({
    heading: 'Topics - Knots - 10001 - MATH 1010 - A01',
    seats: [30, 27, 3],
    waiting: [20, 0, 20],
    shared: [50, 58, -8],
  }),
}
const FILES = [
  ...Object.entries(OWN).map(([name, text]) => ({
    name: `our_own_${name}_10001`,
    bytes: new TextEncoder().encode(text),
  })),
  ...recordedBanner8(),
].map((file) => ({ ...file, html: new TextDecoder().decode(file.bytes) }))

const sentOf = (bytes: Uint8Array) => ({ url: '', contentType: 'text/html', bytes })
const matches = (html: string, pattern: RegExp): string[] => [...html.matchAll(pattern)].map(([, found = '']) => found)
const cuts = (bytes: Uint8Array) => [0.3, 0.6, 0.75].map((part) => bytes.subarray(0, Math.floor(bytes.length * part)))

/** The figures of a row of the table, by its label, found by plain text search; null if there is none. */
function figuresOf(html: string, label: string): number[] | null {
  const table = html.slice(html.indexOf('seating numbers'))
  const at = table.indexOf(`>${label}<`)
  if (at < 0) return null
  return matches(table.slice(at, table.indexOf('</tr>', at)), /<td[^>]*>(-?\d+)<\/td>/gi).map(Number)
}

/** Open: a seat is free, no one waits, and the shared room has a seat. */
function statusOf([, , left = 0]: number[], [, waiting = 0, places = 0]: number[], room: number[] | null): string {
  if (left > 0 && waiting === 0 && (room === null || (room[2] ?? 0) > 0)) return 'open'
  return places > 0 || waiting > 0 ? 'waitlisted' : 'closed'
}

describe('a recorded page of a Banner 8 class', () => {
  it.each(FILES.filter(({ name }) => name.includes('detail')))('is read correctly: $name', ({ bytes, html }) => {
    const [heading = ''] = matches(html, /<th[^>]*scope="row"\s*>([^<]+)<br/gi)
    const title = readTitle(heading.replaceAll('&amp;', '&'))
    const [term = ''] = matches(html, /term_in=(\d+)/g)
    if (title === null) throw new Error(`"${heading}" is not understood.`)
    const asked = { term, subject: title.subject, campus: '', keepsNoList: false }
    const seen = believed(readDetails(sentOf(bytes), asked, title.number))
    const [seats, list, room] = ['Seats', 'Waitlist Seats', 'Cross List Seats'].map((label) => figuresOf(html, label))
    const { status, seats_available, capacity, waitlist_available } = judge(seen)
    expect([seats_available, capacity, waitlist_available]).toEqual([seats?.[2], seats?.[0], list?.[2]])
    expect(status).toBe(statusOf(seats ?? [], list ?? [], room ?? null))
    expect(seen.figures.shared_available).toBe(room?.[2] ?? null)
    for (const cut of cuts(bytes)) expect(readDetails(sentOf(cut), asked, title.number).known).toBe(false)
    for (const other of [
      { ...asked, term: '190001' },
      { ...asked, subject: 'NONE' },
      { ...asked, campus: 'Nowhere' },
    ]) {
      expect(readDetails(sentOf(bytes), other, title.number)).toMatchObject({ reason: 'wrong_scope' })
    }
    expect(readDetails(sentOf(bytes), asked, '99999')).toMatchObject({ reason: 'wrong_scope' })
    expect(readListing(sentOf(bytes), asked).known).toBe(false)
  })
})

describe('a recorded Banner 8 list of classes', () => {
  it.each(FILES.filter(({ name }) => name.includes('listing')))(
    'is read with every class and no other: $name',
    ({ bytes, html }) => {
      const keys = matches(html, /crn_in=(\d+)/g)
      const [heading = ''] = matches(html, /crn_in=\d+">([^<]+)</g)
      const [term = ''] = matches(html, /term_in=(\d+)&amp;crn_in/g)
      const asked = {
        term,
        subject: readTitle(heading.replaceAll('&amp;', '&'))?.subject ?? '',
        campus: '',
        keepsNoList: false,
      }
      const { sections } = believed(readListing(sentOf(bytes), asked))
      expect(sections.map(({ section_key }) => section_key)).toEqual(keys)
      for (const section of sections) {
        expect([
          section.code,
          section.level,
          section.title,
          section.section,
          section.campus,
          section.credits,
        ]).not.toContain('')
        expect(section.title).not.toMatch(/ - \d{5} - /)
      }
      const complete = sections.filter(
        ({ starts_on, instruction_list }) => starts_on !== '' && instruction_list !== null,
      )
      expect(complete.length).toBeGreaterThan(sections.length / 2)
      expect(complete[0]?.instruction_list?.[0]?.days_times).toMatch(
        /^(?:(?:Mo|Tu|We|Th|Fr|Sa|Su)+ \d+:\d\d[AP]M - |TBA)/,
      )
      for (const cut of cuts(bytes)) expect(readListing(sentOf(cut), asked).known).toBe(false)
      expect(readListing(sentOf(bytes), { ...asked, term: '190001' })).toMatchObject({ reason: 'wrong_scope' })
      expect(readListing(sentOf(bytes), { ...asked, subject: 'NONE' })).toMatchObject({ reason: 'wrong_scope' })
    },
  )
})

it.each(FILES.filter(({ name }) => /term|form/i.test(name)))(
  'a recorded Banner 8 form is read: $name',
  ({ bytes, html }) => {
    const { selects, isWhole } = readFormPage(html)
    const options = selects.get('p_term') ?? selects.get('cat_term_in') ?? selects.get('sel_subj') ?? []
    expect(isWhole).toBe(true)
    expect(options.length).toBeGreaterThan(3)
    const terms = options.flatMap(({ value, label }) => readTerm(value, label) ?? [])
    if (!selects.has('sel_subj')) expect(terms.length).toBeGreaterThan(3)
    for (const { name } of terms) expect(name).not.toMatch(/view only/i)
    const asked = { term: '', subject: '', campus: '', keepsNoList: false }
    expect(readListing(sentOf(bytes), asked)).toMatchObject({ known: false, reason: 'not_the_protocol' })
    expect(readDetails(sentOf(bytes), asked, '10001')).toMatchObject({ known: false, reason: 'not_the_protocol' })
  },
)

it('every recorded table of Banner 8 seats gives the status of its figures', () => {
  for (const line of recordedSeatTables()) {
    const figures = line.split(',').slice(-9)
    const [term = '', number = '', ...rest] = line.split(',')
    const title = readTitle(rest.slice(0, -9).join(',').replaceAll(/^"|"$/g, ''))
    expect(title?.number, line).toBe(number)
    const of = (from: number): [number, number, number] => {
      const [all = 0, taken = 0, left = 0] = figures.slice(from, from + 3).map(Number)
      return [all, taken, left]
    }
    const shared = figures[6] === '' ? undefined : of(6)
    const html = detailsHtml({
      heading: `A - ${number} - MATH 1 - A01`,
      seats: of(0),
      waiting: of(3),
      term,
      ...(shared && { shared }),
    })
    const seen = believed(
      readDetails(
        sentOf(new TextEncoder().encode(html)),
        { term, subject: 'MATH', campus: '', keepsNoList: false },
        number,
      ),
    )
    expect(judge(seen).status, line).toBe(statusOf(of(0), of(3), shared ?? null))
  }
})
