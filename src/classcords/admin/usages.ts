import { sql } from 'drizzle-orm'
import { invite, inviteUse, user } from '../../db/schema/index.ts'
import { belongsTo } from '../../web/admin-fields.ts'
import type { AdminTable } from '../../web/admin-table.ts'
import { inviteTitle, serverColumn } from './parts.ts'
import { addUse, removeUse } from './save-invite.ts'

const isUser = sql`${inviteUse.visitor} LIKE 'user:%'`
const userId = sql`iif(${isUser}, CAST(substr(${inviteUse.visitor}, 6) AS INTEGER), NULL)`

/** Who used an invite. Visitors without an account are not identified. */
export const usagesTable: AdminTable<typeof inviteUse> = {
  name: 'usages',
  label: 'Use',
  about:
    'Each time someone used an invite, counted once per person per hour and kept for 90 days. Deleted uses are no longer counted.',
  table: inviteUse,
  title: inviteTitle,
  joins: [inviteUse.inviteId, invite.serverId, sql`LEFT JOIN ${user} ON ${user.id} = ${userId}`],
  columns: [
    inviteUse.usedAt,
    { name: 'invite', sql: inviteTitle, link: invite },
    serverColumn,
    {
      name: 'user',
      label: 'Who',
      sql: sql`coalesce(${user.username}, iif(${isUser}, 'A deleted user', 'A visitor'))`,
      link: user,
    },
  ],
  search: {
    label: 'Invite code or username',
    contains: [invite.code, sql`(SELECT ${user.username} FROM ${user} WHERE ${user.id} = ${userId})`],
  },
  filters: [
    { column: inviteUse.inviteId, isIndexed: false },
    {
      name: 'who',
      choices: [
        { value: 'user', label: 'Users', where: isUser },
        { value: 'visitor', label: 'Visitors', where: sql`${inviteUse.visitor} NOT LIKE 'user:%'` },
      ],
    },
    inviteUse.usedAt,
  ],
  fields: [
    belongsTo(inviteUse.inviteId),
    {
      name: 'user_id',
      to: user,
      sql: userId,
      readOnly: 'after_adding',
      help: 'Leave empty for a visitor without an account.',
    },
    {
      column: inviteUse.usedAt,
      label: 'When',
      isRequired: false,
      readOnly: 'after_adding',
      help: 'Leave empty for now.',
    },
  ],
  mayChange: false,
  save: addUse,
  remove: removeUse,
}
