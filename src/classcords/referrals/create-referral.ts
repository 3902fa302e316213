import { sql } from 'drizzle-orm'
import { type Database, into, statement, type Template, write } from '../../db/query.ts'
import { referral } from '../../db/schema/index.ts'
import type { Member } from '../viewer.ts'
import type { FormErrors, ReferralValues } from './referral-form.ts'
import { expiryOf, isActiveReferral, mostActiveUses, readReferralForm, type ReferralChoice } from './referral-rules.ts'

/** 128 random bits, so that nobody can guess one. */
function newCode(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

export const tooManyActive = 'Cannot create referral. You currently have too many active referrals'

/**
 * Makes a referral. Only managers may make unlimited or permanent ones, and somebody's active referrals may total 100 uses
 * (superusers are exempt). The statement checks the total, so that simultaneous forms cannot exceed it together.
 * @returns null when it was made, else why not
 */
export async function createReferral(
  db: Database,
  owner: Member,
  sent: ReferralValues,
  now: number,
): Promise<FormErrors | null> {
  const { choice, errors } = readReferralForm(sent, owner.isManager)
  if (Object.keys(errors).length > 0) return { errors }
  const { changes } = await write(db, insertReferral(owner, choice, now))
  return changes === 1 ? null : { non_field_errors: [tooManyActive] }
}

/** Adds a referral, or none where the owner's active referrals would exceed their total. */
export function insertReferral(
  owner: { chatId: number; isSuperuser: boolean },
  choice: ReferralChoice,
  now: number,
): Template<never> {
  const { code, ownerId, maxUses, expiryTimeframe, createdAt, expiresAt } = referral
  const activeUses = sql`(SELECT COALESCE(sum(${maxUses}), 0) FROM ${referral}
    WHERE ${ownerId} = ${owner.chatId} AND ${isActiveReferral(now)})`
  return statement(sql`INSERT INTO ${into(referral, code, ownerId, maxUses, expiryTimeframe, createdAt, expiresAt)}
    SELECT ${newCode()}, ${owner.chatId}, ${choice.maxUses}, ${choice.timeframe}, ${now}, ${expiryOf(choice.timeframe, now)}
    WHERE ${Number(owner.isSuperuser)} OR ${choice.maxUses} + ${activeUses} <= ${mostActiveUses}`)
}
