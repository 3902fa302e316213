import { type Call, BROWSER_HEADERS } from '../http.ts'
import type { SourceAddress } from '../source.ts'

/** What a search is narrowed to; absent fields ask for everything. */
export interface Criteria {
  term: string
  subject?: string
  /** The number of the course, as rows show it. */
  level?: string
}

const CLASS_SEARCH = 'WEBLIB_HCX_CM.H_CLASS_SEARCH.FieldFormula'

/** Public pages: at some schools, one of them must be opened before calls are answered. */
export const ENTRIES = ['class search', 'browse classes'] as const
export type Entry = (typeof ENTRIES)[number]

/** Builds the requests of the class search, as a guest's browser sends them. */
export class Calls {
  readonly #url: string
  /** The school's code at a site of several schools; '' if the operator gave none. */
  readonly institution: string
  /** Whether several schools share the site, so that rows must name their school. */
  readonly isShared: boolean

  constructor({ url, settings }: SourceAddress) {
    this.#url = withPortal(url, 'psc')
    this.institution = settings['institution'] ?? ''
    this.isShared = settings['shared'] === 'yes'
  }

  /** The public search page, which links open. */
  get searchPage(): string {
    return this.#call('IScript_Main', {}).url
  }

  /** Some sites admit guests only through the portal's page ("psp"). */
  entry(entry: Entry): Call {
    const url =
      entry === 'class search'
        ? this.searchPage
        : `${withPortal(this.#url, 'psp')}/WEBLIB_HCX_CM.H_BROWSE_CLASSES.FieldFormula.IScript_Main`
    return { url, headers: BROWSER_HEADERS }
  }

  /** The terms, and the subjects of one. */
  options(term: string | null): Call {
    return this.#call('IScript_ClassSearchOptions', term === null ? {} : { term })
  }

  /** `page` is counted from 1. */
  search({ term, subject, level }: Criteria, page: number): Call {
    // With an empty status, the search finds full sections too.
    const filters = { subject: subject ?? '', catalog_nbr: level ?? '', enrl_stat: '' }
    return this.#call('IScript_ClassSearch', { term, ...filters, page: String(page) })
  }

  details(term: string, sectionKey: string): Call {
    return this.#call('IScript_ClassDetails', { term, class_nbr: sectionKey })
  }

  #call(script: string, parameters: Record<string, string>): Call {
    const sent = this.institution === '' ? parameters : { institution: this.institution, ...parameters }
    const query = new URLSearchParams(sent).toString()
    return {
      url: `${this.#url}/${CLASS_SEARCH}.${script}${query === '' ? '' : `?${query}`}`,
      headers: { Accept: 'application/json, text/plain, */*' },
    }
  }
}

/** Browsers show the portal's page ("psp"); answers come from the content inside it ("psc"). */
export function withPortal(url: string, portal: 'psc' | 'psp'): string {
  return url.replace(/\/ps[cp](\/[^/]+\/[^/]+\/[^/]+\/s)$/, `/${portal}$1`)
}
