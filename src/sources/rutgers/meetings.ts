import { instructionList } from '../instruction.ts'
import { isRecord } from '../record.ts'
import type { Instruction } from '../source.ts'
import { tidy } from '../text.ts'

/** By the school's letters; Thursday is H and Sunday U. */
const DAYS: Readonly<Record<string, string>> = { M: 'Mo', T: 'Tu', W: 'We', H: 'Th', F: 'Fr', S: 'Sa', U: 'Su' }
const WEEK = Object.keys(DAYS)
const NOON = 12 * 60

/**
 * Who teaches when. The school does not say who teaches at which of several times, so everybody teaches at all. Null where
 * the section lacks either list: an empty list says that nothing is announced, an absent one says nothing.
 */
export function readInstruction(teachers: unknown, meetings: unknown): Instruction[] | null {
  if (!Array.isArray(teachers) || !Array.isArray(meetings)) return null
  const names = teachers
    .map((teacher) => (isRecord(teacher) ? tidy(teacher['name']) : ''))
    .filter((name) => name !== '')
  const daysOf = new Map<string, Set<string>>()
  for (const meeting of meetings.filter(isRecord)) {
    const hours = readHours(meeting)
    const day = tidy(meeting['meetingDay'])
    // By arrangement, or online at any time.
    if (hours === '' || !(day in DAYS)) continue
    daysOf.set(hours, (daysOf.get(hours) ?? new Set()).add(day))
  }
  const times = [...daysOf].map(([hours, days]) => {
    const week = WEEK.filter((day) => days.has(day))
    return { place: WEEK.indexOf(week[0] ?? ''), text: `${week.map((day) => DAYS[day]).join('')} ${hours}` }
  })
  const days_times = times.toSorted((one, other) => one.place - other.place).map(({ text }) => text)
  return instructionList(
    (names.length > 0 ? [...new Set(names)] : ['']).map((name) => ({ name, days_times: days_times.join(', ') })),
  )
}

/** "5:40PM - 7:00PM"; '' where the meeting has no hour. */
function readHours(meeting: Record<string, unknown>): string {
  const begin = minutesOf(meeting['startTimeMilitary']) ?? halfDay(meeting['startTime'], meeting['pmCode'])
  if (begin === null) return ''
  const end = minutesOf(meeting['endTimeMilitary']) ?? after(begin, minutesOf(meeting['endTime']))
  return end === null ? clock(begin) : `${clock(begin)} - ${clock(end)}`
}

/** "0540" with P is 17:40. Older answers have nothing else. */
function halfDay(time: unknown, half: unknown): number | null {
  const minutes = minutesOf(time)
  if (minutes === null || minutes >= 13 * 60) return null
  return (minutes % NOON) + (half === 'P' ? NOON : 0)
}

/** The letter is that of the beginning, so the end is the first such time after it. */
function after(begin: number, time: number | null): number | null {
  if (time === null || time >= 13 * 60) return null
  const end = time % NOON
  return end > begin ? end : end + NOON
}

/** "1740" → 1060; null for anything that is no time of day. */
function minutesOf(time: unknown): number | null {
  const [, hour = '', minutes = ''] = /^([01]\d|2[0-3])([0-5]\d)$/.exec(tidy(time)) ?? []
  return hour === '' ? null : Number(hour) * 60 + Number(minutes)
}

function clock(at: number): string {
  const hour = Math.floor(at / 60) % 24
  return `${hour % 12 === 0 ? 12 : hour % 12}:${String(at % 60).padStart(2, '0')}${hour < 12 ? 'AM' : 'PM'}`
}
