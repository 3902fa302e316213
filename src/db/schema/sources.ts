import { type SQL, sql } from 'drizzle-orm'
import { index, integer, type SQLiteColumn, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

/**
 * The host in a URL, regardless of its port and path. Only URLs of this machine begin with http://; each of those
 * counts as its own host, because a simulated world has many schools on one.
 */
export const hostIn = (url: SQLiteColumn | SQL): SQL =>
  sql`CASE WHEN substr(${url}, 5, 1) = ':' THEN ${url}
    ELSE rtrim(rtrim(lower(substr(${url}, 1, instr(substr(${url}, 9) || '/', '/') + 7)), '0123456789'), ':') END`

/** A school system we read: its protocol, address, pace and health. */
export const source = sqliteTable(
  'source',
  {
    id: integer().primaryKey(),
    kind: text().notNull(),
    name: text().notNull().unique(),
    url: text().notNull(),
    timeZone: text().notNull(),
    pollSeconds: integer().notNull().default(60),
    requestsPerMinute: integer().notNull().default(60),
    /** JSON object of further settings, e.g. {"mepCode":"CSU"}. */
    settings: text().notNull().default('{}'),
    isEnabled: integer({ mode: 'boolean' }).notNull().default(true),
    /** Failed polls in a row; after 5 the source is paused with increasing delays. */
    failures: integer().notNull().default(0),
    pausedUntil: integer(),
    lastGoodAt: integer(),
    lastFailedAt: integer(),
    lastError: text(),
    /** Requests the last whole round took: the effective interval follows from it. */
    requestsARound: integer(),
    /** What the last poll left for the next, such as the length of a list. */
    pollMemo: text(),
    termsRefreshedAt: integer(),
    termsRefreshedBy: text(),
    sectionsRefreshedAt: integer(),
    sectionsRefreshedBy: text(),
    /** Whether a section is checked once more before the first message that it is open. */
    isSecondLookOn: integer({ mode: 'boolean' }).notNull().default(true),
    /** Second looks in a row that the list contradicted for three rounds; after 5 they are turned off. */
    overruledLookCount: integer().notNull().default(0),
    /** Openings that the second look did not confirm. */
    flickerCount: integer().notNull().default(0),
    createdAt: integer().notNull(),
  },
  (table) => [index('source_host').on(hostIn(table.url))],
)

/** A notice for staff about a source. One of a kind is open at a time. */
export const sourceNotice = sqliteTable(
  'source_notice',
  {
    id: integer().primaryKey(),
    sourceId: integer()
      .notNull()
      .references(() => source.id, { onDelete: 'cascade' }),
    kind: text({ enum: ['mass_opening', 'second_look_off'] }).notNull(),
    body: text().notNull(),
    createdAt: integer().notNull(),
    dismissedAt: integer(),
  },
  (table) => [
    uniqueIndex('source_notice_open')
      .on(table.sourceId, table.kind)
      .where(sql`dismissed_at IS NULL`),
  ],
)
