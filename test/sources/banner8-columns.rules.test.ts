import { describe, expect, it } from 'vitest'
import { unknown } from '../../src/sources/answer.ts'
import { readListing } from '../../src/sources/banner8/listing.ts'
import { judge } from '../../src/sources/judge.ts'
import { COLUMNS } from './banner8/columns.ts'
import { believed } from './lanes.ts'

/**
 * Some schools list classes in columns, one row per class (known from their public pages; no answer of one was
 * recorded).
 */

const ASKED = { term: '202710', subject: 'MATH', campus: '', keepsNoList: false }
const read = (html: string, asked = ASKED) =>
  readListing({ url: '', contentType: 'text/html', bytes: new TextEncoder().encode(html) }, asked)

describe('a Banner 8 list in columns', () => {
  it("is read with texts, times and places, without seats, which are on the classes' pages", () => {
    const { sections } = believed(read(COLUMNS))
    expect(sections.map(({ section_key }) => section_key)).toEqual(['35012', '35013'])
    expect(sections.map((section) => judge(section).status)).toEqual(['unknown', 'unknown'])
    expect(sections[0]).toMatchObject({
      code: 'MATH',
      level: '1010',
      section: '101',
      number: '35012',
      title: 'College Algebra',
      campus: 'Harbor Campus - Bayview',
      credits: '4',
      place: 'Harbor Campus Room 2242, Harbor Campus Room 5',
      instruction_list: [
        { name: 'Ada M. Lovelace', days_times: 'MoWe 9:30AM - 10:45AM' },
        { name: 'Emmy Noether', days_times: 'Fr 1:00PM - 2:50PM' },
      ],
    })
    expect(sections[1]).toMatchObject({ level: '1020', instruction_list: [{ name: 'TBA', days_times: 'TBA' }] })
  })

  it('is limited to one campus if the operator named it, which must have a class', () => {
    const { sections } = believed(read(COLUMNS, { ...ASKED, campus: 'Harbor' }))
    expect(sections.map(({ section_key }) => section_key)).toEqual(['35012'])
    const why = 'None of the 2 classes is on campus "Harb".'
    expect(read(COLUMNS, { ...ASKED, campus: 'Harb' })).toEqual(unknown('wrong_scope', why))
  })

  it('has credits without zeros at the end', () => {
    expect(believed(read(COLUMNS.replace('4.000', '1.500'))).sections[0]).toMatchObject({ credits: '1.5' })
  })

  it.each([
    ['breaks off', COLUMNS.slice(0, COLUMNS.indexOf('35013')), 'incomplete'],
    ['is of another term', COLUMNS.replaceAll('term_in=202710', 'term_in=202610'), 'wrong_scope'],
    [
      'has a class of another term',
      COLUMNS.replace('term_in=202710&amp;crn_in=35013', 'term_in=202610&amp;crn_in=35013'),
      'wrong_scope',
    ],
    [
      'has a class of another subject',
      COLUMNS.replace('<td class="dddefault"><abbr title="Mathematics">MATH', '<td><abbr>ENGL'),
      'wrong_scope',
    ],
    ['has a class whose link is of another', COLUMNS.replace('crn_in=35013', 'crn_in=35014'), 'incomplete'],
    ['has a class without a link', COLUMNS.replace(/<a href="[^"]*35013">35013<\/a>/, '35013'), 'incomplete'],
    ['has a class without a course', COLUMNS.replace('>1020<', '><'), 'incomplete'],
    ['has no rows', COLUMNS.replace(/<tr class="dddefault-odd"><tr[\s\S]*<\/TABLE>/, '</TABLE>'), 'incomplete'],
  ])('that %s is unknown', (_what, html, reason) => {
    expect(html).not.toBe(COLUMNS)
    expect(read(html)).toMatchObject({ known: false, reason })
  })
})
