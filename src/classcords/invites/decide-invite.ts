import type { Actor } from '../../web/audit.ts'
import { conflict, notThere, refused } from '../../web/refusal.ts'
import { randomToken } from '../../web/signing.ts'
import { typedText } from '../../web/typed-text.ts'
import type { Decision } from '../contract.ts'
import { type NewNotice, tellSubmitter } from '../notices/notice-statements.ts'
import { indexServers } from '../search/index-servers.ts'
import { applyApproval, recordDecision, undoApproval } from './apply-approval.ts'
import { auditDecision, auditWithdrawal } from './audit-decision.ts'
import { isTakenCode, takenCode } from './taken-code.ts'

export const longestReason = 255

type Status = Decision['data']['status']

/** Who decides. `chatId`: their chat account, by which the directory names them; null for a superuser without one. */
export interface Decider {
  chatId: number | null
  actor: Actor
}

/** Servers whose words are brought up to date at once; those of more follow within a minute. */
const mostIndexed = 100

const answerOf = (id: number, status: Status): Decision => ({ errorMessages: [], data: { id, status } })

/**
 * Approves a pending, living invite and gives its server what was submitted. Of two managers at once one decides.
 * @throws notThere, conflict (decided before), refused (not valid)
 */
export async function approveInvite(
  db: D1Database,
  inviteId: number,
  decider: Decider,
  now: number,
): Promise<Decision> {
  const { decided, states } = await approveInvites(db, [inviteId], decider, now)
  if (!decided.has(inviteId)) throw whyNot(states.get(inviteId), 'approve')
  return answerOf(inviteId, 'approved')
}

/** Rejects a pending, living invite; the reason ('' for none, at most 255 characters) is its submitter's to read. @throws as {@link approveInvite} */
export async function rejectInvite(
  db: D1Database,
  inviteId: number,
  decider: Decider & { reason: string },
  now: number,
): Promise<Decision> {
  const { decided, states } = await rejectInvites(db, [inviteId], decider, now)
  if (!decided.has(inviteId)) throw whyNot(states.get(inviteId), 'reject')
  return answerOf(inviteId, 'rejected')
}

/** What came of deciding about many: the ids this act decided, and the state each was found in that is there. */
export interface Decided {
  decided: ReadonlySet<number>
  states: ReadonlyMap<number, string>
}

/** {@link approveInvite} for many at once, in one batch. */
export async function approveInvites(
  db: D1Database,
  ids: readonly number[],
  decider: Decider,
  now: number,
): Promise<Decided> {
  const key = randomToken()
  const { servers, ...outcome } = await decide(db, ids, decider, { key, state: 'approved', now }, [
    ...applyApproval(db, key, { decidedBy: decider.chatId, now }),
    tell(db, key, { kind: 'approved', title: 'Your invite was approved', body: '' }, now),
  ])
  const [only] = servers
  if (servers.length === 1) await indexServers(db, 1, only)
  else if (servers.length > 1) await indexServers(db, mostIndexed)
  return outcome
}

/** {@link rejectInvite} for many at once, in one batch. @throws refused for a reason too long */
export async function rejectInvites(
  db: D1Database,
  ids: readonly number[],
  decider: Decider & { reason: string },
  now: number,
): Promise<Decided> {
  const reason = typedText(decider.reason)
  if (Array.from(reason).length > longestReason)
    throw refused(`The reason may have at most ${longestReason} characters`)
  const key = randomToken()
  const { decided, states } = await decide(db, ids, decider, { key, state: 'rejected', now }, [
    db.prepare("UPDATE invite SET reason = ?2 WHERE decision_key = ?1 AND state = 'rejected'").bind(key, reason),
    recordDecision(db, key, 'rejected', { decidedBy: decider.chatId, now, reason }),
    tell(db, key, { kind: 'rejected', title: 'Your invite was rejected', body: reason }, now),
  ])
  return { decided, states }
}

/** Returns a decision to pending, one's own invites included. @throws notThere, conflict */
export async function withdrawDecision(
  db: D1Database,
  inviteId: number,
  { chatId, actor }: Decider,
  now: number,
): Promise<Decision> {
  const key = randomToken()
  try {
    const [, undone, ...others] = await db.batch<{ server_id: number; state: string }>([
      auditWithdrawal(db, actor, inviteId, now),
      db
        .prepare(
          `UPDATE invite SET state = 'pending', decided_at = NULL, decided_by = NULL, reason = '', decision_key = ?2
           WHERE id = ?1 AND state IN ('approved', 'rejected') RETURNING server_id`,
        )
        .bind(inviteId, key),
      ...undoApproval(db, key),
      recordDecision(db, key, 'withdrawn', { decidedBy: chatId, now }),
      // Whoever has not read of the decision need not any more.
      db
        .prepare(
          `DELETE FROM notice WHERE invite_id = (SELECT id FROM invite WHERE decision_key = ?) AND kind IN ('approved', 'rejected') AND read_at IS NULL`,
        )
        .bind(key),
      db.prepare('SELECT state FROM invite WHERE id = ?').bind(inviteId),
    ])
    const row = undone?.results[0]
    if (!row) throw whyNot(others.at(-1)?.results[0]?.state, 'withdraw')
    await indexServers(db, 1, row.server_id)
  } catch (error) {
    if (isTakenCode(error)) throw takenCode()
    throw error
  }
  return answerOf(inviteId, 'pending')
}

const tell = (db: D1Database, key: string, notice: Omit<NewNotice, 'url'>, now: number) =>
  tellSubmitter(db, key, { ...notice, url: '/classcords/profile/' }, now)

/** Decides about those that are pending and living, then what follows from it, then what is written down. */
async function decide(
  db: D1Database,
  ids: readonly number[],
  { chatId, actor }: Decider,
  { key, state, now }: { key: string; state: 'approved' | 'rejected'; now: number },
  follows: readonly D1PreparedStatement[],
): Promise<Decided & { servers: number[] }> {
  const list = JSON.stringify(ids)
  const results = await db.batch<{ id: number; server_id: number; state: string }>([
    db.prepare('SELECT id, state FROM invite WHERE id IN (SELECT value FROM json_each(?))').bind(list),
    db
      .prepare(
        `UPDATE invite SET state = '${state}', decided_at = ?2, decided_by = ?3, decision_key = ?4
         WHERE id IN (SELECT value FROM json_each(?1)) AND state = 'pending' AND is_valid RETURNING id, server_id`,
      )
      .bind(list, now, chatId, key),
    ...follows,
    auditDecision(db, actor, key, { from: 'pending', to: state }, now),
  ])
  const [found = [], decided = []] = results.map((result) => result.results)
  return {
    decided: new Set(decided.map(({ id }) => id)),
    states: new Map(found.map((row) => [row.id, row.state])),
    servers: [...new Set(decided.map(({ server_id }) => server_id))],
  }
}

/** Why an invite that was found in this state (absent: not at all) was not decided about. */
export function whyNot(state: string | undefined, act: 'approve' | 'reject' | 'withdraw'): Error {
  if (state === undefined) return notThere('There is no such invite.')
  if (act === 'withdraw') return conflict('There is no decision on this invite to take back')
  if (state === 'pending') return refused(`Cannot ${act} an invalid invite`)
  if (state === 'expired') return conflict('This invite has expired')
  return conflict(`This invite has already been ${state}`)
}
