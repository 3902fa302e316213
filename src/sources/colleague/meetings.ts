import { few } from '../entries.ts'
import { isRecord } from '../json-page.ts'
import { compareTexts, instructionList, SHORT_DAYS } from '../meeting-times.ts'
import { remembered } from '../remembered.ts'
import type { Instruction } from '../source.ts'
import { tidy } from '../text.ts'

/** A week begins on Monday; by the school's numbers Sunday is 0. */
const WEEK = SHORT_DAYS.map((name, place) => ({ name, number: (place + 1) % 7 }))
/** Sorts a meeting without a day after all days. */
const NO_DAY = 7
const NO_TEACHERS: readonly string[] = ['']

interface Pattern {
  text: string
  firstDay: number
  /** "08:30:00"; '' if the meeting has no hour. */
  begin: string
}

/**
 * Who teaches when. The school does not say who teaches at which of several times, so everybody is shown for all of
 * them. Null if the row lacks either list: an empty list says that nothing is announced, a missing one says nothing.
 *
 * Only `FormattedMeetingTimes` has the times; those in `Meetings` are on the day of the request.
 */
export function readInstruction(faculty: unknown, meetings: unknown): Instruction[] | null {
  const teachers = readTeachers(faculty)
  if (teachers === null || !Array.isArray(meetings)) return null
  const times = readTimes(meetings)
  const taught: Instruction[] = []
  for (const name of teachers.length > 0 ? teachers : NO_TEACHERS) {
    for (const days_times of times.length > 0 ? times : NO_TEACHERS) taught.push({ name, days_times })
  }
  return instructionList(taught)
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

/** Each time once, in weekday order. */
function readTimes(meetings: readonly unknown[]): string[] {
  const patterns: Pattern[] = []
  for (const meeting of few(meetings)) if (isRecord(meeting)) patterns.push(readPattern(meeting))
  if (patterns.length > 1) patterns.sort(byWeek)
  const times: string[] = []
  for (const { text } of patterns) if (!times.includes(text)) times.push(text)
  return times
}

function readPattern(meeting: Record<string, unknown>): Pattern {
  const days: unknown[] = Array.isArray(meeting['Days']) ? meeting['Days'] : []
  let names = ''
  let firstDay = NO_DAY
  for (const [place, { number, name }] of WEEK.entries()) {
    if (!days.includes(number)) continue
    names += name
    if (firstDay === NO_DAY) firstDay = place
  }
  const from = clock(meeting['StartTimeDisplay'])
  const to = clock(meeting['EndTimeDisplay'])
  const hours = from !== '' && to !== '' ? `${from} - ${to}` : from
  return {
    text: names === '' || hours === '' ? names + hours : `${names} ${hours}`,
    firstDay,
    begin: tidy(meeting['StartTime']),
  }
}

/** "8:30 AM" → "8:30AM"; '' for anything else. */
function clock(value: unknown): string {
  return clockIn(tidy(value))
}

const clockIn = remembered((text) => {
  const [, time = '', half = ''] = /^(\d{1,2}:\d\d) ?([AP])\.?M\.?$/i.exec(text) ?? []
  return time === '' ? '' : `${time}${half.toUpperCase()}M`
})

function byWeek(one: Pattern, other: Pattern): number {
  return one.firstDay - other.firstDay || compareTexts(one.begin, other.begin) || compareTexts(one.text, other.text)
}
