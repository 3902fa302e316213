import { known, unknown } from '../answer.ts'
import type { Page } from '../http.ts'
import { isRecord, readJson } from '../json-page.ts'
import { NO_FIGURES } from '../judge.ts'
import type { Answer, Figures, Observation } from '../source.ts'
import { preview, tidy } from '../text.ts'
import { readCourse } from './rows.ts'
import { refuseFault, refuseNothing } from './search-page.ts'
import { readFlags, readStatus } from './status.ts'

/** Reads the details of one section: its identity, its status letter, and its seats, which no list shows. */
export function readDetails(
  page: Page,
  asked: { term: string; subject: string; sectionKey: string },
): Answer<Observation> {
  const nothing = refuseNothing(page)
  if (nothing !== null) return nothing
  const read = readJson(page, 'a section')
  if (!read.known) return read
  const { value } = read
  if (!isRecord(value)) return unknown('not_the_protocol', 'The school answered with something other than a section.')
  const fault = refuseFault(value)
  if (fault !== null) return fault
  const key = tidy(value['crn'])
  if (key === '') return unknown('incomplete', `The school shows no section ${asked.sectionKey} in term ${asked.term}.`)
  const term = tidy(value['srcdb'])
  const course = readCourse(value['code'])
  if (key !== asked.sectionKey || term !== asked.term || course?.subject !== asked.subject) {
    const shown = `${tidy(value['code'])} ${key} in term ${term}`
    return unknown(
      'wrong_scope',
      `We asked for ${asked.subject} ${asked.sectionKey}, and the school answered with ${shown}.`,
    )
  }
  const doubts: string[] = []
  return known({
    section_key: key,
    stated: readStatus(value, doubts),
    flags: readFlags(value, doubts),
    figures: readSeats(value, doubts),
    doubts,
  })
}

type Row = Record<string, unknown>

/** Found by the class of the element with the figure, or by the words before it. */
const CAPACITY = [/\bseats_max\b[^<>]{0,200}>([^<]*)/, /\bmaximum enrollment\W*?(-?[^\s:/]+)/i] as const
const AVAILABLE = [/\bseats_avail\b[^<>]{0,200}>([^<]*)/, /\bseats avail(?:able)?\W*?(-?[^\s:/]+)/i] as const
const WAITING = [/\bwaitlist_total\b[^<>]{0,200}>([^<]*)/, /\bwaitlist total\W*?(-?[^\s:,/]+)/i] as const

/**
 * The figures in the details of a section: a text for display at most schools, separate fields at some. A class without
 * a limit has an empty text. If a waiting list is not mentioned, the section has none, or the school does not say.
 */
export function readSeats(details: Row, doubts: string[]): Figures {
  const html = typeof details['seats'] === 'string' ? details['seats'] : ''
  const text = tidy(html.replaceAll(/<[^<>]*>/g, ' '))
  const figure = (name: string, patterns: readonly RegExp[]): number | null => {
    const [byClass, byWords] = patterns
    return readFigure(name, byClass?.exec(html)?.[1] ?? byWords?.exec(text)?.[1], doubts)
  }
  return {
    ...NO_FIGURES,
    capacity: figure('of all seats', CAPACITY) ?? readFigure('of all seats', details['max_enroll'], doubts),
    enrolled: readFigure('of people', details['enrollment'], doubts),
    available: figure('of free seats', AVAILABLE),
    waitlist_total: figure('of people waiting', WAITING),
  }
}

/** Null if there is none. Anything but a whole number is a doubt. */
function readFigure(name: string, value: unknown, doubts: string[]): number | null {
  const text = tidy(value)
  const isText = typeof value === 'string' || typeof value === 'number'
  if (value === undefined || value === null || (isText && text === '')) return null
  if (/^-?\d{1,9}$/.test(text)) return Number(text)
  doubts.push(`The figure ${name} is not a whole number (${preview(value, 40)}).`)
  return null
}
