import { sql } from 'drizzle-orm'
import {
  discordUser,
  emailAddress,
  invite,
  inviteDecision,
  mail,
  notice,
  recoveryCode,
  referral,
  school,
  serverReport,
  session,
  twoFactor,
  user,
} from '../../db/schema/index.ts'
import { countColumn, shownOnly } from '../../web/admin-fields.ts'
import type { AdminChoice, AdminTable } from '../../web/admin-table.ts'
import { checkUsername, explainUser, refuseUser, removeUser, saveUser } from './save-user.ts'
import {
  disableUsers,
  enableUsers,
  endSessions,
  mailPasswordLinks,
  makeSuperusers,
  turnOffTwoFactor,
  unmakeSuperusers,
  addressesToVerify,
  verifyAddresses,
} from './user-actions.ts'
import { addressesInline } from './user-addresses.ts'

const mailStates: readonly AdminChoice[] = [
  { value: 'queued', label: 'Queued', tone: 'info' },
  { value: 'sending', label: 'Sending', tone: 'info' },
  { value: 'sent', label: 'Sent', tone: 'done' },
  { value: 'failed', label: 'Failed', tone: 'danger' },
  { value: 'expired', label: 'Expired', tone: 'neutral' },
]

const isLinked = sql`${discordUser.userId} = ${user.id} AND ${discordUser.unlinkedAt} IS NULL`
const hasTwoFactor = sql`EXISTS (SELECT 1 FROM ${twoFactor} WHERE ${twoFactor.userId} = ${user.id})`

/** Everyone who can log in. Their hashes, keys and tokens are never read here. */
export const usersTable: AdminTable<typeof user> = {
  name: 'users',
  label: 'User',
  about: 'People who can log in. Superusers have full access.',
  table: user,
  title: user.username,
  joins: [sql`LEFT JOIN ${discordUser} ON ${isLinked}`],
  columns: [
    { column: user.username, isSortable: true },
    { column: user.email, label: 'Email address' },
    { name: 'is_verified', kind: 'boolean', sql: sql`(${user.emailVerifiedAt} IS NOT NULL)` },
    { name: 'discord', column: discordUser.displayName, link: discordUser },
    user.isSuperuser,
    user.isActive,
    user.createdAt,
    user.lastLoginAt,
    { name: 'has_two_factor', label: 'Two-factor', kind: 'boolean', sql: hasTwoFactor, isHidden: true },
  ],
  search: {
    label: 'Username or email address',
    contains: [
      user.username,
      sql`(SELECT group_concat(${emailAddress.address}, ' ') FROM ${emailAddress} WHERE ${emailAddress.userId} = ${user.id})`,
    ],
    begins: [sql`lower(${user.email})`],
  },
  filters: [
    {
      name: 'who',
      choices: [
        { value: 'superusers', label: 'Superusers', where: sql`${user.isSuperuser}` },
        { value: 'disabled', label: 'Disabled', where: sql`NOT ${user.isActive}` },
      ],
    },
    {
      name: 'has',
      label: 'With',
      choices: [
        {
          value: 'discord',
          label: 'A Discord account',
          where: sql`EXISTS (SELECT 1 FROM ${discordUser} WHERE ${isLinked})`,
        },
        { value: 'two_factor', label: 'Two-factor login', where: hasTwoFactor },
        { value: 'unverified', label: 'No verified address', where: sql`${user.emailVerifiedAt} IS NULL` },
        { value: 'no_password', label: 'No password', where: sql`${user.passwordHash} IS NULL` },
      ],
    },
    user.createdAt,
    user.lastLoginAt,
  ],
  fields: [
    { column: user.username, maximum: 150, check: checkUsername, help: 'Not case-sensitive.' },
    { column: user.isSuperuser, help: 'Full access, here and across the site.' },
    { column: user.isActive, label: 'Enabled', help: 'A disabled user is logged out immediately and cannot log in.' },
    ...shownOnly([
      { name: 'has_password', label: 'Password set', kind: 'boolean', sql: sql`(${user.passwordHash} IS NOT NULL)` },
      { name: 'has_two_factor', label: 'Two-factor login', kind: 'boolean', sql: hasTwoFactor },
      { column: user.createdAt, label: 'Added' },
      { column: user.lastLoginAt, label: 'Last login' },
    ]),
  ],
  inlines: [
    {
      name: addressesInline,
      label: 'Email address',
      labels: 'Email addresses',
      table: emailAddress,
      fields: [
        {
          column: emailAddress.address,
          maximum: 254,
          readOnly: 'after_adding',
          help: 'A new user is emailed a link to choose a password.',
        },
        {
          name: 'is_verified',
          kind: 'boolean',
          sql: sql`(${emailAddress.verifiedAt} IS NOT NULL)`,
          help: 'Select if you know this address is theirs. Otherwise they are asked to confirm it.',
        },
        emailAddress.isPrimary,
        { column: emailAddress.verifiedAt, label: 'Verified at', readOnly: 'always' },
      ],
    },
  ],
  panels: [
    {
      heading: 'Discord account',
      columns: [
        { column: discordUser.displayName, label: 'Name' },
        discordUser.username,
        { column: discordUser.discordId, label: 'Discord ID' },
        discordUser.role,
        { name: 'school', column: school.name },
        discordUser.isDisabled,
        discordUser.lastLoginAt,
      ],
      rows: (columns, id) => sql`SELECT ${columns} FROM ${discordUser}
        LEFT JOIN ${school} ON ${school.id} = ${discordUser.schoolId}
        WHERE ${discordUser.userId} = ${id} AND ${discordUser.unlinkedAt} IS NULL LIMIT 1`,
      empty: 'None.',
    },
    {
      heading: 'Two-factor login',
      columns: [
        { column: twoFactor.activatedAt, label: 'Since' },
        {
          ...countColumn(
            'codes',
            sql`${recoveryCode}
            WHERE ${recoveryCode.userId} = ${twoFactor.userId} AND ${recoveryCode.usedAt} IS NULL`,
          ),
          label: 'Recovery codes left',
        },
      ],
      rows: (columns, id) => sql`SELECT ${columns} FROM ${twoFactor} WHERE ${twoFactor.userId} = ${id} LIMIT 1`,
      empty: 'Not set up.',
    },
    {
      heading: 'Sessions',
      columns: [
        { column: session.createdAt, label: 'Since' },
        { column: session.lastUsedAt, sql: sql`coalesce(${session.lastUsedAt}, ${session.createdAt})` },
        session.expiresAt,
        { column: session.ipAddress, label: 'Address' },
        session.country,
        { column: session.userAgent, label: 'Browser' },
      ],
      rows: (columns, id) => sql`SELECT ${columns} FROM ${session}
        WHERE ${session.userId} = ${id} AND ${session.expiresAt} > unixepoch('subsec') * 1000
        ORDER BY coalesce(${session.lastUsedAt}, ${session.createdAt}) DESC LIMIT 50`,
      empty: 'No active sessions.',
    },
    {
      heading: 'Emails',
      columns: [
        { column: mail.kind, label: 'About' },
        { column: mail.address, label: 'To' },
        { column: mail.state, choices: mailStates },
        mail.createdAt,
        mail.sentAt,
        mail.lastError,
      ],
      rows: (columns, id) =>
        sql`SELECT ${columns} FROM ${mail} WHERE ${mail.userId} = ${id} ORDER BY ${mail.id} DESC LIMIT 20`,
      empty: 'None recently.',
    },
  ],
  cascades: [
    { label: 'email addresses', through: [emailAddress.userId], title: emailAddress.address },
    { label: 'sessions', through: [session.userId], title: sql`coalesce(${session.userAgent}, 'A browser')` },
    {
      label: 'two-factor logins',
      through: [twoFactor.userId],
      title: sql`'Authenticator app and recovery codes'`,
    },
    { label: 'Discord accounts', through: [discordUser.userId], title: discordUser.displayName },
    {
      through: [discordUser.userId, invite.submitterId],
      title: sql`'discord.gg/' || ${invite.code}`,
      effect: 'kept, without the submitter',
    },
    {
      through: [discordUser.userId, referral.ownerId],
      title: sql`${referral.numUses} || ' uses'`,
      effect: 'deleted, along with their redemptions',
    },
    {
      label: 'decisions on invites',
      through: [discordUser.userId, inviteDecision.decidedBy],
      joins: [inviteDecision.inviteId],
      title: sql`${inviteDecision.decision} || ': discord.gg/' || ${invite.code}`,
      effect: 'kept, without the reviewer',
    },
    { label: 'reports of servers', through: [discordUser.userId, serverReport.reporterId], title: serverReport.reason },
    {
      label: 'reports they handled',
      through: [discordUser.userId, serverReport.handledBy],
      title: serverReport.reason,
      effect: 'kept, without who handled it',
    },
    { through: [discordUser.userId, notice.discordUserId], title: notice.title },
  ],
  actions: [
    {
      name: 'make_superuser',
      run: makeSuperusers,
      isGuarded: true,
      confirm: 'This gives them full access.',
    },
    {
      name: 'unmake_superuser',
      label: 'Remove superuser rights',
      run: unmakeSuperusers,
      isGuarded: true,
      isDangerous: true,
      confirm: 'They immediately lose access to the admin, class tracker and scheduler.',
    },
    { name: 'enable', run: enableUsers, isGuarded: true },
    {
      name: 'disable',
      run: disableUsers,
      isGuarded: true,
      isDangerous: true,
      confirm: 'They are logged out everywhere immediately and cannot log in again.',
    },
    { name: 'end_sessions', label: 'End all sessions', run: endSessions },
    {
      name: 'verify',
      label: 'Verify primary address',
      run: verifyAddresses,
      isGuarded: true,
      warnings: addressesToVerify,
    },
    { name: 'mail_link', label: 'Email a password link', run: mailPasswordLinks, isGuarded: true },
    {
      name: 'turn_off_two_factor',
      label: 'Turn off two-factor authentication',
      run: turnOffTwoFactor,
      isGuarded: true,
      isDangerous: true,
      confirm: 'Logging in no longer asks them for a code. Make sure that you are talking to the person.',
    },
  ],
  guard: {
    isWhole: true,
    fields: ['username', 'is_superuser', 'is_active', addressesInline],
    users: (keys) => sql`SELECT CAST(value AS text) AS row_key, value AS user_id FROM json_each(${keys})`,
  },
  refuse: refuseUser,
  save: saveUser,
  remove: removeUser,
  explain: explainUser,
}
