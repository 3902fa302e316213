import { known, unknown } from '../answer.ts'
import type { Page } from '../http.ts'
import { readJson } from '../json-page.ts'
import { isRecord } from '../record.ts'
import type { Answer, Observation } from '../source.ts'
import { tidy } from '../text.ts'
import { readCourse } from './rows.ts'
import { readSeats } from './seats.ts'
import { refuseFault, refuseNothing } from './search-page.ts'
import { readFlags, readStatus } from './status.ts'

interface AskedSection {
  term: string
  subject: string
  sectionKey: string
}

/** Reads the details of one section: its identity, its status letter, and its seats, which no list shows. */
export function readDetails(page: Page, asked: AskedSection): Answer<Observation> {
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
