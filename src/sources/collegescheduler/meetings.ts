import { datesOf, isoDay } from '../class-dates.ts'
import { instructionList, TO_BE_ANNOUNCED } from '../instruction.ts'
import { placeOf, placesOf } from '../places.ts'
import { isRecord } from '../record.ts'
import { remembered } from '../remembered.ts'
import type { Instruction } from '../source.ts'
import { tidy } from '../text.ts'

const DAYS: Readonly<Record<string, string>> = { M: 'Mo', T: 'Tu', W: 'We', R: 'Th', F: 'Fr', S: 'Sa', U: 'Su' }
/** What stands in the place of a name. */
const NOBODY = /^(?:not assigned|staff|tb[ad]|to be (?:announced|determined))$/i

/**
 * Who teaches when. The row does not say who teaches at which of several times, so everybody teaches at all. Null where
 * it lacks the people or the meetings.
 */
export function readInstruction({ instructors, meetings }: Record<string, unknown>): Instruction[] | null {
  if (!Array.isArray(instructors) || !Array.isArray(meetings)) return null
  const names = instructors.map(tidy).filter((name) => name !== '' && !isNobody(name))
  const times = meetings.map(timesOf).filter((time) => time !== '')
  const days_times = [...new Set(times)].join(', ')
  return instructionList((names.length > 0 ? names : [TO_BE_ANNOUNCED]).map((name) => ({ name, days_times })))
}

const isNobody = remembered((name) => NOBODY.test(name))

/** Where and between which days the classes are; what no meeting tells is ''. */
export function readPlaceAndDates(meetings: unknown): { place: string; starts_on: string; ends_on: string } {
  const told = Array.isArray(meetings) ? meetings.filter(isRecord) : []
  return {
    place: placesOf(told.map(({ building, room }) => placeOf(building, room))),
    ...datesOf(told.map(({ startDate, endDate }) => ({ from: isoDay(startDate), to: isoDay(endDate) }))),
  }
}

/** "MoWe 1:45PM - 3:00PM"; '' where days or the hour are not told, as for what is online. */
function timesOf(meeting: unknown): string {
  if (!isRecord(meeting)) return ''
  const days = daysIn(tidy(meeting['days']))
  const [from, to] = [clock(meeting['startTime']), clock(meeting['endTime'])]
  if (days === '' || from === '') return ''
  return `${days} ${to === '' ? from : `${from} - ${to}`}`
}

/** "MW" → "MoWe"; '' for what is no days. */
const daysIn = remembered((text) => {
  const days = [...text].map((letter) => DAYS[letter])
  return days.includes(undefined) ? '' : days.join('')
})

/** 1345 → "1:45PM". 0 stands for no time; '' for that and for anything that is no time of day. */
function clock(value: unknown): string {
  if (typeof value !== 'number' || !Number.isInteger(value) || value <= 0) return ''
  const [hour, minutes] = [Math.floor(value / 100), value % 100]
  if (hour > 23 || minutes > 59) return ''
  return `${hour % 12 === 0 ? 12 : hour % 12}:${String(minutes).padStart(2, '0')}${hour < 12 ? 'AM' : 'PM'}`
}
