import { randomFrom, type Random } from '../random.ts'
import { makeInstructors, makeMeetings, makeSeats } from './section-shapes.ts'
import type { Course, CrossList, School, Section, Subject, Term } from './types.ts'
import { SUBJECTS } from './words.ts'

/** Makes the catalog larger than the default one: subjects per school, sections per subject. */
export interface CatalogSize {
  subjects: number
  sections: number
}

/** How many sections a course has, by weight. */
const SECTIONS_PER_COURSE: readonly (readonly [weight: number, sections: number])[] = [
  [5, 1],
  [3, 3],
  [2, 6],
  [1, 11],
]
const SPECIAL_TOPICS = ['Climate & Energy', "Cinema d'auteur", 'Games & Play', 'Migration', 'Open Source'] as const
const SECTION_LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ'
const GRADUATE_SHARE = 0.15
const CROSS_LISTED_SHARE = 0.06

/** What every school teaches, so that one subject can be found at several; the union school has its own. */
const CORE = ['CMSC', 'MATH', 'BIOL', 'ENGL', 'BUAD']
const SMALL_CORE = ['LABR', 'POLS']
const SMALL = 5

function subjectsOf(school: School, count: number): { subject: Subject; titles: readonly string[] }[] {
  const random = randomFrom(`subjects of ${school.name}`)
  const core = school.subjectCount < SMALL ? SMALL_CORE : CORE
  const pool = SUBJECTS.filter(({ key }) => !core.includes(key))
  return Array.from({ length: count }, (_, index) => {
    const taught = SUBJECTS.find(({ key }) => key === core[index])
    const drawn = taught ?? pool.splice(random.between(0, pool.length - 1), 1)[0]
    if (!drawn) {
      const code = `X${String(index).padStart(3, '0')}`
      return {
        subject: { key: code, code, name: `Field of Study ${index}` },
        titles: ['First Course', 'Second Course'],
      }
    }
    const key = school.institution === null ? drawn.code : drawn.key
    return { subject: { key, code: drawn.code, name: drawn.name }, titles: drawn.titles }
  })
}

function makeCourse(
  random: Random,
  school: School,
  subject: Subject,
  titles: readonly string[],
  index: number,
): Course {
  const graduate = random.chance(GRADUATE_SHARE)
  const scale = school.institution === null ? 10 : 1
  const number = ((graduate ? 500 : 100) + Math.min(index, 38) * 10 + random.between(0, 9)) * scale
  const isHonors = !graduate && random.chance(0.06)
  const title = titles[index % titles.length] ?? subject.name
  const round = Math.floor(index / titles.length)
  return {
    subject,
    level: `${number}${isHonors ? 'H' : ''}`,
    title:
      round === 0 ? title : random.chance(0.4) ? `Special Topics in ${subject.name}` : `${title}, Part ${round + 1}`,
    credits: random.pick([1, 3, 3, 3, 4, 4, 6]),
  }
}

function sectionCode(school: School, random: Random, index: number): string {
  if (school.institution === null) return String(index + 1).padStart(3, '0')
  const letter = (n: number): string => SECTION_LETTERS[n % SECTION_LETTERS.length] ?? 'A'
  return `${random.pick(['', '', '0', '2'])}${letter(random.between(0, 22))}${random.pick(['MW', 'TR', 'IN'])}${letter(index)}`
}

function makeSection(
  random: Random,
  school: School,
  term: Term,
  course: Course,
  number: string,
  index: number,
): Section {
  const { meetings, mode } = makeMeetings(random)
  const special = course.title.startsWith('Special Topics')
  const plain = school.institution === null || random.chance(0.94)
  return {
    school,
    term,
    course,
    number,
    code: sectionCode(school, random, index),
    component: meetings.some((meeting) => meeting.kind === 'laboratory')
      ? 'LAB'
      : random.pick(['LEC', 'LEC', 'LEC', 'SEM']),
    session: plain ? '1' : random.pick(['7W1', '7W2']),
    career: Number.parseInt(course.level, 10) >= (school.institution === null ? 5000 : 500) ? 'GRAD' : 'UGRD',
    mode,
    topic: special ? random.pick(SPECIAL_TOPICS) : null,
    campus: random.pick(school.campuses),
    credits: course.credits,
    creditsAsRange: random.chance(0.3),
    partOfTerm: random.chance(0.95) ? '1' : null,
    linkIdentifier: random.chance(0.08) ? 'A1' : null,
    meetings,
    instructors: makeInstructors(random),
    seats: makeSeats(random, school),
    crossList: null,
    offered: true,
  }
}

/** Pairs sections of neighboring subjects under a shared limit that is sometimes tighter than either section's own. */
function crossList(random: Random, bySubject: Section[][]): void {
  bySubject.forEach((sections, index) => {
    const others = bySubject[index + 1] ?? []
    sections.slice(0, others.length).forEach((section, position) => {
      const partner = others[position]
      if (!partner || section.crossList || !random.chance(CROSS_LISTED_SHARE)) return
      const members = [section, partner]
      const room = random.weighted<number>([
        [5, 0],
        [4, 2],
        [1, -1],
      ])
      const capacity = members.reduce((sum, member) => sum + member.seats.enrolled, room)
      const group: CrossList = { code: `${SECTION_LETTERS[index % 24]}${position % 10}`, capacity, members }
      for (const member of members) member.crossList = group
    })
  })
}

/**
 * All sections of one school in one term, in the order the school lists them. Depends only on the arguments. A term
 * that is over keeps two subjects; the next term has about half of the current one.
 */
export function generateSections(
  seed: string,
  school: School,
  term: Term,
  current: boolean,
  size?: CatalogSize,
): Section[] {
  const random = randomFrom(`${seed}/${school.name}/${term.name}`)
  const subjects = subjectsOf(school, term.past ? 2 : (size?.subjects ?? school.subjectCount))
  let serial = random.between(1, 80) + (school.institution === null ? 10_000 : 20_000 + classNumberBase(school))
  const bySubject = subjects.map(({ subject, titles }) => {
    const usual = Math.round(random.between(12, 54) * (current ? 1 : 0.5))
    const wanted = term.past ? 6 : (size?.sections ?? usual)
    const sections: Section[] = []
    const used = new Set<string>()
    for (let index = 0; sections.length < wanted; index++) {
      const course = makeCourse(random, school, subject, titles, index)
      if (used.has(course.level) && index < 400) continue
      used.add(course.level)
      const many = Math.min(random.weighted(SECTIONS_PER_COURSE), wanted - sections.length)
      for (let i = 0; i < many; i++) sections.push(makeSection(random, school, term, course, String(serial++), i))
    }
    return sections.toSorted((a, b) => a.course.level.localeCompare(b.course.level) || a.code.localeCompare(b.code))
  })
  if (school.institution === null) crossList(random, bySubject)
  return bySubject.flat()
}

/** Keeps the class numbers of CUNY's colleges distinct, because they share one numbering. */
function classNumberBase(school: School): number {
  return (['QNS01', 'HTR01', 'BAR01', 'SLU01'].indexOf(school.institution ?? '') + 1) * 12_000
}
