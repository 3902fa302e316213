import { sql } from 'drizzle-orm'
import { into, prepared, readFirst, statement, template, write, parameter, condition } from '../../db/query.ts'
import { inviteUse } from '../../db/schema/index.ts'
import { HOUR_MS } from '../../lib/time.ts'
import { notFound, unprocessable } from '../../web/refusal.ts'
import { signatureOf } from '../../web/security/signing.ts'
import type { Viewer } from '../viewer.ts'
import { accessFields, refuseWithoutAccess } from './server-invites.ts'
import { theServer, theInvite, invitesWithServer } from '../aliases.ts'
import { noSuchInvite } from './contract.ts'

interface Use {
  /** The client's address, as used by rate limits. */
  address: string
  /** ms since epoch */
  now: number
  /** Takes work that the answer does not wait for. */
  later: (work: Promise<unknown>) => void
}

const findInvite = prepared(() => {
  const isAlive = sql<boolean>`${theInvite.isValid} AND ${theServer.isActive} AND (${theInvite.expiresAt} IS NULL OR ${theInvite.expiresAt} > ${parameter('now')})`
  return template(
    { ...accessFields, is_alive: condition(isAlive) },
    (columns) => sql`SELECT ${columns} FROM ${invitesWithServer}
      WHERE ${theInvite.id} = ${parameter('invite')} AND ${theInvite.state} = 'approved'`,
  )
})

/**
 * Once per hour for each user, or for each address if no one is logged in; the statement checks the hour, so that
 * simultaneous clicks count once. @throws notFound, unprocessable (no longer valid), as {@link refuseWithoutAccess}
 */
export async function trackUsage(env: Env, viewer: Viewer, inviteId: number, use: Use): Promise<void> {
  const found = await readFirst(env.DB, findInvite({ invite: inviteId, now: use.now }))
  if (!found) throw notFound(noSuchInvite)
  refuseWithoutAccess(viewer, found)
  if (!found.is_alive) throw unprocessable('This invite is no longer valid')
  use.later(countUse(env, viewer, inviteId, use))
}

async function countUse(env: Env, viewer: Viewer, inviteId: number, use: Use): Promise<void> {
  const [current, previous] = await namesOf(env, viewer, inviteId, use)
  const { inviteId: ofInvite, visitor, usedAt } = inviteUse
  await write(
    env.DB,
    statement(sql`INSERT INTO ${into(inviteUse, ofInvite, visitor, usedAt)} SELECT ${inviteId}, ${current}, ${use.now}
      WHERE NOT EXISTS (SELECT 1 FROM ${inviteUse} WHERE ${ofInvite} = ${inviteId} AND ${visitor} IN (${current}, ${previous})
        AND ${usedAt} > ${use.now - HOUR_MS})`),
  )
}

/**
 * The visitor's name under which a use is stored, and the name that a use in the previous hour has. For an address it is
 * a keyed hash of the address, the invite and the hour, which cannot be reversed or matched with another hour or invite.
 */
async function namesOf(
  env: Env,
  { user }: Viewer,
  inviteId: number,
  { address, now }: Use,
): Promise<[current: string, previous: string]> {
  if (user) return [`user:${user.id}`, `user:${user.id}`]
  const hour = Math.floor(now / HOUR_MS)
  const nameIn = (at: number) => signatureOf(env, 'invite-use', `${at}\n${inviteId}\n${address}`)
  return Promise.all([nameIn(hour), nameIn(hour - 1)])
}
