import type { Call } from '../http.ts'
import type { SourceAddress } from '../source.ts'

const HEADERS = { Accept: 'text/html,application/xhtml+xml', 'Accept-Language': 'en-US,en;q=0.9' }

export interface Labeled {
  code: string
  label: string
}

export function firstPage(address: SourceAddress): Call {
  return { url: `${address.url}/search.jsp`, headers: HEADERS }
}

/** Chooses a college and a term, which the server keeps in the session. */
export function chooseScope(address: SourceAddress, school: Labeled, term: Labeled): Call {
  return post(address, {
    selectedInstName: `${school.label} | `,
    inst_selection: school.code,
    selectedTermName: term.label,
    term_value: term.code,
    next_btn: 'Next',
  })
}

/**
 * Searches a subject and career. Every field of the site's form is sent, most of them empty; `open_class` too, because
 * the form's own default hides sections that are closed or have a waiting list.
 */
export function search(address: SourceAddress, subject: Labeled, career: Labeled): Call {
  return post(address, {
    selectedSubjectName: subject.label,
    subject_name: subject.code,
    selectedCCareerName: career.label,
    courseCareer: career.code,
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

const REGULAR_SESSION = '1'

/**
 * The page of one class, found by its number, session, term and the college's label, all in Base64. If the session is
 * not given, the regular one is assumed; the page of a class in a wrong session has no data.
 */
export function detailAddress(
  address: SourceAddress,
  section: { school_name: string; term: string; section_key: string; session_code?: string },
): string {
  const url = new URL(`${address.url}/CFSearchToolController`)
  url.searchParams.set('class_number_searched', btoa(section.section_key))
  url.searchParams.set('session_searched', btoa(section.session_code || REGULAR_SESSION))
  url.searchParams.set('term_searched', btoa(section.term))
  url.searchParams.set('inst_searched', btoa(section.school_name))
  return url.href
}

/** Needs a session with a college and term chosen. */
export function detail(address: SourceAddress, section: Parameters<typeof detailAddress>[1]): Call {
  return { url: detailAddress(address, section), headers: HEADERS }
}

function post(address: SourceAddress, form: Record<string, string>): Call {
  return { url: `${address.url}/CFSearchToolController`, form: new URLSearchParams(form), headers: HEADERS }
}
