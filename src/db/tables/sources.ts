import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** A school system we read: its protocol, address, manners and health. */
export const source = sqliteTable('source', {
  id: integer().primaryKey(),
  kind: text().notNull(),
  name: text().notNull().unique(),
  url: text().notNull(),
  timeZone: text().notNull(),
  pollSeconds: integer().notNull().default(60),
  requestsPerMinute: integer().notNull().default(60),
  /** JSON object of the operator's extras, e.g. {"mepCode":"CSU"}. */
  settings: text().notNull().default('{}'),
  isEnabled: integer({ mode: 'boolean' }).notNull().default(true),
  /** Failed polls in a row; at 5 the source is paused with rising delays. */
  failures: integer().notNull().default(0),
  pausedUntil: integer(),
  lastGoodAt: integer(),
  lastFailedAt: integer(),
  lastError: text(),
  /** Requests the last whole round took: what the effective interval is made of. */
  requestsARound: integer(),
  termsRefreshedAt: integer(),
  termsRefreshedBy: text(),
  sectionsRefreshedAt: integer(),
  sectionsRefreshedBy: text(),
  createdAt: integer().notNull(),
})
