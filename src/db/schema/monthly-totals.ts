import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/**
 * How many rows retention deleted, counted in the batch that deletes them, so that nothing is lost or counted twice.
 */
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
