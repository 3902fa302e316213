import { datesOf } from '../class-dates.ts'
import { clockOf, hoursText, instructionList, NOBODY, SHORT_DAYS, timesText } from '../meeting-times.ts'
import { placeOf, placesOf } from '../places.ts'
import { memoized } from '../memoized.ts'
import type { Instruction } from '../source.ts'
import type { InnerTable } from './class-page.ts'

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
/** The letters of the days, Monday first. */
const LETTERS = 'MTWRFSU'
const EXAM = /exam/i

/**
 * The table of meetings, by the titles of its columns; `instruction_list` is null if there is none, or one in another
 * format. An exam is a single date, not a pattern, and is left out.
 */
export function readMeetings(table: InnerTable | null) {
  const [heads = [], ...rows] = table?.rows.filter((row) => row.length > 0) ?? []
  const at = columnsIn(heads.join('\n'))
  if (at.time < 0 || at.people < 0) {
    return { instruction_list: null, place: '', starts_on: '', ends_on: '' }
  }
  const pairs: Instruction[] = []
  const places: string[] = []
  const spans: ReturnType<typeof spanOf>[] = []
  for (const row of rows) {
    if (row.length !== heads.length || EXAM.test(row[at.type] ?? '')) continue
    const days_times = timesText(daysOf(row[at.days] ?? ''), hoursOf(row[at.time] ?? ''))
    for (const name of namesOf(row[at.people] ?? '')) pairs.push({ name, days_times })
    places.push(placeOf(row[at.where] ?? '', ''))
    spans.push(spanOf(row[at.dates] ?? ''))
  }
  return {
    instruction_list: instructionList(pairs.length > 0 ? pairs : [{ name: '', days_times: '' }]),
    place: placesOf(places),
    ...datesOf(spans),
  }
}

/** The position of each column; -1 if it is missing. */
const columnsIn = memoized((text) => {
  const heads = text.toLowerCase().split('\n')
  return {
    type: heads.indexOf('type'),
    time: heads.indexOf('time'),
    days: heads.indexOf('days'),
    where: heads.indexOf('where'),
    dates: heads.indexOf('date range'),
    people: heads.indexOf('instructors'),
  }
})

/** "John Kariba Kimani (P), Mary Ann Evans" without the mark of the primary instructor; only '' if there is no one. */
const namesOf = memoized((text) => {
  const names = text
    .split(',')
    .map((name) => name.replace(/ ?\([^()]*\)/g, '').trim())
    .filter((name) => !NOBODY.test(name))
  return names.length > 0 ? names : ['']
})

/** "MWR" → "MoWeTh"; '' for anything else. */
const daysOf = memoized((text) => {
  const days = [...text].map((letter) => SHORT_DAYS[LETTERS.indexOf(letter)])
  return days.includes(undefined) ? '' : days.join('')
})

/** "9:15 am - 10:20 am" → "9:15AM - 10:20AM"; '' for anything else. */
const hoursOf = memoized((text) => {
  const [from = '', to = ''] = text.split('-')
  return hoursText(clockOf(from.trim()), clockOf(to.trim()))
})

/** First and last day. */
const spanOf = memoized((text) => {
  const [from = '', to = ''] = text.split(' - ')
  return { from: dayOf(from), to: dayOf(to) }
})

/** "Sep 09, 2015" → "2015-09-09"; '' for anything else. */
function dayOf(text: string): string {
  const [, name = '', day = '', year = ''] = /^([a-z]{3})[a-z]* (\d{1,2}), (\d{4})$/i.exec(text.trim()) ?? []
  const month = MONTHS.indexOf(name.toLowerCase()) + 1
  return month === 0 ? '' : `${year}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`
}
