import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** How many rows a table had when the admin's front page was last opened; counted again after five minutes. */
export const adminCount = sqliteTable('admin_count', {
  tableName: text().primaryKey(),
  rowCount: integer().notNull(),
  countedAt: integer().notNull(),
})
