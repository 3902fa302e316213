import { known, type Unknown, unknown } from '../answer.ts'
import { isHtml, type Page } from '../http.ts'
import { MalformedJson, readJsonRows } from '../json-rows.ts'
import { combineTwice } from '../observation.ts'
import type { Answer, SourceSection } from '../source.ts'
import { tidy } from '../text.ts'
import type { Criteria } from './calls.ts'
import { type ColleagueRow, readRow } from './rows.ts'

/** What was asked for, with the places to which the operator narrowed the site; none for all. */
interface Asked extends Criteria {
  locations: readonly string[]
}

export interface SearchPage {
  /** Each section once, however many rows it had; only those at the places asked for. */
  sections: SourceSection[]
  /** Keys of all sections that came, at whatever place. */
  keys: ReadonlySet<string>
  rows: number
  /** Sections of the whole search by the school's own count; it may move while paging. */
  totalCount: number
  /** Pages of the whole search by the school's own count. */
  pages: number
}

/**
 * Understands one page of a list of sections, strictly: every row must belong to the term and subject that were asked for.
 * A row that does not say which section it is is left out with a warning; that a section is missing shows in the count.
 */
export function readSearchPage(page: Page, asked: Asked, number: number): Answer<SearchPage> {
  if (isHtml(page)) return unknown('not_the_protocol', 'The school answered with a web page instead of sections.')
  const sections = new Map<string, SourceSection>()
  const keys = new Set<string>()
  let nameless = 0
  let stranger: string | null = null
  let read: ReturnType<typeof readJsonRows>
  try {
    read = readJsonRows(page.bytes, 'Sections', (value) => {
      const row = readRow(value)
      if (row === null) {
        nameless++
        return
      }
      stranger ??= findStranger(row, asked)
      const { section } = row
      keys.add(section.section_key)
      if (asked.locations.length > 0 && !asked.locations.includes(row.location)) return
      const other = sections.get(section.section_key)
      sections.set(section.section_key, other === undefined ? section : combineTwice(other, section))
    })
  } catch (error) {
    if (!(error instanceof MalformedJson)) throw error
    return unknown('incomplete', `The school's answer is not whole JSON: ${error.message}`)
  }
  const { envelope, count, isReadable } = read
  const refusal = refuseEnvelope(envelope, count)
  if (refusal !== null) return refusal
  if (stranger !== null) return unknown('wrong_scope', stranger)
  const totalCount = readCount(envelope['TotalItems'])
  const pages = readCount(envelope['TotalPages'])
  if (count === null || totalCount === null || pages === null || pages > totalCount) {
    return unknown('not_the_protocol', 'The answer does not say how many sections and pages there are.')
  }
  if (count > totalCount || (count === 0 && totalCount > 0)) {
    return unknown('incomplete', `The school counts ${totalCount} sections, and ${count} rows came.`)
  }
  if (count > 0 && envelope['CurrentPageIndex'] !== number) {
    return unknown('wrong_scope', `Asked for page ${number}, the school answered with another.`)
  }
  const warnings = nameless === 0 ? [] : [`${nameless} of ${count} rows do not say which section they are.`]
  if (!isReadable) warnings.push('Some characters could not be read.')
  return known({ sections: [...sections.values()], keys, rows: count, totalCount, pages }, warnings)
}

function refuseEnvelope(envelope: Record<string, unknown>, count: number | null): Unknown | null {
  const { ErrorMessage: said = '' } = envelope
  if (said !== null && said !== '') {
    return unknown('not_the_protocol', `The school says: ${tidy(said).slice(0, 200) || JSON.stringify(said)}`)
  }
  if (count !== null) return null
  return Array.isArray(envelope['Courses']) || Array.isArray(envelope['CourseFullModels'])
    ? unknown('not_the_protocol', 'The school answered with courses instead of sections.')
    : unknown('not_the_protocol', 'The school answered without sections.')
}

/** Why a row does not belong to the question; null when it does. */
function findStranger({ term, section }: ColleagueRow, asked: Asked): string | null {
  const strange = (field: string, wanted: string, got: string) =>
    `Asked for ${field} ${wanted}, the school answered with rows of ${field} ${got}.`
  if (term !== asked.term) return strange('term', asked.term, term)
  if (asked.subject === undefined || section.subject === asked.subject) return null
  return strange('subject', asked.subject, section.subject)
}

function readCount(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : null
}
