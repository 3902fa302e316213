import { readTogether } from '../../db/read-together.ts'
import { endTokens } from './end-tokens.ts'

export interface Connection {
  id: number
  username: string
  discriminator: string
  display_name: string
}

export async function findConnection(env: Env, userId: number): Promise<Connection | null> {
  return env.DB.prepare(
    'SELECT id, username, discriminator, display_name FROM discord_user WHERE user_id = ? AND unlinked_at IS NULL',
  )
    .bind(userId)
    .first<Connection>()
}

/** What still lets somebody in once Discord does not. */
interface OtherWays {
  has_password: number
  has_verified_address: number
}

const otherWays = `SELECT password_hash IS NOT NULL AS has_password,
  EXISTS (SELECT 1 FROM email_address e WHERE e.user_id = user.id AND e.verified_at IS NOT NULL) AS has_verified_address
  FROM user WHERE id = ?1`

interface Ended {
  discord_id: string
  sealed_tokens: string | null
}

type Removal = { ok: true; connection: Connection } | { ok: false; message: string }

/**
 * Unlinks somebody's Discord account and ends its tokens at Discord. The chat user stays, so that neither a ban nor a limit ends by
 * it. Never the last way in: the statement itself looks whether there is a password and a verified address.
 * @param now ms since epoch
 */
export async function removeConnection(
  env: Env,
  { id, userId }: { id: number; userId: number },
  now: number,
  later: (work: Promise<void>) => void,
): Promise<Removal> {
  const own = 'id = ?2 AND user_id = ?1 AND unlinked_at IS NULL'
  // What the statement returns is what it has written: the tokens are read before.
  const [[ended], [connection]] = await readTogether<[Ended[], Connection[]]>(
    env.DB,
    env.DB.prepare(`SELECT discord_id, sealed_tokens FROM discord_user WHERE ${own}`).bind(userId, id),
    env.DB.prepare(
      `UPDATE discord_user SET unlinked_at = ?3, sealed_tokens = NULL, tokens_expire_at = NULL
       WHERE ${own} AND EXISTS (SELECT 1 FROM (${otherWays}) WHERE has_password AND has_verified_address)
       RETURNING id, username, discriminator, display_name`,
    ).bind(userId, id, now),
  )
  if (!connection || !ended) return { ok: false, message: await whyNot(env, userId) }
  later(endTokens(env, ended.discord_id, ended.sealed_tokens))
  return { ok: true, connection }
}

async function whyNot(env: Env, userId: number): Promise<string> {
  const ways = await env.DB.prepare(otherWays).bind(userId).first<OtherWays>()
  if (ways?.has_password === 0) return 'Your account has no password set up.'
  if (ways?.has_verified_address === 0) return 'Your account has no verified email address.'
  return 'Choose the account to remove.'
}
