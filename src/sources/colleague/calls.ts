import { type Call, BROWSER_HEADERS, SCRIPT_HEADERS } from '../http.ts'
import type { SourceAddress } from '../source.ts'

/** How many rows to request at a time, about 8 kB each. Many schools return 30 regardless. */
export const PAGE_SIZE = 200

/**
 * The two generations by the name of their search: ASP.NET Core, whose statuses are words, and the older ASP.NET MVC,
 * whose statuses are numbers.
 */
export const GENERATIONS = ['PostSearchCriteria', 'SearchAsync'] as const
export type Generation = (typeof GENERATIONS)[number]

/** What a search is narrowed to; absent fields ask for everything. */
export interface Criteria {
  term: string
  subject?: string
  sectionKey?: string
}

/** Builds the requests of the course catalog, as a visitor's browser sends them. */
export class Calls {
  readonly #address: SourceAddress
  /** Codes of the locations to which an operator narrows a site of several colleges; empty for all. */
  readonly locations: readonly string[]

  constructor(address: SourceAddress) {
    this.#address = address
    this.locations = (address.settings['location'] ?? '')
      .split(',')
      .map((code) => code.trim())
      .filter((code) => code !== '')
  }

  /** The page that gives a visitor the token and the cookie. */
  entry(): Call {
    return { url: `${this.#address.url}/Courses`, headers: BROWSER_HEADERS }
  }

  filters(generation: Generation, token: string): Call {
    const name = generation === 'SearchAsync' ? 'GetCatalogAdvancedSearchAsync' : 'GetCatalogAdvancedSearch'
    return this.#call(name, token)
  }

  /** `page` is counted from 1. */
  search(generation: Generation, token: string, criteria: Criteria, page: number): Call {
    const { term, subject, sectionKey } = criteria
    const body = {
      keyword: null,
      terms: [term],
      subjects: subject === undefined ? [] : [subject],
      locations: this.locations,
      ...(sectionKey === undefined ? {} : { sectionIds: [sectionKey] }),
      pageNumber: page,
      quantityPerPage: PAGE_SIZE,
      // An empty string here makes the server refuse the whole body.
      sortOn: 'SectionName',
      sortDirection: 'Ascending',
      searchResultsView: 'SectionListing',
    }
    // The older generation requires the criteria as text; the newer one would accept such a body and ignore every
    // filter in it.
    const sent = generation === 'SearchAsync' ? { searchParameters: JSON.stringify(body) } : body
    return { ...this.#call(generation, token), json: JSON.stringify(sent) }
  }

  sections(generation: Generation, token: string, courseId: string, sectionKeys: readonly string[]): Call {
    const name = generation === 'SearchAsync' ? 'SectionsAsync' : 'Sections'
    return { ...this.#call(name, token), json: JSON.stringify({ courseId, sectionIds: sectionKeys }) }
  }

  #call(name: string, token: string): Call {
    return {
      url: `${this.#address.url}/Courses/${name}`,
      headers: { ...SCRIPT_HEADERS, __RequestVerificationToken: token },
    }
  }
}
