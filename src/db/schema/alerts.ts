import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { recipient } from './recipients.ts'
import { section } from './sections.ts'

/** A section became open: one row per change, whether a poll, a refresh or a person saw it. */
export const opening = sqliteTable(
  'opening',
  {
    id: integer().primaryKey(),
    sectionId: integer()
      .notNull()
      .references(() => section.id, { onDelete: 'cascade' }),
    version: integer().notNull(),
    pollId: text().notNull(),
    /** The last believed moment at which it was not open; null when it was never seen otherwise. */
    lastClosedAt: integer(),
    seenOpenAt: integer().notNull(),
  },
  (table) => [
    uniqueIndex('opening_version').on(table.sectionId, table.version),
    index('opening_poll').on(table.pollId),
  ],
)

/** What one recipient is sent about one opening. `releaseAt` set and `pollId` null: held until then. */
export const classAlert = sqliteTable(
  'class_alert',
  {
    id: integer().primaryKey(),
    openingId: integer()
      .notNull()
      .references(() => opening.id, { onDelete: 'cascade' }),
    recipientId: integer()
      .notNull()
      .references(() => recipient.id, { onDelete: 'cascade' }),
    sectionId: integer()
      .notNull()
      .references(() => section.id, { onDelete: 'cascade' }),
    kind: text({ enum: ['opening', 'reminder'] }).notNull(),
    /** 0 for the opening's own alert, 1 … 3 for reminders. */
    reminder: integer().notNull().default(0),
    createdAt: integer().notNull(),
    releaseAt: integer(),
    canceledAt: integer(),
    /** The poll or sweep that released it; its deliveries have the same id. */
    pollId: text(),
    /** With fair turns, the wave it belongs to; 0 for the first. */
    wave: integer().notNull().default(0),
    /** When the recipient got a seat or passed, which releases the next wave once. */
    answeredAt: integer(),
  },
  (table) => [
    uniqueIndex('class_alert_once').on(table.openingId, table.recipientId, table.reminder),
    index('class_alert_recipient').on(table.recipientId, table.id),
    index('class_alert_section').on(table.sectionId, table.recipientId),
    index('class_alert_poll').on(table.pollId),
    index('class_alert_held')
      .on(table.releaseAt)
      .where(sql`poll_id IS NULL AND canceled_at IS NULL`),
  ],
)
