import { STATUS_BY_WORD } from '../observation.ts'
import { memoized } from '../memoized.ts'
import type { Status } from '../source.ts'
import { tidy } from '../text.ts'

/**
 * The status a picture shows, by its title and its file name ("images/status_waiting.gif"), of which one may be missing
 * or the file unknown; null if the two disagree, the title is a new word, or neither is known. The picture's `alt` does
 * not help, because it says "Open" regardless of the status.
 */
export function readStatus(title: string, file: string): Status | null {
  const word = tidy(title).toLowerCase()
  const byFile = statusOfFile(file)
  if (word === '') return byFile === 'another' ? null : byFile
  const byTitle = STATUS_BY_WORD.get(word)
  return byTitle !== undefined && (byFile === 'another' || byFile === byTitle) ? byTitle : null
}

/** A page repeats the same three pictures. */
const statusOfFile = memoized((file): Status | 'another' => {
  const [, word = ''] = /status_([a-z]+)\.\w+$/i.exec(file) ?? []
  return STATUS_BY_WORD.get(word.toLowerCase()) ?? 'another'
})
