import { eq, sql } from 'drizzle-orm'
import { query, readFirst, refuseUnless } from '../../db/query.ts'
import {
  discordUser,
  invite,
  inviteDecision,
  notice,
  referral,
  school,
  schoolChoice,
  serverReport,
  subject,
  user,
} from '../../db/schema/index.ts'
import type { AdminChange, AdminPlan, AdminRemoval } from '../../web/admin-change.ts'
import { belongsTo, columnsOf, discordId, shownOnly } from '../../web/admin-fields.ts'
import type { AdminChoice, AdminTable } from '../../web/admin-table.ts'
import { endTokens, sealedTokensWhere } from '../discord/sealed-tokens.ts'
import { userHasVerified } from '../email/address-conditions.ts'
import { isIn } from '../../db/json-argument.ts'

const roles: readonly AdminChoice[] = [
  { value: 'regular', label: 'Regular user', tone: 'neutral' },
  { value: 'manager', label: 'Manager', tone: 'info' },
]

/** Discord accounts that people logged in with. Their tokens are read here only to revoke them. */
export const discordUsersTable: AdminTable<typeof discordUser> = {
  name: 'chat-users',
  label: 'Chat user',
  about:
    'Discord accounts linked at login or here. Managers review invites. A disabled account has no access. A disconnected account stays on record with its last owner.',
  table: discordUser,
  title: sql`${discordUser.displayName} || ' (' || ${discordUser.username} || ')'`,
  joins: [discordUser.userId, discordUser.schoolId],
  columns: [
    { column: discordUser.displayName, isSortable: true },
    { column: discordUser.username, isSortable: true },
    { name: 'user', column: user.username, link: user },
    discordUser.role,
    { name: 'school', column: school.name, link: school },
    discordUser.isDisabled,
    discordUser.loginCount,
    discordUser.lastLoginAt,
    { column: discordUser.unlinkedAt, isHidden: true },
    { column: discordUser.discordId, isHidden: true },
  ],
  search: {
    label: 'Name, Discord username or ID',
    contains: [discordUser.displayName, discordUser.username, discordUser.discordId],
    begins: [discordUser.discordId],
  },
  filters: [
    {
      name: 'who',
      choices: [
        { value: 'managers', label: 'Managers', where: sql`${discordUser.role} = 'manager'` },
        { value: 'disabled', label: 'Disabled', where: sql`${discordUser.isDisabled}` },
      ],
    },
    discordUser.schoolId,
    discordUser.isVerified,
    discordUser.lastLoginAt,
  ],
  fields: [
    belongsTo(discordUser.userId),
    {
      column: discordUser.displayName,
      label: 'Name',
      maximum: 100,
      readOnly: 'kept_fresh',
      help: 'From Discord; updated at each login.',
    },
    { column: discordUser.username, label: 'Discord username', maximum: 100, readOnly: 'kept_fresh' },
    discordId(discordUser.discordId, 'The owner of this Discord account can log in as the user.'),
    { column: discordUser.role, choices: roles, initial: null },
    { column: discordUser.isDisabled, help: 'Cannot log in with Discord or use the directory.' },
    { column: discordUser.schoolId, help: 'Leave empty to let them choose.' },
    ...shownOnly([
      {
        column: schoolChoice.chosenAt,
        label: 'School chosen',
        sql: sql`(SELECT ${schoolChoice.chosenAt} FROM ${schoolChoice}
          WHERE ${schoolChoice.discordUserId} = ${discordUser.id})`,
      },
      { column: discordUser.isVerified, label: 'Email verified by Discord' },
      { column: discordUser.loginCount, label: 'Logins' },
      discordUser.firstLoginAt,
      discordUser.lastLoginAt,
      { column: discordUser.unlinkedAt, label: 'Disconnected', help: 'Empty while it is linked to the user.' },
    ]),
  ],
  related: [invite.submitterId, referral.ownerId, serverReport.reporterId, notice.discordUserId],
  cascades: [
    {
      through: [referral.ownerId],
      title: sql`${referral.numUses} || ' uses'`,
      effect: 'deleted, along with their redemptions',
    },
    {
      through: [invite.submitterId],
      title: sql`'discord.gg/' || ${invite.code}`,
      effect: 'kept, without the submitter',
    },
    {
      label: 'decisions on invites',
      through: [inviteDecision.decidedBy],
      joins: [inviteDecision.inviteId],
      title: sql`${inviteDecision.decision} || ': discord.gg/' || ${invite.code}`,
      effect: 'kept, without the reviewer',
    },
    { label: 'reports of servers', through: [serverReport.reporterId], title: serverReport.reason },
    {
      label: 'reports they handled',
      through: [serverReport.handledBy],
      title: serverReport.reason,
      effect: 'kept, without who handled it',
    },
    { through: [notice.discordUserId], title: notice.title },
  ],
  actions: [
    { name: 'make_manager', set: { role: 'manager' }, isGuarded: true },
    { name: 'make_regular', label: 'Make regular user', set: { role: 'regular' }, isGuarded: true },
    { name: 'enable', set: { isDisabled: false }, isGuarded: true },
    {
      name: 'disable',
      set: { isDisabled: true },
      isGuarded: true,
      isDangerous: true,
      confirm: 'They can no longer log in with Discord or use the directory.',
    },
  ],
  guard: {
    isWhole: true,
    fields: ['user_id', 'discord_id', 'role', 'is_disabled'],
    users: (
      keys,
    ) => sql`SELECT CAST(${discordUser.id} AS text) AS row_key, ${discordUser.userId} AS user_id FROM ${discordUser}
      WHERE ${discordUser.unlinkedAt} IS NULL AND ${isIn(discordUser.id, keys)}`,
    userField: 'user_id',
  },
  save: saveDiscordUser,
  remove: removeDiscordUser,
}

/** Only a school with subjects can be chosen, as on the page. The person's own next choice is not delayed. */
async function saveDiscordUser({ DB }: Env, { key, before, values, now }: AdminChange): Promise<AdminPlan> {
  const schoolId = values['school_id'] ?? null
  if (schoolId !== null && schoolId !== before?.['school_id']) {
    const subjects = query
      .select({ id: subject.id })
      .from(subject)
      .where(eq(subject.schoolId, Number(schoolId)))
    if (!(await readFirst(DB, subjects.limit(1))))
      return { errors: [{ field: 'school_id', message: 'Select a valid choice.' }] }
  }
  const decided = columnsOf(discordUser, values, 'role', 'isDisabled', 'schoolId')
  const id = Number(key)
  if (key !== null) return { statements: [query.update(discordUser).set(decided).where(eq(discordUser.id, id))] }
  const added = query.insert(discordUser).values({
    ...columnsOf(discordUser, values, 'userId', 'discordId', 'username', 'displayName'),
    ...decided,
    discriminator: '0',
    isVerified: false,
    loginCount: 0,
    // No one has logged in yet, so the login times start as the time of the link.
    firstLoginAt: now,
    lastLoginAt: now,
  })
  return { statements: [added] }
}

/**
 * Refuses to delete the only way to log in, as when a user disconnects it: the batch itself checks for a password and a
 * verified address. An account that is already disconnected can always be deleted.
 */
async function removeDiscordUser(env: Env, { key }: AdminRemoval): Promise<AdminPlan> {
  const hasKey = sql`${discordUser.id} = ${key}`
  const tokens = await readFirst(env.DB, sealedTokensWhere(hasKey))
  const isLinked = sql`${hasKey} AND ${discordUser.unlinkedAt} IS NULL`
  return {
    statements: [
      refuseUnless(
        sql`NOT EXISTS (SELECT 1 FROM ${discordUser} JOIN ${user} ON ${user.id} = ${discordUser.userId}
          WHERE ${isLinked} AND ${user.passwordHash} IS NULL)`,
        'The account has no password set up, so no one could log in to it anymore. Delete the user instead.',
      ),
      refuseUnless(
        sql`NOT EXISTS (SELECT 1 FROM ${discordUser} WHERE ${isLinked} AND NOT ${userHasVerified(discordUser.userId)})`,
        'The account has no verified email address, so no one could log in to it anymore. Delete the user instead.',
      ),
      query.delete(discordUser).where(hasKey),
    ],
    ...(tokens && { afterwards: () => endTokens(env, tokens) }),
  }
}
