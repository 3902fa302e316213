import { randomFrom, type Random } from '../world/random.ts'

/**
 * An invented Banner term: one answer of `searchResults` per subject, as bytes, each with {@link sectionsPerSubject}
 * rows.
 */
export interface GeneratedTerm {
  code: string
  envelopes: { subject: string; bytes: Uint8Array }[]
  sections: number
  bytes: number
}

export const sectionsPerSubject = 500
const subjects = 20
const term = '202640'

const firstNames = ['Ada', 'José', 'Mei-Ling', 'Siobhán', 'Kwame', 'Olga', 'Łukasz', 'Priya', 'Björn', 'Renée'] as const
const lastNames = ["O'Neill", 'García', 'Nguyen', 'Lovelace', 'Adeyemi', 'Kowalska', 'van der Berg', 'Smith'] as const
const topics = [
  'Methods',
  'Theory &amp; Practice',
  'Seminar',
  'Laboratory',
  'Ethics',
  'Readings',
  'Don&#39;t Panic',
] as const
const modes = ['In Person', 'Hybrid', 'Online Asynchronous', 'Online Synchronous'] as const
const dayNames = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const
const weeks = ['1010000', '0101000', '1010100', '0000010', '0100000', '1111000'] as const

/** The same seed gives the same bytes. */
export function generateTerm(seed = 'a term of ten thousand'): GeneratedTerm {
  const random = randomFrom(seed)
  const encoder = new TextEncoder()
  const envelopes = Array.from({ length: subjects }, (_, subject) => {
    const code = `S${String(subject).padStart(2, '0')}`
    const data = Array.from({ length: sectionsPerSubject }, (_row, index) =>
      makeRow(random, code, 10_000 + subject * sectionsPerSubject + index, index),
    )
    return { subject: code, bytes: encoder.encode(JSON.stringify(envelope(data, code))) }
  })
  const bytes = envelopes.reduce((sum, one) => sum + one.bytes.byteLength, 0)
  return { code: term, envelopes, sections: subjects * sectionsPerSubject, bytes }
}

function envelope(data: object[], subject: string): object {
  return {
    success: true,
    totalCount: data.length,
    data,
    pageOffset: 0,
    pageMaxSize: sectionsPerSubject,
    sectionsFetchedCount: data.length,
    pathMode: 'search',
    searchResultsConfigs: Array.from({ length: 12 }, (_, position) => ({
      config: `column${position}`,
      display: `Column ${position} of ${subject}`,
      title: `Column ${position}`,
      required: position < 3,
      width: '9%',
    })),
    ztcEncodedImage: null,
  }
}

function makeRow(random: Random, subject: string, crn: number, index: number): object {
  const course = String(1000 + Math.floor(index / 4) * 10)
  const capacity = random.pick([18, 24, 30, 45, 120])
  const enrolled = random.between(0, capacity + 2)
  const waiting = enrolled >= capacity ? random.between(0, 10) : 0
  const isShared = random.chance(0.06)
  // As often as in a real term of a large school: two meetings, one teacher, two attributes.
  const meetings = random.weighted<number>([
    [2, 1],
    [7, 2],
    [1, 3],
  ])
  const teachers = random.weighted<number>([
    [1, 0],
    [14, 1],
    [1, 2],
  ])
  return {
    id: 400_000 + crn,
    term,
    termDesc: 'Fall 2026',
    courseReferenceNumber: String(crn),
    partOfTerm: '1',
    courseNumber: course,
    courseDisplay: course,
    subject,
    subjectDescription: `Studies in Subject ${subject}`,
    sequenceNumber: String((index % 4) + 1).padStart(3, '0'),
    campusDescription: random.pick(['Main Campus', 'Wharf &amp; Pier Center', 'Online']),
    scheduleTypeDescription: random.pick(['Lecture', 'Laboratory', 'Seminar']),
    courseTitle: `${random.pick(topics)} in ${subject} ${course}`,
    creditHours: random.chance(0.3) ? null : 3,
    maximumEnrollment: capacity,
    enrollment: enrolled,
    seatsAvailable: capacity - enrolled,
    waitCapacity: 10,
    waitCount: waiting,
    waitAvailable: 10 - waiting,
    crossList: isShared ? `X${index % 10}` : null,
    crossListCapacity: isShared ? capacity : null,
    crossListCount: isShared ? enrolled : null,
    crossListAvailable: isShared ? capacity - enrolled : null,
    creditHourHigh: null,
    creditHourLow: 3,
    creditHourIndicator: null,
    openSection: enrolled < capacity,
    linkIdentifier: null,
    isSectionLinked: false,
    subjectCourse: `${subject}${course}`,
    faculty: Array.from({ length: teachers }, (_, position) => makeTeacher(random, crn, position)),
    meetingsFaculty: Array.from({ length: meetings }, (_, position) => makeMeeting(random, crn, position)),
    reservedSeatSummary: null,
    sectionAttributes: Array.from({ length: random.between(1, 3) }, (_, position) => ({
      class: 'net.hedtech.banner.student.schedule.SectionDegreeProgramAttributeDecorator',
      code: `GEN${position}`,
      courseReferenceNumber: String(crn),
      description: 'General Education &amp; Electives',
      isZTCAttribute: false,
      termCode: term,
    })),
    termType: 'STANDARD',
    instructionalMethod: 'TR',
    instructionalMethodDescription: random.pick(modes),
    classRoster: `https://roster.example.edu/ssomanager/c/SSB?pkg=bwykfcwl.P_FacClaListSum?term=${term}&crn=${crn}`,
    isAdvisor: false,
  }
}

function makeTeacher(random: Random, crn: number, position: number): object {
  return {
    bannerId: String(900_000_000 + crn * 3 + position),
    category: null,
    class: 'net.hedtech.banner.student.faculty.FacultyResultDecorator',
    courseReferenceNumber: String(crn),
    displayName: `${random.pick(lastNames)}, ${random.pick(firstNames)}`,
    emailAddress: 'instructor@example.edu',
    id: null,
    primaryIndicator: position === 0,
    term,
    version: null,
  }
}

function makeMeeting(random: Random, crn: number, position: number): object {
  const hour = random.between(8, 19)
  const days = random.pick(weeks)
  return {
    category: String(position + 1).padStart(2, '0'),
    class: 'net.hedtech.banner.student.schedule.SectionSessionDecorator',
    courseReferenceNumber: String(crn),
    faculty: [],
    meetingTime: {
      beginTime: `${String(hour).padStart(2, '0')}05`,
      building: 'HALL',
      buildingDescription: 'Hall of Learning',
      campus: 'MA',
      campusDescription: 'Main Campus',
      category: String(position + 1).padStart(2, '0'),
      class: 'net.hedtech.banner.general.overall.MeetingTimeDecorator',
      courseReferenceNumber: String(crn),
      creditHourSession: position === 0 ? 3 : 0,
      endDate: '12/18/2026',
      endTime: `${String(hour + 1).padStart(2, '0')}20`,
      ...Object.fromEntries(dayNames.map((name, day) => [name, days[day] === '1'])),
      hoursWeek: 2.5,
      meetingScheduleType: 'LEC',
      meetingType: 'CLAS',
      meetingTypeDescription: 'Class',
      room: String(random.between(100, 480)),
      startDate: '08/26/2026',
      term,
    },
    term,
  }
}
