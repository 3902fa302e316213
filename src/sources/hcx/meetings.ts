import { instructionList } from '../instruction.ts'
import { placeOf, placesOf } from '../places.ts'
import { isRecord } from '../record.ts'
import { remembered } from '../remembered.ts'
import type { Instruction } from '../source.ts'
import { tidy } from '../text.ts'

/** What stands for a teacher whom the school has not announced, or does not name. */
const NOBODY = /^(?:|-|staff|tba|to be announced)$/i

/**
 * Who teaches when: each meeting has its teachers, or else those of the section. Null where the row lacks either list: an
 * empty list says that nothing is announced, an absent one says nothing.
 */
export function readInstruction(instructors: unknown, meetings: unknown): Instruction[] | null {
  if (!Array.isArray(meetings)) return null
  const everybody = Array.isArray(instructors) ? namesOf(instructors) : null
  const pairs = meetings.filter(isRecord).flatMap((meeting) => {
    const own = Array.isArray(meeting['instructors'])
      ? namesOf(meeting['instructors'])
      : namesOf([meeting['instructor']])
    const names = own.length > 0 ? own : (everybody ?? [])
    return (names.length > 0 ? names : ['']).map((name) => ({ name, days_times: timesOf(meeting) }))
  })
  const named = new Set(pairs.map(({ name }) => name))
  if (everybody === null && !pairs.some(({ name }) => name !== '')) return null
  const others = (everybody ?? []).filter((name) => !named.has(name)).map((name) => ({ name, days_times: '' }))
  const all = [...pairs, ...others]
  return instructionList(all.length > 0 ? all : [{ name: '', days_times: '' }])
}

/** Names stand alone at some schools, and beside an address at others. */
function namesOf(listed: readonly unknown[]): string[] {
  const names = listed.map((one) => tidy(isRecord(one) ? one['name'] : one)).filter((name) => !isNobody(name))
  return names.length < 2 ? names : [...new Set(names)]
}

const isNobody = remembered((name) => NOBODY.test(name))

function timesOf(meeting: Record<string, unknown>): string {
  const days = tidy(meeting['days'])
  const from = clock(meeting['start_time'] ?? meeting['meeting_time_start'])
  const to = clock(meeting['end_time'] ?? meeting['meeting_time_end'])
  const hours = from !== '' && to !== '' ? `${from} - ${to}` : from
  if (isNobody(days)) return hours
  return hours === '' ? days : `${days} ${hours}`
}

/** "13.45.00.000000", "13.45.00.000000-05:00" and "1:45PM" are "1:45PM"; '' for anything that is no time of day. */
function clock(value: unknown): string {
  return clockIn(tidy(value))
}

const clockIn = remembered((text) => {
  const [, shown = '', half = ''] = /^(\d{1,2}:\d\d) ?([AP])\.?M\.?$/i.exec(text) ?? []
  if (shown !== '') return `${shown}${half.toUpperCase()}M`
  const [, hours = '', minutes = ''] = /^([01]\d|2[0-3])\.([0-5]\d)\.\d\d\b/.exec(text) ?? []
  if (hours === '') return ''
  const hour = Number(hours)
  return `${hour % 12 === 0 ? 12 : hour % 12}:${minutes}${hour < 12 ? 'AM' : 'PM'}`
})

/** Where it meets; '' where that is not told. */
export function readPlace(meetings: unknown): string {
  return placesOf(
    (Array.isArray(meetings) ? meetings : []).filter(isRecord).map((meeting) => {
      return placeOf(meeting['facility_descr'], '') || placeOf(meeting['bldg_cd'], meeting['room'])
    }),
  )
}
