import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { user } from './users.ts'

/**
 * A user's authenticator app. `sealed_keys` is encrypted: the app's secret, and the key recovery codes are hashed with.
 * `last_step` is the newest time step whose code was used, so that none is used twice.
 */
export const twoFactor = sqliteTable('two_factor', {
  userId: integer()
    .primaryKey()
    .references(() => user.id, { onDelete: 'cascade' }),
  sealedKeys: text().notNull(),
  lastStep: integer().notNull(),
  activatedAt: integer().notNull(),
})

/** The HMAC of a recovery code; each works once. */
export const recoveryCode = sqliteTable(
  'recovery_code',
  {
    id: integer().primaryKey(),
    userId: integer()
      .notNull()
      .references(() => twoFactor.userId, { onDelete: 'cascade' }),
    codeHash: text().notNull(),
    usedAt: integer(),
  },
  (table) => [uniqueIndex('recovery_code_of_user').on(table.userId, table.codeHash)],
)

/**
 * A person who has passed every check except the second factor. `id_hash`: SHA-256 of the browser's cookie; `way`:
 * JSON.
 */
export const secondStep = sqliteTable(
  'second_step',
  {
    idHash: text().primaryKey(),
    userId: integer()
      .notNull()
      .references(() => twoFactor.userId, { onDelete: 'cascade' }),
    way: text().notNull(),
    createdAt: integer().notNull(),
    expiresAt: integer().notNull(),
  },
  (table) => [index('second_step_user').on(table.userId), index('second_step_expires').on(table.expiresAt)],
)
