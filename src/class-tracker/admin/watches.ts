import { sql } from 'drizzle-orm'
import { belongsTo, shownOnly } from '../../web/admin-text-fields.ts'
import type { AdminChange, AdminPlan, AdminRemoval } from '../../web/admin-change.ts'
import type { TextTable } from '../../web/admin-text-table.ts'
import { statusNow } from '../courses/observed-at.ts'
import { lookAtOnce } from '../polling/look-at-once.ts'
import { planWatch } from '../watches/add-watched-section.ts'
import { deleteWatch } from '../watches/remove-watched-section.ts'
import { area, placeJoin, searchByRecipientOrCourse, sectionName, statuses } from './parts.ts'

/** Who waits for which section; the rules are those of the page *Add Classes*. */
export const watchesTable: TextTable = {
  name: 'watches',
  label: 'Watch',
  labels: 'Watches',
  area,
  about:
    'A recipient waits for a section. Whoever watches an open one is told at the next look. Watches are archived when the term ends.',
  table: 'watch',
  title: `r.name || ': ' || ${sectionName}`,
  join: `LEFT JOIN recipient r ON r.id = t.recipient_id LEFT JOIN section s ON s.id = t.section_id
    LEFT JOIN course k ON k.id = s.course_id ${placeJoin}`,
  columns: [
    { name: 'recipient', label: 'Recipient', sql: 'r.name' },
    { name: 'section', label: 'Section', sql: sectionName, link: { table: 'sections', key: 's.id' } },
    {
      name: 'status',
      label: 'Status',
      kind: 'choice',
      choices: statuses,
      sql: statusNow,
    },
    { name: 'school', label: 'School', sql: 'h.name' },
    { name: 'term', label: 'Term', sql: 'e.full_term_name' },
    { name: 'created_at', label: 'Since', kind: 'moment' },
    { name: 'is_new', label: 'Waits for its first look', kind: 'boolean' },
    { name: 'last_alert_at', label: 'Last alert', kind: 'moment' },
    { name: 'archived_at', label: 'Archived', kind: 'moment' },
  ],
  search: searchByRecipientOrCourse,
  filters: [
    { name: 'recipient_id', label: 'Recipient', kind: 'reference', to: 'recipients', isIndexed: true },
    { name: 'section_id', label: 'Section', kind: 'reference', to: 'sections', isIndexed: true },
    {
      name: 'state',
      label: 'State',
      kind: 'choice',
      choices: [
        { value: 'living', label: 'Watching', where: 't.archived_at IS NULL' },
        { value: 'new', label: 'Waits for its first look', where: 't.is_new AND t.archived_at IS NULL' },
        { value: 'archived', label: 'Archived', where: 't.archived_at IS NOT NULL' },
      ],
    },
    { name: 'created_at', label: 'Since', kind: 'moment' },
  ],
  fields: [
    belongsTo('recipient_id', 'Recipient', 'recipients'),
    belongsTo('section_id', 'Section', 'sections'),
    ...shownOnly([
      { name: 'created_at', label: 'Since', kind: 'moment' },
      { name: 'is_new', label: 'Waits for its first look', kind: 'boolean' },
      { name: 'last_alert_at', label: 'Last alert', kind: 'moment' },
      { name: 'remind_at', label: 'Next reminder', kind: 'moment' },
      { name: 'reminders', label: 'Reminders since the last opening', kind: 'integer' },
      { name: 'archived_at', label: 'Archived', kind: 'moment' },
    ]),
  ],
  goesWith: [
    {
      label: 'alerts',
      from: `watch w CROSS JOIN class_alert a ON a.section_id = w.section_id AND a.recipient_id = w.recipient_id
        JOIN recipient r ON r.id = a.recipient_id`,
      key: 'w.id',
      title: "r.name || ': ' || a.kind",
      fate: 'kept; what was not sent yet is canceled',
    },
  ],
  mayChange: false,
  save: addWatch,
  remove: removeWatch,
}

async function addWatch(env: Env, { values, now }: AdminChange): Promise<AdminPlan> {
  const [recipientId, sectionId] = [Number(values['recipient_id']), Number(values['section_id'])]
  const plan = await planWatch(env.DB, recipientId, sectionId, now)
  if ('refusal' in plan) return { faults: plan.refusal.messages.map((message) => ({ message })) }
  return {
    ...plan,
    // One that was archived lives again under its old number.
    addedKey: sql.raw(`(SELECT id FROM watch WHERE recipient_id = ${recipientId} AND section_id = ${sectionId})`),
    afterwards: () => lookAtOnce(env, sectionId),
  }
}

async function removeWatch(_: Env, { before, now }: AdminRemoval): Promise<AdminPlan> {
  const [recipientId, sectionId] = [Number(before['recipient_id']), Number(before['section_id'])]
  return { statements: deleteWatch(recipientId, sectionId, now), said: 'Section removed successfully' }
}
