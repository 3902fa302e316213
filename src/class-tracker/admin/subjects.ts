import { belongsTo } from '../../web/admin-text-fields.ts'
import type { TextTable } from '../../web/admin-text-table.ts'
import { alertsAbout, catalogueArea, sectionsOf, watchers } from './parts.ts'

/** What a school's search takes as a subject. */
export const subjectsTable: TextTable = {
  name: 'subjects',
  label: 'Subject',
  labels: 'Subjects',
  area: catalogueArea,
  about: 'Each belongs to one school. Refreshes add them by themselves and delete none.',
  table: 'subject',
  title: "t.name || ' (' || t.key || '), ' || h.name",
  join: 'LEFT JOIN school h ON h.id = t.school_id',
  columns: [
    { name: 'name', label: 'Name', sort: 'lower(t.name)' },
    { name: 'key', label: 'Key' },
    { name: 'school', label: 'School', sql: 'h.name', link: { table: 'schools', key: 'h.id' } },
    {
      name: 'courses',
      label: 'Courses',
      kind: 'number',
      sql: '(SELECT count(*) FROM course k WHERE k.subject_id = t.id)',
    },
  ],
  search: { label: 'Name or key', contains: ['t.name', 't.key'], begins: ['lower(t.name)'] },
  filters: [{ name: 'school_id', label: 'School', kind: 'reference', to: 'schools', isIndexed: true }],
  fields: [
    belongsTo('school_id', 'School', 'schools'),
    {
      name: 'key',
      label: 'Key',
      kind: 'text',
      isRequired: true,
      maximum: 50,
      readOnly: 'after_adding',
      help: 'What the school’s search takes: CMSC.',
    },
    {
      name: 'name',
      label: 'Name',
      kind: 'text',
      isRequired: true,
      maximum: 200,
      help: 'The next refresh takes the school’s own name again.',
    },
  ],
  related: [{ label: 'Courses', table: 'courses', filter: 'subject_id' }],
  goesWith: [
    { label: 'courses', from: 'course k', key: 'k.subject_id', title: "k.code || ' ' || k.level" },
    sectionsOf('section_group g CROSS JOIN section s ON s.group_id = g.id', 'g.subject_id'),
    watchers(
      'section_group g CROSS JOIN section s ON g.watch_count > 0 AND s.group_id = g.id AND s.watch_count > 0',
      'g.subject_id',
    ),
    alertsAbout('section_group g CROSS JOIN section s ON s.group_id = g.id', 'g.subject_id'),
    {
      label: 'servers',
      from: 'server_subject l JOIN discord_server d ON d.id = l.server_id',
      key: 'l.subject_id',
      title: 'd.name',
      fate: 'kept, without this subject',
    },
  ],
}
