import { and, eq, sql } from 'drizzle-orm'
import { type Query, query, readFirst, readTogether, type RowOf } from '../../db/query.ts'
import { discordUser, user } from '../../db/schema/index.ts'
import { isMet, userHasVerified } from '../email/address-conditions.ts'
import { findUserById } from '../find-user.ts'
import { type AccountOwner, refuseUnlessConfirmed } from '../owner.ts'
import { isLinkedTo } from './discord-account.ts'
import { type SealedTokens, sealedTokensWhere } from './sealed-tokens.ts'

const connectionFields = {
  id: discordUser.id,
  username: discordUser.username,
  discriminator: discordUser.discriminator,
  display_name: discordUser.displayName,
  is_disabled: discordUser.isDisabled,
}

const connectionOf = (userId: number) => query.select(connectionFields).from(discordUser).where(isLinkedTo(userId))
export type Connection = RowOf<ReturnType<typeof connectionOf>>

export async function findConnection(env: Env, userId: number): Promise<Connection | null> {
  return readFirst(env.DB, connectionOf(userId))
}

/** `tokens`: those at Discord, to be revoked. */
type Removal = { ok: true; tokens: SealedTokens } | { ok: false; message: string }

/**
 * The row stays, so that bans and limits outlast it. Never the last way to log in: the statement itself checks for a
 * password and a verified address.
 * @param notice stores the notice of the change
 */
export async function removeConnection(
  env: Env,
  by: AccountOwner,
  id: number,
  now: number,
  notice: readonly Query[],
): Promise<Removal> {
  const theirs = refuseUnlessConfirmed(by)
  const { userId } = by
  const isOwn = and(eq(discordUser.id, id), isLinkedTo(userId))
  // The statement returns the new values, so the tokens are read first.
  const [[tokens], [removed]] = await readTogether(
    env.DB,
    sealedTokensWhere(isOwn),
    query
      .update(discordUser)
      .set({ unlinkedAt: now, sealedTokens: null, tokensExpireAt: null })
      .where(
        sql`${isOwn} AND EXISTS (SELECT 1 FROM ${user}
          WHERE ${user.id} = ${userId} AND ${user.passwordHash} IS NOT NULL AND ${userHasVerified(user.id)})`,
      )
      .returning({ id: discordUser.id }),
    ...notice,
    theirs,
  )
  return removed && tokens ? { ok: true, tokens } : { ok: false, message: await whyNot(env, userId) }
}

async function whyNot(env: Env, userId: number): Promise<string> {
  if ((await findUserById(env, userId))?.password_hash === null) return 'Your account has no password set up.'
  if (!(await isMet(env, userHasVerified(userId)))) return 'Your account has no verified email address.'
  return 'Choose the account to remove.'
}
