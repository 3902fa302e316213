import { known, unexpectedAnswer, unknown } from '../answer.ts'
import type { Page } from '../http.ts'
import { figureOf, isRecord, readJson, type Row } from '../json-page.ts'
import { NO_FIGURES } from '../judge.ts'
import type { Answer, Figures, Observation } from '../source.ts'
import { tidy } from '../text.ts'
import { readCourse } from './rows.ts'
import { refuseError, refuseNothing } from './search-page.ts'
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
  if (!isRecord(value)) return unexpectedAnswer('a section')
  const refused = refuseError(value)
  if (refused !== null) return refused
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

/** Found by the class of the element with the figure, or by the words before it. */
type Patterns = readonly [byClass: RegExp, byWords: RegExp]
const CAPACITY: Patterns = [/\bseats_max\b[^<>]{0,200}>([^<]*)/, /\bmaximum enrollment\W*?(-?[^\s:/]+)/i]
const AVAILABLE: Patterns = [/\bseats_avail\b[^<>]{0,200}>([^<]*)/, /\bseats avail(?:able)?\W*?(-?[^\s:/]+)/i]
const WAITING: Patterns = [/\bwaitlist_total\b[^<>]{0,200}>([^<]*)/, /\bwaitlist total\W*?(-?[^\s:,/]+)/i]

/**
 * The figures in the details of a section: a text for display at most schools, separate fields at some. A class without
 * a limit has an empty text. If a waitlist is not mentioned, the section has none, or the school does not say.
 */
export function readSeats(details: Row, doubts: string[]): Figures {
  const html = typeof details['seats'] === 'string' ? details['seats'] : ''
  const text = tidy(html.replaceAll(/<[^<>]*>/g, ' '))
  const shown = ([byClass, byWords]: Patterns): string | undefined => byClass.exec(html)?.[1] ?? byWords.exec(text)?.[1]
  const figure = (value: unknown, name: string): number | null =>
    figureOf(typeof value === 'string' ? tidy(value) || null : value, name, doubts)
  return {
    ...NO_FIGURES,
    capacity: figure(shown(CAPACITY), 'of all seats') ?? figure(details['max_enroll'], 'of all seats'),
    enrolled: figure(details['enrollment'], 'of people enrolled'),
    available: figure(shown(AVAILABLE), 'of free seats'),
    waitlist_total: figure(shown(WAITING), 'of people waiting'),
  }
}
