import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/**
 * What public pages of a school show, as one word: triggers write another with every change that shows. School 0 stands for all of
 * them together.
 */
export const siteVersion = sqliteTable('site_version', {
  schoolId: integer().primaryKey(),
  version: text().notNull(),
})
