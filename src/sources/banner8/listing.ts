import { answeredWith, known, unexpectedAnswer, unknown, whyOther } from '../answer.ts'
import type { Page } from '../http.ts'
import type { Answer, GroupSections, SourceSection } from '../source.ts'
import { type ClassPage, decodePage, readClassPage, type ShownClass } from './class-page.ts'
import { type ColumnListing, findColumns, readColumns, WITHOUT_SEATS } from './column-listing.ts'
import { readMeetings } from './meetings.ts'
import { creditsOf, queryOf, readTitle } from './title.ts'

/** What was asked for: a subject in a term, on one campus where the operator named it. */
export interface Asked {
  term: string
  subject: string
  /** How the names of its campuses start; '' for all. */
  campus: string
  /** Whether the school's pages have no row for a waitlist, as the operator says. */
  keepsNoList: boolean
}

/** The page must be complete, and every class must be of the requested term and subject. */
export function readListing(reply: Page, asked: Asked): Answer<GroupSections> {
  const page = readClassPage(reply)
  const columns = page.hasTable && page.classes.some(({ link }) => link !== '') ? null : findColumns(decodePage(reply))
  if (columns !== null) return fromColumns(columns, asked)
  if (!page.hasTable) return whenNoTable(page)
  if (!page.isWhole) return unknown('incomplete', 'The class list is cut off.')
  const sections: SourceSection[] = []
  for (const shown of page.classes) {
    const query = queryOf(shown.link)
    const key = query?.get('crn_in')
    const title = readTitle(shown.heading)
    if (key === undefined || key === null || title === null || title.number !== key) {
      const why = `A class does not say which section it is: "${shown.heading.slice(0, 80)}".`
      return unknown('incomplete', why)
    }
    const mismatch = findMismatch(query?.get('term_in') ?? null, title.subject, asked)
    if (mismatch !== null) return unknown('wrong_scope', mismatch)
    sections.push(sectionOf(shown, title))
  }
  return onCampus(sections, asked)
}

function fromColumns(columns: ColumnListing, asked: Asked): Answer<GroupSections> {
  if (!columns.isWhole) return unknown('incomplete', 'The class list is cut off.')
  const read = readColumns(columns, asked.term)
  if (!read.known) return read
  const other = read.value.find(({ subject }) => subject !== asked.subject)
  if (other !== undefined) return unknown('wrong_scope', answeredWith('subject', asked.subject, other.subject))
  return onCampus(read.value, asked)
}

/** Each class on the campus once; a list without any is not believed. */
function onCampus(listed: readonly SourceSection[], { campus: wanted }: Asked): Answer<GroupSections> {
  if (listed.length === 0) return unknown('incomplete', 'The list of classes has no row that can be used.')
  const own = listed.filter(({ campus }) => isOnCampus(campus, wanted))
  if (own.length === 0) {
    return unknown('wrong_scope', `None of the ${listed.length} classes is on campus "${wanted}".`)
  }
  return known({ sections: [...new Map(own.map((section) => [section.section_key, section])).values()] })
}

/** Whether a line such as "Chabot College" belongs to the campus "Chabot". */
export function isOnCampus(shown: string | undefined, campus: string): boolean {
  return campus === '' || shown === campus || (shown ?? '').startsWith(`${campus} `)
}

/** Why a page has no classes: it says so, or it is a different page. */
function whenNoTable({ nothing }: ClassPage): Answer<GroupSections> {
  if (/classes/i.test(nothing())) return known({ sections: [] })
  return unexpectedAnswer('a list of classes')
}

function findMismatch(term: string | null, subject: string, asked: Asked): string | null {
  return whyOther('term', asked.term, term ?? '') ?? whyOther('subject', asked.subject, subject)
}

function sectionOf({ lines, meetings }: ShownClass, title: NonNullable<ReturnType<typeof readTitle>>): SourceSection {
  const { subject, level, number } = title
  const facts = factsOf(lines)
  return {
    section_key: number,
    ...WITHOUT_SEATS,
    subject,
    code: subject,
    level,
    title: title.title,
    number,
    section: title.section,
    topic: '',
    instruction_mode: lineEnding(facts, 'Instructional Method'),
    component: lineEnding(facts, 'Schedule Type'),
    campus: lineEnding(facts, 'Campus'),
    credits: creditsOf(lineEnding(facts, 'Credits')),
    ...readMeetings(meetings),
  }
}

/** Later parts of a class's page also name the campuses and levels of students who may enroll. */
const END_OF_FACTS = /^(?:view catalog entry|restrictions:|prerequisites:)/i

export function factsOf(lines: readonly string[]): readonly string[] {
  const end = lines.findIndex((line) => END_OF_FACTS.test(line))
  return end < 0 ? lines : lines.slice(0, end)
}

/**
 * "Online Campus" says that the campus is "Online": a line ends with its subject. The class's description, which may
 * end the same way by chance, comes before.
 */
export function lineEnding(facts: readonly string[], what: string): string {
  const line = facts.findLast((one) => one.endsWith(` ${what}`))
  return line === undefined ? '' : line.slice(0, -what.length - 1).trim()
}
