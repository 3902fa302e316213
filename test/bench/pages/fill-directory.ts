import type { BenchDatabase } from '../app/asked-database.ts'

const servers = 5000
const pending = 200
/** The beginning of a statement that selects from the numbers 1 to `most`. */
export const numbers = (most: number): string =>
  `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${most})`

/**
 * A school with 40 courses in 4 subjects and 5 000 servers, each for one or two courses, every third one private, five
 * of them featured, and 200 pending invites. And a user with every role: superuser, manager, at that school.
 */
export async function fillDirectory(db: BenchDatabase): Promise<void> {
  await db.batch(
    [
      `INSERT INTO source (id, kind, name, url, time_zone, created_at) VALUES (1, 'banner9', 'Bench State', 'http://localhost', 'America/New_York', 0)`,
      `INSERT INTO school (id, source_id, code, name) VALUES (1, 1, 'BSU', 'Bench State University')`,
      `${numbers(4)} INSERT INTO subject (id, school_id, key, name) SELECT i, 1, 'S' || i, 'Subject number ' || i FROM n`,
      `${numbers(40)} INSERT INTO course (id, subject_id, code, level, title)
       SELECT i, 1 + i % 4, 'SUB' || (1 + i % 4), 1000 + i, 'Introduction to topic ' || i FROM n`,
      `${numbers(servers)} INSERT INTO discord_server (id, server_id, name, description, member_count, privacy_level, is_required_for_trust, created_at)
       SELECT i, 1150000000000000000 + i, 'Class server number ' || i, 'Homework, study groups and old exams. All sections are welcome here.',
         i % 900, iif(i % 3 = 0, 'private', 'public'), i % 1000 = 1, i FROM n`,
      `${numbers(servers)} INSERT INTO server_school (server_id, school_id) SELECT i, 1 FROM n`,
      `${numbers(servers)} INSERT INTO server_subject (server_id, subject_id) SELECT i, 1 + i % 4 FROM n`,
      `${numbers(servers)} INSERT INTO server_course (server_id, course_id) SELECT i, 1 + i % 40 FROM n
       UNION ALL SELECT i, 1 + (i + 4) % 40 FROM n WHERE i % 2`,
      `${numbers(servers)} INSERT INTO invite (id, code, server_id, state, privacy_level, created_at, due_at)
       SELECT i, 'code' || i, i, 'approved', 'public', i, 9e15 FROM n`,
      `UPDATE discord_server SET indexed_version = version, words_version = 1, sort_key = printf('%08d', id)`,
      `INSERT INTO user (id, username, is_superuser, created_at) VALUES (1, 'bench', 1, 0)`,
      `INSERT INTO discord_user (id, user_id, discord_id, username, discriminator, display_name, is_verified, role, school_id, login_count,
         first_login_at, last_login_at) VALUES (1, 1, '150000000000000000', 'bench', '0', 'Bench', 1, 'manager', 1, 2, 0, 0)`,
      `${numbers(pending)} INSERT INTO invite (code, server_id, submitter_id, school_id, subject_id, notes_md, privacy_level, created_at, due_at)
       SELECT 'waits' || i, i, 1, 1, 1, 'Ask for the *lab* role.', 'private', i, 9e15 FROM n`,
    ].map((statement) => db.prepare(statement)),
  )
}
