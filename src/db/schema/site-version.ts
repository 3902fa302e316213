import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/**
 * The version of a school's public pages: triggers write a new one with every visible change. School 0 stands for all
 * schools together.
 */
export const siteVersion = sqliteTable('site_version', {
  schoolId: integer().primaryKey(),
  version: text().notNull(),
})
