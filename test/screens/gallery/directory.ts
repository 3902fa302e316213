import type { App, Statement } from '../../browser/app.ts'
import { indexNames, schools, seedDirectory } from '../../browser/seed-directory.ts'

/** A course for every class's server, beyond what the journeys need. */
const subjects = {
  'Chemistry & Biochemistry': [['CHEM', '2210', 'Organic Chemistry I']],
  Biology: [['BIO', '1010', 'Principles of Biology']],
  Economics: [
    ['ECON', '1010', 'Microeconomics'],
    ['ECON', '1020', 'Macroeconomics'],
  ],
  Accounting: [['ACCT', '2010', 'Financial Accounting']],
  History: [['HIST', '1200', 'The Ancient World']],
  Psychology: [['PSYCH', '1000', 'Introduction to Psychology']],
  English: [['ENG', '1010', 'College Writing']],
  'Statistics & Data Science': [['STAT', '2300', 'Elementary Statistics']],
} as const

interface Named {
  name: string
  description: string
  members: number
  online: number
}

/** What students call servers that are elsewhere called as campus and class are; all of these are public. */
const named: Readonly<Record<string, Named>> = {
  'Campus Commons': {
    name: 'Campus Commons',
    description: 'Rides home, lost calculators, and a channel for each building.',
    members: 2140,
    online: 363,
  },
  'Hello World Help Desk': {
    name: 'Hello World Help Desk',
    description: 'Peer tutors every weekday from 4 to 8 PM. Nobody is too new.',
    members: 840,
    online: 168,
  },
  'Queens College Calculus I': {
    name: 'Queens Calc Crew',
    description: 'Review sessions before every midterm, and the notes of all of them.',
    members: 1426,
    online: 242,
  },
  'Northfield Tech Calculus I': {
    name: 'Calc I Night Shift',
    description: 'Problem sets, old midterms, and somebody awake at 2 AM.',
    members: 795,
    online: 103,
  },
  'Harbor State Calculus I': {
    name: 'Calc Before Coffee',
    description: 'Homework help, exam weeks and jokes about limits.',
    members: 612,
    online: 71,
  },
  'Harbor State Calculus II': {
    name: 'Calc II Repair Shop',
    description: 'Series, sequences and solidarity.',
    members: 408,
    online: 46,
  },
  'Queens College Calculus II': {
    name: 'Integrators of Calc II',
    description: 'Weekly integration contest. Losers bring snacks to office hours.',
    members: 521,
    online: 64,
  },
  'Chem Lab Partners': {
    name: 'Chem Lab Partners',
    description: 'Find a partner for lab, trade goggles, check your pre-lab together.',
    members: 250,
    online: 67,
  },
  'Linked List Support Group': {
    name: 'Linked List Support Group',
    description: 'Bring your segfaults. Pair programming every Sunday night.',
    members: 515,
    online: 113,
  },
  'Free Body Diagrams': {
    name: 'Free Body Diagrams',
    description: 'Statics, springs and study rooms in Dunmore Hall. All sections welcome.',
    members: 418,
    online: 52,
  },
}

/** Courses have other numbers at other schools. */
const numbers = [
  [schools.harbor, '2210', '1610'],
  [schools.harbor, '2220', '1620'],
  [schools.queens, '2210', '151'],
  [schools.queens, '2220', '152'],
] as const

const featured: ReadonlySet<string> = new Set(['Campus Commons', 'Hello World Help Desk', 'Queens Calc Crew'])

/**
 * The directory on an ordinary day: each server has its course, some have two, and names are those that students give.
 */
export async function seedDirectoryGallery(app: App): Promise<void> {
  await seedDirectory(app, subjects)
  await app.sqlTogether([
    ...Object.entries(named).map(([usual, { name, description, members, online }]): Statement => ({
      text: `UPDATE discord_server SET name = ?1, description = ?2, member_count = ?3, online_count = ?4,
          privacy_level = 'public', is_required_for_trust = ?5 WHERE name = ?6`,
      values: [name, description, members, online, featured.has(name) ? 1 : 0, usual],
    })),
    ...numbers.map(([school, usual, level]): Statement => ({
      text: `UPDATE course SET level = ?1 WHERE code = 'MATH' AND level = ?2 AND subject_id IN
          (SELECT u.id FROM subject u JOIN school h ON h.id = u.school_id WHERE h.name = ?3)`,
      values: [level, usual, school],
    })),
    {
      text: `INSERT INTO server_course (server_id, course_id)
        SELECT s.id, c.id FROM discord_server s JOIN server_subject l ON l.server_id = s.id JOIN course c ON c.subject_id = l.subject_id
        JOIN subject u ON u.id = c.subject_id JOIN school h ON h.id = u.school_id
        WHERE c.title = 'Macroeconomics' AND h.name <> ?`,
      values: [schools.harbor],
    },
    {
      text: `DELETE FROM server_school WHERE server_id = (SELECT id FROM discord_server WHERE name = 'Campus Commons')
        AND school_id <> (SELECT id FROM school WHERE name = ?)`,
      values: [schools.harbor],
    },
    { text: 'UPDATE school SET name = ? WHERE name = ?', values: ['Northfield Tech', schools.northfield] },
  ])
  await indexNames(app)
}
