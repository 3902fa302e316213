import { known, unknown } from '../answer.ts'
import type { Page } from '../http.ts'
import { readJson } from '../json-page.ts'
import type { Answer } from '../source.ts'
import { preview } from '../text.ts'

/** The number of a section: five digits with leading zeros. */
export const INDEX = /^\d{5}$/

/**
 * The numbers of all open sections of a term. One invalid entry makes the whole list unknown, because sections that are
 * not in the list are closed. A term that is not published has an empty list, but so does a broken school.
 */
export function readOpenList(page: Page): Answer<ReadonlySet<string>> {
  const read = readJson(page, 'open sections')
  if (!read.known) return read
  const list = read.value
  if (!Array.isArray(list)) return unknown('not_the_protocol', 'The school returned no list of open sections.')
  const open = new Set<string>()
  for (const index of list) {
    if (typeof index !== 'string' || !INDEX.test(index)) {
      const shown = preview(index, 40)
      return unknown('not_the_protocol', `The list of open sections has ${shown}, which is not a section number.`)
    }
    open.add(index)
  }
  if (open.size === 0) return unknown('incomplete', 'The school lists no open section in the whole term.')
  return known(open)
}
