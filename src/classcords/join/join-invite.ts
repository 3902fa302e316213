import { sql } from 'drizzle-orm'
import { prepared, orNull, read, readFirst, type RowOf, template, writeTogether, parameter } from '../../db/query.ts'
import { inviteLookup } from '../../db/schema/index.ts'
import { orWarn } from '../../lib/fallbacks.ts'
import { withTimeout } from '../../lib/time.ts'
import { notFound } from '../../web/refusal.ts'
import type { InviteGoneProps } from '../contract.ts'
import { type Lookup, readStored, storeLookUp, unsure } from '../discord/look-up-invite.ts'
import { updatePresence, recordCheck } from '../health/record-check.ts'
import { inviteAddress } from '../invites/invite-link.ts'
import { accessFields, findValidInvites, inviteOf, refuseWithoutAccess } from '../invites/server-invites.ts'
import { serverName } from '../servers/server-row.ts'
import type { Viewer } from '../viewer.ts'
import type { Checker } from './invite-checker.ts'
import { FRESH_MS } from './shared-checks.ts'
import { theServer, theInvite, invitesWithServer } from '../aliases.ts'
import { noSuchInvite } from '../invites/contract.ts'

/** Longer than a check takes; without this limit, people would wait for a Durable Object that does not answer. */
const MAX_WAIT_MS = 5000

/** An approved invite, who may see it, and the last lookup of its code. */
const findInvite = prepared(() =>
  template(
    {
      id: theInvite.id,
      code: theInvite.code,
      state: theInvite.state,
      is_valid: theInvite.isValid,
      failures: theInvite.failures,
      first_failed_at: theInvite.firstFailedAt,
      checked_at: theInvite.checkedAt,
      quarantined_at: theInvite.quarantinedAt,
      guild_id: theServer.serverId,
      server: theInvite.serverId,
      server_name: serverName,
      ...accessFields,
      answer: orNull(inviteLookup.answer),
      fetched_at: orNull(inviteLookup.fetchedAt),
    },
    (columns) => sql`SELECT ${columns} FROM ${invitesWithServer}
      LEFT JOIN ${inviteLookup} ON ${inviteLookup.code} = ${theInvite.code}
      WHERE ${theInvite.id} = ${parameter('invite')} AND ${theInvite.state} = 'approved' AND ${theServer.isActive}`,
  ),
)
type InviteRow = RowOf<ReturnType<typeof findInvite>>

/** Where a person who pressed Join goes: to Discord, to the login page (`null`), or to a page about the dead invite. */
type JoinResult = { to: string } | { gone: InviteGoneProps } | null

/**
 * Checks an invite unless its last check is younger than a minute. A dead one is marked and its submitter and the
 * managers are notified; if Discord gives no usable answer, the stored state decides.
 * @param later takes work that the answer does not wait for @throws notFound, forbidden
 */
export async function joinInvite(
  env: Env,
  viewer: Viewer,
  inviteId: number,
  { now, later }: { now: number; later: (work: Promise<unknown>) => void },
): Promise<JoinResult> {
  const found = await readFirst(env.DB, findInvite({ invite: inviteId }))
  if (!found) throw notFound(noSuchInvite)
  if (found.is_private && !viewer.user) return null
  refuseWithoutAccess(viewer, found)
  const fresh = freshLookup(found, now)
  const lookup = fresh ?? (await check(env, found.code))
  // If recording fails, the person is still redirected; the next click or the daily check records it.
  const record = (isDeadAtOnce: boolean) =>
    orWarn(recordCheck(env.DB, found, lookup, now, { isDeadAtOnce }), { event: 'invite check not recorded' }, null)
  if (lookup.kind === 'unsure' ? found.is_valid : isAlive(found, lookup)) {
    if (fresh === null && lookup.kind === 'guild') {
      // Only the daily check records name and picture, because a change makes every cached page outdated. An invite that
      // did not work before is restored immediately.
      if (found.is_valid)
        later(
          writeTogether(env.DB, [
            storeLookUp(found.code, lookup, now),
            ...updatePresence(found.server, lookup.invite, now),
          ]),
        )
      else await record(false)
    }
    return { to: inviteAddress(found.code) }
  }
  if (lookup.kind !== 'unsure' && found.is_valid) await record(true)
  const others = await read(env.DB, findValidInvites({ server: found.server }))
  return {
    gone: {
      server: { id: found.server, display_name: found.server_name },
      leads_elsewhere: lookup.kind === 'unsure' ? found.quarantined_at !== null : lookup.kind !== 'dead',
      invites: others.filter(({ id }) => id !== found.id).map(inviteOf),
    },
  }
}

function freshLookup({ answer, fetched_at }: InviteRow, now: number): Lookup | null {
  if (fetched_at === null || fetched_at <= now - FRESH_MS) return null
  return readStored(answer)
}

/** Whether the link still leads to the server that was approved. */
const isAlive = ({ guild_id }: InviteRow, lookup: Lookup): boolean =>
  lookup.kind === 'guild' && lookup.invite.guild_id === guild_id

async function check(env: Env, code: string): Promise<Lookup> {
  const checkers = env.CHECKER as DurableObjectNamespace<Checker>
  const ask = async (): Promise<Lookup> => checkers.get(checkers.idFromName('invites')).check(code)
  return orWarn(withTimeout(ask(), MAX_WAIT_MS), { event: 'invite not checked' }, unsure('not checked'))
}
