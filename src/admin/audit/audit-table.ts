import { shownOnly } from '../../web/admin-fields.ts'
import type { AdminChoice, AdminTable } from '../../web/admin-table.ts'

const choice = (value: string): AdminChoice => ({
  value,
  label: value.charAt(0).toUpperCase() + value.slice(1).replaceAll('_', ' '),
})

/** Verbs as the features write them down, those of this admin first. */
const acts = [
  ['added', 'changed', 'deleted', 'verified', 'logged out', 'mailed a password link', 'merged'],
  ['refreshed', 'checked', 'retried', 'approved', 'rejected', 'withdrew', 'reported', 'revoked'],
  ['enqueued', 're-queued', 'canceled', 'stopped', 'ran', 'enabled', 'disabled', 'paused', 'resumed'],
].flatMap((some) => some.map(choice))
/** Of the scheduler, whose things are in no table here. */
const scheduled = ['job', 'queue', 'schedule'].map(choice)
const areas = ['admin', 'accounts', 'class_tracker', 'classcords', 'scheduler'].map(choice)

/** Who did what, when, from where, before and after: read only, and searched like any other table. */
export function auditTable(tables: readonly AdminTable[]): AdminTable {
  return {
    name: 'audit',
    label: 'Audit entry',
    labels: 'Audit entries',
    area: 'Admin',
    about: 'Every change, with what was there before and after. Nobody can change or remove an entry.',
    table: 'audit',
    title: "t.who || ' ' || t.act || ' ' || t.title",
    columns: [
      { name: 'at', label: 'When', kind: 'moment' },
      { name: 'who', label: 'Who' },
      { name: 'act', label: 'Act', kind: 'choice', choices: acts },
      { name: 'table_name', label: 'Table' },
      { name: 'title', label: 'What' },
      { name: 'row_key', label: 'Number' },
      { name: 'area', label: 'Where', kind: 'choice', choices: areas },
      { name: 'ip_address', label: 'Address' },
      { name: 'country', label: 'Country', isHidden: true },
      { name: 'user_id', label: 'User', kind: 'number', isHidden: true },
      { name: 'before', label: 'Before', kind: 'json', isHidden: true },
      { name: 'after', label: 'After', kind: 'json', isHidden: true },
    ],
    search: { label: 'Who, act, table or title', contains: ['t.words'] },
    filters: [
      { name: 'user_id', label: 'Who', kind: 'reference', to: 'users', isIndexed: true },
      { name: 'table_name', label: 'Table', kind: 'choice', choices: tableChoices(tables), isIndexed: true },
      { name: 'act', label: 'Act', kind: 'choice', choices: acts, isIndexed: true },
      { name: 'area', label: 'Where', kind: 'choice', choices: areas, isIndexed: true },
      { name: 'at', label: 'When', kind: 'moment' },
    ],
    fields: shownOnly([
      { name: 'at', label: 'When', kind: 'moment' },
      { name: 'who', label: 'Who', kind: 'text' },
      { name: 'act', label: 'Act', kind: 'text' },
      { name: 'area', label: 'Where', kind: 'text' },
      { name: 'table_name', label: 'Table', kind: 'text' },
      { name: 'row_key', label: 'Number', kind: 'text' },
      { name: 'ip_address', label: 'Address', kind: 'text' },
      { name: 'country', label: 'Country', kind: 'text' },
    ]),
    panels: [
      {
        heading: 'Before and after',
        sql: changesSql,
        columns: [
          { name: 'field', label: 'Field' },
          { name: 'before', label: 'Before' },
          { name: 'after', label: 'After' },
        ],
        empty: 'Nothing more was written down.',
      },
    ],
    mayAdd: false,
    mayChange: false,
    mayDelete: false,
  }
}

/** A line a field, whichever side has it. */
const changesSql = `SELECT f.name AS field, (SELECT value FROM json_each(a.before) WHERE key = f.name) AS before,
    (SELECT value FROM json_each(a.after) WHERE key = f.name) AS after
  FROM audit a, (SELECT b.key AS name FROM audit e, json_each(e.before) b WHERE e.id = ?1
                 UNION SELECT n.key FROM audit e, json_each(e.after) n WHERE e.id = ?1) f
  WHERE a.id = ?1 ORDER BY f.name LIMIT 500`

function tableChoices(tables: readonly AdminTable[]): AdminChoice[] {
  const labels = new Map(tables.map(({ table, labels: label }) => [table, label]))
  return Array.from(labels, ([value, label]) => ({ value, label })).concat(scheduled)
}
