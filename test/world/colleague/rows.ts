import { crossListAvailable, crossListCount, seatsAvailable, statusOf } from '../schools/seats.ts'
import { usDate } from '../schools/terms.ts'
import type { Meeting, School, Section, Term } from '../schools/types.ts'

/** The two generations of Colleague Self-Service: statuses in words and ISO dates, or numbers and `/Date(ms)/`. */
export type Generation = 'words' | 'numbers'

/** How one Colleague site differs from the next. It publishes the classes of one of the Banner schools. */
export interface ColleagueStyle {
  /** The name of the school whose classes it shows. */
  school: string
  generation: Generation
  /** The maximum of rows on a page, whatever is requested. */
  pageCap: number
  /** The separator between the parts of a section's name. */
  separator: string
  hidesEnrolled: boolean
  /** Has no list of sections: it lists courses, each of which is asked for its sections. */
  listsCourses: boolean
}

const DAYS = 'UMTWRFS'
const SHORT_DAYS = ['Su', 'M', 'T', 'W', 'Th', 'F', 'S']
const STATUS_WORDS = { open: 'Open', waitlisted: 'Waitlisted', closed: 'Closed' } as const
const STATUS_NUMBERS = { open: 0, waitlisted: 1, closed: 2 } as const
const SEASON_CODES = { Spring: 'SP', Summer: 'SU', Fall: 'FA' } as const

export function termCode({ year, season }: Term, { generation }: ColleagueStyle): string {
  return generation === 'words' ? `${year}${SEASON_CODES[season]}` : `${year % 100}/${SEASON_CODES[season]}`
}

export function termName({ year, season }: Term): string {
  return `${season} ${year}`
}

export function locationCode(school: School, campus: string): string {
  return String.fromCharCode(65 + Math.max(0, school.campuses.indexOf(campus)))
}

function date(iso: string, { generation }: ColleagueStyle): string {
  return generation === 'words' ? `${iso}T00:00:00-04:00` : `/Date(${Date.parse(`${iso}T04:00:00Z`)})/`
}

/** "1905" → "7:05 PM" */
function clock(hhmm: string | null): string {
  if (hhmm === null) return ''
  const hour = Number(hhmm.slice(0, 2))
  return `${hour % 12 === 0 ? 12 : hour % 12}:${hhmm.slice(2)} ${hour < 12 ? 'AM' : 'PM'}`
}

function meetingTimes(section: Section, meeting: Meeting, style: ColleagueStyle): object {
  const days = [...meeting.days].map((day) => DAYS.indexOf(day))
  const isOnline = meeting.kind === 'online'
  return {
    DaysOfWeekDisplay: days.map((day) => SHORT_DAYS[day]).join('/'),
    StartTimeDisplay: clock(meeting.begins),
    EndTimeDisplay: clock(meeting.ends),
    InstructionalMethodDisplay: section.mode,
    BuildingDisplay: meeting.building?.code ?? '',
    RoomDisplay: meeting.room ?? '',
    DatesDisplay: `${usDate(section.term.starts)} - ${usDate(section.term.ends)}`,
    Days: days,
    StartDate: date(section.term.starts, style),
    EndDate: date(section.term.ends, style),
    StartTime: meeting.begins === null ? null : `${meeting.begins.slice(0, 2)}:${meeting.begins.slice(2)}:00`,
    EndTime: meeting.ends === null ? null : `${meeting.ends.slice(0, 2)}:${meeting.ends.slice(2)}:00`,
    Frequency: 'W',
    Room: isOnline ? '*' : `${meeting.building?.code ?? ''}*${meeting.room ?? ''}`,
    IsOnline: isOnline,
    ShowTBD: false,
  }
}

/** In a shared room the capacity is the room's, and the free seats are the smaller of its and the section's. */
export function seatsShown(section: Section): { Available: number; Capacity: number } {
  const own = seatsAvailable(section)
  return {
    Available: Math.max(0, Math.min(own, crossListAvailable(section) ?? own)),
    Capacity: section.crossList?.capacity ?? section.seats.capacity,
  }
}

/** In a shared room the enrollment is the room's, too. */
function seatsOf(section: Section, { hidesEnrolled }: ColleagueStyle): object {
  const { seats, crossList } = section
  return {
    ...seatsShown(section),
    ...(hidesEnrolled ? {} : { Enrolled: crossList ? crossListCount(section) : seats.enrolled }),
    Waitlisted: seats.waitCount,
    WaitlistAvailable: seats.waitCapacity > seats.waitCount,
    HasUnlimitedSeats: false,
    ...(hidesEnrolled ? {} : { AreSeatCountsAvailable: true, ShowNegativeSeatCounts: false }),
  }
}

/** The number that students register with. */
export const synonymOf = ({ number }: Section): string => number.padStart(7, '0')

export function courseId({ course }: Section): string {
  return `${course.subject.code}_${course.level}`
}

/** One section of a course: the row of a list without what the course and the list add, the teachers in one text. */
export function wrappedRowOf(section: Section, style: ColleagueStyle): object {
  const names = section.instructors.map(({ first, last }) => `${last}, ${first.slice(0, 1)}`)
  const { Course: _course, Term: _term, FacultyDisplay: _faculty, ...row } = rowOf(section, style)
  return { Section: row, FacultyDisplay: names.join('; ') }
}

/** One row of a list of sections. */
export function rowOf(section: Section, style: ColleagueStyle): Record<string, unknown> {
  const { course, school, term, campus } = section
  const { separator, generation } = style
  const names = section.instructors.map(({ first, last }) => `${last}, ${first.slice(0, 1)}`)
  const code = termCode(term, style)
  const status = statusOf(section)
  return {
    Term: {
      Code: code,
      Description: termName(term),
      StartDate: date(term.starts, style),
      EndDate: date(term.ends, style),
      IsActive: true,
    },
    Course: { Id: courseId(section), SubjectCode: course.subject.code, Number: course.level, Title: course.title },
    TermDisplay: termName(term),
    FacultyDisplay: names,
    InstructorDetails: names.map((name) => ({ FacultyId: '9000000', FacultyName: name })),
    AvailabilityStatusDisplay: STATUS_WORDS[status],
    InstructionalMethodsDisplay: [section.mode],
    Comments: 'For students of this program & others <first>.',
    FormattedMeetingTimes: section.meetings.map((meeting) => meetingTimes(section, meeting, style)),
    // Times with the date of the request: a trap for readers that interpret them as times of the class.
    Meetings: section.meetings.map(() => ({ StartTime: date(term.ends, style), EndTime: date(term.ends, style) })),
    SectionNameDisplay: [course.subject.code, course.level, section.code].join(separator),
    LocationCode: locationCode(school, campus),
    LocationDisplay: campus,
    ...seatsOf(section, style),
    CourseId: courseId(section),
    CourseName: `${course.subject.code}${separator}${course.level}`,
    Id: section.number,
    IsActive: true,
    AvailabilityStatus: generation === 'words' ? STATUS_WORDS[status] : STATUS_NUMBERS[status],
    MinimumCredits: section.credits,
    Number: section.code,
    TermId: code,
    Title: section.topic ?? course.title,
    Synonym: synonymOf(section),
  }
}
