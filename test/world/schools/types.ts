/** The data of the simulated schools. Every protocol stand-in derives its answers only from these. */

export type Season = 'Spring' | 'Summer' | 'Fall'

export interface Term {
  year: number
  season: Season
  /** The app's name for it: "2026 Fall Term". */
  name: string
  /** First and last day of classes, ISO dates. */
  starts: string
  ends: string
  /** Over already: a school still lists it, marked "(View Only)". */
  past: boolean
}

export interface Subject {
  /** The source's query value. At CUNY it is not what is shown. */
  key: string
  /** The code shown before the course number. */
  code: string
  name: string
}

export interface Course {
  subject: Subject
  /** Catalog number, sometimes with a letter: "2200H". */
  level: string
  title: string
  credits: number
}

export interface Meeting {
  /** Days in week order out of "MTWRFSU" (R is Thursday, U Sunday); empty if there are none. */
  days: string
  /** "HHMM", null if no hour is set. */
  begins: string | null
  ends: string | null
  building: { code: string; name: string } | null
  room: string | null
  kind: 'lecture' | 'laboratory' | 'online'
}

export interface Instructor {
  first: string
  last: string
}

/** The enrollment and capacity of one section. Free seats are always derived. */
export interface Seats {
  capacity: number
  /** May exceed the capacity: over-enrolled sections show a negative number of seats. */
  enrolled: number
  waitCapacity: number
  waitCount: number
  /**
   * Free seats that the school reserves for some students (Banner says how many, CUNY states that such a section is
   * closed).
   */
  held: number
}

/** Sections of different subjects in one room: the room has its own limit. */
export interface CrossList {
  code: string
  capacity: number
  members: Section[]
}

export interface Section {
  school: School
  term: Term
  course: Course
  /** The school's own id, unique in the term: CRN or class number. */
  number: string
  /** Section code within the course: "001", "BMWA". */
  code: string
  component: 'LEC' | 'LAB' | 'SEM' | 'INT'
  /** CUNY session code: "1" regular, "7W1" … */
  session: string
  career: 'UGRD' | 'GRAD'
  mode: string
  topic: string | null
  campus: string
  credits: number
  /** Some rows have credit hours only as a range. */
  creditsAsRange: boolean
  partOfTerm: string | null
  linkIdentifier: string | null
  meetings: Meeting[]
  instructors: Instructor[]
  seats: Seats
  crossList: CrossList | null
  /** False while the school has removed the section from its answers. */
  offered: boolean
}

/** How one Banner school differs from the next. */
export interface BannerStyle {
  slug: string
  termCode(term: Term): string
  termDescription(term: Term): string
  /** The load balancer's cookies; all contain the node. */
  nodeCookies: readonly string[]
  /** The school's meaning of `openSection`. */
  openSection: 'seats' | 'seats_or_list'
  enrollmentInfo: 'full' | 'short'
  /** Required on every call if set. */
  mepCode: string | null
  /** A search without any filter finds nothing. */
  needsFilter: boolean
  /** Search rows never name the instructors; getFacultyMeetingTimes does. */
  hidesFaculty: boolean
  escapesTwice: boolean
  /** `pathMode` in the answer to a search without a session. */
  lostPathMode: 'registration' | null
  nameOrder: 'last_first' | 'first_last'
  /** Adds keys that no one else has to envelope and rows. */
  extraKeys: boolean
  /** Terms listed without classes and without a season. */
  oddTerms: readonly { code: string; description: string }[]
  hasPastTerm: boolean
}

/** A system of a school in the local world that has no other. */
export interface OnlySystem {
  kind: 'fose' | 'hcx' | 'banner8'
  /** For people. */
  label: string
  /** Its part of paths. */
  slug: string
  /** What an operator would enter. */
  path: string
  settings: Readonly<Record<string, string>>
}

export interface School {
  /** The name of the source that publishes it. */
  source: string
  name: string
  campuses: readonly string[]
  banner: BannerStyle | null
  /** Its only system, if that is neither Banner 9 nor CUNY's. */
  only: OnlySystem | null
  /** CUNY's institution code; null at Banner schools. */
  institution: string | null
  subjectCount: number
}

export type Status = 'open' | 'waitlisted' | 'closed'
