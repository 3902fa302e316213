import type { Actor } from '../../web/audit.ts'
import { auditRows } from '../../web/audit-rows.ts'

/** Writes down what became of the invites under a decision key, in the batch that decided. @param from null: they were just submitted */
export function auditDecision(
  db: D1Database,
  actor: Actor,
  decisionKey: string,
  { from, to }: { from: 'pending' | null; to: 'approved' | 'rejected' },
  now: number,
): D1PreparedStatement {
  return auditRows(
    db,
    actor,
    { act: to, area: 'classcords', table: 'invite' },
    {
      sql: `SELECT i.id AS row_key, ${inviteTitle} AS title, iif(? IS NULL, NULL, json_object('state', ?)) AS before,
              json_object('state', i.state, 'reason', i.reason, 'server', s.name) AS after
            FROM invite i JOIN discord_server s ON s.id = i.server_id WHERE i.decision_key = ? AND i.state = ?`,
      values: [from, from, decisionKey, to],
    },
    now,
  )
}

/** Writes down that a decision is about to be taken back; it stands before that in the batch. */
export function auditWithdrawal(db: D1Database, actor: Actor, inviteId: number, now: number): D1PreparedStatement {
  return auditRows(
    db,
    actor,
    { act: 'withdrew', area: 'classcords', table: 'invite' },
    {
      sql: `SELECT i.id AS row_key, ${inviteTitle} AS title, json_object('state', i.state, 'reason', i.reason) AS before,
              json_object('state', 'pending') AS after
            FROM invite i WHERE i.id = ? AND i.state IN ('approved', 'rejected')`,
      values: [inviteId],
    },
    now,
  )
}

/** How an invite `i` is called. */
export const inviteTitle = "'discord.gg/' || i.code"
