import { sql } from 'drizzle-orm'
import { check, index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { discordUser } from './discord.ts'

/** A code that lets a new person sign up. The database itself refuses more uses than it allows. */
export const referral = sqliteTable(
  'referral',
  {
    id: integer().primaryKey(),
    code: text().notNull().unique(),
    ownerId: integer()
      .notNull()
      .references(() => discordUser.id, { onDelete: 'cascade' }),
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
    referralId: integer()
      .notNull()
      .references(() => referral.id, { onDelete: 'cascade' }),
    discordId: text().notNull(),
    createdAt: integer().notNull(),
  },
  (table) => [
    uniqueIndex('redemption_person').on(table.referralId, table.discordId),
    index('redemption_discord').on(table.discordId),
  ],
)
