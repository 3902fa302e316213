import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** How many rows a table had when somebody last looked at the admin's front page: counted again when older than five minutes. */
export const adminCount = sqliteTable('admin_count', {
  tableName: text().primaryKey(),
  rowCount: integer().notNull(),
  countedAt: integer().notNull(),
})
