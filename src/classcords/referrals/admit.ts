import { and, eq, gt, isNull, or, sql } from 'drizzle-orm'
import type { Admission, Applicant } from '../../accounts/discord/admission.ts'
import { into, names, query, readFirst, readTogether, statement, writeTogether } from '../../db/query.ts'
import { discordServer, redemption, referral } from '../../db/schema/index.ts'
import { DAY_MS } from '../../lib/time.ts'
import { isOpenReferral } from './referral-rules.ts'
import { findTrusted } from './sign-up-options.ts'

/** Whether a new person can sign up with this code. @param now ms since epoch */
export async function isReferralValid(db: D1Database, code: string, now: number): Promise<boolean> {
  const isValid = and(eq(referral.code, code), isOpenReferral(now))
  return (await readFirst(db, query.select({ id: referral.id }).from(referral).where(isValid))) !== null
}

/** How long a redeemed code need not be given again, as long as its cookie lasts. Later, its person may be a deleted one. */
const SIGN_UP_MS = DAY_MS

/**
 * Redeems one use of a code for a person, in one statement, so that of many simultaneous requests only as many succeed
 * as uses are left. People who are still signing up use no second one, of any code; neither do those who give a code
 * again that they have redeemed, unless it has expired: their use may have been its last.
 * @param code '' for none
 */
export async function redeemReferral(db: D1Database, code: string, discordId: string, now: number): Promise<boolean> {
  const isRecent = gt(redemption.createdAt, now - SIGN_UP_MS)
  const isGivenAgain = and(eq(referral.code, code), or(isNull(referral.expiresAt), gt(referral.expiresAt, now)))
  const hasRedeemed = query
    .select({ id: redemption.id })
    .from(redemption)
    .innerJoin(referral, eq(referral.id, redemption.referralId))
    .where(and(eq(redemption.discordId, discordId), isNull(referral.revokedAt), or(isRecent, isGivenAgain)))
    .limit(1)
  const [redeemed, known] = await writeTogether(db, [
    statement(sql`INSERT INTO ${into(redemption, redemption.referralId, redemption.discordId, redemption.createdAt)}
      SELECT ${referral.id}, ${discordId}, ${now} FROM ${referral} WHERE ${referral.code} = ${code} AND ${isOpenReferral(now)}
        AND NOT EXISTS ${hasRedeemed}
      ON CONFLICT (${names(redemption.referralId, redemption.discordId)}) DO NOTHING`),
    hasRedeemed,
  ])
  return redeemed.changes > 0 || known.rows.length > 0
}

/** Decides who may sign up: people with a valid referral, and members of a trusted server that was not removed. */
export async function admit(env: Env, { discordId, referral, guildIds }: Applicant): Promise<Admission> {
  if (await redeemReferral(env.DB, referral, discordId, Date.now())) return { admitted: true }
  const [trusted, named] = await readTogether(
    env.DB,
    query
      .select({ server_id: discordServer.serverId })
      .from(discordServer)
      .where(sql`${discordServer.isRequiredForTrust} AND ${discordServer.isActive}`),
    findTrusted(),
  )
  const trustedIds = new Set(trusted.map(({ server_id }) => server_id))
  if (trustedIds.size > 0 && (await guildIds()).some((id) => trustedIds.has(id))) return { admitted: true }
  return {
    admitted: false,
    reason:
      referral === ''
        ? 'You need a referral code to create a new account on this website'
        : 'Your referral code is invalid or has expired',
    trusted: named.map(({ name, invite }) => ({ text: name, href: `${env.APP_URL}/classcords/join/${invite}/` })),
  }
}
