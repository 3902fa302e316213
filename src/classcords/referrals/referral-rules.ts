import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { referral } from '../../db/schema/index.ts'
import { DAY_MS } from '../../lib/time.ts'
import type { ExpiryTimeframe } from '../contract.ts'

export const timeframes = ['1w', '2w', '1m', '3m', 'permanent'] as const satisfies readonly ExpiryTimeframe[]
export const usesChoices = [20, 50, 100, 0] as const
/** The limit on the total uses of one person's active referrals; superusers have none. */
export const MAX_ACTIVE_USES = 100

const days: Readonly<Record<Exclude<ExpiryTimeframe, 'permanent'>, number>> = { '1w': 7, '2w': 14, '1m': 30, '3m': 90 }

/** When a referral created at `now` expires; null: never. */
export function expiryOf(timeframe: ExpiryTimeframe, now: number): number | null {
  return timeframe === 'permanent' ? null : now + days[timeframe] * DAY_MS
}

/** The state shown to its owner. A revoked referral counts as expired. `is_valid`: one more person can use it. */
export function referralState(
  facts: Record<'max_uses' | 'num_uses', number> & Record<'expires_at' | 'revoked_at', number | null>,
  now: number,
) {
  const is_expired = facts.revoked_at !== null || (facts.expires_at !== null && facts.expires_at <= now)
  const isUsedUp = facts.max_uses !== 0 && facts.num_uses >= facts.max_uses
  return { is_expired, is_valid: !is_expired && !isUsedUp, can_revoke: !is_expired && facts.num_uses === 0 }
}

/** Whether one more person can use a row of {@link referral}. @param now ms since epoch */
export const isActiveReferral = (now: number): SQL =>
  sql`${referral.revokedAt} IS NULL AND (${referral.expiresAt} IS NULL OR ${referral.expiresAt} > ${now})
    AND (${referral.maxUses} = 0 OR ${referral.numUses} < ${referral.maxUses})`

/** The total uses of one person's active referrals. @param now ms since epoch */
export const activeUses = (ownerId: number | SQLiteColumn, now: number): SQL<number> =>
  sql<number>`(SELECT COALESCE(sum(${referral.maxUses}), 0) FROM ${referral}
    WHERE ${referral.ownerId} = ${ownerId} AND ${isActiveReferral(now)})`

export type ReferralValues = Record<'max_uses_choice' | 'expiry_timeframe', string>

export const initialValues: ReferralValues = { max_uses_choice: '20', expiry_timeframe: '1w' }

export interface ReferralChoice {
  maxUses: number
  timeframe: ExpiryTimeframe
}

/** Reads the form; a blank field has its initial value. Errors by field. */
export function readReferralForm(
  sent: ReferralValues,
  isManager: boolean,
): { choice: ReferralChoice; errors: Partial<ReferralValues> } {
  const valueOf = (name: keyof ReferralValues) => sent[name].trim() || initialValues[name]
  const maxUses = usesChoices.find((choice) => String(choice) === valueOf('max_uses_choice'))
  const timeframe = timeframes.find((choice) => choice === valueOf('expiry_timeframe'))
  const invalid = 'Select a valid choice.'
  return {
    choice: { maxUses: maxUses ?? 20, timeframe: timeframe ?? '1w' },
    errors: {
      ...(maxUses === undefined && { max_uses_choice: invalid }),
      ...(maxUses === 0 && !isManager && { max_uses_choice: 'Only manager users can create unlimited referrals.' }),
      ...(timeframe === undefined && { expiry_timeframe: invalid }),
      ...(timeframe === 'permanent' &&
        !isManager && { expiry_timeframe: 'Only manager users can create permanent referrals.' }),
    },
  }
}
