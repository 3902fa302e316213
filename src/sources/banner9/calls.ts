import { type Call, SCRIPT_HEADERS } from '../http.ts'
import type { SourceAddress } from '../source.ts'

/** The most rows that a search returns; the server cuts larger requests to this. */
export const MAX_PAGE_SIZE = 500

/** What a search is narrowed to; absent fields ask for everything. */
export interface Criteria {
  term: string
  subject?: string
  courseNumber?: string
}

/** Builds the requests of Banner's class search, with the operator's `mepCode` on every one where there is one. */
export class Calls {
  readonly #address: SourceAddress

  constructor(address: SourceAddress) {
    this.#address = address
  }

  /** The start of the class search, which links open because a section has no page of its own. */
  get searchPage(): string {
    return this.#get('term/termSelection', { mode: 'search' }).url
  }

  /** `offset` is a page, counted from 1. */
  terms(offset: number, max: number): Call {
    return this.#get('classSearch/getTerms', { searchTerm: '', offset: String(offset), max: String(max) })
  }

  /** `offset` is a page, counted from 1. */
  subjects(term: string, offset: number, max: number): Call {
    const query = { term, searchTerm: '', offset: String(offset), max: String(max) }
    return this.#get('classSearch/get_subject', query)
  }

  /** Binds the session to a term, which the server does not check. */
  bind(term: string): Call {
    const form = { term, studyPath: '', studyPathText: '', startDatepicker: '', endDatepicker: '' }
    return { ...this.#get('term/search', { mode: 'search' }), form: new URLSearchParams(form) }
  }

  /** Resets the session's last criteria; otherwise the next search returns the rows of the last one. */
  reset(): Call {
    const form = new URLSearchParams({ resetCourses: 'true', resetSections: 'true' })
    return { ...this.#get('classSearch/resetDataForm', {}), form }
  }

  /** `offset` counts rows. */
  search(criteria: Criteria, offset: number): Call {
    return this.#get('searchResults/searchResults', {
      ...(criteria.subject === undefined ? {} : { txt_subject: criteria.subject }),
      ...(criteria.courseNumber === undefined ? {} : { txt_courseNumber: criteria.courseNumber }),
      txt_term: criteria.term,
      startDatepicker: '',
      endDatepicker: '',
      pageOffset: String(offset),
      pageMaxSize: String(MAX_PAGE_SIZE),
      sortColumn: 'subjectDescription',
      sortDirection: 'asc',
    })
  }

  /** The figures of one section, as a fragment of HTML. Needs no session. */
  enrollmentInfo(term: string, crn: string): Call {
    return this.#get('searchResults/getEnrollmentInfo', { term, courseReferenceNumber: crn })
  }

  #get(path: string, query: Record<string, string>): Call {
    const url = new URL(`${this.#address.url}/${path}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    const { mepCode } = this.#address.settings
    if (mepCode !== undefined && mepCode !== '') url.searchParams.set('mepCode', mepCode)
    return { url: url.href, headers: SCRIPT_HEADERS }
  }
}
