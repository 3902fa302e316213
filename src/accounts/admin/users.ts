import { shownOnly } from '../../web/admin-fields.ts'
import type { AdminChoice, AdminTable } from '../../web/admin-table.ts'
import { checkUsername, explainUser, refuseUser, removeUser, saveUser } from './save-user.ts'
import { addressesInline } from './user-addresses.ts'
import {
  disableUsers,
  enableUsers,
  endSessions,
  mailPasswordLinks,
  makeSuperusers,
  unmakeSuperusers,
  verifyAddresses,
} from './user-actions.ts'

export const area = 'People'

const mailStates: readonly AdminChoice[] = [
  { value: 'queued', label: 'Queued', tone: 'info' },
  { value: 'sending', label: 'Being sent', tone: 'info' },
  { value: 'sent', label: 'Sent', tone: 'open' },
  { value: 'failed', label: 'Failed', tone: 'danger' },
  { value: 'expired', label: 'Expired', tone: 'neutral' },
]

const hasTwoFactor = 'EXISTS (SELECT 1 FROM two_factor f WHERE f.user_id = t.id)'

/** Everybody who can sign in. No hash, key or token of theirs is ever read here. */
export const usersTable: AdminTable = {
  name: 'users',
  label: 'User',
  labels: 'Users',
  area,
  about: 'People who can log in. Superusers may do everything here.',
  table: 'user',
  title: 't.username',
  join: 'LEFT JOIN discord_user d ON d.user_id = t.id AND d.unlinked_at IS NULL',
  columns: [
    { name: 'username', label: 'Username', sort: 'lower(t.username)' },
    { name: 'email', label: 'Email address' },
    { name: 'is_verified', label: 'Verified', kind: 'boolean', sql: '(t.email_verified_at IS NOT NULL)' },
    { name: 'discord', label: 'Discord', sql: 'd.display_name', link: { table: 'chat-users', key: 'd.id' } },
    { name: 'is_superuser', label: 'Superuser', kind: 'boolean' },
    { name: 'is_active', label: 'Enabled', kind: 'boolean' },
    { name: 'created_at', label: 'Added', kind: 'moment' },
    { name: 'last_sign_in_at', label: 'Last log-in', kind: 'moment' },
    {
      name: 'has_two_factor',
      label: 'Two-factor',
      kind: 'boolean',
      sql: hasTwoFactor,
      isHidden: true,
    },
  ],
  search: {
    label: 'Username or email address',
    contains: ['t.username', "(SELECT group_concat(e.address, ' ') FROM email_address e WHERE e.user_id = t.id)"],
    begins: ['lower(t.username)', 'lower(t.email)'],
  },
  filters: [
    {
      name: 'who',
      label: 'Who',
      kind: 'choice',
      isIndexed: true,
      choices: [
        { value: 'superusers', label: 'Superusers', where: 't.is_superuser' },
        { value: 'disabled', label: 'Disabled', where: 'NOT t.is_active' },
      ],
    },
    {
      name: 'has',
      label: 'With',
      kind: 'choice',
      choices: [
        {
          value: 'discord',
          label: 'A Discord account',
          where: 'EXISTS (SELECT 1 FROM discord_user d WHERE d.user_id = t.id AND d.unlinked_at IS NULL)',
        },
        {
          value: 'two_factor',
          label: 'Two-factor log-in',
          where: hasTwoFactor,
        },
        { value: 'unverified', label: 'No verified address', where: 't.email_verified_at IS NULL' },
        { value: 'no_password', label: 'No password', where: 't.password_hash IS NULL' },
      ],
    },
    { name: 'created_at', label: 'Added', kind: 'moment' },
    { name: 'last_sign_in_at', label: 'Last log-in', kind: 'moment' },
  ],
  fields: [
    {
      name: 'username',
      label: 'Username',
      kind: 'text',
      isRequired: true,
      maximum: 150,
      check: checkUsername,
      help: 'Upper and lower case are the same name.',
    },
    { name: 'is_superuser', label: 'Superuser', kind: 'boolean', help: 'May do everything, here and elsewhere.' },
    {
      name: 'is_active',
      label: 'Enabled',
      kind: 'boolean',
      initial: 1,
      help: 'Whoever is disabled is logged out at once and cannot log in.',
    },
    ...shownOnly([
      {
        name: 'has_password',
        label: 'Password set',
        kind: 'boolean',
        sql: '(t.password_hash IS NOT NULL)',
      },
      {
        name: 'has_two_factor',
        label: 'Two-factor log-in',
        kind: 'boolean',
        sql: hasTwoFactor,
      },
      { name: 'created_at', label: 'Added', kind: 'moment' },
      { name: 'last_sign_in_at', label: 'Last log-in', kind: 'moment' },
    ]),
  ],
  inlines: [
    {
      name: addressesInline,
      label: 'Email address',
      labels: 'Email addresses',
      table: 'email_address',
      parent: 'user_id',
      fields: [
        {
          name: 'address',
          label: 'Address',
          kind: 'text',
          isRequired: true,
          maximum: 254,
          readOnly: 'after_adding',
          help: 'A new user is mailed a link there to choose a password.',
        },
        {
          name: 'is_verified',
          label: 'Verified',
          kind: 'boolean',
          sql: '(t.verified_at IS NOT NULL)',
          help: 'You vouch that it is theirs. Otherwise they are asked to confirm it.',
        },
        { name: 'is_primary', label: 'Primary', kind: 'boolean' },
        { name: 'verified_at', label: 'Verified at', kind: 'moment', readOnly: 'always' },
      ],
    },
  ],
  panels: [
    {
      heading: 'Discord account',
      sql: `SELECT d.display_name, d.username, d.discord_id, d.role, h.name AS school, d.is_disabled, d.last_login_at
        FROM discord_user d LEFT JOIN school h ON h.id = d.school_id WHERE d.user_id = ?1 AND d.unlinked_at IS NULL LIMIT 1`,
      columns: [
        { name: 'display_name', label: 'Name' },
        { name: 'username', label: 'Username' },
        { name: 'discord_id', label: 'Discord ID' },
        { name: 'role', label: 'Role' },
        { name: 'school', label: 'School' },
        { name: 'is_disabled', label: 'Disabled', kind: 'boolean' },
        { name: 'last_login_at', label: 'Last log-in', kind: 'moment' },
      ],
      empty: 'None.',
    },
    {
      heading: 'Two-factor log-in',
      sql: `SELECT f.activated_at, (SELECT count(*) FROM recovery_code r WHERE r.user_id = f.user_id AND r.used_at IS NULL) AS codes
        FROM two_factor f WHERE f.user_id = ?1 LIMIT 1`,
      columns: [
        { name: 'activated_at', label: 'Since', kind: 'moment' },
        { name: 'codes', label: 'Recovery codes left', kind: 'number' },
      ],
      empty: 'Not set up.',
    },
    {
      heading: 'Sessions',
      sql: `SELECT created_at, coalesce(last_used_at, created_at) AS last_used_at, expires_at, ip_address, country, user_agent
        FROM session WHERE user_id = ?1 AND expires_at > unixepoch('subsec') * 1000 ORDER BY last_used_at DESC LIMIT 50`,
      columns: [
        { name: 'created_at', label: 'Since', kind: 'moment' },
        { name: 'last_used_at', label: 'Last used', kind: 'moment' },
        { name: 'expires_at', label: 'Until', kind: 'moment' },
        { name: 'ip_address', label: 'Address' },
        { name: 'country', label: 'Country' },
        { name: 'user_agent', label: 'Browser' },
      ],
      empty: 'Logged in nowhere.',
    },
    {
      heading: 'Mails',
      sql: `SELECT kind, address, state, created_at, sent_at, last_error FROM mail WHERE user_id = ?1 ORDER BY id DESC LIMIT 20`,
      columns: [
        { name: 'kind', label: 'About' },
        { name: 'address', label: 'To' },
        { name: 'state', label: 'State', kind: 'choice', choices: mailStates },
        { name: 'created_at', label: 'Made', kind: 'moment' },
        { name: 'sent_at', label: 'Sent', kind: 'moment' },
        { name: 'last_error', label: 'Last error' },
      ],
      empty: 'None lately.',
    },
  ],
  goesWith: [
    { label: 'email addresses', from: 'email_address e', key: 'e.user_id', title: 'e.address' },
    { label: 'sessions', from: 'session s', key: 's.user_id', title: "coalesce(s.user_agent, 'A browser')" },
    {
      label: 'two-factor log-ins',
      from: 'two_factor f',
      key: 'f.user_id',
      title: "'Authenticator app and recovery codes'",
    },
    { label: 'Discord accounts', from: 'discord_user d', key: 'd.user_id', title: 'd.display_name' },
    {
      label: 'invites',
      from: 'discord_user d CROSS JOIN invite i ON i.submitter_id = d.id',
      key: 'd.user_id',
      title: "'discord.gg/' || i.code",
      fate: 'kept, without who submitted them',
    },
    {
      label: 'referrals',
      from: 'discord_user d CROSS JOIN referral r ON r.owner_id = d.id',
      key: 'd.user_id',
      title: "r.num_uses || ' uses'",
      fate: 'deleted, with the record of who came by them',
    },
    {
      label: 'reports of servers',
      from: 'discord_user d CROSS JOIN server_report p ON p.reporter_id = d.id',
      key: 'd.user_id',
      title: 'p.reason',
    },
    {
      label: 'notices',
      from: 'discord_user d CROSS JOIN notice n ON n.discord_user_id = d.id',
      key: 'd.user_id',
      title: 'n.title',
    },
  ],
  actions: [
    {
      name: 'make_superuser',
      label: 'Make superuser',
      run: makeSuperusers,
      isGuarded: true,
      confirm: 'They may then do everything.',
    },
    {
      name: 'unmake_superuser',
      label: 'Take superuser rights',
      run: unmakeSuperusers,
      isGuarded: true,
      isDangerous: true,
      confirm: 'They lose this admin, the class tracker and the scheduler at once.',
    },
    { name: 'enable', label: 'Enable', run: enableUsers, isGuarded: true },
    {
      name: 'disable',
      label: 'Disable',
      run: disableUsers,
      isGuarded: true,
      isDangerous: true,
      confirm: 'They are logged out everywhere at once and cannot log in again.',
    },
    { name: 'end_sessions', label: 'End all sessions', run: endSessions },
    { name: 'verify', label: 'Verify the primary address', run: verifyAddresses, isGuarded: true },
    { name: 'mail_link', label: 'Mail a password link', run: mailPasswordLinks, isGuarded: true },
  ],
  guard: {
    isWhole: true,
    fields: ['username', 'is_superuser', 'is_active', addressesInline],
    users: 'SELECT CAST(value AS text) AS row_key, value AS user_id FROM json_each(?1)',
  },
  refuse: refuseUser,
  save: saveUser,
  remove: removeUser,
  explain: explainUser,
}
