import { sql } from 'drizzle-orm'
import { insist } from '../../db/insist.ts'
import type { AdminChange, AdminInlineChange, AdminPlan } from '../../web/admin-change.ts'
import { indexServers } from '../search/index-servers.ts'
import { sortKeyOf } from '../search/words.ts'

/** What a server is for. `fits`: SQL that a new link, ?2, fits to the server, ?1, once all of them are written; the words are those of submitting. */
export const serverLinks = [
  {
    name: 'schools',
    table: 'server_school',
    key: 'school_id',
    label: 'School',
    labels: 'Schools',
    to: 'schools',
    fits: 'EXISTS (SELECT 1 FROM subject WHERE school_id = ?2 AND ?1)',
    otherwise: 'Invalid school selected',
  },
  {
    name: 'subjects',
    table: 'server_subject',
    key: 'subject_id',
    label: 'Subject',
    labels: 'Subjects',
    to: 'subjects',
    fits: 'EXISTS (SELECT 1 FROM subject j JOIN server_school l ON l.school_id = j.school_id WHERE l.server_id = ?1 AND j.id = ?2)',
    otherwise: 'This subject is not taught at the school',
  },
  {
    name: 'courses',
    table: 'server_course',
    key: 'course_id',
    label: 'Course',
    labels: 'Courses',
    to: 'courses',
    fits: 'EXISTS (SELECT 1 FROM course k JOIN server_subject l ON l.subject_id = k.subject_id WHERE l.server_id = ?1 AND k.id = ?2)',
    otherwise: 'A course does not belong to the subject',
  },
  {
    name: 'instructors',
    table: 'server_instructor',
    key: 'instructor_id',
    label: 'Instructor',
    labels: 'Instructors',
    to: 'instructors',
    fits: 'EXISTS (SELECT 1 FROM instructor n JOIN server_school l ON l.school_id = n.school_id WHERE l.server_id = ?1 AND n.id = ?2)',
    otherwise: 'An instructor does not teach at the school',
  },
] as const

const columns = [
  'custom_title',
  'description',
  'privacy_level',
  'is_active',
  'is_required_for_trust',
  'is_general_server',
] as const

/** Writes a server and what it is for; triggers tell its lists and pages, and its words follow at once. */
export async function saveServer({ DB }: Env, change: AdminChange): Promise<AdminPlan> {
  const { key, values, now } = change
  const fields = columns.map((name) => values[name] ?? '')
  // An added row has the largest number until the batch ends.
  const id = key ?? (await DB.prepare('SELECT coalesce(max(id), 0) + 1 AS id FROM discord_server').first<number>('id'))
  const own =
    key === null
      ? DB.prepare(
          `INSERT INTO discord_server (id, server_id, name, sort_key, created_at, ${columns.join(', ')})
           VALUES (?, ?, ?, ?, ?, ${columns.map(() => '?').join(', ')})`,
        ).bind(
          id,
          values['server_id'] ?? '',
          values['name'] ?? '',
          sortKeyOf(String(values['custom_title'] || values['name']), []),
          now,
          ...fields,
        )
      : DB.prepare(`UPDATE discord_server SET ${columns.map((name) => `${name} = ?`).join(', ')} WHERE id = ?`).bind(
          ...fields,
          key,
        )
  return {
    statements: [
      own,
      ...noteStatements(DB, change.inlines['invites'] ?? []),
      ...linkStatements(DB, Number(id), change),
    ],
    addedKey: sql.raw(String(Number(id))),
    afterwards: () => indexServers(DB, 1, Number(id)),
  }
}

function noteStatements(db: D1Database, rows: readonly AdminInlineChange[]): D1PreparedStatement[] {
  return rows.flatMap(({ key, before, values }) =>
    before?.['notes_md'] === values['notes_md']
      ? []
      : [db.prepare('UPDATE invite SET notes_md = ? WHERE id = ?').bind(values['notes_md'] ?? '', key)],
  )
}

/** All links first, then whether the new ones fit: a school and its subject may come together. */
function linkStatements(db: D1Database, serverId: number, { inlines }: AdminChange): D1PreparedStatement[] {
  const writes: D1PreparedStatement[] = []
  const checks: D1PreparedStatement[] = []
  for (const { name, table, key: column, fits, otherwise } of serverLinks) {
    for (const { key, values, isRemoved } of inlines[name] ?? []) {
      const target = values[column] ?? null
      if (key === null) {
        writes.push(
          db
            .prepare(`INSERT INTO ${table} (server_id, ${column}) VALUES (?, ?) ON CONFLICT DO NOTHING`)
            .bind(serverId, target),
        )
        checks.push(insist(db, fits, [serverId, target], otherwise))
      } else if (isRemoved) writes.push(db.prepare(`DELETE FROM ${table} WHERE rowid = ?`).bind(key))
    }
  }
  return [...writes, ...checks]
}
