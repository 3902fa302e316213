import { belongsTo, shownOnly } from '../../web/admin-text-fields.ts'
import type { TextTable } from '../../web/admin-text-table.ts'
import { longestReason } from '../invites/decide-invite.ts'
import { longestNotes } from '../invites/submission-form.ts'
import { approve, checkInvitesNow, reject, withdraw } from './invite-actions.ts'
import { area, inviteStates, privacyLevels, serverColumn } from './parts.ts'
import { checkLink, explainInvite, removeInvite, saveInvite } from './save-invite.ts'

/** Links to servers: what was submitted, and what became of it. */
export const invitesTable: TextTable = {
  name: 'invites',
  label: 'Invite',
  labels: 'Invites',
  area,
  about:
    'Links that people submitted, or that were added here and wait like theirs. Each is decided about once; a decision can be taken back. Living ones are checked daily.',
  table: 'invite',
  title: "'discord.gg/' || t.code",
  join: `LEFT JOIN discord_server s ON s.id = t.server_id LEFT JOIN discord_user d ON d.id = t.submitter_id
    LEFT JOIN discord_user b ON b.id = t.decided_by LEFT JOIN school h ON h.id = t.school_id LEFT JOIN subject j ON j.id = t.subject_id`,
  columns: [
    { name: 'code', label: 'Code', sort: 'lower(t.code)' },
    serverColumn,
    { name: 'state', label: 'State', kind: 'choice', choices: inviteStates },
    { name: 'is_valid', label: 'Works', kind: 'boolean' },
    { name: 'submitter', label: 'Submitted by', sql: 'd.display_name', link: { table: 'chat-users', key: 'd.id' } },
    { name: 'school', label: 'School', sql: 'h.name' },
    { name: 'subject', label: 'Subject', sql: 'j.name' },
    { name: 'uses_count', label: 'Uses', kind: 'number' },
    { name: 'created_at', label: 'Submitted', kind: 'moment' },
    { name: 'decided_at', label: 'Decided', kind: 'moment' },
    { name: 'decided_by', label: 'Decided by', sql: 'b.display_name', isHidden: true },
    { name: 'checked_at', label: 'Last checked', kind: 'moment', isHidden: true },
    { name: 'reason', label: 'Reason', isHidden: true },
  ],
  search: {
    label: 'Code or server',
    contains: ['t.code', `(SELECT s.name || ' ' || s.custom_title FROM discord_server s WHERE s.id = t.server_id)`],
    begins: ['lower(t.code)'],
  },
  filters: [
    { name: 'state', label: 'State', kind: 'choice', choices: inviteStates, isIndexed: true },
    { name: 'server_id', label: 'Server', kind: 'reference', to: 'servers', isIndexed: true },
    { name: 'submitter_id', label: 'Submitted by', kind: 'reference', to: 'chat-users', isIndexed: true },
    { name: 'school_id', label: 'School', kind: 'reference', to: 'schools', isIndexed: true },
    {
      name: 'health',
      label: 'Health',
      kind: 'choice',
      choices: [
        { value: 'dead', label: 'Does not work', where: 'NOT t.is_valid' },
        { value: 'quarantined', label: 'Leads elsewhere', where: 't.quarantined_at IS NOT NULL' },
        { value: 'failing', label: 'Failing', where: 't.failures > 0' },
      ],
    },
    { name: 'created_at', label: 'Submitted', kind: 'moment' },
  ],
  fields: [
    {
      name: 'code',
      label: 'Code',
      kind: 'text',
      isRequired: true,
      maximum: 200,
      readOnly: 'after_adding',
      check: checkLink,
      help: 'The link is discord.gg/ and the code. Of a new one either; Discord is asked about it.',
    },
    belongsTo('server_id', 'Server', 'servers'),
    { name: 'submitter_id', label: 'Submitted by', kind: 'reference', to: 'chat-users', readOnly: 'after_adding' },
    ...shownOnly([{ name: 'state', label: 'State', kind: 'choice', choices: inviteStates }]),
    {
      name: 'notes_md',
      label: 'Notes',
      kind: 'long_text',
      maximum: longestNotes,
      help: 'Shown with the invite: links, emphasis, lists and code as in Markdown.',
    },
    {
      name: 'privacy_level',
      label: 'Submitted as',
      kind: 'choice',
      choices: privacyLevels,
      isRequired: true,
      initial: 'public',
      readOnly: 'after_adding',
      help: 'What the server becomes with an approval.',
    },
    belongsTo('school_id', 'School', 'schools'),
    { name: 'subject_id', label: 'Subject', kind: 'reference', to: 'subjects', readOnly: 'after_adding' },
    ...shownOnly([
      { name: 'created_at', label: 'Submitted', kind: 'moment' },
      { name: 'decided_at', label: 'Decided', kind: 'moment' },
      { name: 'decided_by', label: 'Decided by', kind: 'reference', to: 'chat-users' },
      { name: 'reason', label: 'Reason', kind: 'text' },
      { name: 'is_valid', label: 'Works', kind: 'boolean' },
      { name: 'checked_at', label: 'Last checked', kind: 'moment' },
      { name: 'due_at', label: 'Next check', kind: 'moment' },
      { name: 'failures', label: 'Failed checks in a row', kind: 'integer' },
      { name: 'quarantined_at', label: 'Leads elsewhere since', kind: 'moment' },
      { name: 'uses_count', label: 'Uses', kind: 'integer' },
    ]),
  ],
  panels: [
    {
      heading: 'Decisions',
      sql: `SELECT x.decision, b.display_name AS by, x.reason, x.created_at FROM invite_decision x
        LEFT JOIN discord_user b ON b.id = x.decided_by WHERE x.invite_id = ?1 ORDER BY x.created_at DESC, x.id DESC LIMIT 50`,
      columns: [
        { name: 'decision', label: 'Decision' },
        { name: 'by', label: 'By' },
        { name: 'reason', label: 'Reason' },
        { name: 'created_at', label: 'When', kind: 'moment' },
      ],
      empty: 'None yet.',
    },
    {
      heading: 'Courses and instructors submitted with it',
      sql: `SELECT 'Course' AS kind, k.code || ' ' || k.level AS name FROM invite_course l JOIN course k ON k.id = l.course_id WHERE l.invite_id = ?1
        UNION ALL SELECT 'Instructor', n.name FROM invite_instructor l JOIN instructor n ON n.id = l.instructor_id WHERE l.invite_id = ?1
        LIMIT 100`,
      columns: [
        { name: 'kind', label: 'Kind' },
        { name: 'name', label: 'Name' },
      ],
      empty: 'None.',
    },
  ],
  related: [
    { label: 'Uses', table: 'usages', filter: 'invite_id' },
    { label: 'Notices', table: 'notices', filter: 'invite_id' },
  ],
  goesWith: [
    { label: 'uses', from: 'invite_use v', key: 'v.invite_id', title: "date(v.used_at / 1000, 'unixepoch')" },
    { label: 'decisions', from: 'invite_decision x', key: 'x.invite_id', title: 'x.decision' },
    { label: 'notices', from: 'notice n', key: 'n.invite_id', title: 'n.title' },
    {
      label: 'schools of its server',
      from: 'server_school l JOIN school h ON h.id = l.school_id',
      key: 'l.invite_id',
      title: 'h.name',
      fate: 'taken from the server, unless another approved invite brought them too',
    },
    {
      label: 'courses of its server',
      from: 'server_course l JOIN course k ON k.id = l.course_id',
      key: 'l.invite_id',
      title: "k.code || ' ' || k.level",
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
        {
          name: 'reason',
          label: 'Reason',
          kind: 'text',
          maximum: longestReason,
          help: 'Its submitter reads it. May be empty.',
        },
      ],
    },
    { name: 'withdraw', label: 'Take the decision back', run: withdraw, on: 'row' },
    { name: 'check', label: 'Check now', run: checkInvitesNow },
  ],
  save: saveInvite,
  remove: removeInvite,
  explain: explainInvite,
}
