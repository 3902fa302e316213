import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { query } from './query.ts'

/** How many rows one statement deletes: D1 stops a statement after 30 s. */
export const MAX_DELETED = 5000

/** Deletes rows for which `which` holds, at most `most`. If it deleted as many, there may be more. */
export const deleteSome = (table: SQLiteTable, which: SQL, most = MAX_DELETED) =>
  query.delete(table).where(sql`rowid IN (SELECT rowid FROM ${table} WHERE ${which} LIMIT ${most})`)
