import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** An operator’s setting as it was entered; absent means its default. */
export const setting = sqliteTable('setting', {
  name: text().primaryKey(),
  value: text().notNull(),
  changedAt: integer().notNull(),
})
