import type { Choice } from '../form-page.ts'
import { type Call, BROWSER_HEADERS } from '../http.ts'
import type { SectionIdentity, SourceAddress, TermScope } from '../source.ts'

const HEADERS = { ...BROWSER_HEADERS, 'Accept-Language': 'en-US,en;q=0.9' }

const REGULAR_SESSION = '1'

/** Builds the requests of Global Search, as a visitor's browser sends them. */
export class Calls {
  readonly #address: SourceAddress

  constructor(address: SourceAddress) {
    this.#address = address
  }

  get firstPage(): string {
    return `${this.#address.url}/search.jsp`
  }

  first(): Call {
    return { url: this.firstPage, headers: HEADERS }
  }

  /** Chooses a college and a term, which the server keeps in the session. */
  choose({ school, school_name, term, term_name }: TermScope): Call {
    return this.#post({
      selectedInstName: `${school_name} | `,
      inst_selection: school,
      selectedTermName: term_name,
      term_value: term,
      next_btn: 'Next',
    })
  }

  /**
   * Searches a subject and career. Every field of the site's form is sent, most of them empty; `open_class` too, because
   * the form's own default hides sections that are closed or have a waitlist.
   */
  search(subject: Choice, career: Choice): Call {
    return this.#post({
      selectedSubjectName: subject.label,
      subject_name: subject.value,
      selectedCCareerName: career.label,
      courseCareer: career.value,
      selectedCAttrName: '',
      courseAttr: '',
      selectedCAttrVName: '',
      courseAttValue: '',
      selectedReqDName: '',
      reqDesignation: '',
      open_class: '',
      selectedSessionName: '',
      class_session: '',
      selectedModeInsName: '',
      meetingStart: 'LT',
      selectedMeetingStartName: 'less than',
      meetingStartText: '',
      AndMeetingStartText: '',
      meetingEnd: 'LE',
      selectedMeetingEndName: 'less than or equal to',
      meetingEndText: '',
      AndMeetingEndText: '',
      daysOfWeek: 'I',
      selectedDaysOfWeekName: 'include only these days',
      instructor: 'B',
      selectedInstructorName: 'begins with',
      instructorName: '',
      search_btn_search: 'Search',
    })
  }

  /**
   * The page of one class, found by its number, session, term and the college's label, all in Base64. If the session is
   * not given, the regular one is assumed; the page of a class in a wrong session has no data.
   */
  detailsPage({ school_name = '', term, section_key, session_code = '' }: Omit<SectionIdentity, 'school'>): string {
    const url = new URL(`${this.#address.url}/CFSearchToolController`)
    url.searchParams.set('class_number_searched', base64(section_key))
    url.searchParams.set('session_searched', base64(session_code || REGULAR_SESSION))
    url.searchParams.set('term_searched', base64(term))
    url.searchParams.set('inst_searched', base64(school_name))
    return url.href
  }

  /** Needs a session with a college and term chosen. */
  details(section: Omit<SectionIdentity, 'school'>): Call {
    return { url: this.detailsPage(section), headers: HEADERS }
  }

  #post(form: Record<string, string>): Call {
    return { url: `${this.#address.url}/CFSearchToolController`, form: new URLSearchParams(form), headers: HEADERS }
  }
}

/** The site's own charset is ISO-8859-1, in which other characters become question marks. */
function base64(text: string): string {
  return btoa(text.replace(/[\u0100-\uffff]/g, '?'))
}
