import { answeredWith, known, unknown, whyOther } from '../answer.ts'
import type { Page } from '../http.ts'
import { listWarnings, readRows } from '../json-page.ts'
import { addSection } from '../observation.ts'
import type { Answer, SourceSection } from '../source.ts'
import type { FoundSections } from '../subject-pages.ts'
import { schoolSays, tidy } from '../text.ts'
import { type FoseRow, readRow } from './rows.ts'

interface Asked {
  term: string
  /** Null for the whole term. */
  subject: string | null
}

/**
 * Reads a list of sections strictly: every row must belong to the requested term and subject, and there must be as many
 * as the school counts. A row that does not identify its section is left out with a warning.
 */
export function readSearchPage(page: Page, asked: Asked): Answer<FoundSections> {
  const nothing = refuseNothing(page)
  if (nothing !== null) return nothing
  const sections = new Map<string, SourceSection>()
  let unidentified = 0
  let mismatch: string | null = null
  const read = readRows(page, 'sections', 'results', (value) => {
    const row = readRow(value)
    if (row === null) {
      unidentified++
      return
    }
    mismatch ??= findMismatch(row, asked)
    addSection(sections, row.section)
  })
  if (!read.known) return read
  const { envelope, count, isReadable } = read.value
  const refused = refuseError(envelope)
  if (refused !== null) return refused
  if (count === null) return unknown('not_the_protocol', 'The school returned no sections.')
  const term = tidy(envelope['srcdb'])
  if (term !== asked.term) return unknown('wrong_scope', answeredWith('term', asked.term, term))
  if (mismatch !== null) return unknown('wrong_scope', mismatch)
  if (envelope['count'] !== count) {
    return unknown('incomplete', `The school counts ${tidy(envelope['count']) || 'no'} sections, and ${count} came.`)
  }
  const warnings = listWarnings(unidentified, count, isReadable)
  return known({ sections: [...sections.values()], unidentified }, warnings)
}

/** Some schools send programs an empty answer. */
export function refuseNothing({ bytes }: Page): Answer<never> | null {
  return bytes.length === 0 ? unknown('not_the_protocol', "The school's answer is empty.") : null
}

/** The school reports an unknown term, and everything else that it refuses, with status 200. */
export function refuseError({ fatal, error }: Record<string, unknown>): Answer<never> | null {
  const said = fatal ?? error
  if (said === undefined || said === null || said === '') return null
  return unknown('not_the_protocol', schoolSays(said))
}

function findMismatch({ term, section }: FoseRow, asked: Asked): string | null {
  return whyOther('term', asked.term, term || asked.term) ?? whyOther('subject', asked.subject, section.subject)
}
