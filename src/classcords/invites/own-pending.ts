import { and, eq, sql } from 'drizzle-orm'
import { type Database, query, readFirst, writeTogether } from '../../db/query.ts'
import { invite } from '../../db/schema/index.ts'
import { auditRows } from '../../web/audit-rows.ts'
import { conflict, notThere } from '../../web/refusal.ts'
import type { Member } from '../viewer.ts'
import { alreadyDecided } from './record-decision.ts'

/** Whether it is this member's invite and still awaits review. */
const isOwnPending = (member: Member, inviteId: number) =>
  and(eq(invite.id, inviteId), sql`${invite.submitterId} = ${member.chatId} AND ${invite.state} = 'pending'`)

/** One's own pending invite that an edited submission replaces. Times are ms since epoch. */
export interface Replaced {
  id: number
  created_at: number
}

/** @param code the code of the edited invite @throws conflict when it is no longer pending, or the link was changed */
export async function findReplaced(db: Database, member: Member, inviteId: number, code: string): Promise<Replaced> {
  const fields = { id: invite.id, created_at: invite.createdAt, code: invite.code }
  const found = await readFirst(db, query.select(fields).from(invite).where(isOwnPending(member, inviteId)))
  if (!found) throw conflict('This invite is no longer pending')
  if (found.code !== code) throw conflict('This is a different link: withdraw the invite and submit the new one')
  return found
}

/** Deletes one's own pending invite, in the batch that writes the edited one. */
export const deleteReplaced = (member: Member, { id }: Replaced) => query.delete(invite).where(isOwnPending(member, id))

/** Withdraws one's own pending invite, which deletes it. @throws notThere, conflict (decided before) */
export async function cancelInvite(db: D1Database, member: Member, inviteId: number, now: number): Promise<void> {
  const isOwn = and(eq(invite.id, inviteId), eq(invite.submitterId, member.chatId))
  const [found, , gone] = await writeTogether(db, [
    query.select({ state: invite.state }).from(invite).where(isOwn),
    auditRows(
      member.audit,
      { act: 'withdrew', area: 'classcords', table: 'invite' },
      sql`SELECT ${invite.id} AS row_key, 'discord.gg/' || ${invite.code} AS title, json_object('state', 'pending') AS before, NULL AS after
        FROM ${invite} WHERE ${isOwnPending(member, inviteId)}`,
      now,
    ),
    query.delete(invite).where(isOwnPending(member, inviteId)).returning({ id: invite.id }),
  ])
  if (gone.rows.length > 0) return
  const state = found.rows[0]?.state
  if (state === undefined) throw notThere('There is no such invite.')
  throw alreadyDecided(state)
}
