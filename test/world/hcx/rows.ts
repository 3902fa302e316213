import { COMPONENTS } from '../cuny/labels.ts'
import { seatsAvailable, statusOf } from '../schools/seats.ts'
import { usDate } from '../schools/terms.ts'
import type { Meeting, School, Section, Term } from '../schools/types.ts'

/** How one HCX site differs from the next. */
export interface HcxStyle {
  /** The path of the site, below which are its pages. */
  path: string
  /** The name of the source whose schools it shows. */
  source: string
  /** Several schools, each by its code; otherwise one, whatever code is sent. */
  isShared: boolean
  /** The code of the only school; '' if there are several. */
  institution: string
  /** `counted`: pages in an envelope with a count. `bare`: a list that ends with an empty page. */
  pages: 'counted' | 'bare'
  pageSize: number
  /** Lists its terms with the options; otherwise inside its public page. */
  listsTerms: boolean
  /** Sets cookies with a redirect to the same address; otherwise guests must open a page first. */
  redirects: boolean
  /** Whether times include the zone, and instructors have no addresses. */
  isOlder: boolean
  hidesPlaces: boolean
}

const SESSIONS: Readonly<Record<string, string>> = { '7W1': 'Seven Week - First', '7W2': 'Seven Week - Second' }
const LETTERS = { open: 'O', waitlisted: 'W', closed: 'C' } as const
const WORDS = { open: 'Open', waitlisted: 'Wait List', closed: 'Closed' } as const
const DAYS: Readonly<Record<string, string>> = { M: 'Mo', T: 'Tu', W: 'We', R: 'Th', F: 'Fr', S: 'Sa', U: 'Su' }
/** Stands for a list without limit. */
const NO_LIMIT = 99

/** Colleges of a shared site count quarters, others half-years. */
export function termCode({ year, season }: Term, { isShared }: HcxStyle): string {
  const digits = isShared ? { Spring: 3, Summer: 5, Fall: 7 } : { Spring: 2, Summer: 6, Fall: 8 }
  return `${isShared ? 2 : 1}${String(year % 100).padStart(2, '0')}${digits[season]}`
}

export function termName({ year, season }: Term, { isShared }: HcxStyle): string {
  return isShared ? `${season} ${year}` : `${year} ${season}`
}

export function institutionOf(school: School, style: HcxStyle): string {
  return school.institution ?? style.institution
}

/** "1405" → "14.05.00.000000" */
function clock(hhmm: string | null, { isOlder }: HcxStyle): string {
  return hhmm === null ? '' : `${hhmm.slice(0, 2)}.${hhmm.slice(2)}.00.000000${isOlder ? '-05:00' : ''}`
}

function namesOf({ instructors }: Section): string[] {
  return instructors.map(({ first, last }) => `${first} ${last}`)
}

function meetingOf(section: Section, meeting: Meeting, style: HcxStyle): object {
  const place = style.hidesPlaces ? '***' : `${meeting.building?.name ?? ''} ${meeting.room ?? ''}`.trim()
  return {
    days: [...meeting.days].map((day) => DAYS[day]).join(''),
    start_time: clock(meeting.begins, style),
    end_time: clock(meeting.ends, style),
    start_dt: usDate(section.term.starts),
    end_dt: usDate(section.term.ends),
    bldg_cd: style.hidesPlaces ? '***' : (meeting.building?.code ?? ''),
    room: style.hidesPlaces ? '***' : (meeting.room ?? ''),
    facility_descr: place || 'TBA',
    instructor: namesOf(section)[0] ?? '-',
  }
}

/** One row of a search. */
export function rowOf(section: Section, style: HcxStyle, index: number): object {
  const { course, school, term, campus, seats } = section
  const status = statusOf(section)
  const names = namesOf(section)
  return {
    index,
    ...(style.isOlder ? {} : { institution: institutionOf(school, style), institution_descr: school.name }),
    crse_id: `${course.subject.code}${course.level}`,
    crse_offer_nbr: 1,
    strm: termCode(term, style),
    session_code: section.session,
    session_descr: SESSIONS[section.session] ?? 'Regular Academic Session',
    class_section: section.code,
    class_nbr: Number(section.number),
    subject: course.subject.code,
    subject_descr: course.subject.name,
    catalog_nbr: style.isOlder ? ` ${course.level}` : course.level,
    component: section.component,
    section_type: COMPONENTS[section.component],
    descr: course.title,
    topic: section.topic ?? '',
    units: section.creditsAsRange ? `1 - ${section.credits}` : String(section.credits),
    acad_career: section.career,
    campus: campus.slice(0, 4).toUpperCase(),
    campus_descr: campus,
    instruction_mode: section.mode.slice(0, 1),
    instruction_mode_descr: section.mode,
    class_stat: 'A',
    enrl_stat: LETTERS[status],
    enrl_stat_descr: WORDS[status],
    class_capacity: seats.capacity,
    enrollment_total: seats.enrolled,
    enrollment_available: seatsAvailable(section),
    wait_tot: seats.waitCount,
    wait_cap: seats.waitCapacity > 0 ? seats.waitCapacity : NO_LIMIT,
    combined_section: section.crossList ? 'C' : 'N',
    start_dt: usDate(term.starts),
    end_dt: usDate(term.ends),
    instructors:
      names.length === 0
        ? ['To be Announced']
        : names.map((name) => (style.isOlder ? name : { name, email: 'instructor@example.edu' })),
    meetings: section.meetings.map((meeting) => meetingOf(section, meeting, style)),
    reserve_caps: [],
    icons: [],
  }
}

/** Details of one section: its figures are strings and numbers mixed. */
export function detailsOf(section: Section, style: HcxStyle): object {
  const { course, school, seats } = section
  return {
    show_waitlist: 'Y',
    section_info: {
      class_details: {
        institution: institutionOf(school, style),
        subject: course.subject.code,
        catalog_nbr: course.level,
        status: WORDS[statusOf(section)],
        class_number: Number(section.number),
        component: section.component,
        class_section: section.code,
        course_title: course.title,
        course_status: 'A',
        campus: section.campus,
      },
      meetings: [],
      enrollment_information: { add_consent: '', drop_consent: '', enroll_requirements: '' },
      class_availability: {
        class_capacity: String(seats.capacity),
        enrollment_total: String(seats.enrolled),
        enrollment_available: seatsAvailable(section),
        wait_list_capacity: String(seats.waitCapacity),
        wait_list_total: String(seats.waitCount),
      },
      reserve_caps: [],
      is_combined: section.crossList !== null,
      notes: { class_notes: '', subject_notes: '' },
    },
    cfg: { show_class_availability: true },
  }
}
