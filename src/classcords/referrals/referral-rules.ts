import { type Placeholder, type SQL, sql } from 'drizzle-orm'
import { referral } from '../../db/schema/index.ts'
import { DAY_MS } from '../../lib/durations.ts'
import type { ExpiryTimeframe } from '../contract.ts'

export const timeframes = ['1w', '2w', '1m', '3m', 'permanent'] as const satisfies readonly ExpiryTimeframe[]
export const usesChoices = [20, 50, 100, 0] as const
/** The uses that one person's active referrals may total; superusers may have more. */
export const MAX_ACTIVE_USES = 100

const days: Readonly<Record<Exclude<ExpiryTimeframe, 'permanent'>, number>> = { '1w': 7, '2w': 14, '1m': 30, '3m': 90 }

/** When a referral created at `now` expires; null: never. */
export function expiryOf(timeframe: ExpiryTimeframe, now: number): number | null {
  return timeframe === 'permanent' ? null : now + days[timeframe] * DAY_MS
}

interface ReferralFacts {
  max_uses: number
  num_uses: number
  expires_at: number | null
  revoked_at: number | null
}

/** The displayed state. A revoked referral counts as expired; `is_valid`: it admits one more person. */
export function referralState(
  facts: ReferralFacts,
  now: number,
): { is_expired: boolean; is_valid: boolean; can_revoke: boolean } {
  const is_expired = facts.revoked_at !== null || (facts.expires_at !== null && facts.expires_at <= now)
  const isUsedUp = facts.max_uses !== 0 && facts.num_uses >= facts.max_uses
  return { is_expired, is_valid: !is_expired && !isUsedUp, can_revoke: !is_expired && facts.num_uses === 0 }
}

/** Whether a row of {@link referral} admits one more person. @param now ms since epoch */
export const isActiveReferral = (now: number | Placeholder): SQL =>
  sql`${referral.revokedAt} IS NULL AND (${referral.expiresAt} IS NULL OR ${referral.expiresAt} > ${now})
    AND (${referral.maxUses} = 0 OR ${referral.numUses} < ${referral.maxUses})`

export interface ReferralChoice {
  maxUses: number
  timeframe: ExpiryTimeframe
}

/** Reads the form; absent fields mean 20 uses and one week. Errors by field. */
export function readReferralForm(
  sent: { max_uses_choice: string; expiry_timeframe: string },
  isManager: boolean,
): { choice: ReferralChoice; errors: Partial<Record<'max_uses_choice' | 'expiry_timeframe', string>> } {
  const uses = sent.max_uses_choice.trim() || '20'
  const maxUses = usesChoices.find((choice) => String(choice) === uses)
  const timeframe = timeframes.find((choice) => choice === (sent.expiry_timeframe.trim() || '1w'))
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
