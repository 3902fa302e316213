import { getTableName, sql } from 'drizzle-orm'
import { audit, user } from '../../db/schema/index.ts'
import { shownOnly } from '../../web/admin-fields.ts'
import type { AdminChoice, AdminPanel, AdminTable } from '../../web/admin-table.ts'

const choice = (value: string): AdminChoice => ({
  value,
  label: value.charAt(0).toUpperCase() + value.slice(1).replaceAll('_', ' '),
})

/** The actions that features record, the admin's first. */
const acts = [
  ['added', 'changed', 'deleted', 'verified', 'logged out', 'mailed a password link', 'merged'],
  ['refreshed', 'checked', 'retried', 'approved', 'rejected', 'withdrew', 'reported', 'revoked'],
  ['enqueued', 're-queued', 'canceled', 'stopped', 'ran', 'enabled', 'disabled', 'paused', 'resumed'],
].flatMap((some) => some.map(choice))
/** The scheduler's actions, whose objects have no table here. */
const scheduled = ['job', 'queue', 'schedule'].map(choice)
const areas = ['admin', 'accounts', 'class_tracker', 'classcords', 'scheduler'].map(choice)

/** One line for each field that is present on either side. */
const beforeAndAfter: AdminPanel = {
  heading: 'Before and after',
  columns: [
    { name: 'field', label: 'Field', sql: sql`f.name` },
    {
      name: 'before',
      label: 'Before',
      sql: sql`(SELECT value FROM json_each(${audit.before}) WHERE key = f.name)`,
    },
    { name: 'after', label: 'After', sql: sql`(SELECT value FROM json_each(${audit.after}) WHERE key = f.name)` },
  ],
  rows: (columns, id) => sql`SELECT ${columns} FROM ${audit}, (
      SELECT b.key AS name FROM ${audit}, json_each(${audit.before}) b WHERE ${audit.id} = ${id}
      UNION SELECT n.key FROM ${audit}, json_each(${audit.after}) n WHERE ${audit.id} = ${id}) f
    WHERE ${audit.id} = ${id} ORDER BY f.name LIMIT 500`,
  empty: 'No details recorded.',
}

/** Who did what, when, from where, before and after. Read-only, and searched like any other table. */
export function auditTable(tables: readonly AdminTable[]): AdminTable<typeof audit> {
  return {
    name: 'audit',
    label: 'Audit entry',
    labels: 'Audit entries',
    heading: 'Full audit log',
    area: 'Admin',
    about: 'Every change, with the values before and after. Entries cannot be edited or deleted.',
    table: audit,
    title: sql`${audit.who} || ' ' || ${audit.act} || ' ' || ${audit.title}`,
    columns: [
      { column: audit.at, label: 'When' },
      { column: audit.who, label: 'Who' },
      { column: audit.act, label: 'Action', choices: acts },
      { column: audit.tableName, label: 'Table' },
      { column: audit.title, label: 'What' },
      {
        name: 'changes',
        label: 'Before → after',
        kind: 'changes',
        sql: sql`json_array(${audit.before}, ${audit.after})`,
      },
      { column: audit.rowKey, label: 'ID', isHidden: true },
      { column: audit.area, label: 'Where', choices: areas, isHidden: true },
      { column: audit.ipAddress, label: 'IP address', isHidden: true },
      { column: audit.country, label: 'Country', isHidden: true },
      { column: audit.userId, label: 'User', isHidden: true },
      { column: audit.before, label: 'Before', kind: 'json', isHidden: true },
      { column: audit.after, label: 'After', kind: 'json', isHidden: true },
    ],
    search: { label: 'Who, action, table or title', contains: [audit.words] },
    filters: [
      { column: audit.userId, label: 'Who', to: user },
      { column: audit.tableName, label: 'Table', choices: tableChoices(tables) },
      { column: audit.act, label: 'Action', choices: acts },
      { column: audit.area, label: 'Where', choices: areas },
      { column: audit.at, label: 'When' },
    ],
    fields: shownOnly([
      { column: audit.at, label: 'When' },
      { column: audit.who, label: 'Who' },
      { column: audit.act, label: 'Action' },
      { column: audit.area, label: 'Where' },
      { column: audit.tableName, label: 'Table' },
      { column: audit.rowKey, label: 'ID' },
      { column: audit.ipAddress, label: 'IP address' },
      { column: audit.country, label: 'Country' },
    ]),
    panels: [beforeAndAfter],
    mayAdd: false,
    mayChange: false,
    mayDelete: false,
  }
}

function tableChoices(tables: readonly AdminTable[]): AdminChoice[] {
  const labels = new Map(tables.map(({ table, labels: label }) => [getTableName(table), label]))
  return Array.from(labels, ([value, label]) => ({ value, label })).concat(scheduled)
}
