import { type SQL, sql } from 'drizzle-orm'
import { type Template, statement } from './query.ts'

/** Undoes its batch unless the condition holds at that moment; the error contains the sentence ({@link refusalIn}). */
export function refuseUnless(condition: SQL, sentence: string): Template<never> {
  // A path that does not begin with $ is an error, and SQLite quotes it (https://sqlite.org/json1.html#jpath).
  return statement(
    sql`SELECT CASE WHEN (${condition}) THEN 1 ELSE json_extract('{}', ${sentence.replaceAll("'", '’')}) END`,
  )
}

/** The sentence of the {@link refuseUnless} that undid a batch; null for any other error. */
export function refusalIn(error: unknown): string | null {
  return error instanceof Error ? (/bad JSON path: '([^']*)'/.exec(error.message)?.[1] ?? null) : null
}

/** Whether a unique index refused the statement or its batch. */
export const isDuplicate = (error: unknown): boolean => /UNIQUE constraint failed/.test(String(error))
