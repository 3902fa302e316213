import type { Instructor, Meeting, Section, Term } from '../schools/types.ts'

const SEASON_NUMBERS = { Spring: 1, Summer: 7, Fall: 9 } as const
/** Thursday is H here. */
const DAY_LETTERS: Readonly<Record<string, string>> = { R: 'H' }
const MEETING_MODES = {
  lecture: { meetingModeCode: '02', meetingModeDesc: 'LEC' },
  laboratory: { meetingModeCode: '05', meetingModeDesc: 'LAB' },
  online: { meetingModeCode: '90', meetingModeDesc: 'ONLINE INSTRUCTION(INTERNET)' },
} as const

export function termNumber({ season }: Term): number {
  return SEASON_NUMBERS[season]
}

/** Five digits with leading zeros, as text. */
export function indexOf({ number }: Section): string {
  return number.padStart(5, '0')
}

/** The school of the university that offers the course: undergraduates' or graduates'. */
function unitOf({ career }: Section): string {
  return career === 'GRAD' ? '16' : '01'
}

/** What the sections of one course have in common. */
export function courseString(section: Section): string {
  return [unitOf(section), section.course.subject.code, section.course.level].join(':')
}

function nameOf({ first, last }: Instructor): string {
  return `${last}, ${first}`.toUpperCase()
}

/** "1740" is "0540" in the afternoon. */
function halfDay(hhmm: string): string {
  return `${String(Number(hhmm.slice(0, 2)) % 12 || 12).padStart(2, '0')}${hhmm.slice(2)}`
}

/** One entry per day; online and by arrangement without day and hour. */
function meetingTimes(meeting: Meeting): object[] {
  const { begins, ends, building, room, kind } = meeting
  const isTimed = begins !== null && ends !== null
  const entry = (day: string) => ({
    campusLocation: isTimed ? '2' : 'O',
    campusAbbrev: isTimed ? 'BUS' : '**',
    campusName: isTimed ? 'BUSCH' : '** INVALID **',
    buildingCode: building?.code ?? '',
    roomNumber: room ?? '',
    ...MEETING_MODES[kind],
    baClassHours: isTimed ? '' : 'B',
    meetingDay: DAY_LETTERS[day] ?? day,
    pmCode: isTimed ? (Number(begins.slice(0, 2)) < 12 ? 'A' : 'P') : '',
    startTime: isTimed ? halfDay(begins) : '',
    endTime: isTimed ? halfDay(ends) : '',
    startTimeMilitary: begins ?? '',
    endTimeMilitary: ends ?? '',
  })
  return isTimed ? [...meeting.days].map(entry) : [entry('')]
}

function modeOf({ mode }: Section): string {
  if (mode.startsWith('Online')) return 'O'
  return mode.startsWith('Hybrid') ? 'H' : 'T'
}

function sectionRow(section: Section, isOpen: boolean): object {
  const { code, instructors, meetings, topic, campus, crossList } = section
  return {
    sectionEligibility: '',
    specialPermissionAddCode: null,
    specialPermissionAddCodeDescription: null,
    crossListedSections:
      crossList?.members.filter((other) => other !== section).map((other) => ({ index: indexOf(other) })) ?? [],
    sectionNotes: '',
    instructors: instructors.map((one) => ({ name: nameOf(one) })),
    number: code,
    openStatusText: isOpen ? 'OPEN' : 'CLOSED',
    sessionDates: null,
    openStatus: isOpen,
    instructorsText: instructors.map(nameOf).join('; '),
    sectionCampusLocations: [{ code: '2', description: campus }],
    index: indexOf(section),
    printed: 'Y',
    subtitle: (topic ?? '').padEnd(40),
    sectionCourseType: modeOf(section),
    meetingTimes: meetings.flatMap(meetingTimes),
  }
}

/** One course with its sections; long titles are cut, and short ones padded. */
export function courseRow(campus: string, sections: readonly Section[], isOpen: (section: Section) => boolean): object {
  const [first] = sections
  if (first === undefined) throw new Error('A course has sections.')
  const { course, credits } = first
  return {
    campusLocations: [{ code: '2', description: 'Busch' }],
    subject: course.subject.code,
    openSections: sections.filter(isOpen).length,
    title: course.title.slice(0, 20).toUpperCase(),
    courseString: courseString(first),
    school: { code: unitOf(first), description: 'School of Arts and Sciences' },
    credits,
    subjectDescription: course.subject.name,
    expandedTitle: course.title.padEnd(80),
    mainCampus: campus,
    courseNumber: course.level,
    creditsObject: { code: `${credits}_0`, description: `${credits}.0 credits` },
    level: unitOf(first) === '16' ? 'G' : 'U',
    campusCode: campus,
    offeringUnitCode: unitOf(first),
    sections: sections.map((section) => sectionRow(section, isOpen(section))),
    supplementCode: '  ',
    preReqNotes: '<em>For students of this program &amp; others</em>',
  }
}
