import { discordId, shownOnly } from '../../web/admin-text-fields.ts'
import type { TextInline, TextTable } from '../../web/admin-text-table.ts'
import { inviteTitle } from '../invites/record-decision.ts'
import { checkServersNow } from './invite-actions.ts'
import { area, inviteStates, privacyLevels } from './parts.ts'
import { saveServer, serverLinks } from './save-server.ts'

const linkInlines: TextInline[] = serverLinks.map(({ name, table, key, label, labels, to }) => ({
  name,
  label,
  labels,
  table,
  key: 'rowid',
  parent: 'server_id',
  fields: [{ name: key, label, kind: 'reference', to, isRequired: true, readOnly: 'after_adding' }],
}))

const name = "coalesce(nullif(t.custom_title, ''), t.name)"

/** Servers of the directory, listed or not. */
export const serversTable: TextTable = {
  name: 'servers',
  label: 'Server',
  labels: 'Servers',
  area,
  about: 'A server is listed while it is enabled and one of its approved invites works.',
  table: 'discord_server',
  title: name,
  columns: [
    { name: 'name', label: 'Name', sql: name },
    { name: 'privacy_level', label: 'Privacy', kind: 'choice', choices: privacyLevels },
    {
      name: 'schools',
      label: 'Schools',
      sql: "(SELECT group_concat(h.name, ', ') FROM server_school l JOIN school h ON h.id = l.school_id WHERE l.server_id = t.id)",
    },
    {
      name: 'courses',
      label: 'Courses',
      sql: `(SELECT group_concat(k.code || ' ' || k.level, ', ') FROM (SELECT course_id FROM server_course WHERE server_id = t.id LIMIT 5) l
        JOIN course k ON k.id = l.course_id)`,
    },
    { name: 'member_count', label: 'Members', kind: 'number' },
    { name: 'valid_invite_count', label: 'Working invites', kind: 'number' },
    { name: 'is_active', label: 'Enabled', kind: 'boolean' },
    { name: 'is_required_for_trust', label: 'Featured', kind: 'boolean' },
    { name: 'created_at', label: 'Added', kind: 'moment' },
    { name: 'discord_name', label: 'Name at Discord', sql: 't.name', isHidden: true },
    { name: 'server_id', label: 'Discord ID', isHidden: true },
  ],
  search: {
    label: 'Name, title, invite code or Discord ID',
    contains: [
      't.name',
      't.custom_title',
      't.server_id',
      "(SELECT group_concat(i.code, ' ') FROM invite i WHERE i.server_id = t.id)",
    ],
    begins: ['lower(t.name)', 'lower(t.custom_title)', 't.server_id'],
  },
  filters: [
    {
      name: 'which',
      label: 'Which',
      kind: 'choice',
      isIndexed: true,
      choices: [
        { value: 'featured', label: 'Featured', where: 't.is_required_for_trust' },
        { value: 'disabled', label: 'Disabled', where: 'NOT t.is_active' },
      ],
    },
    {
      name: 'listed',
      label: 'Listed',
      kind: 'boolean',
      sql: '(t.is_active AND t.valid_invite_count > 0)',
    },
    { name: 'privacy_level', label: 'Privacy', kind: 'choice', choices: privacyLevels },
    {
      name: 'reported',
      label: 'Reported',
      kind: 'boolean',
      sql: 'EXISTS (SELECT 1 FROM server_report p WHERE p.server_id = t.id)',
    },
    { name: 'created_at', label: 'Added', kind: 'moment' },
  ],
  fields: [
    {
      name: 'name',
      label: 'Name',
      kind: 'text',
      isRequired: true,
      maximum: 100,
      readOnly: 'after_adding',
      help: 'As Discord says it; each check of an invite brings it up to date.',
    },
    discordId('server_id'),
    {
      name: 'custom_title',
      label: 'Title',
      kind: 'text',
      maximum: 100,
      help: 'Shown instead of its name.',
    },
    { name: 'description', label: 'Description', kind: 'long_text', maximum: 1000 },
    {
      name: 'privacy_level',
      label: 'Privacy',
      kind: 'choice',
      choices: privacyLevels,
      isRequired: true,
      initial: 'public',
      help: 'A private one is shown to people of its schools only.',
    },
    { name: 'is_active', label: 'Enabled', kind: 'boolean', initial: 1, help: 'A disabled one is listed nowhere.' },
    {
      name: 'is_required_for_trust',
      label: 'Featured',
      kind: 'boolean',
      help: 'Stands first, and its members may sign up without a referral.',
    },
    { name: 'is_general_server', label: 'General', kind: 'boolean', help: 'For the school, not for one course.' },
    ...shownOnly([
      { name: 'member_count', label: 'Members', kind: 'integer' },
      { name: 'online_count', label: 'Online', kind: 'integer' },
      { name: 'valid_invite_count', label: 'Working invites', kind: 'integer' },
      { name: 'created_at', label: 'Added', kind: 'moment' },
    ]),
  ],
  inlines: [
    {
      name: 'invites',
      label: 'Invite',
      labels: 'Invites',
      table: 'invite',
      parent: 'server_id',
      mayAdd: false,
      mayDelete: false,
      fields: [
        { name: 'code', label: 'Code', kind: 'text', readOnly: 'always' },
        { name: 'state', label: 'State', kind: 'choice', choices: inviteStates, readOnly: 'always' },
        { name: 'is_valid', label: 'Works', kind: 'boolean', readOnly: 'always' },
        { name: 'notes_md', label: 'Notes', kind: 'long_text', maximum: 255 },
      ],
    },
    ...linkInlines,
  ],
  related: [
    { label: 'Invites', table: 'invites', filter: 'server_id' },
    { label: 'Reports', table: 'server-reports', filter: 'server_id' },
  ],
  goesWith: [
    { label: 'invites', from: 'invite i', key: 'i.server_id', title: inviteTitle },
    {
      label: 'uses',
      from: 'invite i CROSS JOIN invite_use v ON v.invite_id = i.id',
      key: 'i.server_id',
      title: "date(v.used_at / 1000, 'unixepoch')",
    },
    {
      label: 'decisions',
      from: 'invite i CROSS JOIN invite_decision x ON x.invite_id = i.id',
      key: 'i.server_id',
      title: `x.decision || ': ' || ${inviteTitle}`,
    },
    {
      label: 'notices',
      from: 'invite i CROSS JOIN notice n ON n.invite_id = i.id',
      key: 'i.server_id',
      title: 'n.title',
    },
    { label: 'reports', from: 'server_report p', key: 'p.server_id', title: 'p.reason' },
    {
      label: 'places in lists of schools',
      from: 'server_school l JOIN school h ON h.id = l.school_id',
      key: 'l.server_id',
      title: 'h.name',
    },
  ],
  actions: [
    { name: 'check', label: 'Check its invites now', run: checkServersNow },
    { name: 'enable', label: 'Enable', set: { is_active: 1 } },
    {
      name: 'disable',
      label: 'Disable',
      set: { is_active: 0 },
      isDangerous: true,
      confirm: 'It is then listed nowhere.',
    },
    {
      name: 'feature',
      label: 'Feature',
      set: { is_required_for_trust: 1 },
      isGuarded: true,
      confirm: 'It then stands first, and its members may sign up without a referral.',
    },
    { name: 'unfeature', label: 'No longer feature', set: { is_required_for_trust: 0 } },
  ],
  // Whose members may sign up.
  guard: { fields: ['is_required_for_trust'] },
  save: saveServer,
}
