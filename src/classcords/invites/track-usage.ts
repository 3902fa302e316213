import { readTogether } from '../../db/read-together.ts'
import { notThere, refused } from '../../web/refusal.ts'
import { signatureOf } from '../../web/signing.ts'
import type { Viewer } from '../viewer.ts'
import { type AccessRow, accessColumns, refuseStrangers } from './server-invites.ts'

/** Within it, somebody's clicks on an invite are one use. */
export const hourMs = 3600_000

interface Use {
  /** The client's, as limits count it. */
  address: string
  /** ms since epoch */
  now: number
}

/**
 * Counts that somebody joined: once an hour a user, and of those who are not signed in once an hour an address. The hour is in the
 * statement: clicks at once count once. @throws notThere, refused (no longer valid), and what refuses strangers
 */
export async function trackUsage(env: Env, viewer: Viewer, inviteId: number, use: Use): Promise<void> {
  const { DB: db } = env
  const [rows] = await readTogether<[(AccessRow & { is_alive: number })[]]>(
    db,
    db
      .prepare(
        `SELECT ${accessColumns}, i.is_valid AND s.is_active AND (i.expires_at IS NULL OR i.expires_at > ?2) AS is_alive
         FROM invite i JOIN discord_server s ON s.id = i.server_id WHERE i.id = ?1 AND i.state = 'approved'`,
      )
      .bind(inviteId, use.now),
  )
  const [invite] = rows
  if (!invite) throw notThere('There is no such invite.')
  refuseStrangers(viewer, invite)
  if (!invite.is_alive) throw refused('This invite is no longer valid')
  const [name, former] = await namesOf(env, viewer, inviteId, use)
  await db
    .prepare(
      `INSERT INTO invite_use (invite_id, visitor, used_at) SELECT ?1, ?2, ?3
       WHERE NOT EXISTS (SELECT 1 FROM invite_use WHERE invite_id = ?1 AND visitor IN (?2, ?4) AND used_at > ?3 - ${hourMs})`,
    )
    .bind(inviteId, name, use.now, former)
    .run()
}

/**
 * Under which name a use is kept, and under which one a use of less than an hour ago may be. An address leaves a keyed hash of itself,
 * the invite and the hour of the day: nothing that could be read back, or found again in another hour or at another invite.
 */
async function namesOf(
  env: Env,
  { user }: Viewer,
  inviteId: number,
  { address, now }: Use,
): Promise<[name: string, former: string]> {
  if (user) return [`user:${user.id}`, `user:${user.id}`]
  const hour = Math.floor(now / hourMs)
  const named = (at: number) => signatureOf(env, 'invite-use', `${at}\n${inviteId}\n${address}`)
  return Promise.all([named(hour), named(hour - 1)])
}
