import { isoDay } from '../class-dates.ts'
import { NO_FIGURES } from '../judge.ts'
import { isRecord } from '../record.ts'
import { remembered } from '../remembered.ts'
import type { SourceSection } from '../source.ts'
import { tidy } from '../text.ts'
import { readInstruction } from './meetings.ts'
import { readFlags, readStatus } from './status.ts'

/** A row of a list of sections, with the term it says it is of ('' where it does not). */
export interface FoseRow {
  term: string
  section: SourceSection
}

/** The subject and number of a course; null where the text is none. */
export function readCourse(code: unknown): { subject: string; level: string } | null {
  return courseIn(tidy(code)).course
}

/** "BIOL 497R" and "CSCI-UA 101": the subject ends at the last blank. */
const courseIn = remembered((text) => {
  const [, subject, level] = /^(.+) (\S+)$/.exec(text) ?? []
  return { course: subject === undefined || level === undefined ? null : { subject, level } }
})

/**
 * Reads one row; null when it cannot be told which section of which course it is. Rows have a letter for the status and no
 * figures: their `total` counts sections of the course.
 */
export function readRow(row: unknown): FoseRow | null {
  if (!isRecord(row)) return null
  const key = tidy(row['crn'])
  const course = readCourse(row['code'])
  if (key === '' || course === null) return null
  const doubts: string[] = []
  return {
    term: tidy(row['srcdb']),
    section: {
      section_key: key,
      stated: readStatus(row, doubts),
      figures: NO_FIGURES,
      has_figures: false,
      flags: readFlags(row, doubts),
      doubts,
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
