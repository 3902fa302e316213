import { insist } from '../../db/insist.ts'
import { belongsTo, discordId, shownOnly } from '../../web/admin-fields.ts'
import type { AdminChange, AdminChoice, AdminPlan, AdminRemoval, AdminTable } from '../../web/admin-table.ts'
import { endTokens } from '../discord/sealed-tokens.ts'
import { area } from './users.ts'

const roles: readonly AdminChoice[] = [
  { value: 'regular', label: 'Regular user', tone: 'neutral' },
  { value: 'manager', label: 'Manager', tone: 'info' },
]

/** Discord accounts that people came with. Their tokens are never read here but to end them. */
export const chatUsersTable: AdminTable = {
  name: 'chat-users',
  label: 'Chat user',
  labels: 'Chat users',
  area,
  about:
    'Discord accounts, linked by their owners when they log in, or here. Managers review the directory; a disabled one is as good as none. One that was disconnected stays, with who had it last.',
  table: 'discord_user',
  title: "t.display_name || ' (' || t.username || ')'",
  join: 'LEFT JOIN user u ON u.id = t.user_id LEFT JOIN school h ON h.id = t.school_id',
  columns: [
    { name: 'display_name', label: 'Name', sort: 'lower(t.display_name)' },
    { name: 'username', label: 'Discord username', sort: 'lower(t.username)' },
    { name: 'user', label: 'User', sql: 'u.username', link: { table: 'users', key: 'u.id' } },
    { name: 'role', label: 'Role', kind: 'choice', choices: roles },
    { name: 'school', label: 'School', sql: 'h.name', link: { table: 'schools', key: 'h.id' } },
    { name: 'is_disabled', label: 'Disabled', kind: 'boolean' },
    { name: 'login_count', label: 'Log-ins', kind: 'number' },
    { name: 'last_login_at', label: 'Last log-in', kind: 'moment' },
    { name: 'unlinked_at', label: 'Disconnected', kind: 'moment', isHidden: true },
    { name: 'discord_id', label: 'Discord ID', isHidden: true },
  ],
  search: {
    label: 'Name, Discord username or ID',
    contains: ['t.display_name', 't.username', 't.discord_id'],
    begins: ['lower(t.username)', 'lower(t.display_name)', 't.discord_id'],
  },
  filters: [
    {
      name: 'who',
      label: 'Who',
      kind: 'choice',
      isIndexed: true,
      choices: [
        { value: 'managers', label: 'Managers', where: "t.role = 'manager'" },
        { value: 'disabled', label: 'Disabled', where: 't.is_disabled' },
      ],
    },
    { name: 'school_id', label: 'School', kind: 'reference', to: 'schools', isIndexed: true },
    { name: 'is_verified', label: 'Address verified at Discord', kind: 'boolean' },
    { name: 'last_login_at', label: 'Last log-in', kind: 'moment' },
  ],
  fields: [
    belongsTo('user_id', 'User', 'users'),
    {
      name: 'display_name',
      label: 'Name',
      kind: 'text',
      isRequired: true,
      maximum: 100,
      readOnly: 'after_adding',
      help: 'As Discord said it last; each log-in brings it up to date.',
    },
    {
      name: 'username',
      label: 'Discord username',
      kind: 'text',
      isRequired: true,
      maximum: 100,
      readOnly: 'after_adding',
    },
    discordId('discord_id', 'Whoever has this account at Discord can log in as the user.'),
    { name: 'role', label: 'Role', kind: 'choice', choices: roles, isRequired: true },
    {
      name: 'is_disabled',
      label: 'Disabled',
      kind: 'boolean',
      help: 'Cannot log in through Discord, and has no part in the directory.',
    },
    {
      name: 'school_id',
      label: 'School',
      kind: 'reference',
      to: 'schools',
      help: 'Without one they choose it themselves.',
    },
    ...shownOnly([
      {
        name: 'chosen_at',
        label: 'Chose the school',
        kind: 'moment',
        sql: '(SELECT c.chosen_at FROM school_choice c WHERE c.discord_user_id = t.id)',
      },
      { name: 'is_verified', label: 'Address verified at Discord', kind: 'boolean' },
      { name: 'login_count', label: 'Log-ins', kind: 'integer' },
      { name: 'first_login_at', label: 'First log-in', kind: 'moment' },
      { name: 'last_login_at', label: 'Last log-in', kind: 'moment' },
      { name: 'unlinked_at', label: 'Disconnected', kind: 'moment', help: 'Empty while it is linked to the user.' },
    ]),
  ],
  related: [
    { label: 'Invites', table: 'invites', filter: 'submitter_id' },
    { label: 'Referrals', table: 'referrals', filter: 'owner_id' },
    { label: 'Reports', table: 'server-reports', filter: 'reporter_id' },
    { label: 'Notices', table: 'notices', filter: 'discord_user_id' },
  ],
  goesWith: [
    {
      label: 'referrals',
      from: 'referral r',
      key: 'r.owner_id',
      title: "r.num_uses || ' uses'",
      fate: 'deleted, with the record of who came by them',
    },
    {
      label: 'invites',
      from: 'invite i',
      key: 'i.submitter_id',
      title: "'discord.gg/' || i.code",
      fate: 'kept, without who submitted them',
    },
    {
      label: 'decisions on invites',
      from: 'invite_decision x JOIN invite i ON i.id = x.invite_id',
      key: 'x.decided_by',
      title: "x.decision || ': discord.gg/' || i.code",
      fate: 'kept, without who decided',
    },
    { label: 'reports of servers', from: 'server_report p', key: 'p.reporter_id', title: 'p.reason' },
    { label: 'notices', from: 'notice n', key: 'n.discord_user_id', title: 'n.title' },
  ],
  actions: [
    { name: 'make_manager', label: 'Make manager', set: { role: 'manager' }, isGuarded: true },
    { name: 'make_regular', label: 'Make regular user', set: { role: 'regular' }, isGuarded: true },
    { name: 'enable', label: 'Enable', set: { is_disabled: 0 }, isGuarded: true },
    {
      name: 'disable',
      label: 'Disable',
      set: { is_disabled: 1 },
      isGuarded: true,
      isDangerous: true,
      confirm: 'They can no longer log in through Discord, and have no part in the directory.',
    },
  ],
  guard: {
    isWhole: true,
    fields: ['user_id', 'discord_id', 'role', 'is_disabled'],
    users: `SELECT CAST(id AS text) AS row_key, user_id FROM discord_user
      WHERE unlinked_at IS NULL AND id IN (SELECT value FROM json_each(?1))`,
    userField: 'user_id',
  },
  save: saveChatUser,
  remove: removeChatUser,
}

/** As choosing a school has it: only one with subjects. The person's own next choice stays as free as it was. */
async function saveChatUser({ DB }: Env, { key, before, values, now }: AdminChange): Promise<AdminPlan> {
  const { role = 'regular', is_disabled = 0, school_id = null } = values
  const isMoved = school_id !== null && school_id !== before?.['school_id']
  if (isMoved && !(await DB.prepare('SELECT 1 FROM subject WHERE school_id = ? LIMIT 1').bind(school_id).first())) {
    return { faults: [{ field: 'school_id', message: 'Select a valid choice.' }] }
  }
  if (key === null) {
    // The log-ins are yet to come: until then their moments are that of the link.
    const added = DB.prepare(
      `INSERT INTO discord_user (user_id, discord_id, username, discriminator, display_name, is_verified, role, is_disabled,
         school_id, login_count, first_login_at, last_login_at) VALUES (?1, ?2, ?3, '0', ?4, 0, ?5, ?6, ?7, 0, ?8, ?8)`,
    ).bind(
      values['user_id'] ?? null,
      values['discord_id'] ?? '',
      values['username'] ?? '',
      values['display_name'] ?? '',
      role,
      is_disabled,
      school_id,
      now,
    )
    return { statements: [added] }
  }
  return {
    statements: [
      DB.prepare('UPDATE discord_user SET role = ?, is_disabled = ?, school_id = ? WHERE id = ?').bind(
        role,
        is_disabled,
        school_id,
        key,
      ),
    ],
  }
}

/** Never the last way in, as when somebody disconnects it: the batch itself looks for a password and a verified address. One that is disconnected already is no way in. */
async function removeChatUser(env: Env, { key }: AdminRemoval): Promise<AdminPlan> {
  const found = await env.DB.prepare('SELECT discord_id, sealed_tokens FROM discord_user WHERE id = ?')
    .bind(key)
    .first<{ discord_id: string; sealed_tokens: string | null }>()
  return {
    statements: [
      insist(
        env.DB,
        `NOT EXISTS (SELECT 1 FROM discord_user d JOIN user u ON u.id = d.user_id
          WHERE d.id = ? AND d.unlinked_at IS NULL AND u.password_hash IS NULL)`,
        [key],
        'The account has no password set up, so nobody could log in to it any more. Delete the user instead.',
      ),
      insist(
        env.DB,
        `NOT EXISTS (SELECT 1 FROM discord_user d WHERE d.id = ? AND d.unlinked_at IS NULL
          AND NOT EXISTS (SELECT 1 FROM email_address e WHERE e.user_id = d.user_id AND e.verified_at IS NOT NULL))`,
        [key],
        'The account has no verified email address, so nobody could log in to it any more. Delete the user instead.',
      ),
      env.DB.prepare('DELETE FROM discord_user WHERE id = ?').bind(key),
    ],
    ...(found && { afterwards: () => endTokens(env, found.discord_id, found.sealed_tokens) }),
  }
}
