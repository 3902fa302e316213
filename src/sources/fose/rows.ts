import { isoDay } from '../class-dates.ts'
import { isRecord } from '../json-page.ts'
import { NO_FIGURES } from '../judge.ts'
import { NO_DOUBTS } from '../observation.ts'
import { memoized } from '../memoized.ts'
import type { SourceSection } from '../source.ts'
import { tidy } from '../text.ts'
import { readInstruction } from './meetings.ts'
import { readFlags, readStatus } from './status.ts'

/** A row of a list of sections, with its term ('' if it does not say). */
export interface FoseRow {
  term: string
  section: SourceSection
}

/** The subject and number of a course; null if the text is not a course. */
export function readCourse(code: unknown): { subject: string; level: string } | null {
  return courseIn(tidy(code)).course
}

/** "BIOL 497R" and "CSCI-UA 101": the subject ends at the last space. */
const courseIn = memoized((text) => {
  const [, subject, level] = /^(.+) (\S+)$/.exec(text) ?? []
  return { course: subject === undefined || level === undefined ? null : { subject, level } }
})

/**
 * Reads one row; null if it does not identify its section and course. Rows have a status letter and no figures: their
 * `total` counts sections of the course.
 */
export function readRow(row: unknown): FoseRow | null {
  if (!isRecord(row)) return null
  const key = tidy(row['crn'])
  const course = readCourse(row['code'])
  if (key === '' || course === null) return null
  const doubts: string[] = []
  const stated = readStatus(row, doubts)
  const flags = readFlags(row, doubts)
  return {
    term: tidy(row['srcdb']),
    section: {
      section_key: key,
      stated,
      figures: NO_FIGURES,
      has_figures: false,
      flags,
      doubts: doubts.length === 0 ? NO_DOUBTS : doubts,
      subject: course.subject,
      code: course.subject,
      level: course.level,
      title: tidy(row['title']),
      number: key,
      section: tidy(row['no']),
      topic: '',
      instruction_list: readInstruction(row),
      instruction_mode: '',
      component: tidy(row['schd']),
      starts_on: isoDay(row['start_date']),
      ends_on: isoDay(row['end_date']),
    },
  }
}
