import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { user } from './users.ts'

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
    /**
     * 1: the cookie's name has the prefix `__Host-`, and the name without it is not accepted. 0: from before there was
     * one. -1: began over http.
     */
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

/**
 * A mailed sign-in code, bound to the browser that asked (`id_hash`: SHA-256 of its cookie). `user_id` is null when the
 * address belongs to no user.
 */
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
