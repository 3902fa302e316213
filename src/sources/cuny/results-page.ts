import { known, unknown } from '../answer.ts'
import { datesOf, isoDay } from '../class-dates.ts'
import { NO_FIGURES } from '../judge.ts'
import { instructionList } from '../meeting-times.ts'
import { placeOf, placesOf } from '../places.ts'
import { memoized } from '../memoized.ts'
import type { Answer, GroupSections, SourceSection } from '../source.ts'
import { tidy } from '../text.ts'
import { CELLS, NEEDED_CELLS, readResultTokens, type ResultRow, type ResultTokens } from './results-tokens.ts'
import { readStatus } from './status.ts'

/** The question, in the labels that the site repeats in its answer. */
export interface AskedLabels {
  school: string
  term: string
  /** Null if the site does not list what was requested, so that its answer cannot be compared with a name. */
  subject: string | null
  career: string | null
}

/** "CIS 2200 - Intro Info Systems": subject (may contain spaces), level, and title up to the end, including dashes. */
const HEADING = /^(.+?) (\S+) -(?: (.*))?$/

/**
 * Reads the results page strictly: it must be the answer to exactly this question (college, term, subject, career, not
 * only open classes), and have as many sections as it says, in total and under each college.
 */
export function readResultsPage(html: string, asked: AskedLabels): Answer<GroupSections> {
  const tokens = readResultTokens(html)
  const strange = findUnexpectedScope(tokens, asked)
  if (strange !== null) return unknown('wrong_scope', strange)
  const stated = countOf(tokens.found)
  if (stated === null) return unknown('incomplete', 'The results do not say how many sections were found.')
  const sections: SourceSection[] = []
  const keys = new Set<string>()
  const rowsOf = new Map<number, number>()
  const courses = tokens.courses.map(readHeading)
  for (const row of tokens.rows) {
    const missing = row.cells.indexOf(undefined)
    if (missing >= 0 && missing < NEEDED_CELLS) {
      return unknown('incomplete', `Row ${sections.length + 1} has no cell "${CELLS[missing]}".`)
    }
    const section = readSection(row, courses[row.course] ?? null)
    if (section === null) {
      return unknown('not_the_protocol', `Row ${sections.length + 1} does not say which class of which course it is.`)
    }
    sections.push(section)
    keys.add(section.section_key)
    rowsOf.set(row.institution, (rowsOf.get(row.institution) ?? 0) + 1)
  }
  const counts = `The page says ${stated} sections; ${sections.length} rows came, ${keys.size} of them different.`
  if (sections.length !== stated || keys.size !== stated) return unknown('incomplete', counts)
  for (const [index, heading] of tokens.institutions.entries()) {
    const count = rowsOf.get(index) ?? 0
    if (countOf(heading) !== count) return unknown('incomplete', `"${tidy(heading)}", but ${count} rows came.`)
  }
  return known({ sections })
}

/** What on the page belongs to another question; null if everything answers this one. */
function findUnexpectedScope(tokens: ResultTokens, asked: AskedLabels): string | null {
  const scope = `${asked.school} | ${asked.term}`
  const title = tidy(tokens.title)
  if (title !== scope) return `We asked for "${scope}", and the school answered for "${title}".`
  const mismatch = tokens.institutions.map(tidy).find((heading) => !heading.startsWith(`${scope} |`))
  if (mismatch !== undefined) return `We asked for "${scope}", and the answer has "${mismatch}".`
  const subject = criterion(tokens.criteria, 'Course Subject')
  if (asked.subject !== null && subject !== asked.subject) {
    return `We asked for subject "${asked.subject}", and the school answered for "${subject}".`
  }
  const career = criterion(tokens.criteria, 'Course Career')
  if (asked.career !== null && career !== asked.career) {
    return `We asked for career "${asked.career}", and the school answered for "${career}".`
  }
  if (criterion(tokens.criteria, 'Show Open Classes Only') !== 'No')
    return 'The school hides classes that are not open.'
  return null
}

function criterion(criteria: string, name: string): string {
  const at = criteria.indexOf(`${name}:`)
  if (at < 0) return ''
  const start = criteria.indexOf('\u0001', at)
  return start < 0 ? '' : tidy(criteria.slice(start + 1, criteria.indexOf('\u0002', start)))
}

function countOf(text: string): number | null {
  const [, count] = /(?<![\d,])([\d,]{1,9}) class section\(s\) found/.exec(tidy(text)) ?? []
  return count === undefined ? null : Number(count.replaceAll(',', ''))
}

interface CourseHeading {
  code: string
  level: string
  title: string
}

function readHeading(heading: string): CourseHeading | null {
  const [, code = '', level = '', title = ''] = HEADING.exec(tidy(heading)) ?? []
  return code === '' ? null : { code, level, title }
}

function readSection(row: ResultRow, course: CourseHeading | null): SourceSection | null {
  const [numberCell, sectionCell, times = '', teachers = '', mode, , topic, rooms = '', dates = ''] = row.cells
  const number = tidy(numberCell)
  if (course === null || !/^\d+$/.test(number)) return null
  const { code, level, title } = course
  const part = readSectionCell(tidy(sectionCell))
  const { starts_on, ends_on } = readDates(dates)
  const stated = readStatus(row.statusTitle, row.statusFile)
  return {
    section_key: number,
    stated,
    figures: NO_FIGURES,
    doubts:
      stated === null ? [`The status "${tidy(row.statusTitle)}" (${tidy(row.statusFile)}) is not understood.`] : [],
    subject: code,
    code,
    level,
    title,
    number,
    section: part.code,
    topic: tidy(topic) || title,
    instruction_list: readInstruction(times, teachers),
    instruction_mode: tidy(mode),
    has_figures: false,
    component: part.component,
    session: part.session,
    session_code: sessionOf(row.link),
    place: readPlace(rooms),
    starts_on,
    ends_on,
  }
}

/** "BMWA-LEC Regular" is the section's code, its component and the session. */
function readSectionCell(text: string): { code: string; component: string; session: string } {
  const [, code = text, component = '', session = ''] = /^(.+?)-([A-Z]{3})(?: (.*))?$/.exec(text) ?? []
  return { code, component, session }
}

const SESSION = 'session_searched='

/** The code of the session in the link to a class's page; '' if there is none. */
function sessionOf(link: string): string {
  const at = link.indexOf(SESSION)
  if (at < 0) return ''
  const end = link.indexOf('&', at)
  return decodedSession(link.slice(at + SESSION.length, end < 0 ? undefined : end))
}

const decodedSession = memoized((coded) => {
  try {
    const code = atob(decodeURIComponent(coded))
    return /^\w{1,8}$/.test(code) ? code : ''
  } catch {
    return ''
  }
})

const linesOf = (cell: string): string[] => cell.split('\n').map(tidy)

const readPlace = memoized((cell) => placesOf(linesOf(cell).map((room) => placeOf(room, ''))))

/** "08/28/2026 - 12/21/2026", one line per pattern. */
const readDates = memoized((cell) =>
  datesOf(
    linesOf(cell).map((line) => {
      const [from, to] = line.split('-')
      return { from: isoDay(from?.trim()), to: isoDay(to?.trim()) }
    }),
  ),
)

/**
 * Times and instructors are lines of two cells, one line per pattern; if one list is shorter, nothing is known. The
 * site writes TBA for what is not announced, so a cell without text was lost.
 */
function readInstruction(times: string, teachers: string): SourceSection['instruction_list'] {
  const [days_times, name] = [tidy(times), tidy(teachers)]
  if (days_times === '' || name === '') return null
  if (!times.includes('\n') && !teachers.includes('\n')) return [{ name, days_times }]
  const [timeLines, names] = [linesOf(times), linesOf(teachers)]
  const count = Math.max(timeLines.length, names.length)
  return instructionList(
    Array.from({ length: count }, (_, line) => ({ name: names[line] ?? '', days_times: timeLines[line] ?? '' })),
  )
}
