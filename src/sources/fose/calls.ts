import { type Call, BROWSER_HEADERS, SCRIPT_HEADERS } from '../http.ts'
import type { SourceAddress } from '../source.ts'
import { pageAbove } from '../address.ts'

/** How the address ends; the public search page is one level above. */
export const ENDING = '/api'

/** What a search is narrowed to; a section's number must match exactly. */
export interface Criterion {
  field: 'subject' | 'crn'
  value: string
}

/** The requests of a visitor's browser, which need no cookie, no token and no order. */
export class Calls {
  readonly #address: SourceAddress

  constructor(address: SourceAddress) {
    this.#address = address
  }

  /** The public search page, which names the terms. */
  home(): Call {
    return { url: pageAbove(this.#address), headers: BROWSER_HEADERS }
  }

  /** Sections of one subject, one section, or the whole term, always in one answer. */
  search(term: string, criterion: Criterion | null): Call {
    return this.#call('search', { other: { srcdb: term }, criteria: criterion === null ? [] : [criterion] })
  }

  /** One section, by the number that students register with. */
  details(term: string, sectionKey: string): Call {
    const key = `crn:${sectionKey}`
    return this.#call('details', { key, srcdb: term, matched: key })
  }

  #call(route: string, body: object): Call {
    return {
      url: `${this.#address.url}/?page=fose&route=${route}`,
      headers: SCRIPT_HEADERS,
      json: JSON.stringify(body),
    }
  }
}
