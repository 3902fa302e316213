import { sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { kept, orNull, read, readFirst, type RowOf, template, writeTogether } from '../../db/query.ts'
import { discordServer, invite, inviteLookup } from '../../db/schema/index.ts'
import { inTime } from '../../lib/in-time.ts'
import { notThere } from '../../web/refusal.ts'
import type { InviteGoneProps } from '../contract.ts'
import { GuildInvite } from '../discord/invite-answer.ts'
import { storeLookUp, type LookedUp } from '../discord/look-up-invite.ts'
import { keepPresence, recordCheck } from '../health/record-check.ts'
import { inviteAddress } from '../invites/invite-link.ts'
import { accessFields, findValidInvites, inviteOf, refuseWithoutAccess } from '../invites/server-invites.ts'
import { serverName } from '../notices/new-notices.ts'
import type { Viewer } from '../viewer.ts'
import type { Checker } from './invite-checker.ts'
import { FRESH_MS } from './shared-checks.ts'

const i = alias(invite, 'i')
const s = alias(discordServer, 's')

/** Longer than the checker takes; without this limit a lost object would keep people waiting. */
const MAX_WAIT_MS = 5000

/** An approved invite, who may see it, and what Discord last said about its code. */
const findJoined = kept(() =>
  template(
    {
      id: i.id,
      code: i.code,
      state: i.state,
      is_valid: i.isValid,
      failures: i.failures,
      first_failed_at: i.firstFailedAt,
      checked_at: i.checkedAt,
      quarantined_at: i.quarantinedAt,
      guild_id: s.serverId,
      server: i.serverId,
      server_name: serverName,
      ...accessFields,
      answer: orNull(inviteLookup.answer),
      fetched_at: orNull(inviteLookup.fetchedAt),
    },
    (columns) => sql`SELECT ${columns} FROM ${invite} ${i} JOIN ${discordServer} ${s} ON ${s.id} = ${i.serverId}
      LEFT JOIN ${inviteLookup} ON ${inviteLookup.code} = ${i.code}
      WHERE ${i.id} = ${sql.placeholder('invite')} AND ${i.state} = 'approved' AND ${s.isActive}`,
  ),
)
type Joined = RowOf<ReturnType<typeof findJoined>>

/** Where a person who pressed Join goes: to Discord, to the login page (`null`), or nowhere if the invite is dead. */
type Joining = { to: string } | { gone: InviteGoneProps } | null

/**
 * Checks an invite with Discord, unless a user's check is younger than a minute, and says where to go. A dead one is
 * marked immediately, and its submitter and the managers are notified. If Discord cannot be asked, what is known about
 * the invite decides.
 * @param later takes work that nobody has to wait for
 * @throws notThere, forbidden
 */
export async function joinInvite(
  env: Env,
  viewer: Viewer,
  inviteId: number,
  { now, later }: { now: number; later: (work: Promise<unknown>) => void },
): Promise<Joining> {
  const found = await readFirst(env.DB, findJoined({ invite: inviteId }))
  if (!found) throw notThere('There is no such invite.')
  if (found.is_private && !viewer.user) return null
  refuseWithoutAccess(viewer, found)
  const fresh = freshAnswer(found, now)
  const looked = fresh ?? (await check(env, found.code))
  if (looked.kind === 'unsure' ? found.is_valid : isAlive(found, looked)) {
    if (fresh === null && looked.kind === 'guild') {
      // The daily check records the rest, because that would renew every cached page; an invite that was dead is
      // restored now.
      if (found.is_valid)
        later(
          writeTogether(env.DB, [
            storeLookUp(found.code, looked, now),
            ...keepPresence(found.server, looked.invite, now),
          ]),
        )
      else await recordCheck(env.DB, found, looked, now)
    }
    return { to: inviteAddress(found.code) }
  }
  if (looked.kind !== 'unsure' && found.is_valid) await recordCheck(env.DB, found, looked, now, { isDeadAtOnce: true })
  const others = await read(env.DB, findValidInvites({ server: found.server }))
  return {
    gone: {
      server: { id: found.server, display_name: found.server_name },
      leads_elsewhere: looked.kind === 'guild' || looked.kind === 'not_guild' || found.quarantined_at !== null,
      invites: others.filter(({ id }) => id !== found.id).map((row) => inviteOf(row)),
    },
  }
}

/** What Discord said about the code within the last minute; null if it was longer ago. */
function freshAnswer({ answer, fetched_at }: Joined, now: number): LookedUp | null {
  if (fetched_at === null || fetched_at <= now - FRESH_MS) return null
  return answer === null ? { kind: 'dead' } : { kind: 'guild', invite: GuildInvite.parse(JSON.parse(answer)) }
}

/** Whether the link still leads to the server that was approved. */
const isAlive = ({ guild_id }: Joined, looked: LookedUp): boolean =>
  looked.kind === 'guild' && looked.invite.guild_id === guild_id

async function check(env: Env, code: string): Promise<LookedUp> {
  const checkers = env.CHECKER as DurableObjectNamespace<Checker>
  const ask = async (): Promise<LookedUp> => checkers.get(checkers.idFromName('invites')).check(code)
  try {
    return await inTime(ask(), MAX_WAIT_MS)
  } catch (error) {
    console.warn({ event: 'invite not checked', error: String(error) })
    return { kind: 'unsure', reason: 'not checked', timed_out: false, retry_after_ms: null }
  }
}
