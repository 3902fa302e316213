import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { deletedWith } from './deleted-with.ts'
import { user } from './users.ts'

/** A logged-in browser. `idHash` is the SHA-256 (base64url) of the cookie; the cookie itself is never stored. */
export const session = sqliteTable(
  'session',
  {
    idHash: text().primaryKey(),
    userId: deletedWith(() => user.id),
    createdAt: integer().notNull(),
    expiresAt: integer().notNull(),
    authenticatedAt: integer().notNull(),
    isPersistent: integer({ mode: 'boolean' }).notNull(),
    ipAddress: text(),
    userAgent: text(),
    country: text(),
    lastUsedAt: integer(),
    /** 1: only the cookie name with `__Host-` is accepted. 0: from before the prefix. -1: began over http. */
    isPrefixed: integer().notNull().default(0),
  },
  (table) => [index('session_user').on(table.userId), index('session_expires').on(table.expiresAt)],
)

/** A posted form, encrypted, that waits until its sender has authenticated again. `path` is where it was posted to. */
export const waitingForm = sqliteTable(
  'waiting_form',
  {
    sessionIdHash: text()
      .notNull()
      .references(() => session.idHash, { onDelete: 'cascade' }),
    path: text().notNull(),
    sealedForm: text().notNull(),
    expiresAt: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.sessionIdHash, table.path] }),
    index('waiting_form_expires').on(table.expiresAt),
  ],
)

/** Where versions before migration 0019 stored such a form. No longer written. */
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

/** A mailed login code. `id_hash`: SHA-256 of the asking browser's cookie; `user_id` null: no one's address. */
export const loginCode = sqliteTable(
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

/** An authenticator app. `sealed_keys`: its secret and the recovery codes' key; `last_step`: the newest step used. */
export const twoFactor = sqliteTable('two_factor', {
  userId: deletedWith(() => user.id).primaryKey(),
  sealedKeys: text().notNull(),
  lastStep: integer().notNull(),
  activatedAt: integer().notNull(),
})

/** The HMAC of a recovery code; each works once. */
export const recoveryCode = sqliteTable(
  'recovery_code',
  {
    id: integer().primaryKey(),
    userId: deletedWith(() => twoFactor.userId),
    codeHash: text().notNull(),
    usedAt: integer(),
  },
  (table) => [uniqueIndex('recovery_code_of_user').on(table.userId, table.codeHash)],
)

/** A person who passed every check but the second factor. `id_hash`: SHA-256 of the browser's cookie; `options`: JSON. */
export const secondStep = sqliteTable(
  'second_step',
  {
    idHash: text().primaryKey(),
    userId: deletedWith(() => twoFactor.userId),
    options: text('way').notNull(),
    createdAt: integer().notNull(),
    expiresAt: integer().notNull(),
  },
  (table) => [index('second_step_user').on(table.userId), index('second_step_expires').on(table.expiresAt)],
)
