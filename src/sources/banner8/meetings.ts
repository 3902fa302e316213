import { datesOf } from '../class-dates.ts'
import { instructionList } from '../instruction.ts'
import { placeOf, placesOf } from '../places.ts'
import type { Instruction } from '../source.ts'
import type { InnerTable } from './class-page.ts'

const DAYS: Readonly<Record<string, string>> = { M: 'Mo', T: 'Tu', W: 'We', R: 'Th', F: 'Fr', S: 'Sa', U: 'Su' }
const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
const NOBODY = /^(?:|tba|staff|to be announced)$/i

interface Meetings {
  /** Null where the page has no table of meetings, or one of another form. */
  instruction_list: Instruction[] | null
  place: string
  starts_on: string
  ends_on: string
}

/** The table of meetings, by the titles of its columns. An exam is one afternoon, not a pattern, and is left out. */
export function readMeetings(table: InnerTable | null): Meetings {
  const [heads = [], ...rows] = table?.rows.filter((row) => row.length > 0) ?? []
  const at = (name: string) => heads.findIndex((head) => head.toLowerCase() === name)
  const [type, time, days, where, dates, people] = ['type', 'time', 'days', 'where', 'date range', 'instructors'].map(
    at,
  )
  if (time === undefined || time < 0 || days === undefined || people === undefined || people < 0) {
    return { instruction_list: null, place: '', starts_on: '', ends_on: '' }
  }
  const cell = (row: readonly string[], column: number | undefined) => row[column ?? -1] ?? ''
  const kept = rows.filter((row) => row.length === heads.length && !/exam/i.test(cell(row, type)))
  const pairs = kept.flatMap((row) => {
    const days_times = [daysOf(cell(row, days)), hoursOf(cell(row, time))].filter((part) => part !== '').join(' ')
    const names = namesOf(cell(row, people))
    return (names.length > 0 ? names : ['']).map((name) => ({ name, days_times }))
  })
  const spans = kept.map((row) => {
    const [from = '', to = ''] = cell(row, dates).split(' - ')
    return { from: dayOf(from), to: dayOf(to) }
  })
  return {
    instruction_list: instructionList(pairs.length > 0 ? pairs : [{ name: '', days_times: '' }]),
    place: placesOf(kept.map((row) => placeOf(cell(row, where), ''))),
    ...datesOf(spans),
  }
}

/** "John Kariba Kimani (P), Mary Ann Evans" without the mark of the primary one. */
function namesOf(text: string): string[] {
  const names = text.split(',').map((name) => name.replace(/\s*\([^)]*\)/g, '').trim())
  return names.filter((name) => !NOBODY.test(name))
}

/** "MWR" → "MoWeTh"; '' for what is no days. */
function daysOf(text: string): string {
  return /^[MTWRFSU]+$/.test(text) ? [...text].map((day) => DAYS[day]).join('') : ''
}

/** "9:15 am - 10:20 am" → "9:15AM - 10:20AM"; '' for what is no time of day. */
function hoursOf(text: string): string {
  const hours = /^0?(\d{1,2}:\d\d) ?([ap])m ?- ?0?(\d{1,2}:\d\d) ?([ap])m$/i.exec(text)
  if (hours === null) return ''
  const [, from = '', half = '', to = '', otherHalf = ''] = hours
  return `${from}${half.toUpperCase()}M - ${to}${otherHalf.toUpperCase()}M`
}

/** "Sep 09, 2015" → "2015-09-09"; '' for what is no day. */
function dayOf(text: string): string {
  const [, name = '', day = '', year = ''] = /^([a-z]{3})[a-z]* (\d{1,2}), (\d{4})$/i.exec(text.trim()) ?? []
  const month = MONTHS.indexOf(name.toLowerCase()) + 1
  return month === 0 ? '' : `${year}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`
}
