import { few } from '../entries.ts'
import { isRecord } from '../json-page.ts'
import {
  byWeek,
  clockOf,
  daysText,
  everybodyAt,
  everyTime,
  hoursText,
  type Pattern,
  timesText,
} from '../meeting-times.ts'
import type { Instruction } from '../source.ts'
import { tidy } from '../text.ts'

/** The school's numbers of the days, Monday first. */
const WEEK: readonly unknown[] = [1, 2, 3, 4, 5, 6, 0]

/**
 * Who teaches when. The school does not say who teaches at which of several times, so everyone is shown for all of
 * them. Null if the row lacks either list: an empty list says that nothing is announced, a missing one says nothing.
 *
 * Only `FormattedMeetingTimes` has the times; those in `Meetings` are on the day of the request.
 */
export function readInstruction(faculty: unknown, meetings: unknown): Instruction[] | null {
  const teachers = readTeachers(faculty)
  if (teachers === null || !Array.isArray(meetings)) return null
  const patterns = few(meetings).filter(isRecord).map(readPattern)
  return everybodyAt(teachers, everyTime(patterns.toSorted(byWeek)))
}

/** Sorted by name, because their order may change between answers. */
function readTeachers(faculty: unknown): string[] | null {
  const listed: unknown[] | null = Array.isArray(faculty) ? faculty : typeof faculty === 'string' ? [faculty] : null
  if (listed === null) return null
  const names: string[] = []
  for (const one of few(listed)) {
    const name = tidy(one)
    if (name !== '' && !names.includes(name)) names.push(name)
  }
  return names.length > 1 ? names.toSorted() : names
}

function readPattern(meeting: Record<string, unknown>): Pattern {
  let days = 0
  for (const day of Array.isArray(meeting['Days']) ? few(meeting['Days']) : []) {
    const bit = WEEK.indexOf(day)
    if (bit >= 0) days |= 1 << bit
  }
  const [from, to] = [tidy(meeting['StartTimeDisplay']), tidy(meeting['EndTimeDisplay'])]
  return {
    text: timesText(daysText(days), hoursText(clockOf(from), clockOf(to))),
    days,
    begin: tidy(meeting['StartTime']),
  }
}
