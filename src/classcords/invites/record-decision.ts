import { sql } from 'drizzle-orm'
import { into, type Query, statement, type Template } from '../../db/query.ts'
import { invite, inviteDecision } from '../../db/schema/index.ts'
import { type Actor, auditRows } from '../../web/audit.ts'
import { conflict, notFound, type Refusal } from '../../web/refusal.ts'
import { theServer, theInvite, inviteTable, invitesWithServer } from '../aliases.ts'
import type { Decision } from '../contract.ts'
import { noSuchInvite } from './contract.ts'

export type InviteState = typeof invite.$inferSelect.state

/** The error for an invite in a `state` other than pending. */
export const alreadyDecided = (state: InviteState): Refusal =>
  conflict(state === 'expired' ? 'This invite has expired' : `This invite has already been ${state}`)

export const inviteIsGone = (): Refusal => notFound(`${noSuchInvite} It may have been withdrawn or changed`)

/** What a call that decides about an invite answers. */
export const decisionOf = (id: number, status: Decision['data']['status']): Decision => ({
  errorMessages: [],
  data: { id, status },
})

/** Adds a line to the history of the invite with this decision key. */
export function recordDecision(
  decisionKey: string,
  decision: 'approved' | 'rejected' | 'withdrawn' | 'closed',
  { decidedBy, now, reason = '' }: { decidedBy: number | null; now: number; reason?: string },
): Template<never> {
  const { inviteId, decision: kind, decidedBy: by, reason: given, createdAt } = inviteDecision
  return statement(sql`INSERT INTO ${into(inviteDecision, inviteId, kind, by, given, createdAt)}
    SELECT ${invite.id}, ${decision}, ${decidedBy}, ${reason}, ${now} FROM ${invite}
    WHERE ${invite.decisionKey} = ${decisionKey}`)
}

/** Audits the invites with this decision key, in the batch that decides. @param from null: they were just submitted */
export function auditDecision(
  actor: Actor,
  decisionKey: string,
  { from, to }: { from: 'pending' | null; to: 'approved' | 'rejected' | 'expired' },
  now: number,
): Query {
  return auditRows(
    actor,
    { act: to, area: 'classcords', table: 'invite' },
    sql`SELECT ${theInvite.id} AS row_key, ${inviteName} AS title, ${from === null ? sql`NULL` : sql`json_object('state', ${from})`} AS before,
          json_object('state', ${theInvite.state}, 'reason', ${theInvite.reason}, 'server', ${theServer.name}) AS after
        FROM ${invitesWithServer}
        WHERE ${theInvite.decisionKey} = ${decisionKey} AND ${theInvite.state} = ${to}`,
    now,
  )
}

/** Audits that a decision is undone. Must come before the undoing in the batch, because it reads the decision. */
export function auditUndo(actor: Actor, inviteId: number, now: number): Query {
  return auditRows(
    actor,
    { act: 'withdrew', area: 'classcords', table: 'invite' },
    sql`SELECT ${theInvite.id} AS row_key, ${inviteName} AS title, json_object('state', ${theInvite.state}, 'reason', ${theInvite.reason}) AS before,
          json_object('state', 'pending') AS after
        FROM ${inviteTable} WHERE ${theInvite.id} = ${inviteId} AND ${theInvite.state} IN ('approved', 'rejected')`,
    now,
  )
}

const inviteName = sql`'discord.gg/' || ${theInvite.code}`
