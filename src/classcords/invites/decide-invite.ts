import { randomToken } from '../../web/signing.ts'
import { conflict, notThere, refused } from '../../web/refusal.ts'
import type { Decision } from '../contract.ts'
import { tellSubmitter } from '../notices/notice-statements.ts'
import { indexServers } from '../search/index-servers.ts'
import { typedText } from '../typed-text.ts'
import { applyApproval, recordDecision, undoApproval } from './apply-approval.ts'
import { isTakenCode, takenCode } from './taken-code.ts'

export const longestReason = 255

type Status = Decision['data']['status']

const answerOf = (id: number, status: Status): Decision => ({ errorMessages: [], data: { id, status } })

/**
 * Approves a pending, living invite and gives its server what was submitted. Of two managers at once one decides.
 * @throws notThere, conflict (decided before), refused (not valid)
 */
export async function approveInvite(
  db: D1Database,
  inviteId: number,
  managerId: number,
  now: number,
): Promise<Decision> {
  const key = randomToken()
  const [decided] = await db.batch<{ server_id: number }>([
    db.prepare(decide('approved')).bind(inviteId, now, managerId, key),
    ...applyApproval(db, key, { decidedBy: managerId, now }),
    tellSubmitter(
      db,
      key,
      { kind: 'approved', title: 'Your invite was approved', body: '', url: '/classcords/profile/' },
      now,
    ),
  ])
  const row = decided?.results[0]
  if (!row) throw await whyNot(db, inviteId, 'approve')
  await indexServers(db, 1, row.server_id)
  return answerOf(inviteId, 'approved')
}

/** Rejects a pending, living invite; the reason ('' for none, at most 255 characters) is its submitter's to read. @throws as {@link approveInvite} */
export async function rejectInvite(
  db: D1Database,
  inviteId: number,
  manager: { id: number; reason: string },
  now: number,
): Promise<Decision> {
  const reason = typedText(manager.reason)
  if (Array.from(reason).length > longestReason)
    throw refused(`The reason may have at most ${longestReason} characters`)
  const key = randomToken()
  const [decided] = await db.batch([
    db.prepare(decide('rejected')).bind(inviteId, now, manager.id, key),
    db.prepare("UPDATE invite SET reason = ?2 WHERE decision_key = ?1 AND state = 'rejected'").bind(key, reason),
    recordDecision(db, key, 'rejected', { decidedBy: manager.id, now, reason }),
    tellSubmitter(
      db,
      key,
      { kind: 'rejected', title: 'Your invite was rejected', body: reason, url: '/classcords/profile/' },
      now,
    ),
  ])
  if (decided?.results.length !== 1) throw await whyNot(db, inviteId, 'reject')
  return answerOf(inviteId, 'rejected')
}

/** Returns a decision to pending, one's own invites included. @throws notThere, conflict */
export async function withdrawDecision(
  db: D1Database,
  inviteId: number,
  managerId: number,
  now: number,
): Promise<Decision> {
  const key = randomToken()
  try {
    const [undone] = await db.batch<{ server_id: number }>([
      db
        .prepare(
          `UPDATE invite SET state = 'pending', decided_at = NULL, decided_by = NULL, reason = '', decision_key = ?2
           WHERE id = ?1 AND state IN ('approved', 'rejected') RETURNING server_id`,
        )
        .bind(inviteId, key),
      ...undoApproval(db, key),
      recordDecision(db, key, 'withdrawn', { decidedBy: managerId, now }),
      // Whoever has not read of the decision need not any more.
      db
        .prepare(
          `DELETE FROM notice WHERE invite_id = (SELECT id FROM invite WHERE decision_key = ?) AND kind IN ('approved', 'rejected') AND read_at IS NULL`,
        )
        .bind(key),
    ])
    const row = undone?.results[0]
    if (!row) throw await whyNot(db, inviteId, 'withdraw')
    await indexServers(db, 1, row.server_id)
  } catch (error) {
    if (isTakenCode(error)) throw takenCode()
    throw error
  }
  return answerOf(inviteId, 'pending')
}

const decide = (state: 'approved' | 'rejected') =>
  `UPDATE invite SET state = '${state}', decided_at = ?2, decided_by = ?3, decision_key = ?4
   WHERE id = ?1 AND state = 'pending' AND is_valid RETURNING server_id`

async function whyNot(db: D1Database, inviteId: number, act: 'approve' | 'reject' | 'withdraw'): Promise<Error> {
  const invite = await db.prepare('SELECT state FROM invite WHERE id = ?').bind(inviteId).first<{ state: string }>()
  if (!invite) return notThere('There is no such invite.')
  if (act === 'withdraw') return conflict('There is no decision on this invite to take back')
  if (invite.state === 'pending') return refused(`Cannot ${act} an invalid invite`)
  if (invite.state === 'expired') return conflict('This invite has expired')
  return conflict(`This invite has already been ${invite.state}`)
}
