import { known, unknown } from '../answer.ts'
import { isHtml, type Page } from '../http.ts'
import { MalformedJson, readJsonRows } from '../json-rows.ts'
import { combineTwice } from '../observation.ts'
import { preview } from '../preview.ts'
import type { Answer, SourceSection } from '../source.ts'
import type { FoundSections } from '../subject-pages.ts'
import { tidy } from '../text.ts'
import { type FoseRow, readRow } from './rows.ts'

export interface Asked {
  term: string
  /** Null for the whole term. */
  subject: string | null
}

/**
 * Reads a list of sections strictly: every row must belong to the requested term and subject, and there must be as many
 * as the school counts. A row that does not identify its section is left out with a warning.
 */
export function readSearchPage(page: Page, asked: Asked): Answer<FoundSections> {
  const refusal = refuseNoJson(page, 'sections')
  if (refusal !== null) return refusal
  const sections = new Map<string, SourceSection>()
  let nameless = 0
  let mismatch: string | null = null
  let read: ReturnType<typeof readJsonRows>
  try {
    read = readJsonRows(page.bytes, 'results', (value) => {
      const row = readRow(value)
      if (row === null) {
        nameless++
        return
      }
      mismatch ??= findMismatch(row, asked)
      const { section } = row
      const other = sections.get(section.section_key)
      sections.set(section.section_key, other === undefined ? section : combineTwice(other, section))
    })
  } catch (error) {
    if (!(error instanceof MalformedJson)) throw error
    return unknown('incomplete', `The school's answer is not whole JSON: ${error.message}`)
  }
  const { envelope, count, isReadable } = read
  const fault = refuseFault(envelope)
  if (fault !== null) return fault
  if (count === null) return unknown('not_the_protocol', 'The school answered without sections.')
  const term = tidy(envelope['srcdb'])
  if (term !== asked.term) return unknown('wrong_scope', strange('term', asked.term, term))
  if (mismatch !== null) return unknown('wrong_scope', mismatch)
  if (envelope['count'] !== count) {
    return unknown('incomplete', `The school counts ${tidy(envelope['count']) || 'no'} sections, and ${count} came.`)
  }
  const warnings = nameless === 0 ? [] : [`${nameless} of ${count} rows do not say which section they are.`]
  if (!isReadable) warnings.push('Some characters could not be read.')
  return known({ sections: [...sections.values()], nameless }, warnings)
}

/** What came instead of JSON: a web page, or nothing, which some schools send to programs. Null if it may be JSON. */
export function refuseNoJson(page: Page, wanted: string): Answer<never> | null {
  if (page.bytes.length === 0) return unknown('not_the_protocol', 'The school answered with nothing.')
  return isHtml(page) ? unknown('not_the_protocol', `The school answered with a web page instead of ${wanted}.`) : null
}

/** The school reports an unknown term, and everything else that it refuses, with status 200. */
export function refuseFault({ fatal, error }: Record<string, unknown>): Answer<never> | null {
  const said = fatal ?? error
  if (said === undefined || said === null || said === '') return null
  return unknown('not_the_protocol', `The school says: ${tidy(said).slice(0, 200) || preview(said, 200)}`)
}

function findMismatch({ term, section }: FoseRow, asked: Asked): string | null {
  if (term !== '' && term !== asked.term) return strange('term', asked.term, term)
  if (asked.subject === null || section.subject === asked.subject) return null
  return strange('subject', asked.subject, section.subject)
}

function strange(field: string, wanted: string, got: string): string {
  return `Asked for ${field} ${wanted}, the school answered with ${field} ${got || 'unnamed'}.`
}
