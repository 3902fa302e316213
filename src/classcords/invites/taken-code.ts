import { conflict } from '../../web/refusal.ts'

export const takenCode = () => conflict('This Discord invite has already been submitted')

/** @throws conflict when an invite with this canonical code waits or was approved. The unique index says so too, at the moment of writing. */
export async function refuseTaken(db: D1Database, code: string): Promise<void> {
  const found = await db
    .prepare("SELECT 1 FROM invite WHERE code = ? AND state IN ('pending', 'approved')")
    .bind(code)
    .first()
  if (found) throw takenCode()
}

export const isTakenCode = (error: unknown): boolean => /UNIQUE constraint failed: invite\.code/.test(String(error))
