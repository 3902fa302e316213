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
  serverInstructor,
  serverSchool,
  serverSubject,
  subject,
} from '../../db/schema/index.ts'
import { belongsTo, shownOnly } from '../../web/admin-fields.ts'
import type { AdminTable } from '../../web/admin-table.ts'
import { MAX_NOTES_LENGTH, MAX_REJECTION_LENGTH } from '../invites/contract.ts'
import { approvalWarnings, approve, checkInvitesNow, reject, undo } from './invite-actions.ts'
import { inviteStates, inviteTitle, namesOfServer, privacyLevels, serverColumn } from './parts.ts'
import { checkLink, explainInvite, removeInvite, saveInvite } from './save-invite.ts'

const decider = alias(discordUser, 'decider')

export const invitesTable: AdminTable<typeof invite> = {
  name: 'invites',
  label: 'Invite',
  about:
    'Invites submitted by people or added here. Each needs one decision, which can be undone. Active invites are checked daily.',
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
    { column: invite.code, isSortable: true },
    serverColumn,
    invite.state,
    invite.isValid,
    { name: 'submitter', column: discordUser.displayName, label: 'Submitted by', link: discordUser },
    { name: 'school', column: school.name },
    { name: 'subject', column: subject.name },
    invite.usesCount,
    invite.createdAt,
    invite.decidedAt,
    { name: 'decided_by', column: decider.displayName, isHidden: true },
    { column: invite.checkedAt, isHidden: true },
    { column: invite.reason, isHidden: true },
  ],
  search: { label: 'Code or server', contains: [invite.code, namesOfServer(invite.serverId)] },
  filters: [
    invite.state,
    invite.serverId,
    invite.submitterId,
    invite.schoolId,
    {
      name: 'health',
      choices: [
        { value: 'dead', label: 'Not working', where: sql`NOT ${invite.isValid}` },
        { value: 'quarantined', label: 'Wrong server', where: sql`${invite.quarantinedAt} IS NOT NULL` },
        { value: 'failing', label: 'Failing', where: sql`${invite.failures} > 0` },
      ],
    },
    invite.createdAt,
  ],
  fields: [
    {
      column: invite.code,
      maximum: 200,
      readOnly: 'after_adding',
      check: checkLink,
      help: 'The link is discord.gg/ and the code. Enter either for a new invite; it is checked with Discord.',
    },
    belongsTo(invite.serverId),
    { column: invite.submitterId, label: 'Submitted by', readOnly: 'after_adding' },
    ...shownOnly([{ column: invite.state, choices: inviteStates }]),
    {
      column: invite.notesMd,
      label: 'Notes',
      kind: 'long_text',
      maximum: MAX_NOTES_LENGTH,
      help: 'Shown with the invite. Markdown links, emphasis, lists and code are supported.',
    },
    {
      column: invite.privacyLevel,
      label: 'Submitted as',
      choices: privacyLevels,
      initial: 'public',
      readOnly: 'after_adding',
      help: 'The server’s privacy once approved.',
    },
    { ...belongsTo(invite.schoolId), isRequired: true },
    { column: invite.subjectId, readOnly: 'after_adding' },
    ...shownOnly([
      { column: invite.createdAt, label: 'Submitted' },
      invite.decidedAt,
      invite.decidedBy,
      invite.reason,
      { column: invite.isValid, label: 'Works' },
      { column: invite.checkedAt, label: 'Last checked' },
      { column: invite.dueAt, label: 'Next check' },
      { column: invite.failures, label: 'Consecutive failed checks' },
      { column: invite.quarantinedAt, label: 'Wrong server since' },
      { column: invite.usesCount, label: 'Uses' },
    ]),
  ],
  panels: [
    {
      heading: 'Decisions',
      columns: [
        inviteDecision.decision,
        { name: 'by', column: discordUser.displayName },
        inviteDecision.reason,
        { column: inviteDecision.createdAt, label: 'When' },
      ],
      rows: (columns, id) => sql`SELECT ${columns} FROM ${inviteDecision}
        LEFT JOIN ${discordUser} ON ${discordUser.id} = ${inviteDecision.decidedBy} WHERE ${inviteDecision.inviteId} = ${id}
        ORDER BY ${inviteDecision.createdAt} DESC, ${inviteDecision.id} DESC LIMIT 50`,
      empty: 'None yet.',
    },
    {
      heading: 'Courses and instructors submitted with it',
      columns: [{ name: 'kind' }, { name: 'name' }],
      rows: (columns, id) => sql`SELECT ${columns} FROM (
        SELECT 'Course' AS kind, ${course.code} || ' ' || ${course.level} AS name FROM ${inviteCourse}
          JOIN ${course} ON ${course.id} = ${inviteCourse.courseId} WHERE ${inviteCourse.inviteId} = ${id}
        UNION ALL SELECT 'Instructor', ${instructor.name} FROM ${inviteInstructor}
          JOIN ${instructor} ON ${instructor.id} = ${inviteInstructor.instructorId} WHERE ${inviteInstructor.inviteId} = ${id}
        LIMIT 100)`,
      empty: 'None.',
    },
  ],
  related: [inviteUse.inviteId, notice.inviteId],
  cascades: [
    { through: [inviteUse.inviteId], title: sql`date(${inviteUse.usedAt} / 1000, 'unixepoch')` },
    { label: 'decisions', through: [inviteDecision.inviteId], title: inviteDecision.decision },
    { through: [notice.inviteId], title: notice.title },
    ...[
      { label: 'schools', table: serverSchool, target: serverSchool.schoolId, title: school.name },
      {
        label: 'courses',
        table: serverCourse,
        target: serverCourse.courseId,
        title: sql`${course.code} || ' ' || ${course.level}`,
      },
      { label: 'subjects', table: serverSubject, target: serverSubject.subjectId, title: subject.name },
      { label: 'instructors', table: serverInstructor, target: serverInstructor.instructorId, title: instructor.name },
    ].map(({ label, table, target, title }) => ({
      label: `${label} of its server`,
      through: [table.inviteId],
      joins: [target],
      title,
      effect: 'removed from the server, unless another approved invite added them',
    })),
  ],
  actions: [
    {
      name: 'approve',
      run: approve,
      warnings: approvalWarnings,
      isPrimary: true,
      only: sql`${invite.state} = 'pending'`,
    },
    {
      name: 'reject',
      run: reject,
      only: sql`${invite.state} = 'pending'`,
      fields: [{ name: 'reason', maximum: MAX_REJECTION_LENGTH, help: 'Shown to the submitter.' }],
    },
    {
      name: 'withdraw',
      label: 'Undo decision',
      run: undo,
      on: 'row',
      only: sql`${invite.state} IN ('approved', 'rejected')`,
    },
    { name: 'check', label: 'Check now', run: checkInvitesNow },
  ],
  save: saveInvite,
  remove: removeInvite,
  explain: explainInvite,
}
