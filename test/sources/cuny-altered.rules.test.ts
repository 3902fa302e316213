import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readResultsPage } from '../../src/sources/cuny/results-page.ts'
import { judge } from '../../src/sources/judge.ts'
import type { Status } from '../../src/sources/source.ts'
import { ASKED, type PageOptions, type PageRow, resultsHtml } from './cuny-page.ts'

type Outcome = Status | 'refused' | 'SAME'
type Picture = readonly [file: string, title: string]

const KEY = '30002'
const PICTURES = {
  open: ['status_open.gif', 'Open'],
  closed: ['status_closed.gif', 'Closed'],
  waitlisted: ['status_waiting.gif', 'Wait'],
} as const
const KINDS = ['open', 'closed', 'waitlisted'] as const

/** A page of results, altered, and the result for its second class. `SAME`: it is read correctly. */
interface Alteration {
  what: string
  outcome: Outcome
  row?: Partial<PageRow>
  picture?: (picture: Picture) => Picture
  page?: PageOptions
  html?: (html: string) => string
}

/** Alters the text from the second class on. */
const inRow = (alter: (html: string) => string) => (html: string) => {
  const at = html.lastIndexOf('<td', html.indexOf(`>${KEY}<`))
  return html.slice(0, at) + alter(html.slice(at))
}
const cell = (label: string) => new RegExp(`<td data-label="${label}"[\\s\\S]*?</td>`)
const picture = /<img src="images\/status[^>]*>/
const withoutRow = (html: string) => {
  const at = html.lastIndexOf('<tbody>', html.indexOf(`>${KEY}<`))
  return html.slice(0, at) + html.slice(html.indexOf('<tbody>', at + 1))
}
const rowTwice = (html: string) => {
  const at = html.lastIndexOf('<tbody>', html.indexOf(`>${KEY}<`))
  const end = html.indexOf('<tbody>', at + 1)
  return html.slice(0, end) + html.slice(at)
}

const RETYPED: Alteration[] = [
  {
    what: 'its picture has another alt',
    outcome: 'SAME',
    html: (html) => html.replaceAll('alt="Open"', 'alt="Closed"'),
  },
  { what: 'its title is in capitals', outcome: 'SAME', picture: ([file, title]) => [file, title.toUpperCase()] },
  {
    what: 'its title has blanks and references',
    outcome: 'SAME',
    picture: ([file, title]) => [file, ` &#x200;${title}&nbsp; `.replace('&#x200;', '&nbsp;')],
  },
  {
    what: 'its title is another known word',
    outcome: 'unknown',
    picture: ([file, title]) => [file, title === 'Open' ? 'Closed' : 'Open'],
  },
  { what: 'its title is a new word', outcome: 'unknown', picture: ([file]) => [file, 'Open - Reserved'] },
  { what: 'its title is a number', outcome: 'unknown', picture: ([file]) => [file, '1'] },
  { what: 'its title is a name every object has', outcome: 'unknown', picture: ([file]) => [file, 'toString'] },
  { what: 'its title is new, and its file', outcome: 'unknown', picture: () => ['s1.png', 'O'] },
  { what: 'its file is new', outcome: 'SAME', picture: ([, title]) => ['dot.png', title] },
  { what: 'its number is a word', outcome: 'refused', html: (html) => html.replace(`>${KEY}<`, '>soon<') },
  { what: 'its number is a fraction', outcome: 'refused', html: (html) => html.replace(`>${KEY}<`, '>30002.5<') },
  {
    what: 'the count is a word',
    outcome: 'refused',
    html: (html) => html.replace('>3 class section(s) found', '>some class section(s) found'),
  },
  {
    what: 'the heading of the course is a code alone',
    outcome: 'refused',
    html: (html) => html.replace(/&nbsp;DAN&nbsp;101&nbsp;-&nbsp;Dance/, '&nbsp;DAN'),
  },
]

const MISSING: Alteration[] = [
  { what: 'the title of its picture', outcome: 'SAME', picture: ([file]) => [file, ''] },
  { what: 'the file of its picture', outcome: 'SAME', picture: ([, title]) => ['', title] },
  { what: 'the title and the file', outcome: 'unknown', picture: () => ['', ''] },
  { what: 'its picture', outcome: 'unknown', html: inRow((html) => html.replace(picture, '')) },
  {
    what: 'its picture, a word in its place',
    outcome: 'unknown',
    html: inRow((html) => html.replace(picture, 'Open')),
  },
  { what: 'its teachers', outcome: 'SAME', row: { teachers: '' } },
  { what: 'its times', outcome: 'SAME', row: { times: '' } },
  { what: 'its topic', outcome: 'SAME', row: { topic: '' } },
  ...['Section', 'DaysAndTimes', 'Instructor', 'Instruction Mode', 'Status', 'Course Topic'].map(
    (label): Alteration => ({
      what: `its cell "${label}"`,
      outcome: 'refused',
      html: inRow((html) => html.replace(cell(label), '')),
    }),
  ),
  { what: 'its number', outcome: 'refused', html: (html) => html.replace(`>${KEY}<`, '><') },
  { what: 'its row', outcome: 'refused', html: withoutRow },
  { what: 'the count', outcome: 'refused', html: (html) => html.replace(/<div class="classfound_msg">.*<\/div>/, '') },
  { what: 'the criteria', outcome: 'refused', html: (html) => html.replace(/The following classes.*<\/strong>/, '') },
  {
    what: 'the college and the term',
    outcome: 'refused',
    html: (html) => html.replace(`<p>${ASKED.school} | ${ASKED.term}</p>`, '<p></p>'),
  },
  {
    what: 'the heading of the course',
    outcome: 'refused',
    html: (html) => html.replace(/<div class="testing_msg"><span>&nbsp;<a id='imageDivLink0'.*<\/span>/, ''),
  },
]

const CONTRADICTORY: Alteration[] = [
  {
    what: 'two pictures',
    outcome: 'unknown',
    html: inRow((html) =>
      html.replace(
        picture,
        (given) =>
          `${given}<img src="images/status_${given.includes('open') ? 'closed' : 'open'}.gif" alt="Open" title="${given.includes('open') ? 'Closed' : 'Open'}">`,
      ),
    ),
  },
  {
    what: 'two pictures of one title',
    outcome: 'unknown',
    html: inRow((html) => html.replace(picture, (given) => `${given}${given.replace(/status_\w+/, 'status_full')}`)),
  },
  {
    what: 'the same picture twice',
    outcome: 'SAME',
    html: inRow((html) => html.replace(picture, (given) => given + given)),
  },
  {
    what: 'another picture in a comment',
    outcome: 'SAME',
    html: inRow((html) =>
      html.replace(picture, (given) => `<!-- <img src="images/status_open.gif" title="Open"> -->${given}`),
    ),
  },
  {
    what: 'another picture in another cell',
    outcome: 'SAME',
    row: { topic: '<img src="images/status_open.gif" title="Open">Dance' },
  },
  { what: 'a count that is too low', outcome: 'refused', page: { stated: 2 } },
  { what: 'a count that is too high', outcome: 'refused', page: { stated: 4 } },
  { what: 'a count of none', outcome: 'refused', page: { stated: 0 } },
  { what: 'a count under its college that is too low', outcome: 'refused', page: { blockStated: 2 } },
  { what: 'classes of another college', outcome: 'refused', page: { blockSchool: 'Hunter College' } },
  { what: 'another college', outcome: 'refused', page: { school: 'Hunter College' } },
  { what: 'another term', outcome: 'refused', page: { term: '2027 Spring Term' } },
  { what: 'another subject', outcome: 'refused', page: { subject: 'Mathematics' } },
  { what: 'another career', outcome: 'refused', page: { career: 'Graduate' } },
  { what: 'open classes only', outcome: 'refused', page: { openOnly: 'Yes' } },
]

const DOUBLED: Alteration[] = [
  { what: 'its row', outcome: 'refused', html: rowTwice },
  { what: 'its row, and counted so', outcome: 'refused', html: rowTwice, page: { stated: 4, blockStated: 4 } },
  { what: 'its number, by another class', outcome: 'refused', html: (html) => html.replace('>30003<', `>${KEY}<`) },
]

const BROKEN_OFF: Alteration[] = [
  ...[0, 0.25, 0.5, 0.75].map((part): Alteration => ({
    what: `after ${part * 100} %`,
    outcome: 'refused',
    html: (html) => html.slice(0, html.length * part),
  })),
  { what: 'before the status', outcome: 'refused', html: inRow((html) => html.slice(0, html.search(cell('Status')))) },
  {
    what: 'within the picture of the status',
    outcome: 'refused',
    html: inRow((html) => html.slice(0, html.search(picture) + 20)),
  },
  { what: 'after the class', outcome: 'refused', html: inRow((html) => html.slice(0, html.indexOf('<tbody>'))) },
]

const GROUPS: [string, Alteration[]][] = [
  ['re-typed', RETYPED],
  ['missing', MISSING],
  ['contradictory', CONTRADICTORY],
  ['doubled', DOUBLED],
  ['broken off', BROKEN_OFF],
]

function pageOf(kind: (typeof KINDS)[number], { row, picture: repaint, page, html }: Alteration): string {
  const status = repaint?.(PICTURES[kind]) ?? PICTURES[kind]
  const rows = [
    { number: '30001', status: PICTURES.open },
    { number: KEY, status, ...row },
    { number: '30003', status: PICTURES.closed },
  ]
  const written = resultsHtml([{ heading: 'DAN 101 - Dance', rows }], page)
  return html === undefined ? written : html(written)
}

function read(html: string): Map<string, Status> | 'refused' {
  const answer = readResultsPage(html, ASKED)
  if (!answer.known) return 'refused'
  return new Map(answer.value.sections.map((section) => [section.section_key, judge(section).status]))
}

describe.each(GROUPS)('a CUNY answer, %s:', (_group, alterations) => {
  const cases = alterations.flatMap((alteration) => KINDS.map((kind) => ({ ...alteration, alteration, kind })))

  it.each(cases)('$what, with a class that is $kind', ({ alteration, kind }) => {
    const html = pageOf(kind, alteration)
    expect(html).not.toBe(pageOf(kind, { what: 'nothing', outcome: 'SAME' }))
    const found = read(html)
    const { outcome } = alteration
    if (outcome === 'refused') expect(found).toBe('refused')
    else {
      const status = outcome === 'SAME' ? kind : outcome
      expect(found).toEqual(
        new Map([
          ['30001', 'open'],
          [KEY, status],
          ['30003', 'closed'],
        ]),
      )
    }
  })
})

it('a CUNY class whose picture has an arbitrary title or file is read correctly, or unknown', () => {
  const word = fc.oneof(
    fc.string(),
    fc.constantFrom('Open', 'Closed', 'Wait', 'open', 'status_open.gif', 'status_waiting.gif'),
  )
  const altered = word.map((text) => text.replace(/["<>&]/g, ''))
  fc.assert(
    fc.property(fc.constantFrom(...KINDS), altered, fc.boolean(), (kind, text, isTitle) => {
      const picture = ([file, title]: Picture): Picture => (isTitle ? [file, text] : [text, title])
      const found = read(pageOf(kind, { what: 'a word', outcome: 'SAME', picture }))
      expect(['unknown', kind]).toContain(found === 'refused' ? 'unknown' : found.get(KEY))
    }),
  )
})

it('CUNY answers are altered in at least 34 ways, and honest ones are read correctly', () => {
  expect(GROUPS.flatMap(([, alterations]) => alterations).length).toBeGreaterThanOrEqual(34)
  for (const kind of KINDS) {
    const found = read(pageOf(kind, { what: 'nothing', outcome: 'SAME' }))
    expect(found).toEqual(
      new Map([
        ['30001', 'open'],
        [KEY, kind],
        ['30003', 'closed'],
      ]),
    )
  }
})
