import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { deletedWith } from './deleted-with.ts'
import { lastingId } from './new-id.ts'

/**
 * A person who can log in. `password_hash` is null for those who only use Discord. `email` and `email_verified_at` are
 * copies of the primary {@link emailAddress}, which decides; code that writes one writes the other in the same batch.
 */
export const user = sqliteTable(
  'user',
  {
    id: lastingId('user'),
    username: text().notNull(),
    email: text(),
    emailVerifiedAt: integer(),
    passwordHash: text(),
    isSuperuser: integer({ mode: 'boolean' }).notNull().default(false),
    isActive: integer({ mode: 'boolean' }).notNull().default(true),
    createdAt: integer().notNull(),
    lastLoginAt: integer('last_sign_in_at'),
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
    userId: deletedWith(() => user.id),
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
    userId: deletedWith(() => user.id),
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

/** SHA-256 of a mailed link's key that sets a password. It ends with the next login after `loggedInAt`. */
export const passwordReset = sqliteTable(
  'password_reset',
  {
    keyHash: text().primaryKey(),
    userId: deletedWith(() => user.id),
    loggedInAt: integer('signed_in_at'),
    createdAt: integer().notNull(),
    expiresAt: integer().notNull(),
    usedAt: integer(),
    /** The address the link was sent to; null for older rows. */
    address: text(),
  },
  (table) => [index('password_reset_user').on(table.userId), index('password_reset_expires').on(table.expiresAt)],
)

/**
 * An email about an account, written before it is sent. Links and codes in it are secrets, so `sealed_body` is encrypted
 * and is deleted once it will not be sent again. `state`: queued → sending → sent | failed | expired.
 */
export const mail = sqliteTable(
  'mail',
  {
    id: integer().primaryKey(),
    idempotencyKey: text().notNull(),
    kind: text().notNull(),
    userId: integer().references(() => user.id, { onDelete: 'set null' }),
    address: text().notNull(),
    sealedBody: text(),
    state: text({ enum: ['queued', 'sending', 'sent', 'failed', 'expired'] })
      .notNull()
      .default('queued'),
    attempts: integer().notNull().default(0),
    createdAt: integer().notNull(),
    dueAt: integer().notNull(),
    expiresAt: integer().notNull(),
    sentAt: integer(),
    providerId: text(),
    lastError: text(),
  },
  (table) => [
    uniqueIndex('mail_idempotency_key').on(table.idempotencyKey),
    index('mail_unsent')
      .on(table.dueAt)
      .where(sql`state IN ('queued', 'sending')`),
    index('mail_created').on(table.createdAt),
    index('mail_user').on(table.userId),
  ],
)
