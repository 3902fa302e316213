import { sql } from 'drizzle-orm'
import {
  course,
  discordServer,
  discordUser,
  invite,
  inviteDecision,
  inviteUse,
  notice,
  school,
  serverCourse,
  serverReport,
  serverSchool,
} from '../../db/schema/index.ts'
import { belongsTo, discordId, shownOnly } from '../../web/admin-fields.ts'
import type { AdminTable } from '../../web/admin-table.ts'
import { MAX_NOTES_LENGTH } from '../invites/contract.ts'
import { checkServersNow } from './invite-actions.ts'
import { inviteStates, inviteTitle, namesOfServer, privacyLevels, serverColumn, serverName } from './parts.ts'
import { saveServer, serverLinks } from './save-server.ts'

export const serversTable: AdminTable<typeof discordServer> = {
  name: 'servers',
  label: 'Server',
  about: 'A server is listed while it is enabled and has a working, approved invite.',
  table: discordServer,
  title: serverName,
  columns: [
    { name: 'name', sql: serverName },
    discordServer.privacyLevel,
    {
      name: 'schools',
      sql: sql`(SELECT group_concat(${school.name}, ', ') FROM ${serverSchool}
        JOIN ${school} ON ${school.id} = ${serverSchool.schoolId} WHERE ${serverSchool.serverId} = ${discordServer.id})`,
    },
    {
      name: 'courses',
      sql: sql`(SELECT group_concat(${course.code} || ' ' || ${course.level}, ', ')
        FROM (SELECT ${serverCourse.courseId} FROM ${serverCourse} WHERE ${serverCourse.serverId} = ${discordServer.id} LIMIT 5) AS ${serverCourse}
        JOIN ${course} ON ${course.id} = ${serverCourse.courseId})`,
    },
    discordServer.memberCount,
    discordServer.validInviteCount,
    discordServer.isActive,
    discordServer.isRequiredForTrust,
    discordServer.createdAt,
    { name: 'discord_name', column: discordServer.name, isHidden: true },
    { column: discordServer.serverId, isHidden: true },
  ],
  search: {
    label: 'Name, title, invite code or Discord ID',
    contains: [
      discordServer.name,
      discordServer.customTitle,
      discordServer.serverId,
      sql`(SELECT group_concat(${invite.code}, ' ') FROM ${invite} WHERE ${invite.serverId} = ${discordServer.id})`,
    ],
    begins: [discordServer.serverId],
  },
  filters: [
    {
      name: 'which',
      label: 'Show',
      choices: [
        { value: 'featured', label: 'Featured', where: sql`${discordServer.isRequiredForTrust}` },
        { value: 'disabled', label: 'Disabled', where: sql`NOT ${discordServer.isActive}` },
      ],
    },
    {
      name: 'listed',
      kind: 'boolean',
      sql: sql`(${discordServer.isActive} AND ${discordServer.validInviteCount} > 0)`,
    },
    discordServer.privacyLevel,
    {
      name: 'reported',
      kind: 'boolean',
      sql: sql`EXISTS (SELECT 1 FROM ${serverReport} WHERE ${serverReport.serverId} = ${discordServer.id})`,
    },
    discordServer.createdAt,
  ],
  fields: [
    {
      column: discordServer.name,
      maximum: 100,
      readOnly: 'kept_fresh',
      help: 'From Discord; updated each time an invite is checked.',
    },
    discordId(discordServer.serverId),
    { column: discordServer.customTitle, label: 'Title', maximum: 100, help: 'Shown instead of the name.' },
    { column: discordServer.description, kind: 'long_text', maximum: 1000 },
    {
      column: discordServer.privacyLevel,
      label: 'Privacy',
      choices: privacyLevels,
      initial: 'public',
      help: 'Private servers are shown only to people at their schools.',
    },
    { column: discordServer.isActive, label: 'Enabled', help: 'Disabled servers are not listed.' },
    {
      column: discordServer.isRequiredForTrust,
      label: 'Featured',
      help: 'Listed first, and its members can sign up without a referral.',
    },
    { column: discordServer.isGeneralServer, label: 'General', help: 'For the whole school, not one course.' },
    ...shownOnly([
      { column: discordServer.memberCount, label: 'Members' },
      { column: discordServer.onlineCount, label: 'Online' },
      discordServer.onlineCountedAt,
      { column: discordServer.validInviteCount, label: 'Working invites' },
      { column: discordServer.createdAt, label: 'Added' },
    ]),
  ],
  inlines: [
    {
      name: 'invites',
      label: 'Invite',
      table: invite,
      mayAdd: false,
      mayDelete: false,
      fields: [
        ...shownOnly([
          invite.code,
          { column: invite.state, choices: inviteStates },
          { column: invite.isValid, label: 'Works' },
        ]),
        { column: invite.notesMd, label: 'Notes', kind: 'long_text', maximum: MAX_NOTES_LENGTH },
      ],
    },
    ...serverLinks.map(({ target, fits: _fits, otherwise: _otherwise, ...inline }) => ({
      ...inline,
      fields: [belongsTo(target)],
    })),
  ],
  related: [invite.serverId, serverReport.serverId],
  cascades: [
    { through: [invite.serverId], title: inviteTitle },
    {
      through: [invite.serverId, inviteUse.inviteId],
      title: sql`date(${inviteUse.usedAt} / 1000, 'unixepoch')`,
    },
    {
      label: 'decisions',
      through: [invite.serverId, inviteDecision.inviteId],
      title: sql`${inviteDecision.decision} || ': ' || ${inviteTitle}`,
    },
    { through: [invite.serverId, notice.inviteId], title: notice.title },
    { through: [serverReport.serverId], title: serverReport.reason },
    {
      label: 'listings by school',
      through: [serverSchool.serverId],
      joins: [serverSchool.schoolId],
      title: school.name,
    },
  ],
  actions: [
    { name: 'check', label: 'Check invites now', run: checkServersNow },
    { name: 'enable', set: { isActive: true } },
    {
      name: 'disable',
      set: { isActive: false, isRequiredForTrust: false },
      isDangerous: true,
      confirm: 'It will no longer be listed or featured.',
    },
    {
      name: 'feature',
      set: { isRequiredForTrust: true },
      isGuarded: true,
      confirm: 'It will be listed first, and its members can sign up without a referral.',
    },
    { name: 'unfeature', label: 'Stop featuring', set: { isRequiredForTrust: false } },
  ],
  // Members of featured servers may sign up.
  guard: { fields: ['is_required_for_trust'] },
  save: saveServer,
}

export const serverReportsTable: AdminTable<typeof serverReport> = {
  name: 'server-reports',
  label: 'Report',
  about:
    'Servers that users reported. Managers handle them at /classcords/reports/; here they can be read and deleted.',
  table: serverReport,
  title: sql`${serverName} || ': ' || substr(${serverReport.reason}, 1, 60)`,
  joins: [serverReport.serverId, serverReport.reporterId],
  columns: [
    serverReport.reason,
    serverColumn,
    { column: discordServer.isActive, label: 'Server enabled' },
    { name: 'reporter', column: discordUser.displayName, label: 'Reported by', link: discordUser },
    serverReport.createdAt,
  ],
  search: { label: 'Reason or server', contains: [serverReport.reason, namesOfServer(serverReport.serverId)] },
  filters: [serverReport.serverId, serverReport.reporterId, serverReport.createdAt],
  fields: [
    serverReport.serverId,
    { column: serverReport.reporterId, label: 'Reported by' },
    { column: serverReport.reason, kind: 'long_text' },
    { column: serverReport.createdAt, label: 'When' },
    serverReport.handledAt,
    serverReport.handledBy,
    serverReport.outcome,
  ],
  mayAdd: false,
  mayChange: false,
}
