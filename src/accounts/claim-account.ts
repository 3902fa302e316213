import { and, eq, isNull } from 'drizzle-orm'
import { insist, insistedSentence } from '../db/insist.ts'
import { query, writeTogether } from '../db/query.ts'
import { discordUser } from '../db/schema/index.ts'
import { forgetEnded } from '../web/session-records.ts'
import type { SiteContext } from '../web/site.ts'
import { endTokens } from './discord/end-tokens.ts'
import { forgetLinks } from './email/forget-links.ts'
import { copyPrimary } from './email/primary.ts'
import { withHashingSlot } from './hashing-slots.ts'
import { hashPassword } from './password-hash.ts'
import { endAllSessions } from './sessions/sessions.ts'

/** SQL: nobody has verified the address `e`, and its account has no verified address. */
export const isClaimable = `(e.verified_at IS NULL
  AND NOT EXISTS (SELECT 1 FROM email_address o WHERE o.user_id = e.user_id AND o.verified_at IS NOT NULL)
  AND NOT EXISTS (SELECT 1 FROM email_address o WHERE lower(o.address) = lower(e.address) AND o.verified_at IS NOT NULL))`

interface Claim {
  userId: number
  /** The address that the mailed key went to. */
  address: string
  password: string
  /** Uses up the mailed key; changes one row only while the key can still claim the account. */
  claiming: D1PreparedStatement
}

/**
 * Hands an account over to the owner of its email address when somebody else may have created it: sets a new password, verifies the
 * address, and removes every other way in (sessions, other addresses, the Discord account, the second factor), in one batch. False
 * when the mailed key is no longer valid. @param now ms since epoch
 */
export async function claimAccount(c: SiteContext, claim: Claim, now: number): Promise<boolean> {
  const { userId, address, password, claiming } = claim
  const { DB: db } = c.env
  const hash = await withHashingSlot(() => hashPassword(password, crypto.getRandomValues(new Uint8Array(16))))
  const linked = 'user_id = ?1 AND unlinked_at IS NULL'
  try {
    const [, , chat, sessions] = await writeTogether(db, [
      claiming,
      insist(db, 'changes() = 1', [], 'The link is over.'),
      query
        .select({ discord_id: discordUser.discordId, sealed_tokens: discordUser.sealedTokens })
        .from(discordUser)
        .where(and(eq(discordUser.userId, userId), isNull(discordUser.unlinkedAt))),
      endAllSessions(userId),
      db
        .prepare(
          `UPDATE discord_user SET unlinked_at = ?2, sealed_tokens = NULL, tokens_expire_at = NULL WHERE ${linked}`,
        )
        .bind(userId, now),
      db.prepare('DELETE FROM oauth_state WHERE user_id = ?').bind(userId),
      db.prepare('DELETE FROM two_factor WHERE user_id = ?').bind(userId),
      db.prepare('DELETE FROM email_address WHERE user_id = ? AND lower(address) <> lower(?)').bind(userId, address),
      db.prepare('UPDATE email_address SET verified_at = ?, is_primary = 1 WHERE user_id = ?').bind(now, userId),
      db.prepare('UPDATE user SET password_hash = ? WHERE id = ?').bind(hash, userId),
      db.prepare(`${copyPrimary} WHERE id = ?`).bind(userId),
      ...forgetLinks(db, userId),
    ])
    await forgetEnded(c.env, sessions.rows)
    for (const row of chat.rows) c.executionCtx.waitUntil(endTokens(c.env, row.discord_id, row.sealed_tokens))
    return true
  } catch (error) {
    if (insistedSentence(error) === null) throw error
    return false
  }
}
