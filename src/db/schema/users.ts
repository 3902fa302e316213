import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

/**
 * A person who can sign in. `password_hash` is null for those who only use Discord. `email` and `email_verified_at` are
 * copies of the primary {@link emailAddress}, which decides; code that writes one writes the other in the same batch.
 */
export const user = sqliteTable(
  'user',
  {
    id: integer().primaryKey(),
    username: text().notNull(),
    email: text(),
    emailVerifiedAt: integer(),
    passwordHash: text(),
    isSuperuser: integer({ mode: 'boolean' }).notNull().default(false),
    isActive: integer({ mode: 'boolean' }).notNull().default(true),
    createdAt: integer().notNull(),
    lastSignInAt: integer(),
  },
  (table) => [
    uniqueIndex('user_username').on(sql`lower(${table.username})`),
    index('user_email').on(sql`lower(${table.email})`),
    index('user_superuser')
      .on(table.id)
      .where(sql`is_superuser`),
    index('user_disabled')
      .on(table.id)
      .where(sql`NOT is_active`),
  ],
)

/** An address that a user claims. Several users may claim it; one can have it verified. */
export const emailAddress = sqliteTable(
  'email_address',
  {
    id: integer().primaryKey(),
    userId: integer()
      .notNull()
      .references(() => user.id, { onDelete: 'cascade' }),
    address: text().notNull(),
    verifiedAt: integer(),
    isPrimary: integer({ mode: 'boolean' }).notNull().default(false),
    createdAt: integer().notNull(),
  },
  (table) => [
    uniqueIndex('email_address_of_user').on(table.userId, sql`lower(${table.address})`),
    uniqueIndex('email_address_verified')
      .on(sql`lower(${table.address})`)
      .where(sql`verified_at IS NOT NULL`),
    uniqueIndex('email_address_primary')
      .on(table.userId)
      .where(sql`is_primary`),
    index('email_address_address').on(sql`lower(${table.address})`),
  ],
)

/** The key of a mailed link that confirms an address, as its SHA-256. */
export const emailConfirmation = sqliteTable(
  'email_confirmation',
  {
    keyHash: text().primaryKey(),
    userId: integer()
      .notNull()
      .references(() => user.id, { onDelete: 'cascade' }),
    address: text().notNull(),
    createdAt: integer().notNull(),
    expiresAt: integer().notNull(),
    usedAt: integer(),
  },
  (table) => [
    index('email_confirmation_user').on(table.userId),
    index('email_confirmation_expires').on(table.expiresAt),
  ],
)

/**
 * The key of a mailed link that sets a new password, as its SHA-256. It no longer works once the user has signed in
 * again: `signed_in_at` is the last time before it was sent.
 */
export const passwordReset = sqliteTable(
  'password_reset',
  {
    keyHash: text().primaryKey(),
    userId: integer()
      .notNull()
      .references(() => user.id, { onDelete: 'cascade' }),
    signedInAt: integer(),
    createdAt: integer().notNull(),
    expiresAt: integer().notNull(),
    usedAt: integer(),
    /** The address the link was sent to; null for older rows. */
    address: text(),
  },
  (table) => [index('password_reset_user').on(table.userId), index('password_reset_expires').on(table.expiresAt)],
)
