import { and, eq, inArray, isNull, sql } from 'drizzle-orm'
import { query, writeTogether } from '../../db/query.ts'
import { invite, notice } from '../../db/schema/index.ts'
import { conflict } from '../../web/refusal.ts'
import { randomToken } from '../../web/security/signing.ts'
import type { Decision } from '../contract.ts'
import { indexNow } from '../search/index-servers.ts'
import { type DirectoryActor, refuseUnlessReviewer } from '../viewer.ts'
import { undoApproval } from './apply-approval.ts'
import { alreadyDecided, auditUndo, decisionOf, inviteIsGone, recordDecision } from './record-decision.ts'
import { refuseDuplicate } from './verify-link.ts'

/** The decisions that can be undone. */
export const decidedStates = ['approved', 'rejected'] as const
type DecidedState = (typeof decidedStates)[number]

/**
 * Undoes a decision: the invite is pending again. Also for the manager's own invites. `was`: the decision to undo;
 * default: either.
 * @throws forbidden, notFound, conflict (no decision, or another one by now)
 */
export async function undoDecision(
  db: D1Database,
  by: DirectoryActor,
  { inviteId, was }: { inviteId: number; was?: DecidedState | undefined },
  now: number,
): Promise<Decision> {
  refuseUnlessReviewer(by)
  const key = randomToken()
  const isUntrue = and(
    sql`${notice.inviteId} = (SELECT ${invite.id} FROM ${invite} WHERE ${invite.decisionKey} = ${key})`,
    inArray(notice.kind, ['approved', 'rejected']),
    isNull(notice.readAt),
  )
  const [found, , undone] = await writeTogether(db, [
    query.select({ state: invite.state }).from(invite).where(eq(invite.id, inviteId)),
    auditUndo(by.audit, inviteId, now),
    query
      .update(invite)
      .set({ state: 'pending', decidedAt: null, decidedBy: null, reason: '', decisionKey: key })
      .where(and(eq(invite.id, inviteId), inArray(invite.state, was === undefined ? decidedStates : [was])))
      .returning({ server_id: invite.serverId }),
    ...undoApproval(key, now),
    recordDecision(key, 'withdrawn', { decidedBy: by.discordUserId, now }),
    // An unread notice about a decision that was undone is no longer true.
    query.delete(notice).where(isUntrue),
  ]).catch(refuseDuplicate)
  const [row] = undone.rows
  if (!row) {
    const state = found.rows[0]?.state
    if (state === undefined) throw inviteIsGone()
    throw decidedStates.some((one) => one === state)
      ? alreadyDecided(state)
      : conflict('This invite has no decision to undo')
  }
  await indexNow(db, 1, row.server_id)
  return decisionOf(inviteId, 'pending')
}
