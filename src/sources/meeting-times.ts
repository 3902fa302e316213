import { memoized } from './memoized.ts'
import type { Instruction } from './source.ts'

/** Weekdays as bits, Monday the lowest. */
export type DaySet = number

/** Days of the week as people read them, Monday first. */
export const SHORT_DAYS = ['Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa', 'Su']

/** "MoWe" for every set of days. */
const DAY_TEXTS = Array.from({ length: 128 }, (_, days) => SHORT_DAYS.filter((_day, bit) => days & (1 << bit)).join(''))

export const daysText = (days: DaySet): string => DAY_TEXTS[days] ?? ''

/** Grows with the first day of a set; largest for one without days. */
export const firstDay = (days: DaySet): number => (days === 0 ? 128 : days & -days)

/** 13 and "45" → "1:45PM". */
function clockOfDay(hour: number, minutes: string): string {
  return `${hour % 12 === 0 ? 12 : hour % 12}:${minutes}${hour < 12 ? 'AM' : 'PM'}`
}

/** "8:30AM" for every school's "8:30 AM", "08:30 a.m.", "830", "0830" and "08.30.00.000000-05:00"; '' for anything else. */
export function clockOf(text: string): string {
  return CLOCKS[minuteOf(text)] ?? otherClockOf(text)
}

/** "1:45PM" for a minute counted from midnight, also of the next day. */
export const clockAt = (minute: number): string => CLOCKS[minute % 1440] ?? ''

/** Every minute of a day as people read it. */
const CLOCKS = Array.from({ length: 1440 }, (_, minute) =>
  clockOfDay(Math.floor(minute / 60), String(minute % 60).padStart(2, '0')),
)

/** The minute of the day in "08.30.00.000000", which is faster to read than to look up; -1 for other texts. */
function minuteOf(text: string): number {
  if (text.length < 15 || text[2] !== '.' || text[5] !== '.' || text[8] !== '.') return -1
  const hour = twoDigits(text, 0)
  const minute = twoDigits(text, 3)
  const isTime = hour < 24 && minute < 60 && twoDigits(text, 6) < 60
  return isTime ? hour * 60 + minute : -1
}

/** NaN unless both are digits. */
function twoDigits(text: string, at: number): number {
  const [tens, ones] = [text.charCodeAt(at) - 48, text.charCodeAt(at + 1) - 48]
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : NaN
}

const otherClockOf = memoized((text) => {
  const [, shown = '', half = ''] = /^0?(\d{1,2}:[0-5]\d) ?([AP])\.?M\.?$/i.exec(text) ?? []
  if (shown !== '') return `${shown}${half.toUpperCase()}M`
  const [, hour = '', minutes = ''] = /^([01]?\d|2[0-4])\.?([0-5]\d)(?:\.\d\d\b.*)?$/.exec(text) ?? []
  return hour === '' ? '' : clockOfDay(Number(hour) % 24, minutes)
})

/** "9:05AM - 10:20AM"; only the beginning if there is no end. */
export const hoursText = (from: string, to: string): string => (from === '' || to === '' ? from : `${from} - ${to}`)

/** "MoWe 9:05AM - 10:20AM"; either part may be ''. */
export const timesText = (days: string, hours: string): string =>
  days === '' || hours === '' ? days + hours : `${days} ${hours}`

/** Orders texts by their code units, which is much faster than by a language's rules. */
export function compareTexts(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

/** When a class meets every week. */
export interface Pattern {
  /** "MoWe 9:05AM - 10:20AM"; '' for a meeting without days and times (online, by arrangement). */
  text: string
  days: DaySet
  /** The hour as the school writes it, which can be sorted. */
  begin: string
}

/** Sorts by first day, time and text, so that equal answers have equal texts. */
export function byWeek(one: Pattern, other: Pattern): number {
  return (
    firstDay(one.days) - firstDay(other.days) ||
    compareTexts(one.begin, other.begin) ||
    compareTexts(one.text, other.text)
  )
}

/** Each time once, separated by commas. */
export function everyTime(patterns: readonly Pattern[]): string {
  const [first] = patterns
  // By far the most common case.
  if (first === undefined || patterns.length === 1) return first?.text ?? ''
  const texts = patterns.map(({ text }) => text)
  return texts.filter((text, index) => text !== '' && texts.indexOf(text) === index).join(', ')
}

/** What schools print for an instructor or a time that is not announced. */
const TO_BE_ANNOUNCED = 'TBA'

/** What some schools print in place of an instructor. */
export const NOBODY = /^(?:|-|staff|tb[ad]|to be (?:announced|determined))$/i

/** Everyone at all times, for schools that do not say who teaches at which of several times. */
export function everybodyAt(names: readonly string[], days_times: string): Instruction[] {
  return instructionList((names.length > 0 ? names : ['']).map((name) => ({ name, days_times })))
}

/**
 * One entry per person, in order of first appearance, with all their times joined by commas: `{ name: "Ada Lovelace",
 * days_times: "Mo 9:05AM - 10:20AM, We 1:00PM - 2:15PM" }`. Names stay as the school prints them ("Lovelace, Ada" too);
 * blank values are TBA, and TBA is dropped if the same person has known times.
 */
export function instructionList(pairs: readonly Instruction[]): Instruction[] {
  const [first] = pairs
  // By far the most common case, without going through people.
  if (first !== undefined && pairs.length === 1) {
    return [{ name: first.name || TO_BE_ANNOUNCED, days_times: first.days_times || TO_BE_ANNOUNCED }]
  }
  const people: { name: string; times: string[] }[] = []
  for (const { name, days_times } of pairs) {
    const key = name || TO_BE_ANNOUNCED
    let person = people.find((one) => one.name === key)
    if (person === undefined) people.push((person = { name: key, times: [] }))
    const isGiven = days_times !== '' && days_times !== TO_BE_ANNOUNCED
    if (isGiven && !person.times.includes(days_times)) person.times.push(days_times)
  }
  return people.map(({ name, times }) => ({ name, days_times: times.join(', ') || TO_BE_ANNOUNCED }))
}
