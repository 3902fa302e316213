import { insist } from '../../db/insist.ts'
import type { AdminChange, AdminPlan, AdminRemoval } from '../../web/admin-change.ts'
import { activeReferral, mostActiveUses } from '../referrals/referral-rules.ts'

/** As somebody's coming would have: of a referral that still lets people in, once a person. A trigger raises the referral's count. */
export async function addRedemption({ DB }: Env, { values, now }: AdminChange): Promise<AdminPlan> {
  const { referral_id = null, discord_id = '' } = values
  return {
    statements: [
      insist(
        DB,
        'NOT EXISTS (SELECT 1 FROM redemption WHERE referral_id = ? AND discord_id = ?)',
        [referral_id, discord_id],
        'This person came by this referral already.',
      ),
      insist(
        DB,
        `EXISTS (SELECT 1 FROM referral r WHERE r.id = ?1 AND ${activeReferral('?2')})`,
        [referral_id, now],
        'This referral lets nobody in any more: it was used up, was revoked or has expired.',
      ),
      DB.prepare('INSERT INTO redemption (referral_id, discord_id, created_at) VALUES (?, ?, ?)').bind(
        referral_id,
        discord_id,
        now,
      ),
    ],
  }
}

/**
 * Gives the referral the use back; whoever came by it keeps their account. A referral that was used up is active again by that,
 * within what its owner may have.
 */
export async function removeRedemption({ DB }: Env, { key, now }: AdminRemoval): Promise<AdminPlan> {
  return {
    statements: [
      DB.prepare(
        'UPDATE referral SET num_uses = max(num_uses - 1, 0) WHERE id = (SELECT referral_id FROM redemption WHERE id = ?)',
      ).bind(key),
      insist(
        DB,
        `(SELECT o.num_uses <> o.max_uses - 1 OR u.is_superuser
            OR (SELECT coalesce(sum(r.max_uses), 0) FROM referral r WHERE r.owner_id = o.owner_id AND ${activeReferral('?2')}) <= ${mostActiveUses}
          FROM redemption e JOIN referral o ON o.id = e.referral_id JOIN discord_user d ON d.id = o.owner_id JOIN user u ON u.id = d.user_id
          WHERE e.id = ?1)`,
        [key, now],
        'The referral would be active again, and its owner has too many active referrals for that.',
      ),
      DB.prepare('DELETE FROM redemption WHERE id = ?').bind(key),
    ],
  }
}
