import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** An operator's setting; absent means its default. `value` is JSON. */
export const setting = sqliteTable('setting', {
  name: text().primaryKey(),
  value: text().notNull(),
  changedAt: integer().notNull(),
})
