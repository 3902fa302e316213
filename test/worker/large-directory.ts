import { env } from 'cloudflare:workers'
import { indexServers } from '../../src/classcords/search/index-servers.ts'
import { emptyDirectory } from './directory.ts'

/** The size of the directory of {@link fillLargeDirectory}; ids count from 1. */
export const large = { schools: 100, subjectsPerSchool: 100, coursesPerSubject: 4, servers: 5000 } as const

const numbers = (count: number, name = 'i') =>
  `WITH RECURSIVE n(${name}) AS (SELECT 1 UNION ALL SELECT ${name} + 1 FROM n WHERE ${name} < ${count})`

/** The school of server `i`, counted from 0. */
const schoolOf = `((i - 1) % ${large.schools})`
/** Which server of its school it is, counted from 0. */
const turnOf = `((i - 1) / ${large.schools})`
const subjectOf = (turn: string) =>
  `(${schoolOf} * ${large.subjectsPerSchool} + (${turn}) % ${large.subjectsPerSchool} + 1)`
const courseOf = (turn: string) => `((${subjectOf(turn)} - 1) * ${large.coursesPerSubject} + 1)`

/**
 * 100 schools with 100 subjects of 4 courses each, and 5 000 servers: each for one school, two subjects and two
 * courses, so that every subject is listed; every fourth is private, every thousandth featured. All descriptions share
 * their words, every tenth says "tenth", and every name has its number.
 */
export async function fillLargeDirectory(): Promise<void> {
  await emptyDirectory()
  const { schools, subjectsPerSchool, coursesPerSubject, servers } = large
  const subjects = schools * subjectsPerSchool
  await env.DB.batch(
    [
      `INSERT INTO source (id, kind, name, url, time_zone, created_at) VALUES (1, 'banner9', 'Large', 'http://localhost', 'America/New_York', 0)`,
      `${numbers(schools)} INSERT INTO school (id, source_id, code, name) SELECT i, 1, 'S' || i, 'School ' || i FROM n`,
      `${numbers(subjects)} INSERT INTO subject (id, school_id, key, name)
       SELECT i, (i - 1) / ${subjectsPerSchool} + 1, 'K' || i, 'Subject ' || i FROM n`,
      `${numbers(subjects * coursesPerSubject)} INSERT INTO course (id, subject_id, code, level, title)
       SELECT i, (i - 1) / ${coursesPerSubject} + 1, 'C' || ((i - 1) / ${coursesPerSubject} + 1), 100 + i % ${coursesPerSubject}, 'Course ' || i FROM n`,
      `${numbers(servers)} INSERT INTO discord_server (id, server_id, name, description, privacy_level, is_required_for_trust, created_at)
       SELECT i, 'g' || i, 'Class server number ' || i,
         'Homework, study groups and old exams.' || iif(i % 10 = 0, ' Every tenth.', '') || iif(i % 7 = 0, ' Seventh.', ''),
         iif(${turnOf} % 4 = 0, 'private', 'public'), i % 1000 = 150, i FROM n`,
      `${numbers(servers)} INSERT INTO server_school (server_id, school_id) SELECT i, ${schoolOf} + 1 FROM n`,
      ...['0', '50'].map(
        (further) => `${numbers(servers)} INSERT INTO server_subject (server_id, subject_id)
          SELECT i, ${subjectOf(`${turnOf} + ${further}`)} FROM n`,
      ),
      ...['0', '50'].map(
        (further) => `${numbers(servers)} INSERT INTO server_course (server_id, course_id)
          SELECT i, ${courseOf(`${turnOf} + ${further}`)} FROM n`,
      ),
      `${numbers(servers)} INSERT INTO invite (id, code, server_id, state, privacy_level, created_at, due_at)
       SELECT i, 'c' || i, i, 'approved', 'public', i, 9e15 FROM n`,
    ].map((statement) => env.DB.prepare(statement)),
  )
  while ((await indexServers(env.DB, 500)) > 0);
}
