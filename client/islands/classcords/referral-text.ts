import type { Referral } from '../../../src/classcords/contract.ts'
import type { BadgeTone } from '../../components/badge.tsx'

interface ReferralStatus {
  label: 'Fully Redeemed' | 'Partially Redeemed' | 'Expired' | 'Active'
  tone: BadgeTone
}

type Uses = Pick<Referral, 'num_uses' | 'max_uses'>

/** The first status that applies. A referral without a maximum is never fully redeemed. */
export function referralStatus({
  num_uses: uses,
  max_uses: most,
  is_expired: isExpired,
}: Uses & Pick<Referral, 'is_expired'>): ReferralStatus {
  if (most !== 0 && uses >= most) return { label: 'Fully Redeemed', tone: 'neutral' }
  if (uses > 0) return { label: 'Partially Redeemed', tone: 'info' }
  if (isExpired) return { label: 'Expired', tone: 'closed' }
  return { label: 'Active', tone: 'info' }
}

/** "3 / 20", "3 / Unlimited". */
export function usesText({ num_uses: uses, max_uses: most }: Uses): string {
  return `${uses} / ${most === 0 ? 'Unlimited' : most}`
}
