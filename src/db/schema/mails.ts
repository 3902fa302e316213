import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { user } from './users.ts'

/**
 * A mail about an account, written before it is sent. Links and codes in it are secrets, so `sealed_body` is encrypted
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
