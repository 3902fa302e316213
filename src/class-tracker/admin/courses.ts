import { belongsTo } from '../../web/admin-text-fields.ts'
import type { AdminChange, AdminPlan } from '../../web/admin-change.ts'
import type { TextTable } from '../../web/admin-text-table.ts'
import { alertsAbout, catalogueArea, watchers } from './parts.ts'
import { insertRow, updateRow } from './statements.ts'

/** Courses as schools number them. */
export const coursesTable: TextTable = {
  name: 'courses',
  label: 'Course',
  labels: 'Courses',
  area: catalogueArea,
  about: 'Refreshes add them by themselves and delete none.',
  table: 'course',
  title: "t.code || ' ' || t.level || ' – ' || t.title || ', ' || h.name",
  join: 'LEFT JOIN subject j ON j.id = t.subject_id LEFT JOIN school h ON h.id = j.school_id',
  columns: [
    { name: 'course', label: 'Course', sql: "t.code || ' ' || t.level", sort: "lower(t.code || ' ' || t.level)" },
    { name: 'title', label: 'Title', sort: 'lower(t.title)' },
    { name: 'subject', label: 'Subject', sql: 'j.name', link: { table: 'subjects', key: 'j.id' } },
    { name: 'school', label: 'School', sql: 'h.name', link: { table: 'schools', key: 'h.id' } },
    {
      name: 'sections',
      label: 'Sections',
      kind: 'number',
      sql: '(SELECT count(*) FROM section s WHERE s.course_id = t.id)',
    },
  ],
  search: {
    label: 'Code and level (CS 101) or title',
    contains: ["t.code || ' ' || t.level || ' ' || t.title"],
    begins: ["lower(t.code || ' ' || t.level)", 'lower(t.title)'],
  },
  filters: [
    { name: 'subject_id', label: 'Subject', kind: 'reference', to: 'subjects', isIndexed: true },
    {
      name: 'school',
      label: 'School',
      kind: 'reference',
      to: 'schools',
      sql: '(SELECT j.school_id FROM subject j WHERE j.id = t.subject_id)',
    },
  ],
  fields: [
    belongsTo('subject_id', 'Subject', 'subjects'),
    { name: 'code', label: 'Code', kind: 'text', isRequired: true, maximum: 50, help: 'The letters in front: CS.' },
    { name: 'level', label: 'Level', kind: 'text', isRequired: true, maximum: 50, help: 'The number behind: 101H.' },
    {
      name: 'title',
      label: 'Title',
      kind: 'text',
      isRequired: true,
      maximum: 500,
      help: 'It stays until the school changes something about the course.',
    },
  ],
  related: [{ label: 'Sections', table: 'sections', filter: 'course_id' }],
  goesWith: [
    {
      label: 'sections',
      from: 'section s JOIN school_term st ON st.id = s.school_term_id JOIN term e ON e.id = st.term_id',
      key: 's.course_id',
      title: "s.section || ', ' || e.full_term_name",
    },
    watchers('section s', 's.course_id'),
    alertsAbout('section s', 's.course_id'),
    {
      label: 'servers',
      from: 'server_course l JOIN discord_server d ON d.id = l.server_id',
      key: 'l.course_id',
      title: 'd.name',
      fate: 'kept, without this course',
    },
  ],
  save: saveCourse,
}

async function saveCourse({ DB }: Env, { key, values }: AdminChange): Promise<AdminPlan> {
  const { subject_id = null, code = '', level = '', title = '' } = values
  if (key === null) return { statements: [insertRow(DB, 'course', { subject_id, code, level, title })] }
  return {
    statements: [
      updateRow(DB, 'course', key, { code, level, title }),
      // Sections carry a copy of the level, for polls.
      DB.prepare('UPDATE section SET course_level = ? WHERE course_id = ? AND course_level <> ?').bind(
        level,
        key,
        level,
      ),
    ],
  }
}
