import { drizzle, type DrizzleD1Database } from 'drizzle-orm/d1'
import * as schema from './schema.ts'

export type Database = DrizzleD1Database<typeof schema>

/** Typed single statements. Bulk writes, joins and batches are plain SQL through `env.DB`: D1 binds at most 100 parameters. */
export function databaseOf(env: Env): Database {
  return drizzle(env.DB, { schema, casing: 'snake_case' })
}
