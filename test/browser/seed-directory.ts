import { sortKeyOf, wordsOf } from '../../src/classcords/search/words.ts'
import { directorySql } from '../world/start/seed-directory.ts'
import type { App } from './app.ts'
import { names } from './seed-extremes.ts'
import { seedPeople } from './seed.ts'

export const schools = {
  harbor: 'Harbor State University',
  northfield: 'Northfield Technical University',
  queens: 'Queens College',
} as const

type Subjects = Readonly<Record<string, readonly (readonly [code: string, level: string, title: string])[]>>

/** A minimal catalog: the same subjects at each school. */
const subjects: Subjects = {
  Mathematics: [
    ['MATH', '2210', 'Calculus I'],
    ['MATH', '2220', 'Calculus II'],
    ['MATH', '3100', 'Linear Algebra'],
  ],
  'Computer Science': [
    ['CSCI', '1100', 'Intro to Programming'],
    ['CSCI', '2300', 'Data Structures & Algorithms'],
    ['CSCI', '3400', 'Operating Systems'],
  ],
  'Chemistry & Biochemistry': [['CHEM', '1030', 'General Chemistry']],
  'Physics & Astronomy': [['PHYS', '1010', 'General Physics I']],
}
const instructors = ['Ada Lindqvist', 'Grace Okonkwo', 'Emmy Castellanos']

/** 145 characters: a card shows 100 of them. */
export const longDescription = `${'We meet before every exam, and after it. '.repeat(3).trim()} Everybody is welcome.`
/** Every kind of formatting, and one attack. */
const richNotes =
  '**Read the rules first**, then say *hello*.\n\n- old exams\n- [the course page](https://example.edu/course)\n\n<img src=x onerror=alert(1)>'

async function seedCatalog(app: App, more: Subjects): Promise<void> {
  const offered = Object.keys({ ...subjects, ...more }).map((subject) => {
    return [subject, [...(subjects[subject] ?? []), ...(more[subject] ?? [])]] as const
  })
  const statements = Object.values(schools).flatMap((school) => [
    {
      text: 'INSERT INTO school (source_id, code, name) SELECT min(id), ?1, ?1 FROM source',
      values: [school],
    },
    ...offered.flatMap(([subject, courses]) => [
      {
        text: 'INSERT INTO subject (school_id, key, name) SELECT id, ?1, ?1 FROM school WHERE name = ?2',
        values: [subject, school],
      },
      ...courses.map(([code, level, title]) => ({
        text: `INSERT INTO course (subject_id, code, level, title) SELECT u.id, ?1, ?2, ?3
          FROM subject u JOIN school h ON h.id = u.school_id WHERE u.name = ?4 AND h.name = ?5`,
        values: [code, level, title, subject, school],
      })),
    ]),
    ...instructors.map((name) => ({
      text: 'INSERT INTO instructor (school_id, name) SELECT id, ?1 FROM school WHERE name = ?2',
      values: [name, school],
    })),
  ])
  await app.sqlTogether([
    ...statements,
    {
      text: `INSERT INTO instructor_subject (subject_id, instructor_id)
        SELECT u.id, i.id FROM subject u JOIN instructor i ON i.school_id = u.school_id`,
    },
  ])
}

/** What the app does in the minute after a change: every server can be found by its name. */
export async function indexNames(app: App): Promise<void> {
  const servers = await app.sql<{ id: number; name: string }>('SELECT id, name FROM discord_server')
  await app.sqlTogether([
    {
      text: 'INSERT OR IGNORE INTO server_word (word, server_id) SELECT value ->> 0, value ->> 1 FROM json_each(?)',
      values: [JSON.stringify(servers.flatMap(({ id, name }) => wordsOf(name).map((word) => [word, id])))],
    },
    ...servers.map(({ id, name }) => ({
      text: 'UPDATE discord_server SET sort_key = ? WHERE id = ?',
      values: [sortKeyOf(name, []), id],
    })),
    { text: 'UPDATE discord_server SET indexed_version = version, words_version = 1' },
  ])
}

/**
 * People, 40 listed servers at three schools, three pending invites that Discord knows and one it does not.
 * @param more courses that the schools offer in addition to the usual ones
 */
export async function seedDirectory(app: App, more: Subjects = {}): Promise<void> {
  await seedPeople(app)
  await seedCatalog(app, more)
  await app.sqlTogether(
    directorySql(Date.now())
      .split(/;\n/)
      .map((text) => ({ text })),
  )
  const [calculus] = await app.sql<{ id: number }>("SELECT id FROM discord_server WHERE name = 'Campus Commons'")
  await app.sql('UPDATE discord_server SET description = ? WHERE id = ?', longDescription, calculus?.id)
  await app.sql("UPDATE invite SET notes_md = ? WHERE code = 'campus-commons'", richNotes)
  await indexNames(app)
}

/** The same, with unusual names of servers and people, and unusual notes. */
export async function seedDifficultDirectory(app: App): Promise<void> {
  await seedDirectory(app)
  const now = Date.now()
  const given = Object.values(names)
  await app.sqlTogether([
    ...given.map((name, index) => ({
      text: `INSERT INTO discord_server (server_id, name, description, privacy_level, member_count, created_at)
        VALUES (?, ?, ?, 'public', ?, ?)`,
      values: [`9${index}`, name, name.repeat(3), 10 ** index, now + index],
    })),
    { text: 'UPDATE discord_user SET display_name = ? WHERE role = ?', values: [names.endless, 'manager'] },
    { text: 'UPDATE discord_user SET display_name = ? WHERE role = ?', values: [names.arabic, 'regular'] },
  ])
  for (const [index, name] of given.entries()) {
    await app.sqlTogether(
      ['approved', 'pending'].map((state) => ({
        text: `INSERT INTO invite (code, server_id, submitter_id, state, notes_md, privacy_level, school_id, created_at, decided_at, due_at)
          SELECT ?1, s.id, d.id, ?2, ?3, 'public', d.school_id, ?4, iif(?2 = 'approved', ?4, NULL), ?4 + 86400000
          FROM discord_server s JOIN discord_user d ON d.role = 'regular' AND d.discord_id LIKE '%0002' WHERE s.server_id = ?5`,
        values: [`${state}-${'x'.repeat(80)}${index}`, state, name.repeat(2).slice(0, 255), now, `9${index}`],
      })),
    )
  }
  await app.sqlTogether([
    {
      text: `INSERT INTO server_school (server_id, school_id)
        SELECT s.id, h.id FROM discord_server s JOIN school h ON h.name = ? WHERE length(s.server_id) = 2`,
      values: [schools.harbor],
    },
    {
      text: `INSERT INTO notice (discord_user_id, kind, title, body, url, created_at)
        SELECT d.id, 'report', 'A server was reported', value, '', ?1 FROM discord_user d, json_each(?2) WHERE d.role = 'regular'`,
      values: [now, JSON.stringify(given)],
    },
  ])
  await indexNames(app)
}
