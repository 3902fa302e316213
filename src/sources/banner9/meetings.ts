import { datesOf, isoDay } from '../class-dates.ts'
import { few } from '../entries.ts'
import { isRecord } from '../json-page.ts'
import {
  byWeek,
  clockOf,
  compareTexts,
  daysText,
  everybodyAt,
  everyTime,
  hoursText,
  instructionList,
  type Pattern,
  timesText,
} from '../meeting-times.ts'
import { placeOf, placesOf } from '../places.ts'
import type { Instruction } from '../source.ts'
import { tidy } from '../text.ts'

interface TaughtPattern extends Pattern {
  teachers: readonly string[]
}

const FINAL_EXAM = 'FNEX'
const NOBODY: readonly string[] = []

/**
 * Who teaches when. Every instructor of the section teaches at all its times, unless a meeting names its own (newer
 * schools). Sorted by time and then by name, with the primary instructor first, because Banner's own order changes
 * between answers. A final exam is a single date, not a pattern, and is left out. Null if the row lacks either list or
 * names of people: an empty list says that nothing is announced, a missing one says nothing.
 */
export function readInstruction(faculty: unknown, meetings: unknown): Instruction[] | null {
  if (!Array.isArray(faculty) || !Array.isArray(meetings)) return null
  if (faculty.length > 0 && !faculty.some((person) => isRecord(person) && typeof person.displayName === 'string')) {
    return null
  }
  const teachers = readTeachers(faculty)
  const patterns = readPatterns(meetings)
  const isSplit = patterns.some((pattern) => pattern.teachers.length > 0)
  return isSplit ? instructionList(everyPair(teachers, patterns)) : everybodyAt(teachers, everyTime(patterns))
}

/** Where and between which days the class meets, without exams; '' if no meeting says. */
export function readPlaceAndDates(meetings: unknown): { place: string; starts_on: string; ends_on: string } {
  const places: string[] = []
  const spans: { from: string; to: string }[] = []
  for (const meeting of Array.isArray(meetings) ? few(meetings) : []) {
    const time: unknown = isRecord(meeting) ? meeting.meetingTime : null
    if (!isRecord(time) || time.meetingType === FINAL_EXAM) continue
    places.push(placeOf(time.buildingDescription ?? time.building, time.room))
    spans.push({ from: isoDay(time.startDate), to: isoDay(time.endDate) })
  }
  return { place: placesOf(places), ...datesOf(spans) }
}

function everyPair(teachers: readonly string[], patterns: readonly TaughtPattern[]): Instruction[] {
  const guests = patterns.flatMap((pattern) => pattern.teachers).filter((name) => !teachers.includes(name))
  const everybody = [...teachers, ...new Set(guests)]
  return (everybody.length > 0 ? everybody : ['']).flatMap((name) => {
    // A guest is named only by a meeting, and teaches only there.
    const isGuest = guests.includes(name)
    const taught = patterns.filter(({ teachers: own }) => (own.length === 0 ? !isGuest : own.includes(name)))
    return taught.length === 0 ? [{ name, days_times: '' }] : taught.map(({ text }) => ({ name, days_times: text }))
  })
}

function readTeachers(faculty: unknown): readonly string[] {
  if (!Array.isArray(faculty) || faculty.length === 0) return NOBODY
  const people: { name: string; isPrimary: boolean }[] = []
  for (const person of few(faculty)) {
    if (!isRecord(person)) continue
    const name = tidy(person.displayName)
    if (name !== '') people.push({ name, isPrimary: person.primaryIndicator === true })
  }
  if (people.length > 1) {
    people.sort((one, other) =>
      one.isPrimary === other.isPrimary ? compareTexts(one.name, other.name) : one.isPrimary ? -1 : 1,
    )
  }
  return people.map((person) => person.name)
}

function readPatterns(meetings: readonly unknown[]): TaughtPattern[] {
  const patterns: TaughtPattern[] = []
  for (const meeting of few(meetings)) {
    if (!isRecord(meeting) || !isRecord(meeting.meetingTime)) continue
    const time = meeting.meetingTime
    if (time.meetingType === FINAL_EXAM) continue
    patterns.push(readPattern(time, readTeachers(meeting.faculty)))
  }
  if (patterns.length > 1) patterns.sort(byWeek)
  return patterns
}

function readPattern(time: Record<string, unknown>, teachers: readonly string[]): TaughtPattern {
  const days =
    (time.monday === true ? 1 : 0) |
    (time.tuesday === true ? 2 : 0) |
    (time.wednesday === true ? 4 : 0) |
    (time.thursday === true ? 8 : 0) |
    (time.friday === true ? 16 : 0) |
    (time.saturday === true ? 32 : 0) |
    (time.sunday === true ? 64 : 0)
  const begin = typeof time.beginTime === 'string' ? time.beginTime : ''
  const hours = hoursText(clockOf(begin), typeof time.endTime === 'string' ? clockOf(time.endTime) : '')
  return { text: timesText(daysText(days), hours), days, begin, teachers }
}
