import { joined } from '../entries.ts'
import { isRecord, type Row } from '../json-page.ts'
import { NO_FIGURES } from '../judge.ts'
import { flagsOf, NO_DOUBTS } from '../observation.ts'
import type { SectionFlag, SourceSection } from '../source.ts'
import { tidy } from '../text.ts'
import { readInstruction } from './meetings.ts'
import { INDEX } from './open-list.ts'

interface CourseRow {
  /** '' where the course does not say. */
  campus: string
  sections: SourceSection[]
  /** Sections that do not say which they are. */
  unidentified: number
  /** How many sections the course itself calls open, in a copy that may be a quarter of an hour old. */
  saidOpen: number
  /** How many of them are no longer open. */
  closedSince: number
}

const MODES: ReadonlyMap<string, string> = new Map([
  ['T', 'In person'],
  ['O', 'Online'],
  ['H', 'Hybrid'],
])

/**
 * Reads one course; null if it does not identify itself or has no list of sections. Whether a section is open is not
 * taken from here, because the school caches this list for a quarter of an hour, but the list of open sections for half
 * a minute.
 */
export function readCourse(row: unknown, open: ReadonlySet<string>): CourseRow | null {
  if (!isRecord(row) || !Array.isArray(row['sections'])) return null
  const subject = tidy(row['subject'])
  const number = tidy(row['courseNumber'])
  if (subject === '' || number === '') return null
  const texts = readTexts(row, subject, number)
  const course: CourseRow = {
    campus: tidy(row['mainCampus']),
    sections: [],
    unidentified: 0,
    saidOpen: 0,
    closedSince: 0,
  }
  for (const section of row['sections']) {
    const index = isRecord(section) ? section['index'] : null
    if (!isRecord(section) || typeof index !== 'string' || !INDEX.test(index)) {
      course.unidentified++
      continue
    }
    if (section['openStatus'] === true) {
      course.saidOpen++
      if (!open.has(index)) course.closedSince++
    }
    course.sections.push(readSection(texts, section, index, open))
  }
  return course
}

/** What all sections of a course share, read once. */
type CourseTexts = Required<Pick<SourceSection, 'subject' | 'code' | 'level' | 'title' | 'credits'>>

function readTexts(course: Row, subject: string, number: string): CourseTexts {
  const supplement = tidy(course['supplementCode'])
  return {
    subject,
    code: codeOf(course, subject),
    level: supplement === '' ? number : `${number} ${supplement}`,
    title: tidy(course['expandedTitle']) || tidy(course['title']),
    credits: creditsOf(course),
  }
}

function readSection(course: CourseTexts, section: Row, index: string, open: ReadonlySet<string>): SourceSection {
  const { meetingTimes } = section
  return {
    section_key: index,
    stated: open.has(index) ? 'open' : 'closed',
    figures: NO_FIGURES,
    flags: readFlags(section),
    doubts: NO_DOUBTS,
    subject: course.subject,
    code: course.code,
    level: course.level,
    title: course.title,
    number: index,
    section: tidy(section['number']),
    topic: tidy(section['subtitle']),
    instruction_list: readInstruction(section['instructors'], meetingTimes),
    instruction_mode: MODES.get(tidy(section['sectionCourseType'])) ?? '',
    component: joined(meetingTimes, (meeting) => tidy(meeting['meetingModeDesc'])),
    campus: joined(section['sectionCampusLocations'], ({ description }) => tidy(description)),
    place: joined(meetingTimes, roomOf),
    credits: course.credits,
  }
}

/** "SEC 207"; '' for a meeting without a room. */
function roomOf({ buildingCode, roomNumber }: Row): string {
  const [building, room] = [tidy(buildingCode), tidy(roomNumber)]
  return building === '' || room === '' ? building || room : `${building} ${room}`
}

/** "01:198" of "01:198:111": the same subject and number exists in several schools of the university. */
function codeOf(course: Row, subject: string): string {
  const school = isRecord(course['school']) ? tidy(course['school']['code']) : ''
  const unit = tidy(course['offeringUnitCode']) || school
  return unit === '' ? subject : `${unit}:${subject}`
}

function readFlags({ specialPermissionAddCode, crossListedSections }: Row): readonly SectionFlag[] {
  const needsPermission = tidy(specialPermissionAddCode) !== ''
  const isCombined = Array.isArray(crossListedSections) && crossListedSections.length > 0
  return flagsOf(needsPermission && 'permission', isCombined && 'combined')
}

/** "By arrangement" is only in the description. */
function creditsOf(course: Row): string {
  const described = isRecord(course['creditsObject']) ? tidy(course['creditsObject']['description']) : ''
  return tidy(course['credits']) || described
}
