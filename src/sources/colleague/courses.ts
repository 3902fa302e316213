import { known, unexpectedAnswer } from '../answer.ts'
import type { Page } from '../http.ts'
import { isRecord, readJson } from '../json-page.ts'
import type { Answer } from '../source.ts'
import { tidy } from '../text.ts'
import { type ColleagueRow, readRow } from './rows.ts'

/** A course with those of its sections that a search found, by their keys. */
export interface ListedCourse {
  id: string
  subject: string
  sectionKeys: string[]
  /** As the search shows it, for rows that do not include it. */
  course: Record<string, unknown>
}

/**
 * The courses of an answer that lists courses instead of sections; null if there are none, or if one does not identify
 * itself and its sections.
 */
export function readCourses(envelope: Record<string, unknown>): ListedCourse[] | null {
  const listed = Array.isArray(envelope['Courses']) ? envelope['Courses'] : envelope['CourseFullModels']
  if (!Array.isArray(listed)) return null
  const courses: ListedCourse[] = []
  for (const course of listed) {
    if (!isRecord(course) || !Array.isArray(course['MatchingSectionIds'])) return null
    const [id, subject] = [tidy(course['Id']), tidy(course['SubjectCode'])]
    const sectionKeys = course['MatchingSectionIds'].map(tidy)
    if (id === '' || subject === '' || sectionKeys.includes('')) return null
    courses.push({ id, subject, sectionKeys, course })
  }
  return courses
}

/** Exactly the requested sections of one course, or none, and then why. */
interface CourseSections {
  rows: readonly ColleagueRow[]
  /** Why they are lost, as a sentence; '' if they are not. */
  whyIncomplete: string
}

export function readCourseSections(
  page: Page,
  { course }: ListedCourse,
  asked: readonly string[],
): Answer<CourseSections> {
  const read = readJson(page, 'a course')
  if (!read.known) return read
  const { value } = read
  const answer = isRecord(value) && isRecord(value['SectionsRetrieved']) ? value['SectionsRetrieved'] : value
  const terms = isRecord(answer) ? answer['TermsAndSections'] : null
  if (!Array.isArray(terms)) return unexpectedAnswer('a course')
  const sections = terms.flatMap((term: unknown) =>
    isRecord(term) && Array.isArray(term['Sections'])
      ? term['Sections'].map((listed: unknown) => ({ listed, days: daysOf(term['Term']) }))
      : [],
  )
  const rows = sections.flatMap(({ listed, days }) => {
    const section = isRecord(listed) && isRecord(listed['Section']) ? listed['Section'] : null
    const faculty = isRecord(listed) ? listed['FacultyDisplay'] : undefined
    const row = section === null ? null : readRow({ Term: days, ...section, FacultyDisplay: faculty, Course: course })
    return row === null ? [] : [row]
  })
  const keys = new Set(rows.map(({ section }) => section.section_key))
  if (rows.length !== asked.length || !asked.every((key) => keys.has(key))) {
    // Some schools return no sections for courses that have some.
    return known({
      rows: [],
      whyIncomplete: `We asked for ${asked.length} sections of a course, and ${rows.length} came.`,
    })
  }
  return known({ rows, whyIncomplete: '' })
}

/** Uses only the days of a term; a section itself says which term it belongs to. */
function daysOf(term: unknown): Record<string, unknown> {
  return isRecord(term) ? { StartDate: term['StartDate'], EndDate: term['EndDate'] } : {}
}
