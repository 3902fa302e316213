import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { contactKinds } from '../../lib/contract.ts'

/** An operator’s setting as it was entered; absent means its default. */
export const setting = sqliteTable('setting', {
  name: text().primaryKey(),
  value: text().notNull(),
  changedAt: integer().notNull(),
})

/** The version of a school's public pages, written by triggers with each visible change. School 0: all together. */
export const siteVersion = sqliteTable('site_version', {
  schoolId: integer().primaryKey(),
  version: text().notNull(),
})

/** How many rows a table had when the admin's front page was last opened; counted again after five minutes. */
export const adminCount = sqliteTable('admin_count', {
  tableName: text().primaryKey(),
  rowCount: integer().notNull(),
  countedAt: integer().notNull(),
})

/** What providers accepted in a month, by channel: counted by a trigger, whatever happens to the messages later. */
export const messageCount = sqliteTable(
  'message_count',
  {
    /** "2026-11", UTC */
    month: text().notNull(),
    channel: text({ enum: contactKinds }).notNull(),
    /** A message that was sent twice counts twice. */
    messages: integer().notNull().default(0),
    /** SMS segments; 1 per message on other channels. */
    segments: integer().notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.month, table.channel] })],
)

/** How long messages took when a person last looked at the alerts: one row, computed again once it is too old. */
export const messageTimes = sqliteTable('message_times', {
  /** Always 1. */
  id: integer().primaryKey(),
  /** JSON: by channel and step. */
  times: text().notNull(),
  /** How many messages were read for it. */
  messages: integer().notNull(),
  /** ms since epoch */
  updatedAt: integer().notNull(),
})

/** How many rows retention deleted, counted in the batch that deletes them, so that none is lost or counted twice. */
export const monthlyTotal = sqliteTable(
  'monthly_total',
  {
    /** "2026-11": the month (UTC) in which the rows were written. */
    month: text().notNull(),
    /** opening, alert, delivery or seat_change */
    what: text().notNull(),
    /** Of deliveries; '' otherwise. */
    channel: text().notNull(),
    /** A delivery's last state, an alert's kind, a seat change's status; '' for openings. */
    state: text().notNull(),
    count: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.month, table.what, table.channel, table.state] })],
)

/**
 * Audit log, when and from where. Append-only: triggers refuse changes. `user_id` is not a foreign key, because the
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
