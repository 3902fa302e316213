import { answeredWith, known, unexpectedAnswer, unknown } from '../answer.ts'
import type { Page } from '../http.ts'
import { isRecord, readJson } from '../json-page.ts'
import type { Answer, Observation } from '../source.ts'
import { tidy } from '../text.ts'
import { IN_DETAILS, isCombined, readFigures, readFlags, statusByWord } from './figures.ts'
import { readKey } from './rows.ts'
import { type Asked, readError } from './search-page.ts'

/** The seats of one section. The answer must name the requested section and school. */
export function readDetails(page: Page, asked: Asked, sectionKey: string): Answer<Observation> {
  const read = readJson(page, 'a section')
  if (!read.known) return read
  const { value } = read
  const error = readError(value)
  if (error !== null) return unknown('incomplete', error)
  const info = isRecord(value) ? recordOf(value['section_info']) : {}
  const { class_details: details } = info
  if (!isRecord(details)) return unexpectedAnswer('a section')
  const mismatch = findMismatch(details, asked, sectionKey)
  if (mismatch !== null) return unknown('wrong_scope', mismatch)
  const doubts: string[] = []
  const stated = statusByWord(details['status'])
  const combined = isCombined(info['is_combined'])
  const consent = recordOf(info['enrollment_information'])['add_consent']
  const marks = { isCombined: combined, reserved: info['reserve_caps'], consent }
  const flags = readFlags(details['course_status'], marks, doubts)
  const numbers = recordOf(info['class_availability'])
  const figures = readFigures(numbers, IN_DETAILS, { stated, isCombined: combined, doubts })
  return known({ section_key: sectionKey, flags, stated, figures, doubts })
}

function findMismatch(details: Record<string, unknown>, asked: Asked, sectionKey: string): string | null {
  const number = readKey(details['class_number'])
  if (number !== sectionKey) return answeredWith('section', sectionKey, number ?? '')
  const institution = tidy(details['institution'])
  const isAnother = institution === '' ? asked.isShared : asked.institution !== '' && institution !== asked.institution
  if (isAnother) return answeredWith('school', asked.institution, institution)
  const subject = tidy(details['subject'])
  return subject === asked.subject ? null : answeredWith('subject', asked.subject ?? '', subject)
}

function recordOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {}
}
