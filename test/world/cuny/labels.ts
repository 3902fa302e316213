import { usDate } from '../schools/terms.ts'
import type { Meeting, School, Section, Term } from '../schools/types.ts'

/** (year − 1900) × 10 + 2 Spring, 6 Summer, 9 Fall. */
export function termValue(term: Term): string {
  return String((term.year - 1900) * 10 + { Spring: 2, Summer: 6, Fall: 9 }[term.season])
}

export const CAREERS = [
  ['UGRD', 'Undergraduate'],
  ['GRAD', 'Graduate'],
] as const

const SESSIONS: Record<string, readonly [short: string, long: string]> = {
  '1': ['Regular', 'Regular Academic Session'],
  '7W1': ['Seven Wk 1', 'Seven Week - First'],
  '7W2': ['Seven Wk 2', 'Seven Week - Second'],
}

/** The session's name on lists ("Regular") and on the detail page ("Regular Academic Session"). */
export function sessionName(section: Section, form: 'short' | 'long'): string {
  const names = SESSIONS[section.session] ?? SESSIONS['1']
  return names?.[form === 'short' ? 0 : 1] ?? ''
}

export const COMPONENTS = { LEC: 'Lecture', LAB: 'Laboratory', SEM: 'Seminar', INT: 'Internship' } as const

const DAY_NAMES: Record<string, string> = { M: 'Mo', T: 'Tu', W: 'We', R: 'Th', F: 'Fr', S: 'Sa', U: 'Su' }

function twelveHour(clock: string): string {
  const hour = Number(clock.slice(0, 2))
  return `${hour % 12 === 0 ? 12 : hour % 12}:${clock.slice(2)}${hour < 12 ? 'AM' : 'PM'}`
}

/** "MoWe 9:05AM - 10:20AM", with `dash` between the times; "TBA" without. */
export function daysAndTimes({ days, begins, ends }: Meeting, dash: string): string {
  if (begins === null || ends === null || days === '') return 'TBA'
  return `${[...days].map((day) => DAY_NAMES[day] ?? '').join('')} ${twelveHour(begins)}${dash}${twelveHour(ends)}`
}

export function roomOf({ kind, building, room }: Meeting): string {
  return kind === 'online' ? 'Online-Asynchronous' : building ? `${building.name} ${room ?? ''}`.trim() : 'TBA'
}

/** Seven-week sessions take half the term each. */
export function datesOf(section: Section, dash: string): string {
  const { starts, ends } = section.term
  const middle = new Date((Date.parse(starts) + Date.parse(ends)) / 2).toISOString().slice(0, 10)
  return `${usDate(section.session === '7W2' ? middle : starts)}${dash}${usDate(section.session === '7W1' ? middle : ends)}`
}

/** Lines of the instructor cell: repeated per meeting, more than the meetings if more people teach, "TBA" for none. */
export function instructorLines(section: Section): string[] {
  const names = section.instructors.map(({ first, last }) => `${first} ${last}`)
  if (names.length === 0) return ['TBA']
  const lines = Math.max(section.meetings.length, names.length)
  return Array.from({ length: lines }, (_, index) => names[index % names.length] ?? '')
}

/** Colleges word the detail page's waiting status differently. */
export function waitingText(college: School): string {
  return { HTR01: 'Wait', SLU01: 'Waitlist' }[college.institution ?? ''] ?? 'Wait List'
}

export function base64(value: string): string {
  return Buffer.from(value, 'latin1').toString('base64')
}
