import { few, joined } from '../entries.ts'
import { isRecord } from '../json-page.ts'
import { clockOf, hoursText, instructionList, NOBODY, timesText } from '../meeting-times.ts'
import { placeOf } from '../places.ts'
import type { Instruction } from '../source.ts'
import { tidy } from '../text.ts'

const NOBODY_NAMED: readonly string[] = ['']

/**
 * Who teaches when: each meeting has its own instructors, or those of the section. Null if the row lacks either list:
 * an empty list says that nothing is announced, a missing one says nothing.
 */
export function readInstruction(instructors: unknown, meetings: unknown): Instruction[] | null {
  if (!Array.isArray(meetings)) return null
  const everybody = Array.isArray(instructors) ? namesOf(instructors) : null
  const pairs: Instruction[] = []
  for (const meeting of few(meetings)) {
    if (!isRecord(meeting)) continue
    const own = Array.isArray(meeting['instructors'])
      ? namesOf(meeting['instructors'])
      : namesOf([meeting['instructor']])
    const names = own.length > 0 ? own : (everybody ?? NOBODY_NAMED)
    const days_times = timesOf(meeting)
    for (const name of names.length > 0 ? names : NOBODY_NAMED) pairs.push({ name, days_times })
  }
  if (everybody === null && !pairs.some(({ name }) => name !== '')) return null
  for (const name of everybody ?? []) {
    if (!pairs.some((pair) => pair.name === name)) pairs.push({ name, days_times: '' })
  }
  return instructionList(pairs.length > 0 ? pairs : [{ name: '', days_times: '' }])
}

/** Names are alone at some schools, and beside an address at others. */
function namesOf(listed: readonly unknown[]): string[] {
  const names: string[] = []
  for (const one of few(listed)) {
    const name = tidy(isRecord(one) ? one['name'] : one)
    if (!NOBODY.test(name) && !names.includes(name)) names.push(name)
  }
  return names
}

function timesOf(meeting: Record<string, unknown>): string {
  const days = tidy(meeting['days'])
  const from = tidy(meeting['start_time'] ?? meeting['meeting_time_start'])
  const to = tidy(meeting['end_time'] ?? meeting['meeting_time_end'])
  return timesText(NOBODY.test(days) ? '' : days, hoursText(clockOf(from), clockOf(to)))
}

/** Where it meets; '' if unknown. */
export function readPlace(meetings: unknown): string {
  return joined(
    meetings,
    (meeting) => placeOf(meeting['facility_descr'], '') || placeOf(meeting['bldg_cd'], meeting['room']),
  )
}
