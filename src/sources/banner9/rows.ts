import { isRecord } from '../record.ts'
import type { SourceSection } from '../source.ts'
import { tidy } from '../text.ts'
import { readInstruction } from './meetings.ts'
import { judge } from './status.ts'

/** A row of Banner's search results, with what tells whether it belongs to the question. */
export interface BannerRow {
  term: string
  section: SourceSection
}

/**
 * Reads one row; null when it cannot be told which section it is. Schools add fields and leave some out, so only what is
 * used is looked at. A figure that is no number is null and told in `warnings`.
 */
export function readRow(row: unknown, warnings: string[]): BannerRow | null {
  if (!isRecord(row)) return null
  const crn = tidy(row.courseReferenceNumber)
  if (crn === '') return null
  const capacity = readFigure(row, 'maximumEnrollment', warnings)
  const seatsAvailable = readFigure(row, 'seatsAvailable', warnings) ?? difference(capacity, row, warnings)
  const waitAvailable = readFigure(row, 'waitAvailable', warnings)
  const title = tidy(row.courseTitle)
  const subject = tidy(row.subject)
  return {
    term: tidy(row.term),
    section: {
      section_key: crn,
      status: judge({
        seatsAvailable,
        crossListAvailable: row.crossList === null ? null : readFigure(row, 'crossListAvailable', warnings),
        waitCount: readFigure(row, 'waitCount', warnings),
        waitAvailable,
      }),
      seats_available: seatsAvailable,
      capacity,
      waitlist_available: waitAvailable,
      subject,
      code: subject,
      level: tidy(row.courseNumber),
      title,
      number: crn,
      section: tidy(row.sequenceNumber),
      topic: title,
      instruction_list: readInstruction(row.faculty, row.meetingsFaculty),
      instruction_mode: tidy(row.instructionalMethodDescription ?? row.instructionalMethod),
    },
  }
}

function difference(capacity: number | null, row: Record<string, unknown>, warnings: string[]): number | null {
  const enrolled = readFigure(row, 'enrollment', warnings)
  return capacity === null || enrolled === null ? null : capacity - enrolled
}

function readFigure(row: Record<string, unknown>, name: string, warnings: string[]): number | null {
  const value = row[name]
  if (typeof value === 'number' && Number.isFinite(value)) return value
  if (value === null || value === undefined) return null
  if (typeof value === 'string' && /^\s*-?\d+\s*$/.test(value)) return Number(value)
  const shown = JSON.stringify(value).slice(0, 40)
  warnings.push(`CRN ${tidy(row.courseReferenceNumber)}: ${name} is not a number (${shown}).`)
  return null
}
