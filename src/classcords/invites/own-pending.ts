import { and, eq, sql } from 'drizzle-orm'
import { type Database, type Query, query, readFirst, type Template, write, writeTogether } from '../../db/query.ts'
import { discordServer, invite, serverReport, serverSchool } from '../../db/schema/index.ts'
import { orWarn } from '../../lib/fallbacks.ts'
import { auditRows } from '../../web/audit.ts'
import { conflict, notFound } from '../../web/refusal.ts'
import { randomToken } from '../../web/security/signing.ts'
import type { GuildInvite } from '../discord/invite-answer.ts'
import type { Member } from '../viewer.ts'
import { keepPrivacy } from './apply-approval.ts'
import { alreadyDecided, recordDecision } from './record-decision.ts'
import { alreadySubmitted } from './verify-link.ts'
import { noSuchInvite } from './contract.ts'

export const noLongerPending = 'This invite is no longer pending'

/** Whether it is this member's invite and still awaits review. */
const isOwnPending = (member: Member, inviteId: number) =>
  and(eq(invite.id, inviteId), sql`${invite.submitterId} = ${member.discordUserId} AND ${invite.state} = 'pending'`)

/** An open invite whose code now leads to another server, the one that `found` is an invite to. */
const isLostTo = ({
  code,
  guild_id,
}: GuildInvite) => sql`${invite.code} = ${code} AND ${invite.state} IN ('pending', 'approved')
  AND ${invite.quarantinedAt} IS NOT NULL
  AND ${invite.serverId} NOT IN (SELECT ${discordServer.id} FROM ${discordServer} WHERE ${discordServer.serverId} = ${guild_id})`

/** Frees a code for the server it leads to now. */
export function closeLost(found: GuildInvite, now: number): (Query | Template<never>)[] {
  const decisionKey = randomToken()
  return [
    keepPrivacy(sql`${isLostTo(found)} AND ${invite.state} = 'approved'`, now),
    query.update(invite).set({ state: 'expired', decidedAt: now, decidedBy: null, decisionKey }).where(isLostTo(found)),
    recordDecision(decisionKey, 'closed', { decidedBy: null, now }),
  ]
}

/**
 * Refuses a code that is pending or approved, unless it now leads to another server or is that of the member's pending
 * invite `replaces`, which is being edited. A unique index decides when it is written.
 * @returns when `replaces` was submitted (ms since epoch); null for a new submission @throws conflict
 */
export async function refuseIfSubmitted(
  db: Database,
  member: Member,
  found: GuildInvite,
  replaces: number | null,
): Promise<number | null> {
  if (replaces === null) {
    const isOpen = sql`${invite.code} = ${found.code} AND ${invite.state} IN ('pending', 'approved') AND NOT (${isLostTo(found)})`
    if (await readFirst(db, query.select({ id: invite.id }).from(invite).where(isOpen))) throw alreadySubmitted()
    return null
  }
  const fields = { created_at: invite.createdAt, code: invite.code }
  const edited = await readFirst(db, query.select(fields).from(invite).where(isOwnPending(member, replaces)))
  if (!edited) throw conflict(noLongerPending)
  if (edited.code !== found.code) throw conflict('This is a different link: withdraw the invite and submit the new one')
  return edited.created_at
}

export const deleteOwnPending = (member: Member, inviteId: number) =>
  query.delete(invite).where(isOwnPending(member, inviteId))

/** Deletes a server that has no invite, school or report, and about which no administrator chose anything. */
const deleteEmptyServer = (serverId: number) =>
  query.delete(discordServer).where(sql`${discordServer.id} = ${serverId} AND ${discordServer.isActive}
    AND NOT ${discordServer.isRequiredForTrust} AND NOT ${discordServer.isGeneralServer} AND ${discordServer.customTitle} = '' AND ${discordServer.adminPrivacyAt} IS NULL
    AND NOT EXISTS (SELECT 1 FROM ${invite} WHERE ${invite.serverId} = ${discordServer.id})
    AND NOT EXISTS (SELECT 1 FROM ${serverSchool} WHERE ${serverSchool.serverId} = ${discordServer.id})
    AND NOT EXISTS (SELECT 1 FROM ${serverReport} WHERE ${serverReport.serverId} = ${discordServer.id})`)

/** Withdraws the member's pending invite, which deletes it and a server that nothing else is known about. @throws notFound, conflict (decided before) */
export async function withdrawInvite(db: D1Database, member: Member, inviteId: number, now: number): Promise<void> {
  const isOwn = and(eq(invite.id, inviteId), eq(invite.submitterId, member.discordUserId))
  const [found, , gone] = await writeTogether(db, [
    query.select({ state: invite.state }).from(invite).where(isOwn),
    auditRows(
      member.audit,
      { act: 'withdrew', area: 'classcords', table: 'invite' },
      sql`SELECT ${invite.id} AS row_key, 'discord.gg/' || ${invite.code} AS title, json_object('state', 'pending') AS before, NULL AS after
        FROM ${invite} WHERE ${isOwnPending(member, inviteId)}`,
      now,
    ),
    deleteOwnPending(member, inviteId).returning({ server: invite.serverId }),
  ])
  const [row] = gone.rows
  if (row) {
    await orWarn(write(db, deleteEmptyServer(row.server)), { event: 'server without invites not deleted' }, null)
    return
  }
  const state = found.rows[0]?.state
  if (state === undefined) throw notFound(noSuchInvite)
  throw alreadyDecided(state)
}
