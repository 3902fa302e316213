import type { App } from '../../browser/app.ts'
import { schools, seedDirectory } from '../../browser/seed-directory.ts'

/** What every class's server has a course of, beyond what the journeys need. */
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

const about =
  'One server for every student of our three campuses: rides home, lost calculators, and a channel for each building.'

/** The directory on an ordinary day: each server has its course, some have two, and names are ordinary. */
export async function seedDirectoryGallery(app: App): Promise<void> {
  await seedDirectory(app, subjects)
  await app.sqlTogether([
    { text: `UPDATE discord_server SET description = ? WHERE name = 'Campus Commons'`, values: [about] },
    {
      text: `INSERT INTO server_course (server_id, course_id)
        SELECT s.id, c.id FROM discord_server s JOIN server_subject l ON l.server_id = s.id JOIN course c ON c.subject_id = l.subject_id
        JOIN subject u ON u.id = c.subject_id JOIN school h ON h.id = u.school_id
        WHERE c.title = 'Macroeconomics' AND h.name <> ?`,
      values: [schools.harbor],
    },
  ])
}
