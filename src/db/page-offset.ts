import { type Placeholder, type SQL, sql } from 'drizzle-orm'

/** The offset of a page, or of the last page if it is past the end: `total` is known only inside the statement. */
export const pageOffset = (size: number, page: number | Placeholder, total: SQL): SQL =>
  sql`${sql.raw(String(size))} * (min(${page}, max(1, (${total} + ${sql.raw(String(size - 1))}) / ${sql.raw(String(size))})) - 1)`
