import { and, eq, isNull, sql } from 'drizzle-orm'
import { query, readFirst, readTogether, type RowOf, template } from '../../db/query.ts'
import { discordUser, user } from '../../db/schema/index.ts'
import { userHasVerified } from '../email/address-conditions.ts'
import { type AccountOwner, refuseUnlessConfirmed } from '../owner.ts'
import { endTokens } from './sealed-tokens.ts'

const connectionFields = {
  id: discordUser.id,
  username: discordUser.username,
  discriminator: discordUser.discriminator,
  display_name: discordUser.displayName,
}

const isLinkedTo = (userId: number) => and(eq(discordUser.userId, userId), isNull(discordUser.unlinkedAt))

const connectionOf = (userId: number) => query.select(connectionFields).from(discordUser).where(isLinkedTo(userId))
export type Connection = RowOf<ReturnType<typeof connectionOf>>

export async function findConnection(env: Env, userId: number): Promise<Connection | null> {
  return readFirst(env.DB, connectionOf(userId))
}

const hasPassword = sql<boolean>`${user.passwordHash} IS NOT NULL`.mapWith(Boolean)
const hasVerified = sql<boolean>`${userHasVerified(user.id)}`.mapWith(Boolean)

/** The ways to log in without Discord. */
const otherWays = (userId: number) =>
  template(
    { has_password: hasPassword, has_verified_address: hasVerified },
    (columns) => sql`SELECT ${columns} FROM ${user} WHERE ${user.id} = ${userId}`,
  )

type Removal = { ok: true; connection: Connection } | { ok: false; message: string }

/**
 * Unlinks a user's Discord account and ends its tokens at Discord. The row of `discord_user` stays, so that bans and
 * limits outlast it. Never the last way to log in: the statement itself checks for a password and a verified address.
 * @param now ms since epoch
 */
export async function removeConnection(
  env: Env,
  by: AccountOwner,
  id: number,
  { now, later }: { now: number; later: (work: Promise<void>) => void },
): Promise<Removal> {
  refuseUnlessConfirmed(by)
  const { userId } = by
  const isOwn = and(eq(discordUser.id, id), isLinkedTo(userId))
  // The statement returns the new values, so the tokens are read first.
  const [[ended], [connection]] = await readTogether(
    env.DB,
    query
      .select({ discord_id: discordUser.discordId, sealed_tokens: discordUser.sealedTokens })
      .from(discordUser)
      .where(isOwn),
    query
      .update(discordUser)
      .set({ unlinkedAt: now, sealedTokens: null, tokensExpireAt: null })
      .where(
        sql`${isOwn} AND EXISTS (SELECT 1 FROM ${user} WHERE ${user.id} = ${userId} AND ${hasPassword} AND ${hasVerified})`,
      )
      .returning(connectionFields),
  )
  if (!connection || !ended) return { ok: false, message: await whyNot(env, userId) }
  later(endTokens(env, ended.discord_id, ended.sealed_tokens))
  return { ok: true, connection }
}

async function whyNot(env: Env, userId: number): Promise<string> {
  const ways = await readFirst(env.DB, otherWays(userId))
  if (ways?.has_password === false) return 'Your account has no password set up.'
  if (ways?.has_verified_address === false) return 'Your account has no verified email address.'
  return 'Choose the account to remove.'
}
