import type { Call } from '../http.ts'
import type { SourceAddress } from '../source.ts'

const HEADERS = { Accept: 'text/html,application/xhtml+xml', 'Accept-Language': 'en-US,en;q=0.9' }

export interface Labelled {
  code: string
  label: string
}

export function firstPage(address: SourceAddress): Call {
  return { url: `${address.url}/search.jsp`, headers: HEADERS }
}

/** Chooses a college and a term, which the server keeps in the session. */
export function chooseScope(address: SourceAddress, school: Labelled, term: Labelled): Call {
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
export function search(address: SourceAddress, subject: Labelled, career: Labelled): Call {
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

function post(address: SourceAddress, form: Record<string, string>): Call {
  return { url: `${address.url}/CFSearchToolController`, form: new URLSearchParams(form), headers: HEADERS }
}
