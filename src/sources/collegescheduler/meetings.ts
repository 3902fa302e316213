import { datesOf, isoDay } from '../class-dates.ts'
import { few } from '../few.ts'
import { instructionList, TO_BE_ANNOUNCED } from '../instruction.ts'
import { joined } from '../joined.ts'
import { clockText, daysOfLetters } from '../meeting-times.ts'
import { placeOf } from '../places.ts'
import { isRecord } from '../record.ts'
import type { Instruction } from '../source.ts'
import { tidy } from '../text.ts'

/** What is written in place of a name. */
const NOBODY = /^(?:not assigned|staff|tb[ad]|to be (?:announced|determined))$/i

/**
 * Who teaches when. The row does not say who teaches at which of several times, so everybody is shown for all of them.
 * Null if it lacks the people or the meetings.
 */
export function readInstruction({ instructors, meetings }: Record<string, unknown>): Instruction[] | null {
  if (!Array.isArray(instructors) || !Array.isArray(meetings)) return null
  const times: string[] = []
  for (const meeting of few(meetings)) {
    const time = timesOf(meeting)
    if (time !== '' && !times.includes(time)) times.push(time)
  }
  const days_times = times.join(', ')
  const taught: Instruction[] = []
  for (const instructor of few(instructors)) {
    const name = tidy(instructor)
    if (name !== '' && !NOBODY.test(name)) taught.push({ name, days_times })
  }
  return instructionList(taught.length > 0 ? taught : [{ name: TO_BE_ANNOUNCED, days_times }])
}

/** Where the class meets; '' if no meeting says. */
export function readPlace(meetings: unknown): string {
  return joined(meetings, ({ building, room }) => placeOf(building, room))
}

/** The first and the last day of its meetings; '' if none says. */
export function readDates(meetings: unknown): { starts_on: string; ends_on: string } {
  const spans: { from: string; to: string }[] = []
  for (const meeting of Array.isArray(meetings) ? few(meetings) : []) {
    if (isRecord(meeting)) spans.push({ from: isoDay(meeting['startDate']), to: isoDay(meeting['endDate']) })
  }
  return datesOf(spans)
}

/** "MoWe 1:45PM - 3:00PM"; '' without days or hours, as for online classes. */
function timesOf(meeting: unknown): string {
  if (!isRecord(meeting)) return ''
  const days = daysOfLetters(tidy(meeting['days']))
  const hours = hoursOf(meeting['startTime'], meeting['endTime'])
  return days === '' || hours === '' ? '' : `${days} ${hours}`
}

/** "1:45PM - 3:00PM"; '' without a start time. */
function hoursOf(start: unknown, end: unknown): string {
  const from = clock(start)
  if (from === '') return ''
  const to = clock(end)
  return to === '' ? from : `${from} - ${to}`
}

/** 1345 → "1:45PM". 0 means no time; '' for that and for anything else. */
function clock(value: unknown): string {
  if (typeof value !== 'number' || !Number.isInteger(value) || value <= 0) return ''
  const hour = Math.floor(value / 100)
  const minutes = value % 100
  return hour > 23 || minutes > 59 ? '' : clockText(hour, String(minutes).padStart(2, '0'))
}
