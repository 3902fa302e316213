import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

/**
 * A person who can sign in. `password_hash` is null for those who only come through Discord. `email` and `email_verified_at`
 * are copies of the primary {@link emailAddress}, which decides; whoever writes one writes the other in the same batch.
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

/** A signed-in browser. `idHash` is the SHA-256 (base64url) of the cookie; the cookie itself is never stored. */
export const session = sqliteTable(
  'session',
  {
    idHash: text().primaryKey(),
    userId: integer()
      .notNull()
      .references(() => user.id, { onDelete: 'cascade' }),
    createdAt: integer().notNull(),
    expiresAt: integer().notNull(),
    authenticatedAt: integer().notNull(),
    isPersistent: integer({ mode: 'boolean' }).notNull(),
    ipAddress: text(),
    userAgent: text(),
    country: text(),
    lastUsedAt: integer(),
  },
  (table) => [index('session_user').on(table.userId), index('session_expires').on(table.expiresAt)],
)

/** An address somebody says is theirs. Several may say so; one can have it verified. */
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

/** The key of a mailed link that sets a new password, as its SHA-256. It is dead once `signed_in_at` is not the user's last sign-in. */
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
  },
  (table) => [index('password_reset_user').on(table.userId), index('password_reset_expires').on(table.expiresAt)],
)

/** A mailed sign-in code, bound to the browser that asked (`id_hash`: SHA-256 of its cookie). Nobody's when `user_id` is null. */
export const signInCode = sqliteTable(
  'sign_in_code',
  {
    idHash: text().primaryKey(),
    userId: integer().references(() => user.id, { onDelete: 'cascade' }),
    address: text().notNull(),
    codeHash: text().notNull(),
    next: text().notNull(),
    tries: integer().notNull().default(0),
    resends: integer().notNull().default(0),
    createdAt: integer().notNull(),
    expiresAt: integer().notNull(),
    usedAt: integer(),
  },
  (table) => [index('sign_in_code_user').on(table.userId), index('sign_in_code_expires').on(table.expiresAt)],
)

/** A form that waits, encrypted, until its sender has given the password again. */
export const reauthentication = sqliteTable(
  'reauthentication',
  {
    sessionIdHash: text()
      .primaryKey()
      .references(() => session.idHash, { onDelete: 'cascade' }),
    path: text().notNull(),
    sealedForm: text().notNull(),
    expiresAt: integer().notNull(),
  },
  (table) => [index('reauthentication_expires').on(table.expiresAt)],
)

/**
 * A mail about an account, written before it is sent. Links and codes in it are secrets, so `sealed_body` is encrypted and goes
 * as soon as nobody will send it any more. `state`: queued → sending → sent | failed | expired.
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
    state: text().notNull().default('queued'),
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
