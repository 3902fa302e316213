import { memoized } from './memoized.ts'

const ISO = /^(\d{4})-(\d\d)-(\d\d)(?:T|$)/
const PLAIN_DAY = /^20\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])$/
const AMERICAN = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/

/** "08/28/2026" or "2026-08-28T00:00:00-04:00" as 2026-08-28, in the school's own time; '' for anything else. */
export function isoDay(value: unknown): string {
  if (typeof value !== 'string') return ''
  return isPlainDay(value) ? value : dayIn(value)
}

/** Dates that need no calendar are faster to recognize than to look up among the remembered ones. */
function isPlainDay(text: string): boolean {
  return text.length === 10 && text[4] === '-' && PLAIN_DAY.test(text)
}

const dayIn = memoized((value) => {
  const [, year = '', month = '', day = ''] = ISO.exec(value) ?? []
  if (year !== '') return isDay(year, month, day) ? `${year}-${month}-${day}` : ''
  const [, m = '', d = '', y = ''] = AMERICAN.exec(value.trim()) ?? []
  const [paddedMonth, paddedDay] = [m.padStart(2, '0'), d.padStart(2, '0')]
  return y !== '' && isDay(y, paddedMonth, paddedDay) ? `${y}-${paddedMonth}-${paddedDay}` : ''
})

function isDay(year: string, month: string, day: string): boolean {
  const iso = `${year}-${month}-${day}`
  const at = Date.parse(`${iso}T00:00:00Z`)
  return Number(year) >= 1990 && !Number.isNaN(at) && new Date(at).toISOString().startsWith(iso)
}

/** The first and the last day of several meetings; '' if none says. */
export function datesOf(spans: readonly { from: string; to: string }[]): { starts_on: string; ends_on: string } {
  let starts_on = ''
  let ends_on = ''
  for (const { from, to } of spans) {
    if (from !== '' && (starts_on === '' || from < starts_on)) starts_on = from
    if (to > ends_on) ends_on = to
  }
  return { starts_on, ends_on }
}
