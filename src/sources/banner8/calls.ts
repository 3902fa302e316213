import type { Call } from '../http.ts'
import type { SourceAddress } from '../source.ts'

const LISTING_BY_COURSE = 'bwckctlg.p_disp_listcrse'
const SEARCH = 'bwckschd.p_get_crse_unsec'
const TERM_FORM = 'bwckschd.p_disp_dyn_sched'
const DETAILS = 'bwckschd.p_disp_detail_sched'

/** Sent first with the word "dummy", in this order, because the database procedure depends on it. */
const DUMMIES = 'sel_subj sel_day sel_schd sel_insm sel_camp sel_levl sel_sess sel_instr sel_ptrm sel_attr'.split(' ')
const HOURS = { begin_hh: '0', begin_mi: '0', begin_ap: 'a', end_hh: '0', end_mi: '0', end_ap: 'a' }

/** Builds the requests of the class schedule, as a visitor's browser sends them. */
export class Calls {
  readonly #address: SourceAddress

  constructor(address: SourceAddress) {
    this.#address = address
  }

  /** The form that lists the terms, where people also start. */
  get termForm(): string {
    return `${this.#address.url}/${TERM_FORM}`
  }

  detailsPage(term: string, sectionKey: string): string {
    return this.#url(DETAILS, { term_in: term, crn_in: sectionKey })
  }

  terms(): Call {
    return { url: this.termForm }
  }

  /** The search form of a term, which lists its subjects. */
  subjects(term: string): Call {
    const form = new URLSearchParams({ p_calling_proc: TERM_FORM, p_term: term })
    return { url: this.#url('bwckgens.p_proc_term_date', {}), form }
  }

  listing(term: string, subject: string): Call {
    const { route } = this.#address.settings
    return route === LISTING_BY_COURSE ? this.#listingByCourse(term, subject) : this.#search(term, subject)
  }

  details(term: string, sectionKey: string): Call {
    return { url: this.detailsPage(term, sectionKey) }
  }

  /** Every course of a term: at some schools the search form finds nothing, but this page does. */
  #listingByCourse(term: string, subject: string): Call {
    return { url: this.#url(LISTING_BY_COURSE, { term_in: term, subj_in: subject, crse_in: '%', schd_in: '%' }) }
  }

  #search(term: string, subject: string): Call {
    const { campus_code: campus = '%', sel_levl: level = '%' } = this.#address.settings
    const form = new URLSearchParams({ term_in: term })
    for (const name of DUMMIES) form.append(name, 'dummy')
    const wanted = {
      sel_subj: subject,
      sel_crse: '',
      sel_title: '',
      sel_schd: '%',
      sel_insm: '%',
      sel_from_cred: '',
      sel_to_cred: '',
      sel_camp: campus,
      sel_levl: level,
      sel_ptrm: '%',
      sel_instr: '%',
      sel_attr: '%',
      ...HOURS,
    }
    for (const [name, value] of Object.entries(wanted)) form.append(name, value)
    return { url: this.#url(SEARCH, {}), form }
  }

  #url(procedure: string, parameters: Record<string, string>): string {
    const query = new URLSearchParams(parameters).toString()
    return `${this.#address.url}/${procedure}${query === '' ? '' : `?${query}`}`
  }
}
