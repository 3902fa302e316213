import { answeredWith, known, unknown } from '../answer.ts'
import { NO_FIGURES } from '../judge.ts'
import { readMarkup } from '../markup.ts'
import type { Answer, SourceSection } from '../source.ts'
import { tidy } from '../text.ts'
import { readMeetings } from './meetings.ts'
import { creditsOf, queryOf } from './title.ts'

/** A list with one row per class, which some schools have instead of one block per class. */
export interface ColumnListing {
  heads: string[]
  rows: Cell[][]
  /** Whether the end of its table was reached. */
  isWhole: boolean
}

interface Cell {
  text: string
  /** The text's link; '' if it is not a link. */
  link: string
  /** The meaning of an abbreviation in it; '' if there is none. */
  meaning: string
}

/** The columns that identify a class. A table without all of them is a different one. */
const NAMING = ['crn', 'subj', 'crse', 'sec']
/** No list of classes shows both enrollment and waitlist, so it leaves the status of every section unknown. */
export const WITHOUT_SEATS = { stated: 'unknown', figures: NO_FIGURES, has_figures: false, doubts: [] } as const

const MEETINGS = ['Type', 'Time', 'Days', 'Where', 'Date Range', 'Instructors']

/** Finds the table by the titles of its columns; null if the page has none. */
export function findColumns(html: string): ColumnListing | null {
  const tables: Cell[][][] = []
  let found: ColumnListing | null = null
  let cell: Cell | null = null
  /** The list also has the days on which the class does not meet, which are not marked as active. */
  let isPassive = false
  readMarkup(html, {
    onopentag(tag, { class: name = '', href = '', title = '' }) {
      if (tag === 'table') tables.push([])
      else if (tag === 'tr') tables.at(-1)?.push([])
      else if (tag === 'td' || tag === 'th') {
        cell = { text: '', link: '', meaning: '' }
        tables.at(-1)?.at(-1)?.push(cell)
      } else if (tag === 'li') isPassive = !/\bactive\b/.test(name)
      else if (cell !== null && tag === 'a') cell.link ||= href
      else if (cell !== null && tag === 'abbr') cell.meaning ||= tidy(title)
    },
    ontext(text) {
      if (cell !== null && !isPassive) cell.text += text
    },
    onclosetag(tag, isImplied) {
      if (tag === 'li') isPassive = false
      else if (tag === 'td' || tag === 'th') cell = null
      else if (tag === 'table') found ??= columnsOf(tables.pop() ?? [], !isImplied)
    },
  })
  return found
}

function columnsOf(table: readonly Cell[][], isWhole: boolean): ColumnListing | null {
  const tidied = table.map((row) => row.map((cell) => ({ ...cell, text: tidy(cell.text) })))
  const headsOf = (row: readonly Cell[]) => row.map(({ text }) => text.toLowerCase())
  const heads = tidied.map(headsOf).find((row) => NAMING.every((name) => row.includes(name)))
  if (heads === undefined) return null
  // Titles are above each subject, and repeated after some rows.
  const rows = tidied.filter((row) => row.length === heads.length && headsOf(row).join() !== heads.join())
  return { heads, rows, isWhole }
}

/**
 * The classes of such a list. It shows seats but not the waitlist, so its figures are not used. A row without a
 * number continues the meetings of the one before.
 */
export function readColumns({ heads, rows }: ColumnListing, term: string): Answer<SourceSection[]> {
  const column = (row: readonly Cell[], name: string): Cell =>
    row[heads.findIndex((head) => head.startsWith(name))] ?? { text: '', link: '', meaning: '' }
  const classes: Cell[][][] = []
  for (const row of rows) {
    const isMore = column(row, 'crn').text === ''
    if (isMore) classes.at(-1)?.push(row)
    else classes.push([row])
  }
  const sections: SourceSection[] = []
  for (const [first = [], ...more] of classes) {
    const [number, subject, level, code] = NAMING.map((name) => column(first, name).text)
    const query = queryOf(column(first, 'crn').link)
    if (!number || !subject || !level || query?.get('crn_in') !== number) {
      return unknown(
        'incomplete',
        `A row does not say which class it is: "${first.map(({ text }) => text).join(' ')}".`,
      )
    }
    const shownTerm = query.get('term_in') ?? ''
    if (shownTerm !== term) return unknown('wrong_scope', answeredWith('term', term, shownTerm))
    const campus = column(first, 'cmp')
    const meetings = [first, ...more].map((row) => [
      'Class',
      column(row, 'time').text,
      column(row, 'days').text.replaceAll(' ', ''),
      column(row, 'location').text,
      '',
      column(row, 'instructor').text,
    ])
    sections.push({
      section_key: number,
      ...WITHOUT_SEATS,
      subject,
      code: subject,
      level,
      title: column(first, 'title').text,
      number,
      section: code ?? '',
      topic: '',
      instruction_mode: '',
      campus: campus.meaning || campus.text,
      credits: creditsOf(column(first, 'cred').text),
      ...readMeetings({ rows: [MEETINGS, ...meetings], isWhole: true }),
    })
  }
  return known(sections)
}
