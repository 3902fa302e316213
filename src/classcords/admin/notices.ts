import { shownOnly } from '../../web/admin-text-fields.ts'
import type { AdminChoice } from '../../web/admin-table.ts'
import type { TextTable } from '../../web/admin-text-table.ts'
import { inviteTitle } from '../invites/record-decision.ts'
import { area } from './parts.ts'

const kinds: readonly AdminChoice[] = [
  { value: 'approved', label: 'Approved', tone: 'open' },
  { value: 'rejected', label: 'Rejected', tone: 'danger' },
  { value: 'expired', label: 'Expired', tone: 'neutral' },
  { value: 'invalid', label: 'Invite broken', tone: 'danger' },
  { value: 'quarantined', label: 'Leads elsewhere', tone: 'danger' },
  { value: 'restored', label: 'Works again', tone: 'open' },
  { value: 'report', label: 'Report', tone: 'waitlisted' },
]

/** What the directory told people. */
export const noticesTable: TextTable = {
  name: 'notices',
  label: 'Notice',
  labels: 'Notices',
  area,
  about: 'Messages of the directory to one person each, kept for 180 days.',
  table: 'notice',
  title: "d.display_name || ': ' || t.title",
  join: 'LEFT JOIN discord_user d ON d.id = t.discord_user_id LEFT JOIN invite i ON i.id = t.invite_id',
  columns: [
    { name: 'title', label: 'Notice' },
    { name: 'person', label: 'To', sql: 'd.display_name', link: { table: 'chat-users', key: 'd.id' } },
    { name: 'kind', label: 'Kind', kind: 'choice', choices: kinds },
    { name: 'body', label: 'Text' },
    { name: 'created_at', label: 'Made', kind: 'moment' },
    { name: 'read_at', label: 'Read', kind: 'moment' },
    {
      name: 'invite',
      label: 'Invite',
      sql: inviteTitle,
      link: { table: 'invites', key: 'i.id' },
      isHidden: true,
    },
  ],
  search: {
    label: 'Title, text or name',
    contains: ['t.title', 't.body', '(SELECT d.display_name FROM discord_user d WHERE d.id = t.discord_user_id)'],
  },
  filters: [
    { name: 'discord_user_id', label: 'To', kind: 'reference', to: 'chat-users', isIndexed: true },
    { name: 'invite_id', label: 'Invite', kind: 'reference', to: 'invites', isIndexed: true },
    { name: 'kind', label: 'Kind', kind: 'choice', choices: kinds },
    { name: 'is_read', label: 'Read', kind: 'boolean', sql: '(t.read_at IS NOT NULL)' },
    { name: 'created_at', label: 'Made', kind: 'moment' },
  ],
  fields: shownOnly([
    { name: 'discord_user_id', label: 'To', kind: 'reference', to: 'chat-users' },
    { name: 'kind', label: 'Kind', kind: 'choice', choices: kinds },
    { name: 'title', label: 'Title', kind: 'text' },
    { name: 'body', label: 'Text', kind: 'long_text' },
    { name: 'invite_id', label: 'Invite', kind: 'reference', to: 'invites' },
    { name: 'created_at', label: 'Made', kind: 'moment' },
    { name: 'read_at', label: 'Read', kind: 'moment' },
  ]),
  mayAdd: false,
  mayChange: false,
}
