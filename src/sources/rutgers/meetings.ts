import { few } from '../entries.ts'
import { isRecord } from '../json-page.ts'
import { type DaySet, daysText, everybodyAt, firstDay, hoursText, clockAt } from '../meeting-times.ts'
import { memoized } from '../memoized.ts'
import type { Instruction } from '../source.ts'
import { tidy } from '../text.ts'

/** The school's letters of the days, in the order of the week; Thursday is H and Sunday U. */
const LETTERS = 'MTWHFSU'
const NOON = 12 * 60

/** Days with the same hours. */
interface DaysAtHours {
  hours: string
  days: DaySet
}

/**
 * Who teaches when. The school does not say who teaches at which of several times, so everyone is shown for all of
 * them. Null if the section lacks either list: an empty list says that nothing is announced, a missing one says
 * nothing.
 */
export function readInstruction(teachers: unknown, meetings: unknown): Instruction[] | null {
  if (!Array.isArray(teachers) || !Array.isArray(meetings)) return null
  const names = few(teachers)
    .map(nameOf)
    .filter((name) => name !== '')
  return everybodyAt(names, readTimes(meetings))
}

function nameOf(teacher: unknown): string {
  return isRecord(teacher) ? tidy(teacher['name']) : ''
}

/** "MoTh 12:10PM - 1:30PM, Tu 8:30AM - 9:50AM" */
function readTimes(meetings: readonly unknown[]): string {
  const patterns = readPatterns(meetings)
  if (patterns.length > 1) patterns.sort((one, other) => firstDay(one.days) - firstDay(other.days))
  return oneCopy(patterns.map(({ hours, days }) => `${daysText(days)} ${hours}`).join(', '))
}

/** Many sections of a term meet at the same times, and all of them stay in memory until the last has arrived. */
const oneCopy = memoized((text) => text)

function readPatterns(meetings: readonly unknown[]): DaysAtHours[] {
  const patterns: DaysAtHours[] = []
  for (const meeting of few(meetings)) {
    if (!isRecord(meeting)) continue
    const { meetingDay } = meeting
    const bit = typeof meetingDay === 'string' && meetingDay.length === 1 ? LETTERS.indexOf(meetingDay) : -1
    // By arrangement, or online at any time.
    if (bit < 0) continue
    const hours = readHours(meeting)
    if (hours === '') continue
    const same = patterns.find((pattern) => pattern.hours === hours)
    if (same === undefined) patterns.push({ hours, days: 1 << bit })
    else same.days |= 1 << bit
  }
  return patterns
}

/** "5:40PM - 7:00PM"; '' if the meeting has no hour. */
function readHours(meeting: Record<string, unknown>): string {
  const begin = minutesOf(meeting['startTimeMilitary']) ?? halfDay(meeting['startTime'], meeting['pmCode'])
  if (begin === null) return ''
  const end = minutesOf(meeting['endTimeMilitary']) ?? after(begin, minutesOf(meeting['endTime']))
  return hoursText(clockAt(begin), end === null ? '' : clockAt(end))
}

/** "0540" with P is 17:40. Older answers have only this. */
function halfDay(time: unknown, half: unknown): number | null {
  const minutes = minutesOf(time)
  if (minutes === null || minutes >= 13 * 60) return null
  return (minutes % NOON) + (half === 'P' ? NOON : 0)
}

/** The letter is for the start, so the end is the first such time after it. */
function after(begin: number, time: number | null): number | null {
  if (time === null || time >= 13 * 60) return null
  const end = time % NOON
  return end > begin ? end : end + NOON
}

/** "1740" → 1060; null for anything else. */
function minutesOf(time: unknown): number | null {
  if (typeof time !== 'string' || time.length !== 4) return null
  const minutes = minutesIn(time)
  return Number.isNaN(minutes) ? null : minutes
}

const minutesIn = memoized((time) => {
  const [, hour = '', minutes = ''] = /^([01]\d|2[0-3])([0-5]\d)$/.exec(time) ?? []
  return hour === '' ? Number.NaN : Number(hour) * 60 + Number(minutes)
})
