import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { discordUser, referral, user } from '../../db/schema/index.ts'

/** The limit on the total uses of one person's active referrals; superusers have none. */
export const MAX_ACTIVE_USES = 100

/** The state shown to its owner. A revoked referral counts as expired. `is_valid`: one more person can use it. */
export function referralState(
  facts: Record<'max_uses' | 'num_uses', number> & Record<'expires_at' | 'revoked_at', number | null>,
  now: number,
) {
  const is_expired = facts.revoked_at !== null || (facts.expires_at !== null && facts.expires_at <= now)
  const isUsedUp = facts.max_uses !== 0 && facts.num_uses >= facts.max_uses
  return { is_expired, is_valid: !is_expired && !isUsedUp, can_revoke: !is_expired && facts.num_uses === 0 }
}

/** Whether a row of {@link referral} has a use left and has not ended. @param now ms since epoch */
export const isActiveReferral = (now: number): SQL =>
  sql`${referral.revokedAt} IS NULL AND (${referral.expiresAt} IS NULL OR ${referral.expiresAt} > ${now})
    AND (${referral.maxUses} = 0 OR ${referral.numUses} < ${referral.maxUses})`

/** Whether one more person can sign up with it: a disabled owner admits no one. @param now ms since epoch */
export const isOpenReferral = (now: number): SQL =>
  sql`${isActiveReferral(now)} AND EXISTS (SELECT 1 FROM ${discordUser} JOIN ${user} ON ${user.id} = ${discordUser.userId}
    WHERE ${discordUser.id} = ${referral.ownerId} AND ${user.isActive} AND NOT ${discordUser.isDisabled})`

/** The total uses of one person's active referrals. @param now ms since epoch */
export const activeUses = (ownerId: number | SQLiteColumn, now: number): SQL<number> =>
  sql<number>`(SELECT COALESCE(sum(${referral.maxUses}), 0) FROM ${referral}
    WHERE ${referral.ownerId} = ${ownerId} AND ${isActiveReferral(now)})`
