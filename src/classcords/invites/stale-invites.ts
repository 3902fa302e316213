import { and, eq, sql } from 'drizzle-orm'
import { query, readFirst, writeTogether } from '../../db/query.ts'
import { invite } from '../../db/schema/index.ts'
import { notFound, unprocessable, upstreamError } from '../../web/refusal.ts'
import { randomToken } from '../../web/security/signing.ts'
import type { Decision } from '../contract.ts'
import { lookUpInvite } from '../discord/look-up-invite.ts'
import { findInvitesToCheck, recordCheck } from '../health/record-check.ts'
import { noticeToSubmitter } from '../notices/new-notices.ts'
import { type DirectoryActor, refuseUnlessReviewer } from '../viewer.ts'
import { noSuchInvite } from './contract.ts'
import { alreadyDecided, auditDecision, decisionOf, inviteIsGone, recordDecision } from './record-decision.ts'

/**
 * If a pending, invalid invite works again, it can be approved or rejected; one that has failed for too long expires.
 * @throws forbidden, notFound, conflict (decided before), unprocessable (still dead), upstreamError (Discord did not answer)
 */
export async function recheckInvite(env: Env, by: DirectoryActor, inviteId: number, now: number): Promise<Decision> {
  refuseUnlessReviewer(by)
  const findPending = async () => {
    const found = await readFirst(env.DB, findInvitesToCheck().where(eq(invite.id, inviteId)))
    if (!found) throw inviteIsGone()
    if (found.state !== 'pending') throw alreadyDecided(found.state)
    return found
  }
  const found = await findPending()
  const verdict = await recordCheck(env.DB, found, await lookUpInvite(env, found.code), now)
  if (verdict === 'alive' || (verdict === 'overtaken' && (await findPending()).is_valid))
    return decisionOf(inviteId, 'pending')
  if (verdict === 'expired') return decisionOf(inviteId, 'expired')
  if (verdict === 'unsure') throw upstreamError(502, 'Discord could not be reached. Please try again in a moment')
  if (verdict === 'quarantined') throw unprocessable('The link now points to a different server')
  throw unprocessable('This invite still does not work')
}

/**
 * A pending, invalid invite expires; its submitter is notified and may submit another.
 * @throws forbidden, notFound, conflict (decided before), unprocessable (it is valid)
 */
export async function closeInvite(
  db: D1Database,
  by: DirectoryActor,
  inviteId: number,
  now: number,
): Promise<Decision> {
  refuseUnlessReviewer(by)
  const key = randomToken()
  const [found, closed] = await writeTogether(db, [
    query.select({ state: invite.state }).from(invite).where(eq(invite.id, inviteId)),
    query
      .update(invite)
      .set({ state: 'expired', decidedAt: now, decidedBy: by.discordUserId, decisionKey: key })
      .where(and(eq(invite.id, inviteId), sql`${invite.state} = 'pending' AND NOT ${invite.isValid}`))
      .returning({ id: invite.id }),
    recordDecision(key, 'closed', { decidedBy: by.discordUserId, now }),
    noticeToSubmitter(key, { kind: 'expired', title: 'Your pending invite has expired', body: '' }, now),
    auditDecision(by.audit, key, { from: 'pending', to: 'expired' }, now),
  ])
  if (closed.rows.length === 1) return decisionOf(inviteId, 'expired')
  const state = found.rows[0]?.state
  if (state === undefined) throw notFound(noSuchInvite)
  if (state === 'pending') throw unprocessable('This invite works: approve or reject it')
  throw alreadyDecided(state)
}
