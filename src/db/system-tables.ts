import { sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** The migrations that wrangler has applied. Source: https://developers.cloudflare.com/d1/reference/migrations/ */
export const appliedMigration = sqliteTable('d1_migrations', { name: text().notNull() })

/** SQLite's own list of the database's tables and indexes. Source: https://sqlite.org/schematab.html */
export const sqliteSchema = sqliteTable('sqlite_schema', { type: text().notNull(), name: text().notNull() })
