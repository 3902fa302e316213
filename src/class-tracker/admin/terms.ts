import type { AdminAct, AdminChange, AdminPlan } from '../../web/admin-change.ts'
import type { TextTable } from '../../web/admin-text-table.ts'
import { auditRows } from '../../web/audit-rows.ts'
import { counted } from '../../web/counted.ts'
import { fullTermName } from '../refresh/write-terms.ts'
import { catalogueArea } from './parts.ts'
import { insertRow, updateRow } from './statements.ts'

export const seasons = [
  { value: 'winter', label: 'Winter' },
  { value: 'spring', label: 'Spring' },
  { value: 'summer', label: 'Summer' },
  { value: 'fall', label: 'Fall' },
] as const

/** Years and seasons, shared by all schools. */
export const termsTable: TextTable = {
  name: 'terms',
  label: 'Term',
  labels: 'Terms',
  area: catalogueArea,
  about: 'A year and season, shared by all schools. Preferred ones stand first wherever a term is chosen.',
  table: 'term',
  title: 't.full_term_name',
  columns: [
    { name: 'full_term_name', label: 'Name' },
    { name: 'year', label: 'Year', sort: 't.year' },
    { name: 'season', label: 'Season', kind: 'choice', choices: seasons },
    { name: 'is_preferred', label: 'Preferred', kind: 'boolean' },
    {
      name: 'available',
      label: 'Schools that offer it',
      kind: 'number',
      sql: '(SELECT count(*) FROM school_term st WHERE st.term_id = t.id AND st.is_available)',
    },
    {
      name: 'schools',
      label: 'Schools in all',
      kind: 'number',
      sql: '(SELECT count(*) FROM school_term st WHERE st.term_id = t.id)',
    },
  ],
  search: { label: 'Name', contains: ['t.full_term_name'] },
  filters: [
    { name: 'season', label: 'Season', kind: 'choice', choices: seasons },
    { name: 'is_preferred', label: 'Preferred', kind: 'boolean' },
    {
      name: 'available',
      label: 'Available',
      kind: 'choice',
      choices: [
        {
          value: 'yes',
          label: 'At some school',
          where: 'EXISTS (SELECT 1 FROM school_term st WHERE st.term_id = t.id AND st.is_available)',
        },
        {
          value: 'no',
          label: 'At no school',
          where: 'NOT EXISTS (SELECT 1 FROM school_term st WHERE st.term_id = t.id AND st.is_available)',
        },
      ],
    },
  ],
  fields: [
    { name: 'year', label: 'Year', kind: 'integer', isRequired: true, minimum: 2000, maximum: 2100 },
    { name: 'season', label: 'Season', kind: 'choice', choices: seasons, isRequired: true },
    { name: 'full_term_name', label: 'Name', kind: 'text', readOnly: 'always' },
    { name: 'is_preferred', label: 'Preferred', kind: 'boolean' },
  ],
  related: [{ label: 'Schools', table: 'school-terms', filter: 'term_id' }],
  actions: [
    { name: 'prefer', label: 'Make preferred', set: { is_preferred: 1 } },
    { name: 'unprefer', label: 'Make not preferred', set: { is_preferred: 0 } },
    {
      name: 'make_available',
      label: 'Make available at every school',
      run: (env, act) => setAvailable(env, act, 1),
    },
    {
      name: 'make_unavailable',
      label: 'Make unavailable at every school',
      confirm: 'Nobody can begin to watch their sections then. Those that are watched already stay watched.',
      run: (env, act) => setAvailable(env, act, 0),
    },
  ],
  async refuse({ DB }, act) {
    if (!('remove' in act)) return []
    const row = await DB.prepare('SELECT count(*) AS schools FROM school_term WHERE term_id = ?')
      .bind(act.remove.key)
      .first<{ schools: number }>()
    const schools = row?.schools ?? 0
    if (schools === 0) return []
    return [`${counted(schools, 'school has', 'schools have')} this term: delete it there first.`]
  },
  save: saveTerm,
}

async function saveTerm({ DB }: Env, { key, values }: AdminChange): Promise<AdminPlan> {
  const season = seasons.find(({ value }) => value === values['season'])?.value ?? 'fall'
  const year = Number(values['year'])
  const columns = {
    year,
    season,
    full_term_name: fullTermName(year, season),
    is_preferred: values['is_preferred'] ?? 0,
  }
  return { statements: [key === null ? insertRow(DB, 'term', columns) : updateRow(DB, 'term', key, columns)] }
}

/** What staff decide stays, whatever the schools say of it later. */
async function setAvailable({ DB }: Env, { keys, actor, now }: AdminAct, isAvailable: 0 | 1): Promise<string> {
  const list = JSON.stringify(keys)
  const differs = `st.term_id IN (SELECT value FROM json_each(?)) AND (st.is_available <> ${isAvailable} OR NOT st.is_availability_kept)`
  const [, changed] = await DB.batch([
    auditRows(
      DB,
      actor,
      { act: 'changed', area: 'class_tracker', table: 'school_term' },
      {
        sql: `SELECT st.id AS row_key, h.name || ', ' || st.name AS title,
            json_object('is_available', st.is_available, 'is_availability_kept', st.is_availability_kept) AS before,
            json_object('is_available', ${isAvailable}, 'is_availability_kept', 1) AS after
          FROM school_term st JOIN school h ON h.id = st.school_id WHERE ${differs}`,
        values: [list],
      },
      now,
    ),
    DB.prepare(
      `UPDATE school_term AS st SET is_available = ${isAvailable}, is_availability_kept = 1 WHERE ${differs}`,
    ).bind(list),
  ])
  const schools = changed?.meta.changes ?? 0
  return `Now ${isAvailable ? 'available' : 'unavailable'} at ${counted(schools, 'more school')}, until staff say otherwise.`
}
