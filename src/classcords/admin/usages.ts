import { belongsTo } from '../../web/admin-text-fields.ts'
import type { TextTable } from '../../web/admin-text-table.ts'
import { inviteTitle } from '../invites/record-decision.ts'
import { area, serverColumn } from './parts.ts'
import { addUsage, removeUsage } from './save-usage.ts'

const userId = "iif(t.visitor LIKE 'user:%', CAST(substr(t.visitor, 6) AS INTEGER), NULL)"

/** Who followed an invite. Of visitors without an account only that there was one is kept readable. */
export const usagesTable: TextTable = {
  name: 'usages',
  label: 'Use',
  labels: 'Uses',
  area,
  about:
    'Somebody followed an invite: counted once an hour a person, kept for 90 days. One that is deleted counts no more.',
  table: 'invite_use',
  title: inviteTitle,
  join: `LEFT JOIN invite i ON i.id = t.invite_id LEFT JOIN discord_server s ON s.id = i.server_id LEFT JOIN user u ON u.id = ${userId}`,
  columns: [
    { name: 'used_at', label: 'When', kind: 'moment' },
    { name: 'invite', label: 'Invite', sql: inviteTitle, link: { table: 'invites', key: 'i.id' } },
    serverColumn,
    {
      name: 'user',
      label: 'Who',
      sql: "coalesce(u.username, iif(t.visitor LIKE 'user:%', 'A user who is gone', 'A visitor'))",
      link: { table: 'users', key: 'u.id' },
    },
  ],
  search: {
    label: 'Invite code or username',
    contains: [
      '(SELECT i.code FROM invite i WHERE i.id = t.invite_id)',
      `(SELECT u.username FROM user u WHERE u.id = ${userId})`,
    ],
  },
  filters: [
    { name: 'invite_id', label: 'Invite', kind: 'reference', to: 'invites' },
    {
      name: 'who',
      label: 'Who',
      kind: 'choice',
      choices: [
        { value: 'user', label: 'Users', where: "t.visitor LIKE 'user:%'" },
        { value: 'visitor', label: 'Visitors', where: "t.visitor NOT LIKE 'user:%'" },
      ],
    },
    { name: 'used_at', label: 'When', kind: 'moment' },
  ],
  fields: [
    belongsTo('invite_id', 'Invite', 'invites'),
    {
      name: 'user_id',
      label: 'User',
      kind: 'reference',
      to: 'users',
      sql: userId,
      readOnly: 'after_adding',
      help: 'Empty: a visitor without an account.',
    },
    { name: 'used_at', label: 'When', kind: 'moment', readOnly: 'after_adding', help: 'Empty: now.' },
  ],
  mayChange: false,
  save: addUsage,
  remove: removeUsage,
}
