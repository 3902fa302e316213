import { known, unknown } from '../answer.ts'
import { isHtml, type Page } from '../http.ts'
import { parsePage } from '../json-page.ts'
import { isRecord } from '../record.ts'
import type { Answer, Observation } from '../source.ts'
import { tidy } from '../text.ts'
import { IN_DETAILS, isCombined, readFigures, readFlags, statusByWord } from './figures.ts'
import { readKey } from './rows.ts'
import { type Asked, readError } from './search-page.ts'

/** The seats of one section, which must say that it is the one that was asked for, and of which school. */
export function readDetails(page: Page, asked: Asked, sectionKey: string): Answer<Observation> {
  if (isHtml(page)) return unknown('not_the_protocol', 'The school answered with a web page instead of a section.')
  const value = parsePage(page)
  if (value === undefined) return unknown('incomplete', "The school's answer is not whole JSON.")
  const error = readError(value)
  if (error !== null) return unknown('incomplete', error)
  const info = isRecord(value) ? recordOf(value['section_info']) : {}
  const { class_details: details } = info
  if (!isRecord(details)) return unknown('not_the_protocol', 'The school answered with something other than a section.')
  const mismatch = findMismatch(details, asked, sectionKey)
  if (mismatch !== null) return unknown('wrong_scope', mismatch)
  const doubts: string[] = []
  const stated = statusByWord(details['status'])
  const combined = isCombined(info['is_combined'])
  const consent = recordOf(info['enrollment_information'])['add_consent']
  const besides = { isCombined: combined, reserved: info['reserve_caps'], consent }
  const flags = readFlags(details['course_status'], besides, doubts)
  const numbers = recordOf(info['class_availability'])
  const figures = readFigures(numbers, IN_DETAILS, { stated, isCombined: combined, doubts })
  return known({ section_key: sectionKey, flags, stated, figures, doubts })
}

function findMismatch(details: Record<string, unknown>, asked: Asked, sectionKey: string): string | null {
  const number = readKey(details['class_number'])
  if (number !== sectionKey) return `Asked for section ${sectionKey}, the school answered with ${number ?? 'none'}.`
  const institution = tidy(details['institution'])
  const isAnother = institution === '' ? asked.isShared : asked.institution !== '' && institution !== asked.institution
  if (isAnother) return `Asked for school ${asked.institution}, the school answered for ${institution || 'none'}.`
  const subject = tidy(details['subject'])
  return subject === asked.subject ? null : `Asked for subject ${asked.subject}, the school answered with ${subject}.`
}

function recordOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {}
}
