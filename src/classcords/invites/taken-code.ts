import { sql } from 'drizzle-orm'
import { type Database, query, readFirst } from '../../db/query.ts'
import { invite } from '../../db/schema/index.ts'
import { conflict } from '../../web/refusal.ts'

export const takenCode = () => conflict('This Discord invite has already been submitted')

/** @throws conflict when an invite with this canonical code waits or was approved. The unique index says so too, at the moment of writing. */
export async function refuseTaken(db: Database, code: string): Promise<void> {
  const found = await readFirst(
    db,
    query
      .select({ id: invite.id })
      .from(invite)
      .where(sql`${invite.code} = ${code} AND ${invite.state} IN ('pending', 'approved')`),
  )
  if (found) throw takenCode()
}

export const isTakenCode = (error: unknown): boolean => /UNIQUE constraint failed: invite\.code/.test(String(error))
