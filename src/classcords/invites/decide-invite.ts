import { and, eq, inArray, isNull, sql } from 'drizzle-orm'
import { type Query, query, writeTogether } from '../../db/query.ts'
import { invite, notice } from '../../db/schema/index.ts'
import { conflict, notThere, refused } from '../../web/refusal.ts'
import { randomToken } from '../../web/signing.ts'
import { typedText } from '../../lib/typed-text.ts'
import type { Decision } from '../contract.ts'
import { type NewNotice, noticeToSubmitter } from '../notices/new-notices.ts'
import { indexServers } from '../search/index-servers.ts'
import { type DirectoryActor, refuseUnlessReviewer } from '../viewer.ts'
import { applyApproval, undoApproval } from './apply-approval.ts'
import { auditDecision, auditWithdrawal, recordDecision } from './record-decision.ts'
import { isTakenCode, takenCode } from './verify-link.ts'

export const MAX_REASON_LENGTH = 255

type Status = Decision['data']['status']

/** Servers whose search words are updated at once; others follow within a minute. */
const MAX_INDEXED = 100

const answerOf = (id: number, status: Status): Decision => ({ errorMessages: [], data: { id, status } })

/** Takes work that nobody has to wait for; absent: the operation waits for it. */
type Later = (work: Promise<unknown>) => void

/**
 * Approves a pending, valid invite and applies the submission to its server. If two managers decide at the same time,
 * only one succeeds.
 * @throws forbidden, notThere, conflict (decided before), refused (not valid)
 */
export async function approveInvite(
  db: D1Database,
  by: DirectoryActor,
  inviteId: number,
  now: number,
  later?: Later,
): Promise<Decision> {
  const { decided, states } = await approveInvites(db, by, [inviteId], now, later)
  if (!decided.has(inviteId)) throw whyNot(states.get(inviteId), 'approve')
  return answerOf(inviteId, 'approved')
}

/**
 * Rejects a pending, valid invite; its submitter sees the reason ('' for none, at most 255 characters). @throws as
 * {@link approveInvite}
 */
export async function rejectInvite(
  db: D1Database,
  by: DirectoryActor,
  { inviteId, reason }: { inviteId: number; reason: string },
  now: number,
): Promise<Decision> {
  const { decided, states } = await rejectInvites(db, by, { ids: [inviteId], reason }, now)
  if (!decided.has(inviteId)) throw whyNot(states.get(inviteId), 'reject')
  return answerOf(inviteId, 'rejected')
}

/**
 * The result of deciding many invites: the ids that were decided, and the state in which each existing one was found.
 */
export interface Decided {
  decided: ReadonlySet<number>
  states: ReadonlyMap<number, string>
}

/** {@link approveInvite} for many invites in one batch. @throws forbidden */
export async function approveInvites(
  db: D1Database,
  by: DirectoryActor,
  ids: readonly number[],
  now: number,
  later?: Later,
): Promise<Decided> {
  refuseUnlessReviewer(by)
  const key = randomToken()
  const { servers, ...outcome } = await decide(db, by, ids, {
    key,
    state: 'approved',
    now,
    consequences: [
      ...applyApproval(key, { decidedBy: by.chatId, now }),
      noticeOf(key, { kind: 'approved', title: 'Your invite was approved', body: '' }, now),
    ],
  })
  const [only] = servers
  if (only === undefined) return outcome
  const indexing = servers.length === 1 ? indexServers(db, 1, only) : indexServers(db, MAX_INDEXED)
  if (later) later(indexing)
  else await indexing
  return outcome
}

/** {@link rejectInvite} for many invites in one batch. @throws forbidden, refused for a reason too long */
export async function rejectInvites(
  db: D1Database,
  by: DirectoryActor,
  { ids, reason: typed }: { ids: readonly number[]; reason: string },
  now: number,
): Promise<Decided> {
  refuseUnlessReviewer(by)
  const reason = typedText(typed)
  if (Array.from(reason).length > MAX_REASON_LENGTH)
    throw refused(`The reason may have at most ${MAX_REASON_LENGTH} characters`)
  const key = randomToken()
  const { decided, states } = await decide(db, by, ids, {
    key,
    state: 'rejected',
    now,
    consequences: [
      query
        .update(invite)
        .set({ reason })
        .where(and(eq(invite.decisionKey, key), eq(invite.state, 'rejected'))),
      recordDecision(key, 'rejected', { decidedBy: by.chatId, now, reason }),
      noticeOf(key, { kind: 'rejected', title: 'Your invite was rejected', body: reason }, now),
    ],
  })
  return { decided, states }
}

/** Returns a decided invite to pending. Also works for one's own. @throws forbidden, notThere, conflict */
export async function withdrawDecision(
  db: D1Database,
  by: DirectoryActor,
  inviteId: number,
  now: number,
): Promise<Decision> {
  refuseUnlessReviewer(by)
  const key = randomToken()
  try {
    const [found, , undone] = await writeTogether(db, [
      query.select({ state: invite.state }).from(invite).where(eq(invite.id, inviteId)),
      auditWithdrawal(by.audit, inviteId, now),
      query
        .update(invite)
        .set({ state: 'pending', decidedAt: null, decidedBy: null, reason: '', decisionKey: key })
        .where(and(eq(invite.id, inviteId), inArray(invite.state, ['approved', 'rejected'])))
        .returning({ server_id: invite.serverId }),
      ...undoApproval(key),
      recordDecision(key, 'withdrawn', { decidedBy: by.chatId, now }),
      // An unread notice about a withdrawn decision is no longer true.
      query
        .delete(notice)
        .where(
          and(
            sql`${notice.inviteId} = (SELECT ${invite.id} FROM ${invite} WHERE ${invite.decisionKey} = ${key})`,
            inArray(notice.kind, ['approved', 'rejected']),
            isNull(notice.readAt),
          ),
        ),
    ])
    const [row] = undone.rows
    if (!row) throw whyNot(found.rows[0]?.state, 'withdraw')
    await indexServers(db, 1, row.server_id)
  } catch (error) {
    if (isTakenCode(error)) throw takenCode()
    throw error
  }
  return answerOf(inviteId, 'pending')
}

const noticeOf = (key: string, notice: Omit<NewNotice, 'url'>, now: number) =>
  noticeToSubmitter(key, { ...notice, url: '/classcords/profile/' }, now)

interface Deciding {
  /** Marks the invites that this decision changed. */
  key: string
  state: 'approved' | 'rejected'
  /** ms since epoch */
  now: number
  consequences: readonly Query[]
}

/** One batch that decides the pending, valid invites, applies the consequences, and writes the audit. */
async function decide(
  db: D1Database,
  by: DirectoryActor,
  ids: readonly number[],
  { key, state, now, consequences }: Deciding,
): Promise<Decided & { servers: number[] }> {
  const isAmong = sql`${invite.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`
  const [found, decided] = await writeTogether(db, [
    query.select({ id: invite.id, state: invite.state }).from(invite).where(isAmong),
    query
      .update(invite)
      .set({ state, decidedAt: now, decidedBy: by.chatId, decisionKey: key })
      .where(sql`${isAmong} AND ${invite.state} = 'pending' AND ${invite.isValid}`)
      .returning({ id: invite.id, server_id: invite.serverId }),
    ...consequences,
    auditDecision(by.audit, key, { from: 'pending', to: state }, now),
  ])
  return {
    decided: new Set(decided.rows.map(({ id }) => id)),
    states: new Map(found.rows.map((row) => [row.id, row.state])),
    servers: [...new Set(decided.rows.map(({ server_id }) => server_id))],
  }
}

/** Why an invite found in this state (absent: there is none) was not decided. */
export function whyNot(state: string | undefined, act: 'approve' | 'reject' | 'withdraw'): Error {
  if (state === undefined) return notThere('There is no such invite.')
  if (act === 'withdraw') return conflict('This invite has no decision to undo')
  if (state === 'pending') return refused(`Cannot ${act} an invalid invite`)
  if (state === 'expired') return conflict('This invite has expired')
  return conflict(`This invite has already been ${state}`)
}
