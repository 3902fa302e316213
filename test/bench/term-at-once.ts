import { randomFrom, type Random } from '../world/random.ts'

/**
 * An invented term as Rutgers sends it, every course in one answer, with as many courses, and as much text, as the real
 * one of spring 2023.
 */
export interface TermAtOnce {
  code: string
  campus: string
  /** `courses.json` */
  courses: Uint8Array<ArrayBuffer>
  /** `openSections.json` */
  openSections: string
  sections: number
}

const COURSES = 4580
const SECTIONS = 11_700
const SUBJECTS = 239
const NAMES = ['NOETHER, EMMY', 'HOPPER', 'GERMAIN, SOPHIE', 'LOVELACE; BABBAGE', 'O’NEILL, SIOBHÁN'] as const
const MODES = [
  ['02', 'LEC'],
  ['05', 'LAB'],
  ['90', 'ONLINE INSTRUCTION(INTERNET)'],
] as const
const NOTE =
  'Any Course EQUAL or GREATER Than: (01:640:026 INTERMEDIATE ALGEBRA ) <em> OR </em> placement by the department'

/** The same seed gives the same bytes. */
export function generateTermAtOnce(seed = 'a term at once'): TermAtOnce {
  const random = randomFrom(seed)
  const open: string[] = []
  let next = 0
  const courses = Array.from({ length: COURSES }, (_, index) => {
    const before = Math.floor((index * SECTIONS) / COURSES)
    const count = Math.floor(((index + 1) * SECTIONS) / COURSES) - before
    const sections = Array.from({ length: count }, (_section, position) => {
      const number = String(3000 + next++).padStart(5, '0')
      const isOpen = random.chance(0.74)
      if (isOpen) open.push(number)
      return makeSection(random, number, position, isOpen)
    })
    return makeCourse(random, index, sections)
  })
  const bytes = new TextEncoder().encode(JSON.stringify(courses))
  return { code: '12027', campus: 'NB', courses: bytes, openSections: JSON.stringify(open), sections: SECTIONS }
}

function makeCourse(random: Random, index: number, sections: object[]): object {
  const subject = String(10 + Math.floor((index * SUBJECTS) / COURSES) * 4).padStart(3, '0')
  const number = String(100 + (index % 400))
  return {
    campusLocations: [{ code: '2', description: 'Busch' }],
    subject,
    openSections: sections.length,
    synopsisUrl: `http://courses.example.edu/${subject}/undergraduate/`,
    title: `INTRODUCTION ${number}`,
    preReqNotes: random.chance(0.5) ? NOTE : '',
    courseString: `01:${subject}:${number}`,
    school: { code: '01', description: 'School of Arts and Sciences' },
    credits: random.pick([1, 3, 4, null]),
    subjectDescription: `Subject ${subject}`,
    coreCodes: Array.from({ length: random.between(0, 2) }, (_, position) => ({
      id: `2027101${subject}${number}  2${position}`,
      year: '2027',
      term: '1',
      lastUpdated: 1_468_423_768_000,
      effective: '20271',
      coreCodeReferenceId: '21',
      coreCode: 'ITR',
      coreCodeDescription: 'Information Technology and Research',
      description: 'Information Technology and Research',
      course: number,
      subject,
      supplement: '  ',
      offeringUnitCode: '01',
      offeringUnitCampus: 'NB',
      code: 'ITR',
      unit: '01',
    })),
    expandedTitle: `INTRODUCTION TO THE METHODS OF ${subject} AND ${number}`.padEnd(80),
    mainCampus: 'NB',
    subjectNotes: '',
    courseNumber: number,
    creditsObject: { code: '3_0', description: '3.0 credits' },
    level: 'U',
    campusCode: 'NB',
    subjectGroupNotes: '',
    offeringUnitCode: '01',
    offeringUnitTitle: null,
    courseDescription: '',
    sections,
    supplementCode: '  ',
    unitNotes: '',
    courseNotes: '',
  }
}

function makeSection(random: Random, index: string, position: number, isOpen: boolean): object {
  const name = random.pick(NAMES)
  return {
    sectionEligibility: '',
    sessionDatePrintIndicator: 'N',
    examCode: 'C',
    specialPermissionAddCode: random.chance(0.2) ? '03' : null,
    crossListedSections: [],
    sectionNotes: random.chance(0.3) ? 'FOR DESCRIPTION, RESTRICTIONS; SEE THE PAGE OF THE DEPARTMENT' : '',
    specialPermissionDropCode: null,
    instructors: name.split('; ').map((one) => ({ name: one })),
    number: String(position + 1).padStart(2, '0'),
    majors: [],
    openToText: '',
    openStatusText: isOpen ? 'OPEN' : 'CLOSED',
    sessionDates: null,
    specialPermissionDropCodeDescription: null,
    subtopic: '',
    openStatus: isOpen,
    comments: [{ code: '05', description: 'Go to http://canvas.example.edu' }],
    instructorsText: name,
    minors: [],
    examCodeText: 'During class hour',
    campusCode: 'NB',
    sectionCampusLocations: [{ code: '2', description: 'Busch' }],
    index,
    unitMajors: [],
    printed: 'Y',
    specialPermissionAddCodeDescription: null,
    commentsText: 'Go to http://canvas.example.edu',
    subtitle: random.chance(0.1) ? 'KNOTS'.padEnd(40) : '',
    crossListedSectionsText: '',
    sectionCourseType: random.pick(['T', 'O', 'H']),
    meetingTimes: ['M', 'H'].slice(0, random.between(1, 2)).map((day) => makeMeeting(random, day)),
    legendKey: null,
    honorPrograms: [],
  }
}

function makeMeeting(random: Random, meetingDay: string): object {
  const hour = random.between(8, 19)
  const [meetingModeCode, meetingModeDesc] = random.pick(MODES)
  const [begins, ends] = [`${String(hour).padStart(2, '0')}10`, `${String(hour + 1).padStart(2, '0')}30`]
  return {
    campusLocation: '2',
    roomNumber: String(random.between(100, 399)),
    campusAbbrev: 'BUS',
    campusName: 'BUSCH',
    startTimeMilitary: begins,
    buildingCode: random.pick(['SEC', 'HLL', 'ARC', 'TIL']),
    meetingModeDesc,
    endTimeMilitary: ends,
    meetingModeCode,
    baClassHours: '',
    pmCode: hour < 12 ? 'A' : 'P',
    meetingDay,
    startTime: begins,
    endTime: ends,
  }
}
