import type { Status } from '../source.ts'
import { tidy } from '../text.ts'

const STATUS_BY_WORD: ReadonlyMap<string, Status> = new Map([
  ['open', 'open'],
  ['closed', 'closed'],
  ['wait', 'waitlisted'],
  ['wait list', 'waitlisted'],
  ['waitlist', 'waitlisted'],
  ['waiting', 'waitlisted'],
])

/**
 * The status a picture shows, by its title and its file name ("images/status_waiting.gif"), one of which may be missing or
 * the file's unknown; null where the two disagree, the title is a new word, or neither is known. The picture's `alt` is no
 * help: it says "Open" whatever the status is.
 */
export function readStatus(title: string, file: string): Status | null {
  const word = tidy(title).toLowerCase()
  const byFile = statusOfFile(file)
  if (word === '') return byFile ?? null
  const byTitle = STATUS_BY_WORD.get(word)
  return byTitle !== undefined && (byFile === undefined || byFile === byTitle) ? byTitle : null
}

/** A page shows the same three pictures over and over. */
const statusByFile = new Map<string, Status | undefined>()
const MOST_REMEMBERED = 20

function statusOfFile(file: string): Status | undefined {
  if (statusByFile.has(file)) return statusByFile.get(file)
  const [, word = ''] = /status_(\w+)\.\w+$/.exec(file) ?? []
  const status = STATUS_BY_WORD.get(word.toLowerCase())
  if (statusByFile.size < MOST_REMEMBERED) statusByFile.set(file, status)
  return status
}
