import { activeReferral, expiryOf, mostActiveUses, type ReferralChoice } from './referral-rules.ts'

/** 128 random bits: nobody guesses one. */
function newCode(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

export const tooManyActive = 'Cannot create referral. You currently have too many active referrals'

/**
 * Makes a referral, unless the person's active ones would then be for more than 100 uses together (superusers are exempt).
 * The sum is in the statement, so that forms sent at once do not pass it together. Answers whether it was made.
 */
export async function createReferral(
  db: D1Database,
  owner: { chatId: number; isSuperuser: boolean },
  choice: ReferralChoice,
  now: number,
): Promise<boolean> {
  const { meta } = await createReferralStatement(db, owner, choice, now).run()
  return meta.changes === 1
}

/** The same for a batch: it adds a row or none. */
export function createReferralStatement(
  db: D1Database,
  owner: { chatId: number; isSuperuser: boolean },
  choice: ReferralChoice,
  now: number,
): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO referral (code, owner_id, max_uses, expiry_timeframe, created_at, expires_at)
       SELECT ?1, ?2, ?3, ?4, ?5, ?6
       WHERE ?7 OR ?3 + (SELECT COALESCE(sum(r.max_uses), 0) FROM referral r WHERE r.owner_id = ?2 AND ${activeReferral('?5')}) <= ${mostActiveUses}`,
    )
    .bind(
      newCode(),
      owner.chatId,
      choice.maxUses,
      choice.timeframe,
      now,
      expiryOf(choice.timeframe, now),
      owner.isSuperuser ? 1 : 0,
    )
}
