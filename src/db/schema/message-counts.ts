import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** What providers accepted in a month, by channel: counted by a trigger, whatever happens to the messages later. */
export const messageCount = sqliteTable(
  'message_count',
  {
    /** "2026-11", UTC */
    month: text().notNull(),
    channel: text().notNull(),
    /** A message that was sent twice counts twice. */
    messages: integer().notNull().default(0),
    /** SMS segments; 1 per message on other channels. */
    segments: integer().notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.month, table.channel] })],
)
