import { sql } from 'drizzle-orm'
import { readFirst, template } from './query.ts'
import { newId } from './schema/index.ts'

/** The id of a row that will be added. Of two rows added at the same time, the second is refused. */
export async function readNewId(db: D1Database, table: Parameters<typeof newId>[0]): Promise<number> {
  const next = await readFirst(
    db,
    template({ id: newId(table) }, (columns) => sql`SELECT ${columns}`),
  )
  if (!next) throw new Error(`Could not allocate an id of ${table}.`)
  return next.id
}
