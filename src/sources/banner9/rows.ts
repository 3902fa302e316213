import { isRecord } from '../json-page.ts'
import { flagsOf } from '../observation.ts'
import type { SourceSection } from '../source.ts'
import { tidy } from '../text.ts'
import { readFigures } from './figures.ts'
import { readInstruction, readPlaceAndDates } from './meetings.ts'

/** A row of Banner's search results, with the fields that show whether it answers the question. */
export interface BannerRow {
  term: string
  section: SourceSection
}

/**
 * Reads one row; null if it does not identify its section. Schools add and omit fields, so only those that are used are
 * checked. `openSection` is not used, because it means different things at different schools.
 */
export function readRow(row: unknown): BannerRow | null {
  if (!isRecord(row)) return null
  const crn = tidy(row.courseReferenceNumber)
  if (crn === '') return null
  const doubts: string[] = []
  const title = tidy(row.courseTitle)
  const subject = tidy(row.subject)
  const { place, starts_on, ends_on } = readPlaceAndDates(row.meetingsFaculty)
  return {
    term: tidy(row.term),
    section: {
      section_key: crn,
      stated: null,
      figures: readFigures(row, doubts),
      doubts,
      subject,
      code: subject,
      level: tidy(row.courseNumber),
      title,
      number: crn,
      section: tidy(row.sequenceNumber),
      topic: title,
      instruction_list: readInstruction(row.faculty, row.meetingsFaculty),
      instruction_mode: tidy(row.instructionalMethodDescription ?? row.instructionalMethod),
      flags: flagsOf(tidy(row.crossList) !== '' && 'combined', row.isSectionLinked === true && 'linked'),
      component: tidy(row.scheduleTypeDescription),
      session_code: tidy(row.partOfTerm),
      campus: tidy(row.campusDescription),
      credits: readCredits(row),
      place,
      starts_on,
      ends_on,
    },
  }
}

/** "3", or "1 - 4" if the student chooses; '' if the row has none. */
function readCredits({ creditHours, creditHourLow: low, creditHourHigh: high }: Record<string, unknown>): string {
  if (typeof creditHours === 'number') return String(creditHours)
  if (typeof low !== 'number') return ''
  return typeof high === 'number' && high > low ? `${low} - ${high}` : String(low)
}
