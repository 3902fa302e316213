import { conflict, notThere } from '../../web/refusal.ts'

/** Ends one's own referral that nobody used yet. @throws notThere, conflict */
export async function revokeReferral(db: D1Database, ownerId: number, referralId: number, now: number): Promise<void> {
  const { meta } = await db
    .prepare(
      `UPDATE referral SET revoked_at = ?3 WHERE id = ?1 AND owner_id = ?2 AND num_uses = 0 AND revoked_at IS NULL
         AND (expires_at IS NULL OR expires_at > ?3)`,
    )
    .bind(referralId, ownerId, now)
    .run()
  if (meta.changes === 1) return
  const own = await db
    .prepare('SELECT num_uses FROM referral WHERE id = ? AND owner_id = ?')
    .bind(referralId, ownerId)
    .first()
  if (!own) throw notThere()
  throw conflict('This referral was used or has ended, so it cannot be revoked.')
}
