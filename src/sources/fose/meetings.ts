import { isRecord, parseJson } from '../json-page.ts'
import { clockText, compareTexts, instructionList, SHORT_DAYS, TO_BE_ANNOUNCED } from '../meeting-times.ts'
import { remembered } from '../remembered.ts'
import type { Instruction } from '../source.ts'
import { tidy } from '../text.ts'

const NO_MEETING = /^does not meet$/i
const NOBODY = /^(?:tb[ad]|to be (?:announced|determined))$/i

/**
 * Who teaches when. Several people are in one text, separated by slashes, and the row does not say who teaches at which
 * of several times, so everybody is shown for all of them. Null if the row lacks the people, or both forms of the
 * times.
 */
export function readInstruction(row: Record<string, unknown>): Instruction[] | null {
  const { instr: people, meetingTimes, meets } = row
  if (typeof people !== 'string') return null
  const days_times = readTimes(meetingTimes) ?? readText(meets)
  if (days_times === null) return null
  const names = namesIn(people)
  const [only = TO_BE_ANNOUNCED] = names
  // By far the most common case, without going through several people.
  if (names.length === 1) return [{ name: only, days_times: days_times || TO_BE_ANNOUNCED }]
  return instructionList(names.map((name) => ({ name, days_times })))
}

const namesIn = remembered((text) => {
  const names = tidy(text)
    .split('/')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !NOBODY.test(name))
  return names.length > 0 ? names : [TO_BE_ANNOUNCED]
})

/** "MoWe 10:00AM - 10:50AM" for each hour, separated by commas, from JSON inside a text; null if it has none. */
function readTimes(value: unknown): string | null {
  return typeof value === 'string' ? timesIn(value).times : null
}

/** Many sections of a term meet at the same times. */
const timesIn = remembered((text) => ({ times: parseTimes(text)?.join(', ') ?? null }))

function parseTimes(text: string): string[] | null {
  const meetings = parseJson(text)
  if (!Array.isArray(meetings) || meetings.length === 0) return null
  const daysOf = new Map<string, Set<number>>()
  for (const meeting of meetings.filter(isRecord)) {
    const day = Number(tidy(meeting['meet_day']) || Number.NaN)
    const from = clock(meeting['start_time'])
    if (!(day in SHORT_DAYS) || from === '') return null
    const to = clock(meeting['end_time'])
    const hours = to === '' ? from : `${from} - ${to}`
    daysOf.set(hours, (daysOf.get(hours) ?? new Set()).add(day))
  }
  return [...daysOf]
    .map(([hours, days]) => ({ hours, days: [...days].toSorted((one, other) => one - other) }))
    .toSorted((one, other) => (one.days[0] ?? 0) - (other.days[0] ?? 0) || compareTexts(one.hours, other.hours))
    .map(({ hours, days }) => `${days.map((day) => SHORT_DAYS[day]).join('')} ${hours}`)
}

/** The text for display, "MW 10-10:50a; TTh 10-11:15a"; null if there is none. */
function readText(value: unknown): string | null {
  if (typeof value !== 'string') return null
  const text = tidy(value)
  return text === '' || NO_MEETING.test(text) || NOBODY.test(text) ? '' : text.split(/\s*;\s*/).join(', ')
}

/** "830" → "8:30AM", "1745" → "5:45PM"; '' for anything else. */
function clock(value: unknown): string {
  const [, hour = '', minutes = ''] = /^(\d{1,2})([0-5]\d)$/.exec(tidy(value)) ?? []
  const at = Number(hour)
  if (hour === '' || at > 23) return ''
  return clockText(at, minutes)
}
