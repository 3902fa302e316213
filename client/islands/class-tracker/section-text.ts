import type { CourseSection, SectionStatus } from '../../../src/class-tracker/courses/contract.ts'
import type { WatchedSection } from '../../../src/class-tracker/watches/contract.ts'
import { counted } from '../../components/count-text.ts'

const courseCode = ({ code, level }: CourseSection['course']): string => `${code} ${level}`.trim()

/** "CMIS 2300 - Business Analytics". A section without a topic of its own has the course's title. */
export function sectionName({ course, topic }: Pick<CourseSection, 'course' | 'topic'>): string {
  const title = sectionTitle({ course, topic })
  return title === '' ? courseCode(course) : `${courseCode(course)} - ${title}`
}

/** "CMIS 2300-A01": what distinguishes a section from others beside it. */
export function sectionCode({ course, section, number }: Pick<CourseSection, 'course' | 'section' | 'number'>): string {
  return section === '' || section === number ? courseCode(course) : `${courseCode(course)}-${section}`
}

/** The section's alerts: found by its number, or, if it has none, by its course and section. */
export function alertsHref({ course, section, number }: Pick<CourseSection, 'course' | 'section' | 'number'>): string {
  const q = number || `${courseCode(course)} ${section}`.trim()
  return `/class_tracker/class_alerts/?${new URLSearchParams({ q })}`
}

/** The topic of the section, otherwise the title of its course. */
export const sectionTitle = ({ course, topic }: Pick<CourseSection, 'course' | 'topic'>): string =>
  topic.trim() || course.title.trim()

/** "CRN 39314", with the school's own label; '' if it has no number. */
export const numberText = ({ number, number_label: label }: Pick<CourseSection, 'number' | 'number_label'>): string =>
  number === '' ? '' : `${label} ${number}`

type FreeSeats = Pick<CourseSection, 'seats_available' | 'seats_for_anyone'>

/** How many seats anyone may take now; null if unknown. */
export const seatsLeft = ({ seats_available: seats, seats_for_anyone: forAnyone }: FreeSeats): number | null =>
  forAnyone ?? seats

/** "3 left of 120", "3 left", "Unknown (120 total)"; a school's negative figure is shown as 0. */
export function seatsText({ capacity, ...free }: FreeSeats & Pick<CourseSection, 'capacity'>): string {
  const seats = seatsLeft(free)
  if (seats === null) return capacity === null ? 'Unknown' : `Unknown (${capacity} total)`
  const left = `${Math.max(seats, 0)} left`
  return capacity === null ? left : `${left} of ${capacity}`
}

/** "was 3 of 120": a figure of {@link seatsText} that is too old to be shown as current. */
export const pastSeatsText = (text: string): string => `was ${text.replace(' left of', ' of')}`

/** The status to show as current: an outdated one is shown as unknown. */
export const statusNow = ({ status, is_old }: Pick<WatchedSection, 'status' | 'is_old'>): SectionStatus =>
  is_old ? 'unknown' : status

/** The places left on the waitlist of a section without a free seat; '' if there is nothing to say. */
export function waitlistText({
  status,
  waitlist_available: places,
}: Pick<CourseSection, 'status' | 'waitlist_available'>): string {
  if (status === 'open' || places === null) return ''
  if (places <= 0) return 'Waitlist full'
  return counted(places, 'waitlist place')
}

/** Why not all free seats can be taken, or none: they are not for everyone. '' if there is nothing to explain. */
export function withheldText({
  status,
  seats_available: seats,
  seats_for_anyone: forAnyone,
}: FreeSeats & Pick<CourseSection, 'status'>): string {
  if (seats === null || seats <= 0) return ''
  if (status === 'open' && forAnyone !== undefined) return `${seats - forAnyone} more reserved or shared`
  if (status === 'closed') return 'Seats reserved or shared'
  return status === 'waitlisted' ? 'Seats go to the waitlist' : ''
}

/** "Smith, MoWe 9:05 AM"; several are joined with a semicolon. */
export function instructionText(list: CourseSection['instruction_list']): string {
  return list.map(({ name, days_times: times }) => [name, times].filter((part) => part !== '').join(', ')).join('; ')
}

/** "Section A01 · CRN 39314", without what the school leaves out or repeats. */
export function sectionNumbers(named: Pick<CourseSection, 'section' | 'number' | 'number_label'>): string {
  const { section, number } = named
  const code = section === '' || section === number ? '' : `Section ${section}`
  return [code, numberText(named)].filter(Boolean).join(' · ')
}
