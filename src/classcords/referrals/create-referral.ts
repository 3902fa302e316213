import { sql } from 'drizzle-orm'
import { type Database, into, statement, type Template, template, writeTogether } from '../../db/query.ts'
import { referral } from '../../db/schema/index.ts'
import type { Member } from '../viewer.ts'
import type { SentForm } from './referral-form.ts'
import {
  activeUses,
  expiryOf,
  MAX_ACTIVE_USES,
  readReferralForm,
  type ReferralChoice,
  type ReferralValues,
} from './referral-rules.ts'

/** 32 hexadecimal digits with 122 random bits, so that nobody can guess one. */
const newCode = (): string => crypto.randomUUID().replaceAll('-', '')

/** The admin's error message. */
export const tooManyActive = `This exceeds the limit: one person’s active referrals may total ${MAX_ACTIVE_USES} uses.`

/**
 * Only managers may create unlimited or permanent ones; a user's active referrals may total 100 uses, which the
 * statement checks, so that simultaneous forms cannot exceed it. @returns the form's errors; null when it was created
 */
export async function createReferral(
  db: Database,
  owner: Member,
  sent: ReferralValues,
  now: number,
): Promise<SentForm | null> {
  const { choice, errors } = readReferralForm(sent, owner.isManager)
  if (Object.keys(errors).length > 0) return { errors }
  const uses = activeUses(owner.chatId, now)
  const [added, active] = await writeTogether(db, [
    insertReferral(owner, choice, now),
    template({ uses }, (columns) => sql`SELECT ${columns}`),
  ])
  if (added.changes === 1) return null
  const left = Math.max(0, MAX_ACTIVE_USES - (active.rows[0]?.uses ?? 0))
  return { non_field_errors: [`Your active referrals may total ${MAX_ACTIVE_USES} uses; ${left} left.`] }
}

/** Adds a referral, unless the owner's active referrals would exceed the limit. */
export function insertReferral(
  owner: { chatId: number; isSuperuser: boolean },
  choice: ReferralChoice,
  now: number,
): Template<never> {
  const { code, ownerId, maxUses, expiryTimeframe, createdAt, expiresAt } = referral
  return statement(sql`INSERT INTO ${into(referral, code, ownerId, maxUses, expiryTimeframe, createdAt, expiresAt)}
    SELECT ${newCode()}, ${owner.chatId}, ${choice.maxUses}, ${choice.timeframe}, ${now}, ${expiryOf(choice.timeframe, now)}
    WHERE ${Number(owner.isSuperuser)} OR ${choice.maxUses} + ${activeUses(owner.chatId, now)} <= ${MAX_ACTIVE_USES}`)
}
