import { instructionList } from '../instruction.ts'
import { isRecord } from '../record.ts'
import { remembered } from '../remembered.ts'
import type { Instruction } from '../source.ts'
import { tidy } from '../text.ts'

/** By the number of the day, Sunday 0. */
const SHORT_DAYS = ['Su', 'Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa']
/** A day's place in a week that begins on Monday; after all days for a meeting without any. */
const NO_DAY = 7

interface Pattern {
  text: string
  firstDay: number
  /** "08:30:00"; '' where the meeting has no hour. */
  begin: string
}

/**
 * Who teaches when. The school does not say who teaches at which of several times, so everybody teaches at all. Null where
 * the row lacks either list: an empty list says that nothing is announced, an absent one says nothing.
 *
 * Only `FormattedMeetingTimes` tells the times: those of `Meetings` are moments of the day of the request.
 */
export function readInstruction(faculty: unknown, meetings: unknown): Instruction[] | null {
  const teachers = readTeachers(faculty)
  if (teachers === null || !Array.isArray(meetings)) return null
  const patterns = meetings.filter(isRecord).map(readPattern).toSorted(byWeek)
  const times = [...new Set(patterns.map(({ text }) => text))]
  return instructionList(
    (teachers.length > 0 ? teachers : ['']).flatMap((name) =>
      (times.length > 0 ? times : ['']).map((days_times) => ({ name, days_times })),
    ),
  )
}

/** By name, because their order may change between answers. */
function readTeachers(faculty: unknown): string[] | null {
  const listed: unknown[] | null = Array.isArray(faculty) ? faculty : typeof faculty === 'string' ? [faculty] : null
  const names = listed?.map(tidy).filter((name) => name !== '') ?? null
  return names === null ? null : [...new Set(names)].toSorted()
}

function readPattern(meeting: Record<string, unknown>): Pattern {
  const days = Array.isArray(meeting['Days']) ? meeting['Days'] : []
  const places = days
    .filter((day): day is number => Number.isInteger(day) && day >= 0 && day <= 6)
    .map((day) => (day + 6) % 7)
    .toSorted((one, other) => one - other)
  const names = [...new Set(places)].map((place) => SHORT_DAYS[(place + 1) % 7]).join('')
  const from = clock(meeting['StartTimeDisplay'])
  const to = clock(meeting['EndTimeDisplay'])
  const hours = from !== '' && to !== '' ? `${from} - ${to}` : from
  return {
    text: [names, hours].filter((part) => part !== '').join(' '),
    firstDay: places[0] ?? NO_DAY,
    begin: tidy(meeting['StartTime']),
  }
}

/** "8:30 AM" → "8:30AM"; '' for anything that is no time of day. */
function clock(value: unknown): string {
  return clockIn(tidy(value))
}

const clockIn = remembered((text) => {
  const [, time = '', half = ''] = /^(\d{1,2}:\d\d) ?([AP])\.?M\.?$/i.exec(text) ?? []
  return time === '' ? '' : `${time}${half.toUpperCase()}M`
})

function byWeek(one: Pattern, other: Pattern): number {
  return one.firstDay - other.firstDay || compare(one.begin, other.begin) || compare(one.text, other.text)
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}
