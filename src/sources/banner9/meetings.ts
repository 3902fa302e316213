import { datesOf, isoDay } from '../class-dates.ts'
import { few } from '../entries.ts'
import { isRecord } from '../json-page.ts'
import { clockText, compareTexts, instructionList, SHORT_DAYS, TO_BE_ANNOUNCED } from '../meeting-times.ts'
import { placeOf, placesOf } from '../places.ts'
import { remembered } from '../remembered.ts'
import type { Instruction } from '../source.ts'
import { tidy } from '../text.ts'

interface Pattern {
  text: string
  days: DaySet
  begin: string
  teachers: readonly string[]
}

/** Weekdays as bits, Monday the lowest. */
type DaySet = number

/** "MoWe" for every set of days. */
const DAY_NAMES = Array.from({ length: 128 }, (_, days) => SHORT_DAYS.filter((_day, bit) => days & (1 << bit)).join(''))

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
  if (teachers.length > 1 || patterns.some((pattern) => pattern.teachers.length > 0)) {
    return instructionList(everyPair(teachers, patterns))
  }
  return [{ name: teachers[0] ?? TO_BE_ANNOUNCED, days_times: everyTime(patterns) || TO_BE_ANNOUNCED }]
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

/** By far the most common case, one instructor or none, without going through pairs. */
function everyTime(patterns: readonly Pattern[]): string {
  const [first] = patterns
  if (first === undefined || patterns.length === 1) return first?.text ?? ''
  const texts = patterns.map(({ text }) => text)
  return texts.filter((text, index) => text !== '' && texts.indexOf(text) === index).join(', ')
}

function everyPair(teachers: readonly string[], patterns: readonly Pattern[]): { name: string; days_times: string }[] {
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

function readPatterns(meetings: unknown): Pattern[] {
  if (!Array.isArray(meetings)) return []
  const patterns: Pattern[] = []
  for (const meeting of few(meetings)) {
    if (!isRecord(meeting) || !isRecord(meeting.meetingTime)) continue
    const time = meeting.meetingTime
    if (time.meetingType === FINAL_EXAM) continue
    patterns.push(readPattern(time, readTeachers(meeting.faculty)))
  }
  if (patterns.length > 1) patterns.sort(byWeek)
  return patterns
}

/** The text is "MoWe 9:05AM - 10:20AM", or '' for a meeting without days and times (online, by arrangement). */
function readPattern(time: Record<string, unknown>, teachers: readonly string[]): Pattern {
  const days =
    (time.monday === true ? 1 : 0) |
    (time.tuesday === true ? 2 : 0) |
    (time.wednesday === true ? 4 : 0) |
    (time.thursday === true ? 8 : 0) |
    (time.friday === true ? 16 : 0) |
    (time.saturday === true ? 32 : 0) |
    (time.sunday === true ? 64 : 0)
  const begin = typeof time.beginTime === 'string' ? time.beginTime : ''
  const from = clock(begin)
  const to = typeof time.endTime === 'string' ? clock(time.endTime) : ''
  const hours = to === '' ? from : `${from} - ${to}`
  const names = DAY_NAMES[days] ?? ''
  return { text: names === '' ? hours : hours === '' ? names : `${names} ${hours}`, days, begin, teachers }
}

/** "0905" → "9:05AM"; '' for anything else. */
const clock = remembered((text) => {
  const [, hours = '', minutes = ''] = /^([01]\d|2[0-4])([0-5]\d)$/.exec(text) ?? []
  return hours === '' ? '' : clockText(Number(hours) % 24, minutes)
})

/** Sorted by first day, time and text, so that equal answers have equal texts. */
function byWeek(one: Pattern, other: Pattern): number {
  const firstDay = (days: DaySet) => (days === 0 ? 128 : days & -days)
  return (
    firstDay(one.days) - firstDay(other.days) ||
    compareTexts(one.begin, other.begin) ||
    compareTexts(one.text, other.text)
  )
}
