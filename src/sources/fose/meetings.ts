import { parseJson } from '../../lib/text.ts'
import { isRecord } from '../json-page.ts'
import {
  clockOf,
  compareTexts,
  type DaySet,
  daysText,
  everybodyAt,
  firstDay,
  hoursText,
  SHORT_DAYS,
} from '../meeting-times.ts'
import { memoized } from '../memoized.ts'
import type { Instruction } from '../source.ts'
import { tidy } from '../text.ts'

const NO_MEETING = /^does not meet$/i
const NOBODY = /^(?:tb[ad]|to be (?:announced|determined))$/i

/**
 * Who teaches when. Several people are in one text, separated by slashes, and the row does not say who teaches at which
 * of several times, so everyone is shown for all of them. Null if the row lacks the people, or both forms of the times.
 */
export function readInstruction(row: Record<string, unknown>): Instruction[] | null {
  const { instr: people, meetingTimes, meets } = row
  if (typeof people !== 'string') return null
  const days_times = readTimes(meetingTimes) ?? readText(meets)
  if (days_times === null) return null
  return everybodyAt(namesIn(people), days_times)
}

const namesIn = memoized((text) =>
  tidy(text)
    .split('/')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !NOBODY.test(name)),
)

/** "MoWe 10:00AM - 10:50AM" for each hour, separated by commas, from JSON inside a text; null if it has none. */
function readTimes(value: unknown): string | null {
  return typeof value === 'string' ? timesIn(value).times : null
}

/** Many sections of a term meet at the same times. */
const timesIn = memoized((text) => ({ times: parseTimes(text)?.join(', ') ?? null }))

function parseTimes(text: string): string[] | null {
  const meetings = parseJson(text)
  if (!Array.isArray(meetings) || meetings.length === 0) return null
  const daysAt = new Map<string, DaySet>()
  for (const meeting of meetings.filter(isRecord)) {
    const day = Number(tidy(meeting['meet_day']) || Number.NaN)
    const from = clockOf(tidy(meeting['start_time']))
    if (!(day in SHORT_DAYS) || from === '') return null
    const hours = hoursText(from, clockOf(tidy(meeting['end_time'])))
    daysAt.set(hours, (daysAt.get(hours) ?? 0) | (1 << day))
  }
  return Array.from(daysAt, ([hours, days]) => ({ hours, days }))
    .toSorted((one, other) => firstDay(one.days) - firstDay(other.days) || compareTexts(one.hours, other.hours))
    .map(({ hours, days }) => `${daysText(days)} ${hours}`)
}

/** The text for display, "MW 10-10:50a; TTh 10-11:15a"; null if there is none. */
function readText(value: unknown): string | null {
  if (typeof value !== 'string') return null
  const text = tidy(value)
  return text === '' || NO_MEETING.test(text) || NOBODY.test(text) ? '' : text.split(/\s*;\s*/).join(', ')
}
