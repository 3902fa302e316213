import { shownOnly } from '../../web/admin-text-fields.ts'
import type { AdminChoice } from '../../web/admin-table.ts'
import type { TextTable } from '../../web/admin-text-table.ts'
import { area, channels, deliveryStates, placeJoin, searchByRecipientOrCourse, sectionName } from './parts.ts'

const some = (states: string) => `EXISTS (SELECT 1 FROM delivery_alert l JOIN delivery d ON d.id = l.delivery_id
  WHERE l.alert_id = t.id AND d.state IN (${states}))`
const hasNone = 'NOT EXISTS (SELECT 1 FROM delivery_alert l WHERE l.alert_id = t.id)'

/** As `alertState` says it. */
const state = `CASE WHEN ${some("'sent', 'delivered'")} THEN 'sent'
  WHEN t.canceled_at IS NOT NULL THEN 'canceled'
  WHEN t.poll_id IS NULL THEN iif(t.release_at IS NULL, 'pending', 'held')
  WHEN ${hasNone} THEN 'no_contact'
  WHEN ${some("'queued', 'sending', 'unconfirmed'")} THEN 'pending'
  WHEN ${some("'failed'")} THEN 'failed' WHEN ${some("'expired'")} THEN 'expired'
  WHEN ${some("'gone'")} THEN 'gone' ELSE 'canceled' END`

const states: readonly AdminChoice[] = [
  { value: 'sent', label: 'Sent', tone: 'open' },
  { value: 'pending', label: 'Being sent', tone: 'info' },
  { value: 'held', label: 'Held', tone: 'waitlisted' },
  { value: 'no_contact', label: 'Not sent: no contact', tone: 'danger' },
  { value: 'failed', label: 'Failed', tone: 'danger' },
  { value: 'gone', label: 'Seat gone before it was sent', tone: 'neutral' },
  { value: 'expired', label: 'Too old to send', tone: 'danger' },
  { value: 'canceled', label: 'Canceled', tone: 'neutral' },
]

const kinds = [
  { value: 'opening', label: 'Opening' },
  { value: 'reminder', label: 'Reminder' },
]

/** What recipients were told, and what became of it. */
export const alertsTable: TextTable = {
  name: 'alerts',
  label: 'Alert',
  labels: 'Alerts',
  area,
  about: 'What one recipient is told about one opening. Polls make them.',
  table: 'class_alert',
  title: `r.name || ': ' || ${sectionName}`,
  join: `LEFT JOIN recipient r ON r.id = t.recipient_id LEFT JOIN section s ON s.id = t.section_id
    LEFT JOIN course k ON k.id = s.course_id LEFT JOIN opening o ON o.id = t.opening_id ${placeJoin}`,
  columns: [
    { name: 'recipient', label: 'Recipient', sql: 'r.name' },
    { name: 'section', label: 'Section', sql: sectionName, link: { table: 'sections', key: 's.id' } },
    { name: 'kind', label: 'Kind', kind: 'choice', choices: kinds },
    { name: 'state', label: 'State', kind: 'choice', choices: states, sql: state },
    { name: 'created_at', label: 'Made', kind: 'moment' },
    { name: 'school', label: 'School', sql: 'h.name' },
    { name: 'term', label: 'Term', sql: 'e.full_term_name' },
    { name: 'seen_open_at', label: 'Seen open', kind: 'moment', sql: 'o.seen_open_at' },
    { name: 'release_at', label: 'Held until', kind: 'moment', isHidden: true },
  ],
  search: searchByRecipientOrCourse,
  filters: [
    { name: 'recipient_id', label: 'Recipient', kind: 'reference', to: 'recipients', isIndexed: true },
    { name: 'section_id', label: 'Section', kind: 'reference', to: 'sections', isIndexed: true },
    { name: 'state', label: 'State', kind: 'choice', choices: states, sql: `(${state})` },
    { name: 'kind', label: 'Kind', kind: 'choice', choices: kinds },
    { name: 'created_at', label: 'Made', kind: 'moment' },
  ],
  fields: shownOnly([
    { name: 'recipient_id', label: 'Recipient', kind: 'reference', to: 'recipients' },
    { name: 'section_id', label: 'Section', kind: 'reference', to: 'sections' },
    { name: 'kind', label: 'Kind', kind: 'choice', choices: kinds },
    { name: 'reminder', label: 'Reminder number', kind: 'integer' },
    { name: 'state', label: 'State', kind: 'choice', choices: states, sql: state },
    { name: 'last_closed_at', label: 'Last seen closed', kind: 'moment', sql: 'o.last_closed_at' },
    { name: 'seen_open_at', label: 'Seen open', kind: 'moment', sql: 'o.seen_open_at' },
    { name: 'created_at', label: 'Made', kind: 'moment' },
    { name: 'release_at', label: 'Held until', kind: 'moment' },
    { name: 'canceled_at', label: 'Canceled', kind: 'moment' },
  ]),
  panels: [
    {
      heading: 'Messages',
      sql: `SELECT d.id, d.channel, d.state, d.attempts, d.tried_at, d.accepted_at, d.delivered_at, d.last_error
        FROM delivery_alert l JOIN delivery d ON d.id = l.delivery_id WHERE l.alert_id = ?1 ORDER BY d.id LIMIT 50`,
      columns: [
        { name: 'id', label: 'Number', kind: 'number' },
        { name: 'channel', label: 'Channel', kind: 'choice', choices: channels },
        { name: 'state', label: 'State', kind: 'choice', choices: deliveryStates },
        { name: 'attempts', label: 'Tries', kind: 'number' },
        { name: 'tried_at', label: 'Last try', kind: 'moment' },
        { name: 'accepted_at', label: 'Accepted', kind: 'moment' },
        { name: 'delivered_at', label: 'Delivered', kind: 'moment' },
        { name: 'last_error', label: 'Last error' },
      ],
      empty: 'None: the recipient had no usable contact, or it is still held.',
    },
  ],
  goesWith: [
    {
      label: 'messages',
      from: 'delivery_alert l JOIN delivery d ON d.id = l.delivery_id',
      key: 'l.alert_id',
      title: "d.channel || ' ' || d.state",
      fate: 'kept; one that was not sent goes on without this alert, or is canceled when it says nothing else',
    },
  ],
  mayAdd: false,
  mayChange: false,
}
