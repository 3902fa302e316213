import { escapeHtml } from '../http.ts'
import {
  crossListAvailable,
  crossListCount,
  seatsAvailable,
  unreservedAvailable,
  waitAvailable,
} from '../schools/seats.ts'
import { usDate } from '../schools/terms.ts'
import type { BannerStyle, Instructor, Meeting, Section } from '../schools/types.ts'

/** Banner escapes its labels, some schools twice. Accents stay as they are. */
export function label(style: BannerStyle, value: string): string {
  return style.escapesTwice ? escapeHtml(escapeHtml(value)) : escapeHtml(value)
}

const DAYS: readonly (readonly [letter: string, name: string])[] = [
  ['M', 'monday'],
  ['T', 'tuesday'],
  ['W', 'wednesday'],
  ['R', 'thursday'],
  ['F', 'friday'],
  ['S', 'saturday'],
  ['U', 'sunday'],
]

const MEETING_TYPES: Record<Meeting['kind'], readonly [code: string, description: string, schedule: string]> = {
  lecture: ['CLAS', 'Class', 'LEC'],
  laboratory: ['LAB', 'Laboratory', 'LAB'],
  online: ['WEB', 'Web Based', 'WEB'],
}

const COMPONENTS = { LEC: 'Lecture', LAB: 'Lecture and Laboratory', SEM: 'Seminar', INT: 'Internship' } as const

function displayName(style: BannerStyle, { first, last }: Instructor): string {
  return style.nameOrder === 'last_first' ? `${last}, ${first}` : `${first} ${last}`
}

/** Instructors as Banner lists them; the first is the primary one. */
export function facultyOf(style: BannerStyle, section: Section): object[] {
  return section.instructors.map((instructor, index) => ({
    bannerId: String(900_000_000 + ((Number(section.number) * 7 + index) % 99_999)),
    category: null,
    class: 'net.hedtech.banner.student.faculty.FacultyResultDecorator',
    courseReferenceNumber: section.number,
    displayName: displayName(style, instructor),
    emailAddress: index === 0 && Number(section.number) % 3 > 0 ? 'instructor@example.edu' : null,
    primaryIndicator: index === 0,
    term: style.termCode(section.term),
  }))
}

function hours({ begins, ends }: Meeting): number {
  if (begins === null || ends === null) return 0
  const minutes = (clock: string): number => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(2))
  return Math.round(((minutes(ends) - minutes(begins)) / 60) * 100) / 100
}

/** One meeting pattern; `withFaculty` as in getFacultyMeetingTimes, without as in searches. */
export function meetingOf(
  style: BannerStyle,
  section: Section,
  meeting: Meeting,
  index: number,
  withFaculty: boolean,
): object {
  const term = style.termCode(section.term)
  const category = String(index + 1).padStart(2, '0')
  const [meetingType, meetingTypeDescription, meetingScheduleType] = MEETING_TYPES[meeting.kind]
  const online = meeting.kind === 'online'
  const campus = online ? 'XX' : section.campus.slice(0, 2).toUpperCase()
  return {
    category,
    class: 'net.hedtech.banner.student.schedule.SectionSessionDecorator',
    courseReferenceNumber: section.number,
    faculty: withFaculty ? facultyOf(style, section) : [],
    meetingTime: {
      beginTime: meeting.begins,
      building: online ? 'ONLINE' : (meeting.building?.code ?? null),
      buildingDescription: online ? 'Online' : meeting.building && label(style, meeting.building.name),
      campus: meeting.building || online ? campus : null,
      campusDescription: meeting.building || online ? label(style, online ? 'Online' : section.campus) : null,
      category,
      class: 'net.hedtech.banner.general.overall.MeetingTimeDecorator',
      courseReferenceNumber: section.number,
      creditHourSession: index === 0 ? section.credits : 0,
      endDate: usDate(section.term.ends),
      endTime: meeting.ends,
      ...Object.fromEntries(DAYS.map(([letter, name]) => [name, meeting.days.includes(letter)])),
      hoursWeek: Math.round(hours(meeting) * meeting.days.length * 100) / 100,
      meetingScheduleType,
      meetingType,
      meetingTypeDescription,
      room: meeting.room,
      startDate: usDate(section.term.starts),
      term,
    },
    term,
  }
}

/** The school's meaning of `openSection`, which differs between schools. */
export function openSection(style: BannerStyle, section: Section): boolean {
  return seatsAvailable(section) > 0 || (style.openSection === 'seats_or_list' && waitAvailable(section) > 0)
}

/** The title as in Banner: a topic replaces the course's own title after a colon. */
export function titleOf(section: Section): string {
  return section.topic === null ? section.course.title : `Special Topics: ${section.topic}`
}

/** One row of `searchResults`. */
export function rowOf(style: BannerStyle, section: Section): object {
  const { course, seats, crossList } = section
  const term = style.termCode(section.term)
  return {
    id: 100_000 + Number(section.number),
    term,
    termDesc: style.termDescription(section.term),
    courseReferenceNumber: section.number,
    partOfTerm: section.partOfTerm,
    courseNumber: course.level,
    ...(style.extraKeys ? { courseDisplay: course.level } : {}),
    subject: course.subject.code,
    subjectDescription: label(style, course.subject.name),
    sequenceNumber: section.code,
    campusDescription: label(style, section.campus),
    scheduleTypeDescription: COMPONENTS[section.component],
    courseTitle: label(style, titleOf(section)),
    creditHours: section.creditsAsRange ? null : section.credits,
    maximumEnrollment: seats.capacity,
    enrollment: seats.enrolled,
    seatsAvailable: seatsAvailable(section),
    waitCapacity: seats.waitCapacity,
    waitCount: seats.waitCount,
    waitAvailable: waitAvailable(section),
    crossList: crossList?.code ?? null,
    crossListCapacity: crossList?.capacity ?? null,
    crossListCount: crossList ? crossListCount(section) : null,
    crossListAvailable: crossListAvailable(section),
    creditHourHigh: null,
    creditHourLow: section.credits,
    creditHourIndicator: null,
    openSection: openSection(style, section),
    linkIdentifier: section.linkIdentifier,
    isSectionLinked: section.linkIdentifier !== null,
    subjectCourse: `${course.subject.code}${course.level}`,
    faculty: style.hidesFaculty ? [] : facultyOf(style, section),
    meetingsFaculty: section.meetings.map((meeting, index) => meetingOf(style, section, meeting, index, false)),
    reservedSeatSummary: reservedSeats(style, section),
    sectionAttributes: Number(section.number) % 4 === 0 ? null : [attributeOf(style, section)],
    ...(style.extraKeys
      ? {
          instructionalMethod: 'TR',
          instructionalMethodDescription: section.mode,
          harborTermType: 'STANDARD',
          isAdvisor: false,
        }
      : {}),
  }
}

/** How many seats are reserved for some students; null if none are. Both kinds of seats share one waitlist here. */
function reservedSeats(style: BannerStyle, section: Section): object | null {
  const { seats, number, term } = section
  if (seats.held === 0) return null
  return {
    class: 'net.hedtech.banner.student.schedule.SectionReservedSeatSummaryDecorator',
    courseReferenceNumber: number,
    maximumEnrollmentReserved: seats.held,
    maximumEnrollmentUnreserved: seats.capacity - seats.held,
    seatsAvailableReserved: seats.held,
    seatsAvailableUnreserved: unreservedAvailable(section),
    termCode: style.termCode(term),
    waitAvailableReserved: 0,
    waitAvailableUnreserved: waitAvailable(section),
    waitCapacityReserved: 0,
    waitCapacityUnreserved: seats.waitCapacity,
  }
}

function attributeOf(style: BannerStyle, section: Section): object {
  return {
    class: 'net.hedtech.banner.student.schedule.SectionDegreeProgramAttributeDecorator',
    code: 'GENE',
    courseReferenceNumber: section.number,
    description: label(style, 'General Education & Electives'),
    isZTCAttribute: false,
    termCode: style.termCode(section.term),
  }
}
