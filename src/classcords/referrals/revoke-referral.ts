import type { Actor } from '../../web/audit.ts'
import { auditRows } from '../../web/audit-rows.ts'
import { conflict, notThere } from '../../web/refusal.ts'

export const cannotRevoke = 'This referral was used or has ended, so it cannot be revoked.'

/** Ends one's own referral that nobody used yet. @throws notThere, conflict */
export async function revokeReferral(
  db: D1Database,
  ownerId: number,
  referralId: number,
  now: number,
  actor: Actor,
): Promise<void> {
  const { revoked, present } = await revokeReferrals(db, { ids: [referralId], ownerId }, now, actor)
  if (revoked > 0) return
  throw present === 0 ? notThere() : conflict(cannotRevoke)
}

/** The same for many at once, of one owner or of anybody: how many ended, and how many there are. Each is written down. */
export async function revokeReferrals(
  db: D1Database,
  { ids, ownerId }: { ids: readonly number[]; ownerId: number | null },
  now: number,
  actor: Actor,
): Promise<{ revoked: number; present: number }> {
  const theirs = 'r.id IN (SELECT value FROM json_each(?1)) AND (?2 IS NULL OR r.owner_id = ?2)'
  const unused = `${theirs} AND r.num_uses = 0 AND r.revoked_at IS NULL AND (r.expires_at IS NULL OR r.expires_at > ?3)`
  const list = JSON.stringify(ids)
  const [present, revoked] = await db.batch<{ present: number }>([
    db.prepare(`SELECT count(*) AS present FROM referral r WHERE ${theirs}`).bind(list, ownerId),
    db.prepare(`UPDATE referral AS r SET revoked_at = ?3 WHERE ${unused}`).bind(list, ownerId, now),
    auditRows(
      db,
      actor,
      { act: 'revoked', area: 'classcords', table: 'referral' },
      {
        // The moment is this act's own, but a page sent twice within it must not be written down twice.
        sql: `SELECT r.id AS row_key, 'Referral of ' || d.display_name AS title, json_object('revoked_at', NULL) AS before,
                json_object('revoked_at', r.revoked_at) AS after
              FROM referral r JOIN discord_user d ON d.id = r.owner_id
              WHERE changes() > 0 AND r.id IN (SELECT value FROM json_each(?)) AND r.revoked_at = ?`,
        values: [list, now],
      },
      now,
    ),
  ])
  return { revoked: revoked?.meta.changes ?? 0, present: present?.results[0]?.present ?? 0 }
}
