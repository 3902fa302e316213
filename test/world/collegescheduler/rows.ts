import { seatsAvailable } from '../schools/seats.ts'
import type { Course, Meeting, Section, Term } from '../schools/types.ts'

const SEASON_NUMBERS = { Spring: 2, Summer: 6, Fall: 8 } as const
const COMPONENTS = { LEC: 'Lecture', LAB: 'Laboratory', SEM: 'Seminar', INT: 'Internship' } as const

export function termCode({ year, season }: Term): string {
  return `${year - 1900}`.padStart(3, '2') + SEASON_NUMBERS[season]
}

/** The system's own id of a course in a term. */
export function courseId(school: string, term: Term, { subject, level }: Course): string {
  const inner = Buffer.from(`${termCode(term)}:${subject.code}:${level}`).toString('base64')
  return Buffer.from(`SearchCourse:${school}:${inner}`).toString('base64')
}

export function courseNode(school: string, term: Term, course: Course): object {
  return {
    id: courseId(school, term, course),
    courseNumber: course.level,
    title: course.title,
    subject: { shortName: course.subject.code },
  }
}

/** Free seats by the section's own count, including those reserved for certain students. */
export function sectionNode(section: Section): object {
  const { number, code, component, instructors, mode, campus, meetings, term } = section
  return {
    registrationNumber: number,
    sectionNumber: code,
    component: COMPONENTS[component],
    instructors: instructors.length > 0 ? instructors.map(({ first, last }) => `${first} ${last}`) : ['Not Assigned'],
    instructionMode: mode,
    campus,
    openSeats: Math.max(0, seatsAvailable(section)),
    totalSeats: section.seats.capacity,
    meetings: meetings.map((meeting) => meetingOf(meeting, term)),
  }
}

/** Hours are numbers, 0 if there are none. */
function meetingOf({ days, begins, ends, building, room }: Meeting, term: Term): object {
  return {
    days: days === '' ? null : days,
    startTime: Number(begins ?? 0),
    endTime: Number(ends ?? 0),
    startDate: `${term.starts}T00:00:00Z`,
    endDate: `${term.ends}T00:00:00Z`,
    building: building?.name ?? null,
    room,
  }
}
