import { eq, sql } from 'drizzle-orm'
import { type Query, query, writeTogether, refusalIn, refuseUnless } from '../db/query.ts'
import { discordUser, emailAddress, oauthState, twoFactor, user } from '../db/schema/index.ts'
import type { SiteContext } from '../web/site.ts'
import { isLinkedTo } from './discord/discord-account.ts'
import { endTokens, sealedTokensWhere } from './discord/sealed-tokens.ts'
import { copyPrimary, deleteMailedLinks } from './email/address-changes.ts'
import { hashNewPassword } from './password-hash.ts'
import { deleteSessionsOf, deleteSessionRecords } from './sessions/sessions.ts'

interface Claim {
  userId: number
  /** The address that the mailed key went to. */
  address: string
  password: string
  /** Uses the mailed key up; changes one row, and only while the key can still claim the account. */
  usingKey: Query
  /** Stores the notice of the change. */
  notice: readonly Query[]
}

/**
 * Gives an account to the owner of its address when someone else may have created it: in one batch, sets a password,
 * verifies the address, and removes every other way to log in. False when the mailed key is no longer valid.
 */
export async function claimAccount(c: SiteContext, claim: Claim, now: number): Promise<boolean> {
  const { userId, address, password, usingKey, notice } = claim
  const hash = await hashNewPassword(password)
  try {
    const [, , linked, sessions] = await writeTogether(c.env.DB, [
      usingKey,
      refuseUnless(sql`changes() = 1`, 'The link was used or has expired.'),
      sealedTokensWhere(isLinkedTo(userId)),
      deleteSessionsOf(userId),
      query
        .update(discordUser)
        .set({ unlinkedAt: now, sealedTokens: null, tokensExpireAt: null })
        .where(isLinkedTo(userId)),
      query.delete(oauthState).where(eq(oauthState.userId, userId)),
      query.delete(twoFactor).where(eq(twoFactor.userId, userId)),
      query
        .delete(emailAddress)
        .where(sql`${emailAddress.userId} = ${userId} AND lower(${emailAddress.address}) <> lower(${address})`),
      query.update(emailAddress).set({ verifiedAt: now, isPrimary: true }).where(eq(emailAddress.userId, userId)),
      query.update(user).set({ passwordHash: hash }).where(eq(user.id, userId)),
      ...notice,
      copyPrimary(eq(user.id, userId)),
      ...deleteMailedLinks(userId),
    ])
    await deleteSessionRecords(c.env, sessions.rows)
    for (const tokens of linked.rows) c.executionCtx.waitUntil(endTokens(c.env, tokens))
    return true
  } catch (error) {
    if (refusalIn(error) === null) throw error
    return false
  }
}
