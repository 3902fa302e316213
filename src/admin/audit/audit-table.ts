import { getTableName, sql } from 'drizzle-orm'
import { audit, user } from '../../db/schema/index.ts'
import type { AdminChoice, AdminPanel, AdminTable } from '../../web/admin-table.ts'
import { inWords, labelsOf } from '../table-parts.ts'

const choice = (value: string): AdminChoice => ({ value, label: inWords(value) })

/** The actions that features record, the admin's first. */
const acts = [
  [
    'added',
    'changed',
    'deleted',
    'verified',
    'logged out',
    'mailed a password link',
    'turned off two-factor',
    'merged',
  ],
  ['refreshed', 'checked', 'retried', 'approved', 'rejected', 'expired', 'withdrew', 'reported', 'revoked'],
  ['dismissed', 'unlisted', 'renewed the link', 'added a device', 'removed a device', 'stopped all messages'],
  ['asked for messages again'],
  ['enqueued', 're-queued', 'canceled', 'stopped', 'ran', 'turned on', 'turned off', 'paused', 'resumed'],
  // Earlier names of turned on and off.
  ['enabled', 'disabled'],
].flatMap((some) => some.map(choice))
/** What is acted on elsewhere and has no table here. */
const others = ['job', 'queue', 'schedule', 'source_notice'].map(choice)
const areas = ['admin', 'accounts', 'class_tracker', 'classcords', 'scheduler'].map(choice)

/** One line for each field that is present on either side. */
const beforeAndAfter: AdminPanel = {
  heading: 'Before and after',
  columns: [
    { name: 'field', sql: sql`f.name` },
    { name: 'before', sql: sql`(SELECT value FROM json_each(${audit.before}) WHERE key = f.name)` },
    { name: 'after', sql: sql`(SELECT value FROM json_each(${audit.after}) WHERE key = f.name)` },
  ],
  rows: (columns, id) => sql`SELECT ${columns} FROM ${audit}, (
      SELECT b.key AS name FROM ${audit}, json_each(${audit.before}) b WHERE ${audit.id} = ${id}
      UNION SELECT n.key FROM ${audit}, json_each(${audit.after}) n WHERE ${audit.id} = ${id}) f
    WHERE ${audit.id} = ${id} ORDER BY f.name LIMIT 500`,
  empty: 'No details recorded.',
}

/**
 * The audit log: who did what, when and from where, with the values before and after. Read-only, and searched like any
 * other table.
 */
export function auditTable(tables: readonly AdminTable[]): AdminTable<typeof audit> {
  return {
    name: 'audit',
    label: 'Audit entry',
    labels: 'Audit entries',
    heading: 'Full audit log',
    about: 'Every change, with the values before and after. Entries cannot be edited or deleted.',
    table: audit,
    title: sql`${audit.who} || ' ' || ${audit.act} || ' ' || ${audit.title}`,
    columns: [
      audit.at,
      audit.who,
      { column: audit.act, choices: acts },
      audit.tableName,
      { column: audit.title, label: 'What' },
      {
        name: 'changes',
        label: 'Before → after',
        kind: 'changes',
        sql: sql`json_array(${audit.before}, ${audit.after})`,
      },
      { column: audit.rowKey, isHidden: true },
      { column: audit.area, choices: areas, isHidden: true },
      { column: audit.ipAddress, isHidden: true },
      { column: audit.country, isHidden: true },
      { column: audit.userId, isHidden: true },
      { column: audit.before, kind: 'json', isHidden: true },
      { column: audit.after, kind: 'json', isHidden: true },
    ],
    search: { label: 'Who, action, table or title', contains: [audit.words] },
    filters: [
      { column: audit.userId, label: 'Who', to: user },
      { column: audit.tableName, choices: tableChoices(tables) },
      { column: audit.act, choices: acts },
      { column: audit.area, choices: areas },
      audit.at,
    ],
    fields: [
      { column: audit.at, label: 'When' },
      audit.who,
      { column: audit.act, label: 'Action', choices: acts },
      { column: audit.area, label: 'Where' },
      { column: audit.tableName, label: 'Table' },
      { column: audit.rowKey, label: 'ID' },
      { column: audit.ipAddress, label: 'IP address' },
      audit.country,
    ],
    panels: [beforeAndAfter],
    mayAdd: false,
    mayChange: false,
    mayDelete: false,
  }
}

function tableChoices(tables: readonly AdminTable[]): AdminChoice[] {
  const labels = new Map(tables.map((declared) => [getTableName(declared.table), labelsOf(declared)]))
  return Array.from(labels, ([value, label]) => ({ value, label })).concat(others)
}
