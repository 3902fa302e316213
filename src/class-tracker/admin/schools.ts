import { sources } from '../../sources/sources.ts'
import { belongsTo } from '../../web/admin-text-fields.ts'
import type { AdminChange, AdminPlan } from '../../web/admin-change.ts'
import type { TextTable } from '../../web/admin-text-table.ts'
import { alertsAbout, catalogueArea, refuseLarge, sectionsOf, watchers } from './parts.ts'
import { insertRow, updateRow } from './statements.ts'

/** Schools as their sources name them. */
export const schoolsTable: TextTable = {
  name: 'schools',
  label: 'School',
  labels: 'Schools',
  area: catalogueArea,
  about: 'Sources add their schools by themselves. Preferred ones stand first wherever a school is chosen.',
  table: 'school',
  title: 't.name',
  join: 'LEFT JOIN source o ON o.id = t.source_id',
  order: 'oldest_first',
  columns: [
    { name: 'name', label: 'Name', sort: 'lower(t.name)' },
    { name: 'code', label: 'Code' },
    { name: 'source', label: 'Source', sql: 'o.name', link: { table: 'sources', key: 'o.id' } },
    { name: 'is_preferred', label: 'Preferred', kind: 'boolean' },
    {
      name: 'terms',
      label: 'Terms',
      kind: 'number',
      sql: '(SELECT count(*) FROM school_term st WHERE st.school_id = t.id)',
    },
    {
      name: 'subjects',
      label: 'Subjects',
      kind: 'number',
      sql: '(SELECT count(*) FROM subject j WHERE j.school_id = t.id)',
    },
  ],
  search: { label: 'Name or code', contains: ['t.name', 't.code'], begins: ['lower(t.name)'] },
  filters: [
    { name: 'source_id', label: 'Source', kind: 'reference', to: 'sources', isIndexed: true },
    { name: 'is_preferred', label: 'Preferred', kind: 'boolean' },
  ],
  fields: [
    belongsTo('source_id', 'Source', 'sources'),
    {
      name: 'code',
      label: 'Code',
      kind: 'text',
      maximum: 50,
      readOnly: 'after_adding',
      help: 'As its source knows it; empty where the source is one school.',
    },
    {
      name: 'name',
      label: 'Name',
      kind: 'text',
      isRequired: true,
      maximum: 200,
      help: 'With the next refresh it has the name again that its source gives it.',
    },
    { name: 'is_preferred', label: 'Preferred', kind: 'boolean' },
  ],
  related: [
    { label: 'Terms', table: 'school-terms', filter: 'school_id' },
    { label: 'Subjects', table: 'subjects', filter: 'school_id' },
    { label: 'Sections', table: 'sections', filter: 'school' },
  ],
  goesWith: [
    {
      label: 'terms',
      from: 'school_term st JOIN term e ON e.id = st.term_id',
      key: 'st.school_id',
      title: 'e.full_term_name',
    },
    { label: 'subjects', from: 'subject j', key: 'j.school_id', title: 'j.name' },
    sectionsOf('school_term st CROSS JOIN section s ON s.school_term_id = st.id', 'st.school_id'),
    watchers(
      `school_term st CROSS JOIN section_group g ON g.school_term_id = st.id AND g.watch_count > 0
       CROSS JOIN section s ON s.group_id = g.id AND s.watch_count > 0`,
      'st.school_id',
    ),
    alertsAbout('school_term st CROSS JOIN section s ON s.school_term_id = st.id', 'st.school_id'),
    {
      label: 'servers',
      from: 'server_school l JOIN discord_server d ON d.id = l.server_id',
      key: 'l.school_id',
      title: 'd.name',
      fate: 'kept, but no longer listed for this school',
    },
    {
      label: 'chat users',
      from: 'discord_user u',
      key: 'u.school_id',
      title: 'u.username',
      fate: 'kept, without a school',
    },
  ],
  actions: [
    { name: 'prefer', label: 'Make preferred', set: { is_preferred: 1 } },
    { name: 'unprefer', label: 'Make not preferred', set: { is_preferred: 0 } },
  ],
  async refuse({ DB }, act) {
    if (!('remove' in act)) return []
    const { key, before } = act.remove
    const from = 'school_term st JOIN section s ON s.school_term_id = st.id WHERE st.school_id = ?'
    return refuseLarge(DB, from, key, String(before['name']))
  },
  save: saveSchool,
}

async function saveSchool({ DB }: Env, { key, values }: AdminChange): Promise<AdminPlan> {
  const { name = '', is_preferred = 0, source_id = null, code = '' } = values
  if (key !== null) return { statements: [updateRow(DB, 'school', key, { name, is_preferred })] }
  const source = await DB.prepare('SELECT kind FROM source WHERE id = ?').bind(source_id).first<{ kind: string }>()
  const hasSchools = sources.get(source?.kind ?? '')?.has_schools ?? false
  if (hasSchools && code === '') {
    return {
      faults: [{ field: 'code', message: 'This source has several schools: enter the code it knows this one by.' }],
    }
  }
  if (!hasSchools && code !== '') {
    return { faults: [{ field: 'code', message: 'This source is one school, without a code.' }] }
  }
  return { statements: [insertRow(DB, 'school', { source_id, code, name, is_preferred })] }
}
