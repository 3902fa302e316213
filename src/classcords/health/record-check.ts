import { and, eq, type SQL, sql } from 'drizzle-orm'
import { type Database, type Query, query, type RowOf, write, writeTogether } from '../../db/query.ts'
import { discordServer, invite } from '../../db/schema/index.ts'
import { DAY_MS, HOUR_MS } from '../../lib/time.ts'
import type { GuildInvite } from '../discord/invite-answer.ts'
import { storeLookUp, type Lookup } from '../discord/look-up-invite.ts'
import { randomToken } from '../../web/security/signing.ts'
import { type NewNotice, noticeToManagers, noticeToSubmitter } from '../notices/new-notices.ts'

/** Between the checks of a failing invite: the third check is a day after the first. */
const FAILING_MS = 12 * HOUR_MS
/** Failed checks in a row, over at least a day, that make an invite invalid. */
const FATAL_FAILURES = 3

/** The caller adds the condition. `guild_id` is the server an invite was submitted for. */
export const findInvitesToCheck = () =>
  query
    .select({
      id: invite.id,
      code: invite.code,
      state: invite.state,
      is_valid: invite.isValid,
      guild_id: discordServer.serverId,
      failures: invite.failures,
      first_failed_at: invite.firstFailedAt,
      checked_at: invite.checkedAt,
      quarantined_at: invite.quarantinedAt,
    })
    .from(invite)
    .innerJoin(discordServer, eq(discordServer.id, invite.serverId))

/** Invites due for a check at `now`, the longest overdue first. */
export const findDueInvites = (now: number, most: number) =>
  findInvitesToCheck()
    .where(sql`${invite.state} IN ('pending', 'approved') AND ${invite.dueAt} <= ${now}`)
    .orderBy(invite.dueAt)
    .limit(most)

export type CheckedInvite = RowOf<ReturnType<typeof findDueInvites>>

type Failures = Pick<CheckedInvite, 'failures' | 'first_failed_at'>

/** `overtaken`: it was checked or decided since it was read, so nothing about it was written. */
export type Verdict = 'alive' | 'failed' | 'dead' | 'expired' | 'quarantined' | 'unsure' | 'overtaken'

/**
 * Without an answer, only sets the time of the next check. Requires the invite to be unchanged since it was read, so
 * that two simultaneous checks count once. @param isDeadAtOnce one failure is enough, as a person is trying to join now;
 * if Discord was mistaken, the check an hour later restores it
 */
export async function recordCheck(
  db: Database,
  checked: CheckedInvite,
  lookup: Lookup,
  now: number,
  { isDeadAtOnce = false }: { isDeadAtOnce?: boolean } = {},
): Promise<Verdict> {
  if (lookup.kind === 'unsure') {
    const dueAt = now + HOUR_MS
    await write(db, query.update(invite).set({ dueAt }).where(eq(invite.id, checked.id)))
    return 'unsure'
  }
  const key = randomToken()
  const change = (dueAt: number, columns: Partial<typeof invite.$inferInsert>) =>
    query
      .update(invite)
      .set({ ...columns, checkedAt: now, dueAt, decisionKey: key })
      .where(isUnchanged(checked))
  const record = async (verdict: Verdict, writes: readonly [Query, ...Query[]]): Promise<Verdict> => {
    const [{ changes }] = await writeTogether(db, writes)
    return changes === 0 ? 'overtaken' : verdict
  }
  if (lookup.kind === 'guild' && lookup.invite.guild_id === checked.guild_id)
    return record('alive', [
      change(now + DAY_MS, { isValid: true, failures: 0, firstFailedAt: null, quarantinedAt: null }),
      ...(checked.is_valid ? [] : noticesAbout(checked, 'restored', { key, now })),
      refreshServer(isServerOf(key), lookup.invite, now),
      storeLookUp(checked.code, lookup, now),
    ])
  if (lookup.kind !== 'dead')
    return record('quarantined', [
      change(now + DAY_MS, { isValid: false, quarantinedAt: checked.quarantined_at ?? now }),
      ...(checked.quarantined_at === null ? noticesAbout(checked, 'quarantined', { key, now }) : []),
    ])
  const byRule = afterFailure(checked, now)
  const after = isDeadAtOnce ? { ...byRule, is_dead: true, due_at: now + HOUR_MS } : byRule
  const hasJustDied = after.is_dead && checked.is_valid
  const isExpired = after.is_dead && checked.state === 'pending'
  return record(isExpired ? 'expired' : after.is_dead ? 'dead' : 'failed', [
    change(after.due_at, {
      failures: after.failures,
      firstFailedAt: after.first_failed_at,
      ...(after.is_dead && { isValid: false }),
      ...(isExpired && { state: 'expired', decidedAt: now }),
    }),
    storeLookUp(checked.code, lookup, now),
    ...(hasJustDied || isExpired ? noticesAbout(checked, isExpired ? 'expired' : 'invalid', { key, now }) : []),
  ])
}

/** The state of an invite after a failed check: dead after 3 failures over at least 24 hours. */
export function afterFailure(before: Failures, now: number): Failures & { due_at: number; is_dead: boolean } {
  const failures = before.failures + 1
  const first_failed_at = before.first_failed_at ?? now
  const is_dead = failures >= FATAL_FAILURES && now - first_failed_at >= DAY_MS
  return { failures, first_failed_at, is_dead, due_at: now + (is_dead ? DAY_MS : FAILING_MS) }
}

/** Whether the invite was neither checked nor decided since it was read. */
const isUnchanged = (checked: CheckedInvite) =>
  and(eq(invite.id, checked.id), sql`${invite.checkedAt} IS ${checked.checked_at}`, eq(invite.state, checked.state))

const titles = {
  expired: 'Your pending invite has expired',
  invalid: 'An invite no longer works',
  restored: 'An invite works again',
  quarantined: 'An invite now points to a different server',
} as const satisfies Partial<Record<NewNotice['kind'], string>>

/** Managers are notified of approved or quarantined invites, which their own profiles do not show. */
function noticesAbout(
  { code, state }: CheckedInvite,
  kind: keyof typeof titles,
  { key, now }: { key: string; now: number },
): Query[] {
  const notice = { kind, title: titles[kind], body: `discord.gg/${code}` }
  const isForManagers = state === 'approved' || kind === 'quarantined'
  return [noticeToSubmitter(key, notice, now), ...(isForManagers ? [noticeToManagers(key, notice, now)] : [])]
}

/** Records how many members are online, if Discord reported it. */
export const updatePresence = (serverId: number, found: GuildInvite, now: number): Query[] =>
  found.online_count === null
    ? []
    : [query.update(discordServer).set(presenceColumns(found, now)).where(eq(discordServer.id, serverId))]

const presenceColumns = ({ online_count }: GuildInvite, now: number) =>
  online_count === null ? {} : { onlineCount: online_count, onlineCountedAt: now }

/** The server of the invite with this decision key. */
const isServerOf = (key: string): SQL =>
  sql`${discordServer.id} = (SELECT ${invite.serverId} FROM ${invite} WHERE ${invite.decisionKey} = ${key})`

/** Updates a server's name, picture and counts. A count that Discord left out is kept. */
export const refreshServer = (isMeant: SQL, found: GuildInvite, now: number): Query =>
  query
    .update(discordServer)
    .set({
      name: found.name,
      icon: found.icon,
      ...(found.member_count !== null && { memberCount: found.member_count }),
      ...presenceColumns(found, now),
    })
    .where(isMeant)
