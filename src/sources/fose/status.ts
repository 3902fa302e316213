import { NO_FLAGS } from '../observation.ts'
import type { SectionFlag, Status } from '../source.ts'
import { preview, tidy } from '../text.ts'

type Row = Record<string, unknown>

/** The letters that every school of this system uses; F at most of them, C at some. */
const LETTERS: ReadonlyMap<unknown, Status> = new Map<unknown, Status>([
  ['A', 'open'],
  ['W', 'waitlisted'],
  ['F', 'closed'],
  ['C', 'closed'],
])

/** A second letter that some schools add, for enrollment. */
const ENROLLMENT_LETTERS: ReadonlyMap<unknown, Status> = new Map<unknown, Status>([
  ['O', 'open'],
  ['W', 'waitlisted'],
  ['C', 'closed'],
])

/** The corresponding words in the details of one section. */
const WORDS: ReadonlyMap<unknown, Status> = new Map<unknown, Status>([
  ['open', 'open'],
  ['wait list', 'waitlisted'],
  ['waitlist', 'waitlisted'],
  ['closed', 'closed'],
])

const TRUE_WORDS = new Set(['1', 'y', 'yes'])
const FALSE_WORDS = new Set(['', '0', 'n', 'no', 'false'])

/** Anything other than the school's four letters is unknown; a contradiction in the same answer is a doubt. */
export function readStatus(row: Row, doubts: string[]): Status {
  const stated = LETTERS.get(row['stat']) ?? 'unknown'
  compareStatus(stated, ENROLLMENT_LETTERS.get(row['enrl_stat']), doubts)
  const word = row['enrl_stat_html']
  if (word !== undefined) compareStatus(stated, WORDS.get(tidy(word).toLowerCase()), doubts)
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
  if (isCanceled) return needsPermission ? ['canceled', 'permission'] : ['canceled']
  return needsPermission ? ['permission'] : NO_FLAGS
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
