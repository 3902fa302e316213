import { and, eq, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { privacyChangeText } from '../../../client/components/privacy-change.ts'
import { isIn } from '../../db/json-argument.ts'
import { type Query, query, writeTogether, condition } from '../../db/query.ts'
import { invite } from '../../db/schema/index.ts'
import { conflict, unprocessable } from '../../web/refusal.ts'
import { randomToken } from '../../web/security/signing.ts'
import { typedLines } from '../../lib/text.ts'
import type { Decision } from '../contract.ts'
import { noticeToSubmitter } from '../notices/new-notices.ts'
import { indexNow } from '../search/index-servers.ts'
import { type DirectoryActor, refuseUnlessReviewer } from '../viewer.ts'
import { applyApproval } from './apply-approval.ts'
import { invalidText, MAX_REJECTION_LENGTH } from './contract.ts'
import { changesPrivacy } from './list-pending.ts'
import {
  alreadyDecided,
  auditDecision,
  type InviteState,
  recordDecision,
  decisionOf,
  inviteIsGone,
} from './record-decision.ts'
import { theServer, serverTable } from '../aliases.ts'

const other = alias(invite, 'other')

/** Servers whose search words are updated at once; others follow within a minute. */
const MAX_INDEXED = 100

interface ApprovalOptions {
  /** ms since epoch */
  now: number
  /** Takes work that the answer does not wait for; absent: the approval waits for it. */
  later?: (work: Promise<unknown>) => void
  /** The approver saw no change of the server's privacy, so an approval that changes it is refused. */
  keepsPrivacy?: boolean
}

/**
 * Applies the submission to its server. If two managers decide at the same time, one succeeds.
 * @throws forbidden, notFound, conflict (decided before, or an unseen change of privacy), unprocessable (not valid)
 */
export async function approveInvite(
  db: D1Database,
  by: DirectoryActor,
  inviteId: number,
  options: ApprovalOptions,
): Promise<Decision> {
  const { decided, found } = await approveInvites(db, by, [inviteId], options)
  if (!decided.has(inviteId)) throw refusalFor(found.get(inviteId), 'approve')
  return decisionOf(inviteId, 'approved')
}

/** Its submitter sees the reason ('' for none, at most 255 characters). @throws as {@link approveInvite} */
export async function rejectInvite(
  db: D1Database,
  by: DirectoryActor,
  { inviteId, reason }: { inviteId: number; reason: string },
  now: number,
): Promise<Decision> {
  const { decided, found } = await rejectInvites(db, by, { ids: [inviteId], reason }, now)
  if (!decided.has(inviteId)) throw refusalFor(found.get(inviteId), 'reject')
  return decisionOf(inviteId, 'rejected')
}

/** An invite as a decision found it. */
interface FoundInvite {
  state: InviteState
  is_valid: boolean
  has_school: boolean
  privacy_level: 'public' | 'private'
  /** Whether the same batch would give its server the other privacy, too. */
  is_contradicted: boolean
}

/** The ids that were decided, and how each existing invite was found. */
export interface DecisionResult {
  decided: ReadonlySet<number>
  found: ReadonlyMap<number, FoundInvite>
}

/** {@link approveInvite} for many invites in one batch; skips those of one server that differ in privacy. @throws forbidden */
export async function approveInvites(
  db: D1Database,
  by: DirectoryActor,
  ids: readonly number[],
  { now, later, keepsPrivacy = false }: ApprovalOptions,
): Promise<DecisionResult> {
  refuseUnlessReviewer(by)
  const key = randomToken()
  const { servers, ...decided } = await decide(db, by, ids, {
    key,
    state: 'approved',
    now,
    keepsPrivacy,
    consequences: [
      ...applyApproval(key, { decidedBy: by.discordUserId, now }),
      noticeToSubmitter(key, { kind: 'approved', title: 'Your invite was approved', body: '' }, now),
    ],
  })
  const [only] = servers
  if (only === undefined) return decided
  const indexing = servers.length === 1 ? indexNow(db, 1, only) : indexNow(db, MAX_INDEXED)
  if (later) later(indexing)
  else await indexing
  return decided
}

/** {@link rejectInvite} for many invites in one batch. @throws forbidden, unprocessable if the reason is too long */
export async function rejectInvites(
  db: D1Database,
  by: DirectoryActor,
  { ids, reason: typed }: { ids: readonly number[]; reason: string },
  now: number,
): Promise<DecisionResult> {
  refuseUnlessReviewer(by)
  const reason = typedLines(typed)
  if (Array.from(reason).length > MAX_REJECTION_LENGTH)
    throw unprocessable(`The reason may have at most ${MAX_REJECTION_LENGTH} characters`)
  const key = randomToken()
  const isRejected = and(eq(invite.decisionKey, key), eq(invite.state, 'rejected'))
  return decide(db, by, ids, {
    key,
    state: 'rejected',
    now,
    consequences: [
      query.update(invite).set({ reason }).where(isRejected),
      recordDecision(key, 'rejected', { decidedBy: by.discordUserId, now, reason }),
      noticeToSubmitter(key, { kind: 'rejected', title: 'Your invite was rejected', body: reason }, now),
    ],
  })
}

interface DecisionBatch {
  /** Marks the invites that this decision changed. */
  key: string
  state: 'approved' | 'rejected'
  /** ms since epoch */
  now: number
  keepsPrivacy?: boolean
  consequences: readonly Query[]
}

/** One batch that decides the pending, valid invites, applies the consequences, and writes the audit. */
async function decide(
  db: D1Database,
  by: DirectoryActor,
  ids: readonly number[],
  { key, state, now, keepsPrivacy = false, consequences }: DecisionBatch,
): Promise<DecisionResult & { servers: number[] }> {
  const isAmong = isIn(invite.id, ids)
  const isContradicted =
    condition(sql`EXISTS (SELECT 1 FROM ${invite} ${other} WHERE ${other.serverId} = ${invite.serverId}
    AND ${other.privacyLevel} <> ${invite.privacyLevel} AND ${isIn(other.id, ids)} AND ${other.state} = 'pending'
    AND ${other.isValid} AND ${other.schoolId} IS NOT NULL)`)
  const isUnseenChange = sql`EXISTS (SELECT 1 FROM ${serverTable}
    WHERE ${theServer.id} = ${invite.serverId} AND ${changesPrivacy(invite.privacyLevel)})`
  // Without a school (it was deleted meanwhile) the server would belong to none, and no student would see a private one.
  const isApplicable =
    state === 'rejected'
      ? sql`TRUE`
      : sql`${invite.schoolId} IS NOT NULL AND NOT ${isContradicted} AND NOT ${keepsPrivacy ? isUnseenChange : sql`FALSE`}`
  // An invite may have waited for long since its last check, and is now shown.
  const due = state === 'approved' ? { dueAt: sql`min(${invite.dueAt}, ${now})` } : {}
  const [found, decided] = await writeTogether(db, [
    query
      .select({
        id: invite.id,
        state: invite.state,
        is_valid: invite.isValid,
        has_school: condition(sql`${invite.schoolId} IS NOT NULL`),
        privacy_level: invite.privacyLevel,
        is_contradicted: isContradicted,
      })
      .from(invite)
      .where(isAmong),
    query
      .update(invite)
      .set({ state, decidedAt: now, decidedBy: by.discordUserId, decisionKey: key, ...due })
      .where(sql`${isAmong} AND ${invite.state} = 'pending' AND ${invite.isValid} AND ${isApplicable}`)
      .returning({ id: invite.id, server_id: invite.serverId }),
    ...consequences,
    auditDecision(by.audit, key, { from: 'pending', to: state }, now),
  ])
  return {
    decided: new Set(decided.rows.map(({ id }) => id)),
    found: new Map(found.rows.map((row) => [row.id, row])),
    servers: [...new Set(decided.rows.map(({ server_id }) => server_id))],
  }
}

/** The error for an invite that was not decided. @param found undefined: there is no such invite */
export function refusalFor(found: FoundInvite | undefined, act: 'approve' | 'reject'): Error {
  if (found === undefined) return inviteIsGone()
  if (found.state !== 'pending') return alreadyDecided(found.state)
  if (act === 'approve' && !found.has_school)
    return unprocessable('The school of this invite was deleted, so it can only be rejected')
  if (!found.is_valid) return unprocessable(invalidText(act))
  if (found.is_contradicted)
    return conflict('Invites that make one server public and private must be approved one at a time')
  return conflict(privacyChangeText(found.privacy_level), 'Approve it again if you want that.')
}
