import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/**
 * Who did what, when and from where. Append-only: triggers refuse changes. `user_id` is not a foreign key, because the
 * entry outlives the user; `before` and `after` are JSON objects of the fields that differ (null: there was or is no
 * row).
 */
export const audit = sqliteTable(
  'audit',
  {
    id: integer().primaryKey(),
    at: integer().notNull(),
    userId: integer(),
    who: text().notNull(),
    ipAddress: text(),
    country: text(),
    act: text().notNull(),
    area: text().notNull(),
    tableName: text().notNull(),
    rowKey: text().notNull(),
    title: text().notNull(),
    before: text(),
    after: text(),
    words: text().generatedAlwaysAs(sql`lower(who || ' ' || act || ' ' || table_name || ' ' || title)`, {
      mode: 'virtual',
    }),
  },
  (table) => [
    index('audit_row').on(table.tableName, table.rowKey, table.id),
    index('audit_user').on(table.userId, table.id),
    index('audit_at').on(table.at),
    index('audit_act').on(table.act),
    index('audit_area').on(table.area),
  ],
)
