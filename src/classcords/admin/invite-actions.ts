import { sql } from 'drizzle-orm'
import { isIn } from '../../db/json-argument.ts'
import { query, read, readFirst } from '../../db/query.ts'
import { discordUser, invite } from '../../db/schema/index.ts'
import { enqueue } from '../../jobs/enqueue.ts'
import type { AdminAct, AdminKey } from '../../web/admin-change.ts'
import { auditRows } from '../../web/audit.ts'
import { counted } from '../../lib/text.ts'
import { conflict, unprocessable } from '../../web/refusal.ts'
import { privacyChangeText } from '../../../client/components/privacy-change.ts'
import { checkInvites } from '../health/check-invites.ts'
import { approveInvites, type DecisionResult, rejectInvites, refusalFor } from '../invites/decide-invite.ts'
import { findPrivacyChanges } from '../invites/list-pending.ts'
import type { DirectoryActor } from '../viewer.ts'
import { inviteTitle } from './parts.ts'
import { undoDecision } from '../invites/undo-decision.ts'

/** The admin as an actor in the directory, with their Discord account if they have one. */
async function deciderOf({ DB }: Env, { actor }: AdminAct): Promise<DirectoryActor> {
  const isOwn = sql`${discordUser.userId} = ${actor.userId} AND ${discordUser.unlinkedAt} IS NULL AND NOT ${discordUser.isDisabled}`
  const found = await readFirst(DB, query.select({ id: discordUser.id }).from(discordUser).where(isOwn))
  return { role: 'superuser', discordUserId: found?.id ?? null, audit: actor }
}

/** How many invites were decided, and why the others were not. @throws Refusal if none was decided */
function decisionMessage({ keys }: AdminAct, { decided, found }: DecisionResult, act: 'approve' | 'reject'): string {
  const others = keys.map(Number).filter((id) => !decided.has(id))
  const reasons = [...new Set(others.map((id) => refusalFor(found.get(id), act).message))]
  const [only] = others
  if (decided.size === 0 && keys.length === 1 && only !== undefined) throw refusalFor(found.get(only), act)
  if (decided.size === 0) throw conflict(...reasons)
  const rest = others.length === 0 ? '' : ` ${counted(others.length, 'other')} skipped: ${reasons.join('; ')}.`
  return `${counted(decided.size, 'invite')} ${act === 'approve' ? 'approved' : 'rejected'}.${rest}`
}

export async function approve(env: Env, act: AdminAct): Promise<string> {
  const decided = await approveInvites(env.DB, await deciderOf(env, act), act.keys.map(Number), { now: act.now })
  return decisionMessage(act, decided, 'approve')
}

/** What approving the invites does to their servers' privacy, as the review page says it. */
export async function approvalWarnings(db: D1Database, keys: readonly AdminKey[]): Promise<string[]> {
  const changes = await read(db, findPrivacyChanges(keys))
  return changes.map(({ code, privacy_level }) => {
    const warning = privacyChangeText(privacy_level)
    return keys.length === 1 ? warning : `discord.gg/${code}: ${warning}`
  })
}

export async function reject(env: Env, act: AdminAct): Promise<string> {
  const rejection = { ids: act.keys.map(Number), reason: String(act.values['reason'] ?? '') }
  const decided = await rejectInvites(env.DB, await deciderOf(env, act), rejection, act.now)
  return decisionMessage(act, decided, 'reject')
}

export async function undo(env: Env, act: AdminAct): Promise<string> {
  const [key, ...others] = act.keys
  if (others.length > 0) throw unprocessable('Undo one decision at a time.')
  await undoDecision(env.DB, await deciderOf(env, act), { inviteId: Number(key) }, act.now)
  return 'Decision undone: the invite is pending again.'
}

export const checkInvitesNow = (env: Env, act: AdminAct): Promise<string> => checkNow(env, act, invite.id)

export const checkServersNow = (env: Env, act: AdminAct): Promise<string> => checkNow(env, act, invite.serverId)

/** Makes pending and approved invites due and starts a check. @throws conflict when there are none */
async function checkNow(
  env: Env,
  { keys, actor, now, write }: AdminAct,
  column: typeof invite.id | typeof invite.serverId,
): Promise<string> {
  const which = sql`${isIn(column, keys)}
    AND ${invite.state} IN ('pending', 'approved')`
  const [{ changes: count }] = await write([
    query
      .update(invite)
      .set({ dueAt: sql`min(${invite.dueAt}, ${now})` })
      .where(which),
    auditRows(
      actor,
      { act: 'checked', area: 'classcords', table: 'invite' },
      sql`SELECT ${invite.id} AS row_key, ${inviteTitle} AS title, NULL AS before, NULL AS after FROM ${invite} WHERE ${which}`,
      now,
    ),
  ])
  if (count === 0) throw conflict('Only pending and approved invites can be checked.')
  // Without a key, because a run that is already under way has chosen its invites; one after the other, because they would
  // check the same ones.
  const exclusive = { name: 'check-invites:asked', when_held: 'wait' } as const
  await enqueue(env, checkInvites, {}, { exclusive, priority: 10 })
  return `${counted(count, 'invite is', 'invites are')} being checked.`
}
