import { shownOnly } from '../../web/admin-text-fields.ts'
import type { TextTable } from '../../web/admin-text-table.ts'
import { area, placeJoin, sectionName } from './parts.ts'

/** When seats came free, whoever saw it. */
export const openingsTable: TextTable = {
  name: 'openings',
  label: 'Opening',
  labels: 'Openings',
  area,
  about: 'A watched section turned open. Each gives every watcher one alert.',
  table: 'opening',
  title: sectionName,
  join: `LEFT JOIN section s ON s.id = t.section_id LEFT JOIN course k ON k.id = s.course_id ${placeJoin}`,
  columns: [
    { name: 'section', label: 'Section', sql: sectionName },
    { name: 'number', label: 'Number', sql: 's.section_key', link: { table: 'sections', key: 's.id' } },
    { name: 'school', label: 'School', sql: 'h.name' },
    { name: 'term', label: 'Term', sql: 'e.full_term_name' },
    { name: 'last_closed_at', label: 'Last seen closed', kind: 'moment' },
    { name: 'seen_open_at', label: 'Seen open', kind: 'moment' },
    {
      name: 'alerts',
      label: 'Alerts',
      kind: 'number',
      sql: '(SELECT count(*) FROM class_alert a WHERE a.opening_id = t.id)',
    },
  ],
  search: {
    label: 'Course (CS 101) or section number',
    contains: [
      "(SELECT k.code || ' ' || k.level || ' ' || s.section_key FROM section s JOIN course k ON k.id = s.course_id WHERE s.id = t.section_id)",
    ],
  },
  filters: [
    { name: 'section_id', label: 'Section', kind: 'reference', to: 'sections', isIndexed: true },
    { name: 'seen_open_at', label: 'Seen open', kind: 'moment' },
  ],
  fields: shownOnly([
    { name: 'section_id', label: 'Section', kind: 'reference', to: 'sections' },
    { name: 'last_closed_at', label: 'Last seen closed', kind: 'moment' },
    { name: 'seen_open_at', label: 'Seen open', kind: 'moment' },
  ]),
  mayAdd: false,
  mayChange: false,
  mayDelete: false,
}
