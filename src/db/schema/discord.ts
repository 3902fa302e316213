import { sql } from 'drizzle-orm'
import { check, index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { deletedWith } from './deleted-with.ts'
import { school } from './schools.ts'
import { user } from './users.ts'
import { lastingId } from './new-id.ts'

/**
 * A Discord account, kept for good: disconnecting it only sets `unlinked_at`, so that a ban, limits and history outlive
 * it. A user has at most one linked; `user_id` of an unlinked one is the last user who had it. `sealed_tokens` is
 * encrypted; `role` is regular or manager.
 */
export const discordUser = sqliteTable(
  'discord_user',
  {
    id: lastingId('discord_user'),
    userId: deletedWith(() => user.id),
    discordId: text().notNull().unique(),
    username: text().notNull(),
    discriminator: text().notNull(),
    displayName: text().notNull(),
    avatar: text(),
    isVerified: integer({ mode: 'boolean' }).notNull(),
    role: text({ enum: ['regular', 'manager'] })
      .notNull()
      .default('regular'),
    schoolId: integer().references(() => school.id, { onDelete: 'set null' }),
    isDisabled: integer({ mode: 'boolean' }).notNull().default(false),
    loginCount: integer().notNull(),
    firstLoginAt: integer().notNull(),
    lastLoginAt: integer().notNull(),
    sealedTokens: text(),
    tokensExpireAt: integer(),
    unlinkedAt: integer(),
  },
  (table) => [
    uniqueIndex('discord_user_linked')
      .on(table.userId)
      .where(sql`unlinked_at IS NULL`),
    index('discord_user_user').on(table.userId),
    index('discord_user_school').on(table.schoolId),
    index('discord_user_username').on(sql`lower(${table.username})`),
    index('discord_user_display_name').on(sql`lower(${table.displayName})`),
    index('discord_user_manager')
      .on(table.id)
      .where(sql`role = 'manager'`),
    index('discord_user_disabled')
      .on(table.id)
      .where(sql`is_disabled`),
    check('discord_user_role', sql`role IN ('regular', 'manager')`),
  ],
)

export const schoolChoice = sqliteTable('school_choice', {
  discordUserId: deletedWith(() => discordUser.id).primaryKey(),
  chosenAt: integer().notNull(),
})

/** A browser that was sent to Discord and has not come back. Both keys are SHA-256: of `state`, and of its cookie. */
export const oauthState = sqliteTable(
  'oauth_state',
  {
    stateHash: text().primaryKey(),
    browserHash: text().notNull(),
    process: text().notNull(),
    next: text().notNull(),
    referral: text().notNull(),
    userId: integer().references(() => user.id, { onDelete: 'cascade' }),
    createdAt: integer().notNull(),
    expiresAt: integer().notNull(),
  },
  (table) => [
    index('oauth_state_browser').on(table.browserHash, table.createdAt),
    index('oauth_state_expires').on(table.expiresAt),
    index('oauth_state_user').on(table.userId),
  ],
)

/** A new person from Discord who still has to give an email address. Their Discord profile is encrypted. */
export const discordSignUp = sqliteTable(
  'discord_sign_up',
  {
    idHash: text().primaryKey(),
    sealedLogin: text('sealed_arrival').notNull(),
    next: text().notNull(),
    createdAt: integer().notNull(),
    expiresAt: integer().notNull(),
  },
  (table) => [index('discord_sign_up_expires').on(table.expiresAt)],
)

/** A code that lets a new person sign up. The database itself refuses more uses than it allows. */
export const referral = sqliteTable(
  'referral',
  {
    id: integer().primaryKey(),
    code: text().notNull().unique(),
    ownerId: deletedWith(() => discordUser.id),
    /** 0: unlimited */
    maxUses: integer().notNull(),
    numUses: integer().notNull().default(0),
    expiryTimeframe: text({ enum: ['1w', '2w', '1m', '3m', 'permanent'] }).notNull(),
    createdAt: integer().notNull(),
    expiresAt: integer(),
    revokedAt: integer(),
  },
  (table) => [
    index('referral_owner').on(table.ownerId, table.createdAt),
    check('referral_uses', sql`max_uses = 0 OR num_uses <= max_uses`),
  ],
)

/** Who signed up by a referral: one use per person, however often they try. */
export const redemption = sqliteTable(
  'redemption',
  {
    id: integer().primaryKey(),
    referralId: deletedWith(() => referral.id),
    discordId: text().notNull(),
    createdAt: integer().notNull(),
  },
  (table) => [
    uniqueIndex('redemption_person').on(table.referralId, table.discordId),
    index('redemption_discord').on(table.discordId),
  ],
)
