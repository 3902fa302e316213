import { jsonArguments } from '../../db/json-argument.ts'
import { sortKeyOf, wordsOf } from './words.ts'

interface Text {
  id: number
  version: number
  name: string
  custom_title: string
  description: string
  notes: string
  subjects: string
  courses: string
  instructors: string
}

const texts = `SELECT s.id, s.version, s.name, s.custom_title, s.description,
  (SELECT json_group_array(i.notes_md) FROM invite i WHERE i.server_id = s.id AND i.state = 'approved' AND i.is_valid) AS notes,
  (SELECT json_group_array(t.name) FROM server_subject l JOIN subject t ON t.id = l.subject_id WHERE l.server_id = s.id) AS subjects,
  (SELECT json_group_array(json_object('code', t.code, 'level', t.level, 'title', t.title))
   FROM server_course l JOIN course t ON t.id = l.course_id WHERE l.server_id = s.id) AS courses,
  (SELECT json_group_array(t.name) FROM server_instructor l JOIN instructor t ON t.id = l.instructor_id WHERE l.server_id = s.id) AS instructors
  FROM discord_server s`

/** Brings the words of servers that have changed up to date, or of one of them alone, in one round. @returns how many it were */
export async function indexServers(db: D1Database, most: number, serverId: number | null = null): Promise<number> {
  const { results } = await db
    .prepare(`${texts} WHERE version <> indexed_version AND (?1 IS NULL OR s.id = ?1) LIMIT ?2`)
    .bind(serverId, most)
    .all<Text>()
  if (results.length === 0) return 0
  const rows = results.map((text) => ({ id: text.id, version: text.version, ...indexedOf(text) }))
  await db.batch(
    jsonArguments(rows.map(({ id, version, key, words }) => [id, version, key, words])).flatMap((argument) => [
      db
        .prepare(
          `DELETE FROM server_word WHERE server_id IN (
             SELECT s.id FROM json_each(?) r JOIN discord_server s ON s.id = r.value ->> 0 AND s.version = r.value ->> 1)`,
        )
        .bind(argument),
      db
        .prepare(
          `INSERT INTO server_word (word, server_id)
           SELECT w.value, s.id FROM json_each(?) r JOIN discord_server s ON s.id = r.value ->> 0 AND s.version = r.value ->> 1,
             json_each(r.value, '$[3]') w`,
        )
        .bind(argument),
      // What changed after it was read keeps its other version, and is found again.
      db
        .prepare(
          `UPDATE discord_server SET indexed_version = r.version, sort_key = r.key
           FROM (SELECT value ->> 0 AS id, value ->> 1 AS version, value ->> 2 AS key FROM json_each(?)) r
           WHERE discord_server.id = r.id AND discord_server.version = r.version`,
        )
        .bind(argument),
    ]),
  )
  return rows.length
}

function indexedOf(text: Text): { key: string; words: string[] } {
  const list = (json: string): string[] => JSON.parse(json) as string[]
  const courses = JSON.parse(text.courses) as { code: string; level: string; title: string }[]
  return {
    key: sortKeyOf(text.custom_title || text.name, courses),
    words: wordsOf(
      text.name,
      text.custom_title,
      text.description,
      ...list(text.notes),
      ...list(text.subjects),
      ...list(text.instructors),
      ...courses.flatMap(({ code, level, title }) => [
        code,
        level,
        title,
        `${code}${level}`.replace(/[^\p{L}\p{N}]/gu, ''),
      ]),
    ),
  }
}
