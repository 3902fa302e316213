import type { Admission, Applicant } from '../../accounts/discord/admission.ts'
import { activeReferral } from './referral-rules.ts'

/** Longest code looked for; more is none. */
const longestCode = 100

/**
 * Whether a code would let somebody in now. Any text may be asked about. @param now ms since epoch
 */
export async function isReferralValid(db: D1Database, code: string, now: number): Promise<boolean> {
  if (code === '' || code.length > longestCode) return false
  const found = await db
    .prepare(`SELECT 1 FROM referral r WHERE r.code = ?1 AND ${activeReferral('?2')}`)
    .bind(code, now)
    .first()
  return found !== null
}

/**
 * Uses a code up by one for a person, in one statement: of many at once as many succeed as uses are left. Who has used it before
 * (and did not get to the end of signing up) is let in again without another use.
 */
export async function redeemReferral(db: D1Database, code: string, discordId: string, now: number): Promise<boolean> {
  if (code === '' || code.length > longestCode) return false
  const [redeemed, known] = await db.batch([
    db
      .prepare(
        `INSERT INTO redemption (referral_id, discord_id, created_at)
         SELECT r.id, ?2, ?3 FROM referral r WHERE r.code = ?1 AND ${activeReferral('?3')}
         ON CONFLICT (referral_id, discord_id) DO NOTHING`,
      )
      .bind(code, discordId, now),
    db
      .prepare(
        `SELECT 1 FROM redemption d JOIN referral r ON r.id = d.referral_id
         WHERE r.code = ?1 AND d.discord_id = ?2 AND r.revoked_at IS NULL`,
      )
      .bind(code, discordId),
  ])
  return Boolean(redeemed?.meta.changes) || (known?.results.length ?? 0) > 0
}

/** Who may have an account: who brings a valid referral, else members of a server that is marked as trusted. */
export async function admit(env: Env, { discordId, referral, guildIds }: Applicant): Promise<Admission> {
  if (await redeemReferral(env.DB, referral, discordId, Date.now())) return { admitted: true }
  const trusted = await env.DB.prepare('SELECT server_id FROM discord_server WHERE is_required_for_trust').all<{
    server_id: string
  }>()
  const trustedIds = new Set(trusted.results.map(({ server_id }) => server_id))
  if (trustedIds.size > 0 && (await guildIds()).some((id) => trustedIds.has(id))) return { admitted: true }
  return {
    admitted: false,
    reason:
      referral === ''
        ? 'You need a referral code to create a new account on this website'
        : 'Your referral code is invalid or has expired',
  }
}
