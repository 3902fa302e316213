import { isoDay } from '../class-dates.ts'
import { isRecord } from '../json-page.ts'
import type { SourceSection } from '../source.ts'
import { tidy } from '../text.ts'
import { IN_ROWS, isCombined, readFigures, readFlags, statusByLetter } from './figures.ts'
import { readInstruction, readPlace } from './meetings.ts'

/** A row of a list of sections, with the fields that show whether it answers the question; '' for missing ones. */
export interface HcxRow {
  institution: string
  term: string
  section: SourceSection & { doubts: string[] }
}

/** Reads one row; null if it does not identify its section: `class_section` is not unique even within a course. */
export function readRow(row: unknown): HcxRow | null {
  if (!isRecord(row)) return null
  const key = readKey(row['class_nbr'])
  if (key === null) return null
  const doubts: string[] = []
  const stated = statusByLetter(row['enrl_stat'], row['enrl_stat_descr'], doubts)
  const combined = isCombined(row['combined_section'])
  const marks = { isCombined: combined, reserved: row['reserve_caps'], consent: '' }
  const flags = readFlags(row['class_stat'], marks, doubts)
  const figures = readFigures(row, IN_ROWS, { stated, isCombined: combined, doubts })
  const subject = tidy(row['subject'])
  return {
    institution: tidy(row['institution']),
    term: tidy(row['strm']),
    section: {
      section_key: key,
      flags,
      stated,
      figures,
      doubts,
      subject,
      code: subject,
      level: tidy(row['catalog_nbr']),
      title: tidy(row['descr']),
      number: key,
      section: tidy(row['class_section']),
      topic: tidy(row['topic']),
      instruction_list: readInstruction(row['instructors'], row['meetings']),
      instruction_mode: tidy(row['instruction_mode_descr']) || tidy(row['instruction_mode']),
      component: tidy(row['section_type']) || tidy(row['component']),
      session: tidy(row['session_descr']) || tidy(row['session']),
      session_code: tidy(row['session_code']),
      campus: tidy(row['campus_descr']) || tidy(row['campus']),
      place: readPlace(row['meetings']),
      starts_on: isoDay(row['start_dt']),
      ends_on: isoDay(row['end_dt']),
      credits: tidy(row['units']),
    },
  }
}

/** The class number, which is unique in a term of a school. */
export function readKey(value: unknown): string | null {
  const key = tidy(value)
  return /^\d{1,9}$/.test(key) ? key : null
}
