import { belongsTo, shownOnly } from '../../web/admin-text-fields.ts'
import type { TextTable } from '../../web/admin-text-table.ts'
import { alertsAbout, catalogueArea, refuseLarge, sectionsOf, watchers } from './parts.ts'

/** One school's own term, under its own code. */
export const schoolTermsTable: TextTable = {
  name: 'school-terms',
  label: 'Term of a school',
  labels: 'Terms of schools',
  area: catalogueArea,
  about:
    'Which terms a school offers. Sections of an available term can be watched; watches end with the term. A school’s own word counts until staff decide.',
  table: 'school_term',
  title: "h.name || ', ' || t.name",
  join: 'LEFT JOIN school h ON h.id = t.school_id LEFT JOIN term e ON e.id = t.term_id',
  columns: [
    { name: 'name', label: 'Name' },
    { name: 'school', label: 'School', sql: 'h.name', link: { table: 'schools', key: 'h.id' } },
    { name: 'term', label: 'Term', sql: 'e.full_term_name', link: { table: 'terms', key: 'e.id' } },
    { name: 'code', label: 'Code' },
    { name: 'is_available', label: 'Available', kind: 'boolean' },
    { name: 'is_availability_kept', label: 'Decided by staff', kind: 'boolean' },
    { name: 'ends_at', label: 'Ends', kind: 'moment' },
    { name: 'section_count', label: 'Sections', kind: 'number' },
    { name: 'sections_refreshed_at', label: 'Last read', kind: 'moment' },
  ],
  search: {
    label: 'Name, code or school',
    contains: ['t.name', 't.code', '(SELECT h.name FROM school h WHERE h.id = t.school_id)'],
  },
  filters: [
    { name: 'school_id', label: 'School', kind: 'reference', to: 'schools', isIndexed: true },
    { name: 'term_id', label: 'Term', kind: 'reference', to: 'terms', isIndexed: true },
    { name: 'is_available', label: 'Available', kind: 'boolean' },
    { name: 'is_availability_kept', label: 'Decided by staff', kind: 'boolean' },
    { name: 'ends_at', label: 'Ends', kind: 'moment' },
  ],
  fields: [
    belongsTo('school_id', 'School', 'schools'),
    { name: 'term_id', label: 'Term', kind: 'reference', to: 'terms', isRequired: true },
    {
      name: 'code',
      label: 'Code',
      kind: 'text',
      isRequired: true,
      maximum: 50,
      readOnly: 'after_adding',
      help: 'As the school knows it: 202610, 1269.',
    },
    {
      name: 'name',
      label: 'Name',
      kind: 'text',
      isRequired: true,
      maximum: 200,
      help: 'As the school prints it: some want it back with every search. The next refresh takes their own again.',
    },
    { name: 'is_available', label: 'Available', kind: 'boolean', initial: 1 },
    {
      name: 'is_availability_kept',
      label: 'Decided by staff',
      kind: 'boolean',
      initial: 1,
      help: 'Off: the next refresh takes the school’s word on whether it is available.',
    },
    {
      name: 'ends_at',
      label: 'Ends',
      kind: 'moment',
      isRequired: true,
      help: 'Its watches are archived then. The next refresh of the terms sets it anew.',
    },
    ...shownOnly([
      { name: 'subjects_refreshed_at', label: 'Subjects last read', kind: 'moment' },
      { name: 'sections_refreshed_at', label: 'Sections last read', kind: 'moment' },
      { name: 'section_count', label: 'Sections', kind: 'integer' },
    ]),
  ],
  related: [{ label: 'Sections', table: 'sections', filter: 'school_term_id' }],
  goesWith: [
    sectionsOf('section s', 's.school_term_id'),
    watchers(
      'section_group g CROSS JOIN section s ON g.watch_count > 0 AND s.group_id = g.id AND s.watch_count > 0',
      'g.school_term_id',
    ),
    alertsAbout('section s', 's.school_term_id'),
  ],
  actions: [
    { name: 'make_available', label: 'Make available', set: { is_available: 1, is_availability_kept: 1 } },
    {
      name: 'make_unavailable',
      label: 'Make unavailable',
      set: { is_available: 0, is_availability_kept: 1 },
      confirm: 'Nobody can begin to watch their sections then. Those that are watched already stay watched.',
    },
    { name: 'follow_school', label: 'Leave it to the school', set: { is_availability_kept: 0 } },
  ],
  async refuse({ DB }, act) {
    if (!('remove' in act)) return []
    const { key, before } = act.remove
    return refuseLarge(DB, 'section s WHERE s.school_term_id = ?', key, String(before['name']))
  },
}
