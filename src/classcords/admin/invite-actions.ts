import { enqueue } from '../../jobs/enqueue.ts'
import type { AdminAct } from '../../web/admin-change.ts'
import { auditRows } from '../../web/audit-rows.ts'
import { counted } from '../../web/counted.ts'
import { conflict, refused } from '../../web/refusal.ts'
import { checkInvites } from '../health/check-invites.ts'
import { inviteTitle } from '../invites/record-decision.ts'
import { approveInvites, type Decided, rejectInvites, whyNot, withdrawDecision } from '../invites/decide-invite.ts'
import type { DirectoryActor } from '../viewer.ts'

/** By which name the directory knows who decides here. */
async function deciderOf({ DB }: Env, { actor }: AdminAct): Promise<DirectoryActor> {
  const chatId = await DB.prepare(
    'SELECT id FROM discord_user WHERE user_id = ? AND unlinked_at IS NULL AND NOT is_disabled',
  )
    .bind(actor.userId)
    .first<number>('id')
  return { role: 'superuser', chatId, audit: actor }
}

/** The directory's own words for each that was not decided about. @throws when none was */
function sayDecided({ keys }: AdminAct, { decided, states }: Decided, act: 'approve' | 'reject', past: string): string {
  const others = keys.map(Number).filter((id) => !decided.has(id))
  const reasons = [...new Set(others.map((id) => whyNot(states.get(id), act).message))]
  const [only] = others
  if (decided.size === 0 && keys.length === 1 && only !== undefined) throw whyNot(states.get(only), act)
  if (decided.size === 0) throw conflict(...reasons)
  const rest = others.length === 0 ? '' : ` ${counted(others.length, 'other')} not: ${reasons.join('; ')}.`
  return `${counted(decided.size, 'invite')} ${past}.${rest}`
}

export async function approve(env: Env, act: AdminAct): Promise<string> {
  const decided = await approveInvites(env.DB, await deciderOf(env, act), act.keys.map(Number), act.now)
  return sayDecided(act, decided, 'approve', 'approved')
}

export async function reject(env: Env, act: AdminAct): Promise<string> {
  const rejection = { ids: act.keys.map(Number), reason: String(act.values['reason'] ?? '') }
  const decided = await rejectInvites(env.DB, await deciderOf(env, act), rejection, act.now)
  return sayDecided(act, decided, 'reject', 'rejected')
}

export async function withdraw(env: Env, act: AdminAct): Promise<string> {
  const [key, ...others] = act.keys
  if (others.length > 0) throw refused('Take back one decision at a time.')
  await withdrawDecision(env.DB, await deciderOf(env, act), Number(key), act.now)
  return 'The decision was taken back: the invite is pending again.'
}

export const checkInvitesNow = (env: Env, act: AdminAct): Promise<string> => checkNow(env, act, 'i.id')

export const checkServersNow = (env: Env, act: AdminAct): Promise<string> => checkNow(env, act, 'i.server_id')

/** Makes pending and approved invites due, and has them checked. @throws conflict when there are none */
async function checkNow(env: Env, { keys, actor, now }: AdminAct, column: 'i.id' | 'i.server_id'): Promise<string> {
  const list = JSON.stringify(keys)
  const which = `${column} IN (SELECT value FROM json_each(?)) AND i.state IN ('pending', 'approved')`
  const [due] = await env.DB.batch([
    env.DB.prepare(`UPDATE invite AS i SET due_at = min(due_at, ?) WHERE ${which}`).bind(now, list),
    auditRows(
      env.DB,
      actor,
      { act: 'checked', area: 'classcords', table: 'invite' },
      {
        sql: `SELECT i.id AS row_key, ${inviteTitle} AS title, NULL AS before, NULL AS after FROM invite i WHERE ${which}`,
        values: [list],
      },
      now,
    ),
  ])
  const count = due?.meta.changes ?? 0
  if (count === 0) throw conflict('Only pending and approved invites are checked.')
  // Another key than the schedule's: a run that is about to end has chosen its invites already.
  await enqueue(env, checkInvites, {}, { key: 'check-invites:asked', priority: 10 })
  return `${counted(count, 'invite is', 'invites are')} being checked.`
}
