import { insist } from '../../db/insist.ts'
import { belongsTo } from '../../web/admin-text-fields.ts'
import type { AdminChange, AdminPlan } from '../../web/admin-change.ts'
import type { TextTable } from '../../web/admin-text-table.ts'
import { indexServers } from '../search/index-servers.ts'
import { area } from './parts.ts'

const subjectsInline = 'subjects'

/** Who teaches what, as the sections of schools say. */
export const instructorsTable: TextTable = {
  name: 'instructors',
  label: 'Instructor',
  labels: 'Instructors',
  area,
  about:
    'Read from the sections of each school. One who was renamed or deleted comes back when their sections still say so.',
  table: 'instructor',
  title: 't.name',
  join: 'LEFT JOIN school h ON h.id = t.school_id',
  columns: [
    { name: 'name', label: 'Name', sort: 'lower(t.name)' },
    { name: 'school', label: 'School', sql: 'h.name', link: { table: 'schools', key: 'h.id' } },
    {
      name: 'subjects',
      label: 'Subjects',
      kind: 'number',
      sql: '(SELECT count(*) FROM instructor_subject l WHERE l.instructor_id = t.id)',
    },
    {
      name: 'servers',
      label: 'Servers',
      kind: 'number',
      sql: '(SELECT count(*) FROM server_instructor l WHERE l.instructor_id = t.id)',
    },
  ],
  search: { label: 'Name', contains: ['t.name'], begins: ['lower(t.name)'] },
  filters: [{ name: 'school_id', label: 'School', kind: 'reference', to: 'schools', isIndexed: true }],
  fields: [
    belongsTo('school_id', 'School', 'schools'),
    { name: 'name', label: 'Name', kind: 'text', isRequired: true, maximum: 200 },
  ],
  inlines: [
    {
      name: subjectsInline,
      label: 'Subject',
      labels: 'Subjects',
      table: 'instructor_subject',
      key: 'rowid',
      parent: 'instructor_id',
      fields: [belongsTo('subject_id', 'Subject', 'subjects')],
    },
  ],
  goesWith: [
    {
      label: 'servers',
      from: 'server_instructor l JOIN discord_server s ON s.id = l.server_id',
      key: 'l.instructor_id',
      title: 's.name',
      fate: 'kept, without this instructor',
    },
    {
      label: 'subjects',
      from: 'instructor_subject l JOIN subject j ON j.id = l.subject_id',
      key: 'l.instructor_id',
      title: 'j.name',
      fate: 'kept, without this instructor',
    },
  ],
  save: saveInstructor,
}

async function saveInstructor({ DB }: Env, { key, values, inlines }: AdminChange): Promise<AdminPlan> {
  const { name = '', school_id = null } = values
  const added = '(SELECT max(id) FROM instructor)'
  const id = key === null ? added : String(Number(key))
  return {
    statements: [
      key === null
        ? DB.prepare('INSERT INTO instructor (school_id, name) VALUES (?, ?)').bind(school_id, name)
        : DB.prepare('UPDATE instructor SET name = ? WHERE id = ?').bind(name, key),
      ...(inlines[subjectsInline] ?? []).flatMap((row): D1PreparedStatement[] => {
        const subject = row.values['subject_id'] ?? null
        if (row.key !== null) {
          return row.isRemoved ? [DB.prepare('DELETE FROM instructor_subject WHERE rowid = ?').bind(row.key)] : []
        }
        return [
          insist(
            DB,
            'EXISTS (SELECT 1 FROM subject WHERE id = ? AND school_id = ?)',
            [subject, school_id],
            'This subject is not taught at the school',
          ),
          DB.prepare(
            `INSERT INTO instructor_subject (subject_id, instructor_id) VALUES (?, ${id}) ON CONFLICT DO NOTHING`,
          ).bind(subject),
        ]
      }),
    ],
    // Their servers are found by the new name.
    afterwards: () => indexServers(DB, 20),
  }
}
