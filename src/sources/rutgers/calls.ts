import { type Call, BROWSER_HEADERS } from '../http.ts'
import type { SourceAddress } from '../source.ts'
import { pageAbove } from '../address.ts'

/** How the address ends; the public page is one level above. */
export const ENDING = '/soc/api'

/** The list of all courses was 20 MB in 2023 and 21 MB in 2025. */
const MAX_COURSES_BYTES = 64 * 1024 * 1024

/** Builds the requests. They need no cookie and no order, only a term and a campus. */
export class Calls {
  readonly #address: SourceAddress

  constructor(address: SourceAddress) {
    this.#address = address
  }

  /** The public page, which has the current term and the names of the subjects. */
  home(): Call {
    return { url: pageAbove(this.#address), headers: BROWSER_HEADERS }
  }

  /** The numbers of all open sections of a term. */
  openSections(term: string, campus: string): Call {
    return this.#call('openSections.json', term, campus)
  }

  /** Every course of a campus in a term, with all its sections. */
  courses(term: string, campus: string, take: (piece: Uint8Array) => void): Call {
    return { ...this.#call('courses.json', term, campus), maxBytes: MAX_COURSES_BYTES, take }
  }

  #call(name: string, term: string, campus: string): Call {
    const query = new URLSearchParams({ year: term.slice(1), term: term.slice(0, 1), campus })
    return { url: `${this.#address.url}/${name}?${query}`, headers: { Accept: 'application/json' } }
  }
}
