import { sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import {
  course,
  discordUser,
  instructor,
  invite,
  inviteCourse,
  inviteDecision,
  inviteInstructor,
  inviteUse,
  notice,
  school,
  serverCourse,
  serverSchool,
  subject,
  user,
} from '../../db/schema/index.ts'
import { belongsTo, shownOnly } from '../../web/admin-fields.ts'
import type { AdminChoice, AdminTable } from '../../web/admin-table.ts'
import { longestReason } from '../invites/decide-invite.ts'
import { longestNotes } from '../invites/submission-form.ts'
import { approve, checkInvitesNow, reject, withdraw } from './invite-actions.ts'
import { area, inviteStates, inviteTitle, namesOfServer, privacyLevels, serverColumn } from './parts.ts'
import { addUse, checkLink, explainInvite, removeInvite, removeUse, saveInvite } from './save-invite.ts'

const decider = alias(discordUser, 'decider')

/** Links to servers: what was submitted, and what happened then. */
export const invitesTable: AdminTable<typeof invite> = {
  name: 'invites',
  label: 'Invite',
  labels: 'Invites',
  area,
  about:
    'Links that people submitted, or that were added here and wait like theirs. Each is decided about once; a decision can be taken back. Living ones are checked daily.',
  table: invite,
  title: inviteTitle,
  joins: [
    invite.serverId,
    invite.submitterId,
    sql`LEFT JOIN ${discordUser} ${decider} ON ${decider.id} = ${invite.decidedBy}`,
    invite.schoolId,
    invite.subjectId,
  ],
  columns: [
    { column: invite.code, label: 'Code', isSortable: true },
    serverColumn,
    { column: invite.state, label: 'State', choices: inviteStates },
    { column: invite.isValid, label: 'Works' },
    { name: 'submitter', column: discordUser.displayName, label: 'Submitted by', link: discordUser },
    { name: 'school', column: school.name, label: 'School' },
    { name: 'subject', column: subject.name, label: 'Subject' },
    { column: invite.usesCount, label: 'Uses' },
    { column: invite.createdAt, label: 'Submitted' },
    { column: invite.decidedAt, label: 'Decided' },
    { name: 'decided_by', column: decider.displayName, label: 'Decided by', isHidden: true },
    { column: invite.checkedAt, label: 'Last checked', isHidden: true },
    { column: invite.reason, label: 'Reason', isHidden: true },
  ],
  search: { label: 'Code or server', contains: [invite.code, namesOfServer(invite.serverId)] },
  filters: [
    { column: invite.state, label: 'State', choices: inviteStates },
    { column: invite.serverId, label: 'Server' },
    { column: invite.submitterId, label: 'Submitted by' },
    { column: invite.schoolId, label: 'School' },
    {
      name: 'health',
      label: 'Health',
      choices: [
        { value: 'dead', label: 'Does not work', where: sql`NOT ${invite.isValid}` },
        { value: 'quarantined', label: 'Leads elsewhere', where: sql`${invite.quarantinedAt} IS NOT NULL` },
        { value: 'failing', label: 'Failing', where: sql`${invite.failures} > 0` },
      ],
    },
    { column: invite.createdAt, label: 'Submitted' },
  ],
  fields: [
    {
      column: invite.code,
      label: 'Code',
      maximum: 200,
      readOnly: 'after_adding',
      check: checkLink,
      help: 'The link is discord.gg/ and the code. Of a new one either; Discord is asked about it.',
    },
    belongsTo(invite.serverId, 'Server'),
    { column: invite.submitterId, label: 'Submitted by', readOnly: 'after_adding' },
    ...shownOnly([{ column: invite.state, label: 'State', choices: inviteStates }]),
    {
      column: invite.notesMd,
      label: 'Notes',
      kind: 'long_text',
      maximum: longestNotes,
      help: 'Shown with the invite: links, emphasis, lists and code as in Markdown.',
    },
    {
      column: invite.privacyLevel,
      label: 'Submitted as',
      choices: privacyLevels,
      initial: 'public',
      readOnly: 'after_adding',
      help: 'What the server becomes with an approval.',
    },
    { ...belongsTo(invite.schoolId, 'School'), isRequired: true },
    { column: invite.subjectId, label: 'Subject', readOnly: 'after_adding' },
    ...shownOnly([
      { column: invite.createdAt, label: 'Submitted' },
      { column: invite.decidedAt, label: 'Decided' },
      { column: invite.decidedBy, label: 'Decided by' },
      { column: invite.reason, label: 'Reason' },
      { column: invite.isValid, label: 'Works' },
      { column: invite.checkedAt, label: 'Last checked' },
      { column: invite.dueAt, label: 'Next check' },
      { column: invite.failures, label: 'Failed checks in a row' },
      { column: invite.quarantinedAt, label: 'Leads elsewhere since' },
      { column: invite.usesCount, label: 'Uses' },
    ]),
  ],
  panels: [
    {
      heading: 'Decisions',
      columns: [
        { column: inviteDecision.decision, label: 'Decision' },
        { name: 'by', column: discordUser.displayName, label: 'By' },
        { column: inviteDecision.reason, label: 'Reason' },
        { column: inviteDecision.createdAt, label: 'When' },
      ],
      rows: (columns, id) => sql`SELECT ${columns} FROM ${inviteDecision}
        LEFT JOIN ${discordUser} ON ${discordUser.id} = ${inviteDecision.decidedBy} WHERE ${inviteDecision.inviteId} = ${id}
        ORDER BY ${inviteDecision.createdAt} DESC, ${inviteDecision.id} DESC LIMIT 50`,
      empty: 'None yet.',
    },
    {
      heading: 'Courses and instructors submitted with it',
      columns: [
        { name: 'kind', label: 'Kind' },
        { name: 'name', label: 'Name' },
      ],
      rows: (columns, id) => sql`SELECT ${columns} FROM (
        SELECT 'Course' AS kind, ${course.code} || ' ' || ${course.level} AS name FROM ${inviteCourse}
          JOIN ${course} ON ${course.id} = ${inviteCourse.courseId} WHERE ${inviteCourse.inviteId} = ${id}
        UNION ALL SELECT 'Instructor', ${instructor.name} FROM ${inviteInstructor}
          JOIN ${instructor} ON ${instructor.id} = ${inviteInstructor.instructorId} WHERE ${inviteInstructor.inviteId} = ${id}
        LIMIT 100)`,
      empty: 'None.',
    },
  ],
  related: [
    { label: 'Uses', table: 'usages', filter: 'invite_id' },
    { label: 'Notices', table: 'notices', filter: 'invite_id' },
  ],
  cascades: [
    { through: [inviteUse.inviteId], title: sql`date(${inviteUse.usedAt} / 1000, 'unixepoch')` },
    { label: 'decisions', through: [inviteDecision.inviteId], title: inviteDecision.decision },
    { through: [notice.inviteId], title: notice.title },
    {
      label: 'schools of its server',
      through: [serverSchool.inviteId],
      joins: [serverSchool.schoolId],
      title: school.name,
      fate: 'taken from the server, unless another approved invite brought them too',
    },
    {
      label: 'courses of its server',
      through: [serverCourse.inviteId],
      joins: [serverCourse.courseId],
      title: sql`${course.code} || ' ' || ${course.level}`,
      fate: 'taken from the server, unless another approved invite brought them too',
    },
  ],
  actions: [
    { name: 'approve', label: 'Approve', run: approve },
    {
      name: 'reject',
      label: 'Reject',
      run: reject,
      isDangerous: true,
      fields: [
        { name: 'reason', label: 'Reason', maximum: longestReason, help: 'Its submitter reads it. May be empty.' },
      ],
    },
    { name: 'withdraw', label: 'Take the decision back', run: withdraw, on: 'row' },
    { name: 'check', label: 'Check now', run: checkInvitesNow },
  ],
  save: saveInvite,
  remove: removeInvite,
  explain: explainInvite,
}

const isUser = sql`${inviteUse.visitor} LIKE 'user:%'`
const userId = sql`iif(${isUser}, CAST(substr(${inviteUse.visitor}, 6) AS INTEGER), NULL)`

/** Who followed an invite. Of visitors without an account only that there was one is kept readable. */
export const usagesTable: AdminTable<typeof inviteUse> = {
  name: 'usages',
  label: 'Use',
  labels: 'Uses',
  area,
  about:
    'Somebody followed an invite: counted once an hour a person, kept for 90 days. One that is deleted counts no more.',
  table: inviteUse,
  title: inviteTitle,
  joins: [inviteUse.inviteId, invite.serverId, sql`LEFT JOIN ${user} ON ${user.id} = ${userId}`],
  columns: [
    { column: inviteUse.usedAt, label: 'When' },
    { name: 'invite', label: 'Invite', sql: inviteTitle, link: invite },
    serverColumn,
    {
      name: 'user',
      label: 'Who',
      sql: sql`coalesce(${user.username}, iif(${isUser}, 'A user who is gone', 'A visitor'))`,
      link: user,
    },
  ],
  search: {
    label: 'Invite code or username',
    contains: [
      sql`(SELECT ${invite.code} FROM ${invite} WHERE ${invite.id} = ${inviteUse.inviteId})`,
      sql`(SELECT ${user.username} FROM ${user} WHERE ${user.id} = ${userId})`,
    ],
  },
  filters: [
    { column: inviteUse.inviteId, label: 'Invite', isIndexed: false },
    {
      name: 'who',
      label: 'Who',
      choices: [
        { value: 'user', label: 'Users', where: isUser },
        { value: 'visitor', label: 'Visitors', where: sql`${inviteUse.visitor} NOT LIKE 'user:%'` },
      ],
    },
    { column: inviteUse.usedAt, label: 'When' },
  ],
  fields: [
    belongsTo(inviteUse.inviteId, 'Invite'),
    {
      name: 'user_id',
      label: 'User',
      to: user,
      sql: userId,
      readOnly: 'after_adding',
      help: 'Empty: a visitor without an account.',
    },
    { column: inviteUse.usedAt, label: 'When', isRequired: false, readOnly: 'after_adding', help: 'Empty: now.' },
  ],
  mayChange: false,
  save: addUse,
  remove: removeUse,
}

const noticeKinds: readonly AdminChoice[] = [
  { value: 'approved', label: 'Approved', tone: 'open' },
  { value: 'rejected', label: 'Rejected', tone: 'danger' },
  { value: 'expired', label: 'Expired', tone: 'neutral' },
  { value: 'invalid', label: 'Invite broken', tone: 'danger' },
  { value: 'quarantined', label: 'Leads elsewhere', tone: 'danger' },
  { value: 'restored', label: 'Works again', tone: 'open' },
  { value: 'report', label: 'Report', tone: 'waitlisted' },
]

/** Messages of the directory to people. */
export const noticesTable: AdminTable<typeof notice> = {
  name: 'notices',
  label: 'Notice',
  labels: 'Notices',
  area,
  about: 'Messages of the directory to one person each, kept for 180 days.',
  table: notice,
  title: sql`${discordUser.displayName} || ': ' || ${notice.title}`,
  joins: [notice.discordUserId, notice.inviteId],
  columns: [
    { column: notice.title, label: 'Notice' },
    { name: 'person', column: discordUser.displayName, label: 'To', link: discordUser },
    { column: notice.kind, label: 'Kind', choices: noticeKinds },
    { column: notice.body, label: 'Text' },
    { column: notice.createdAt, label: 'Made' },
    { column: notice.readAt, label: 'Read' },
    { name: 'invite', label: 'Invite', sql: inviteTitle, link: invite, isHidden: true },
  ],
  search: {
    label: 'Title, text or name',
    contains: [
      notice.title,
      notice.body,
      sql`(SELECT ${discordUser.displayName} FROM ${discordUser} WHERE ${discordUser.id} = ${notice.discordUserId})`,
    ],
  },
  filters: [
    { column: notice.discordUserId, label: 'To' },
    { column: notice.inviteId, label: 'Invite' },
    { column: notice.kind, label: 'Kind', choices: noticeKinds },
    { name: 'is_read', label: 'Read', kind: 'boolean', sql: sql`(${notice.readAt} IS NOT NULL)` },
    { column: notice.createdAt, label: 'Made' },
  ],
  fields: shownOnly([
    { column: notice.discordUserId, label: 'To' },
    { column: notice.kind, label: 'Kind', choices: noticeKinds },
    { column: notice.title, label: 'Title' },
    { column: notice.body, label: 'Text', kind: 'long_text' },
    { column: notice.inviteId, label: 'Invite' },
    { column: notice.createdAt, label: 'Made' },
    { column: notice.readAt, label: 'Read' },
  ]),
  mayAdd: false,
  mayChange: false,
}
