import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** What providers took in a month, by channel: kept by a trigger, whatever becomes of the messages later. */
export const messageCount = sqliteTable(
  'message_count',
  {
    /** "2026-11", UTC */
    month: text().notNull(),
    channel: text().notNull(),
    /** A message that was sent twice counts twice. */
    messages: integer().notNull().default(0),
    /** Of SMS; one a message elsewhere. */
    segments: integer().notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.month, table.channel] })],
)
