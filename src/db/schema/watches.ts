import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { recipient } from './recipients.ts'
import { section } from './sections.ts'

/** A recipient is waiting for a section. Archived when the term has ended. */
export const watch = sqliteTable(
  'watch',
  {
    id: integer().primaryKey(),
    recipientId: integer()
      .notNull()
      .references(() => recipient.id, { onDelete: 'cascade' }),
    sectionId: integer()
      .notNull()
      .references(() => section.id, { onDelete: 'cascade' }),
    createdAt: integer().notNull(),
    archivedAt: integer(),
    /** True until the first believed observation after the watch began: open then counts as an opening. */
    isNew: integer({ mode: 'boolean' }).notNull().default(true),
    lastAlertAt: integer(),
    remindAt: integer(),
    reminders: integer().notNull().default(0),
  },
  (table) => [
    uniqueIndex('watch_recipient_section').on(table.recipientId, table.sectionId),
    index('watch_section')
      .on(table.sectionId)
      .where(sql`archived_at IS NULL`),
    // Includes archived ones: deleting a section deletes them too.
    index('watch_of_section').on(table.sectionId),
    index('watch_remind')
      .on(table.remindAt)
      .where(sql`remind_at IS NOT NULL`),
  ],
)
