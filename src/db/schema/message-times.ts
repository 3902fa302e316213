import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** How long messages took when a person last looked at the alerts: one row, computed again once it is too old. */
export const messageTimes = sqliteTable('message_times', {
  /** Always 1. */
  id: integer().primaryKey(),
  /** JSON: by channel and step. */
  times: text().notNull(),
  /** How many messages were read for it. */
  messages: integer().notNull(),
  /** ms since epoch */
  updatedAt: integer().notNull(),
})
