import { sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { isIn } from '../../db/json-argument.ts'
import { query, template, writeTogether } from '../../db/query.ts'
import { discordUser, referral } from '../../db/schema/index.ts'
import { auditRows } from '../../web/audit-rows.ts'
import { conflict, notThere } from '../../web/refusal.ts'
import type { DirectoryActor, Member } from '../viewer.ts'

const d = alias(discordUser, 'd')

export const cannotRevoke = 'This referral was used or has ended, so it cannot be revoked.'

/** Revokes one's own unused referral. @throws notThere, conflict */
export async function revokeReferral(db: D1Database, by: Member, referralId: number, now: number): Promise<void> {
  const { revoked, present } = await revokeReferrals(db, by, [referralId], now)
  if (revoked > 0) return
  throw present === 0 ? notThere() : conflict(cannotRevoke)
}

/** One's own, or anyone's for a superuser. @returns how many were revoked, and how many exist */
export async function revokeReferrals(
  db: D1Database,
  by: DirectoryActor,
  ids: readonly number[],
  now: number,
): Promise<{ revoked: number; present: number }> {
  const isOwned = by.role === 'superuser' ? sql`true` : sql`${referral.ownerId} = ${by.chatId}`
  const isNamed = isIn(referral.id, ids)
  const isChosen = sql`${isNamed} AND ${isOwned}`
  const [present, revoked] = await writeTogether(db, [
    template(
      { present: sql<number>`count(*)` },
      (columns) => sql`SELECT ${columns} FROM ${referral} WHERE ${isChosen}`,
    ),
    query
      .update(referral)
      .set({ revokedAt: now })
      .where(
        sql`${isChosen} AND ${referral.numUses} = 0 AND ${referral.revokedAt} IS NULL
          AND (${referral.expiresAt} IS NULL OR ${referral.expiresAt} > ${now})`,
      ),
    auditRows(
      by.audit,
      { act: 'revoked', area: 'classcords', table: 'referral' },
      // Without changes() a form sent twice in one millisecond would be audited twice.
      sql`SELECT ${referral.id} AS row_key, 'Referral of ' || ${d.displayName} AS title, json_object('revoked_at', NULL) AS before,
            json_object('revoked_at', ${referral.revokedAt}) AS after
          FROM ${referral} JOIN ${discordUser} ${d} ON ${d.id} = ${referral.ownerId}
          WHERE changes() > 0 AND ${isNamed} AND ${referral.revokedAt} = ${now}`,
      now,
    ),
  ])
  return { revoked: revoked.changes, present: present.rows[0]?.present ?? 0 }
}
