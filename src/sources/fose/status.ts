import type { Row } from '../json-page.ts'
import { flagsOf, STATUS_BY_LETTER, STATUS_BY_WORD } from '../observation.ts'
import type { SectionFlag, Status } from '../source.ts'
import { preview, tidy } from '../text.ts'

/** The letters that every school of this system uses; F at most of them, C at some. */
const LETTERS: ReadonlyMap<unknown, Status> = new Map<unknown, Status>([
  ['A', 'open'],
  ['W', 'waitlisted'],
  ['F', 'closed'],
  ['C', 'closed'],
])

const TRUE_WORDS = new Set(['1', 'y', 'yes'])
const FALSE_WORDS = new Set(['', '0', 'n', 'no', 'false'])

/**
 * Anything other than the school's four letters is unknown. Some schools add a second letter for enrollment, and the
 * details of a section have a word; a contradiction between them is a doubt.
 */
export function readStatus(row: Row, doubts: string[]): Status {
  const stated = LETTERS.get(row['stat']) ?? 'unknown'
  compareStatus(stated, STATUS_BY_LETTER.get(row['enrl_stat']), doubts)
  const word = row['enrl_stat_html']
  if (word !== undefined) compareStatus(stated, STATUS_BY_WORD.get(tidy(word).toLowerCase()), doubts)
  return stated
}

function compareStatus(stated: Status, other: Status | undefined, doubts: string[]): void {
  if (other !== undefined && other !== stated) doubts.push(`The school says both ${stated} and ${other}.`)
}

/** The other marks of a row. A canceled section keeps its former letter. */
export function readFlags(row: Row, doubts: string[]): readonly SectionFlag[] {
  const isCanceled = readMark(row, 'isCancelled', doubts)
  // Whether permission is needed does not change the status, so an unreadable mark is ignored.
  const needsPermission = readMark(row, 'permreq', [])
  return flagsOf(isCanceled && 'canceled', needsPermission && 'permission')
}

/** Whether a mark is set, in any school's notation. A mark that says neither is a doubt. */
function readMark(row: Row, name: string, doubts: string[]): boolean {
  const mark = row[name] ?? ''
  if (mark === '') return false
  const word = typeof mark === 'object' ? null : String(mark).trim().toLowerCase()
  if (word !== null && FALSE_WORDS.has(word)) return false
  if (word !== null && TRUE_WORDS.has(word)) return true
  doubts.push(`The mark ${name} cannot be read (${preview(mark, 40)}).`)
  return false
}
