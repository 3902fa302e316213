import { sql } from 'drizzle-orm'
import { discordUser, invite, notice } from '../../db/schema/index.ts'
import type { AdminChoice, AdminTable } from '../../web/admin-table.ts'
import { inviteTitle } from './parts.ts'

const noticeKinds: readonly AdminChoice[] = [
  { value: 'approved', label: 'Approved', tone: 'done' },
  { value: 'rejected', label: 'Rejected', tone: 'danger' },
  { value: 'expired', label: 'Expired', tone: 'neutral' },
  { value: 'invalid', label: 'Invite broken', tone: 'danger' },
  { value: 'quarantined', label: 'Wrong server', tone: 'danger' },
  { value: 'restored', label: 'Works again', tone: 'done' },
  { value: 'report', label: 'Report', tone: 'waitlisted' },
]

export const noticesTable: AdminTable<typeof notice> = {
  name: 'notices',
  label: 'Notification',
  about: 'Messages to directory users, kept for 180 days.',
  table: notice,
  title: sql`${discordUser.displayName} || ': ' || ${notice.title}`,
  joins: [notice.discordUserId, notice.inviteId],
  columns: [
    { column: notice.title, label: 'Notification' },
    { name: 'person', column: discordUser.displayName, label: 'To', link: discordUser },
    notice.kind,
    notice.body,
    notice.createdAt,
    notice.readAt,
    { name: 'invite', sql: inviteTitle, link: invite, isHidden: true },
  ],
  search: {
    label: 'Title, text or name',
    contains: [notice.title, notice.body, discordUser.displayName],
  },
  filters: [
    notice.discordUserId,
    notice.inviteId,
    notice.kind,
    { name: 'is_read', kind: 'boolean', sql: sql`(${notice.readAt} IS NOT NULL)` },
    notice.createdAt,
  ],
  fields: [
    { column: notice.discordUserId, label: 'To' },
    { column: notice.kind, choices: noticeKinds },
    notice.title,
    { column: notice.body, label: 'Text', kind: 'long_text' },
    notice.inviteId,
    notice.createdAt,
    notice.readAt,
  ],
  mayAdd: false,
  mayChange: false,
}
