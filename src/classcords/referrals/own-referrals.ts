import { and, eq, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { isIn } from '../../db/json-argument.ts'
import {
  pageOffset,
  type Database,
  into,
  prepared,
  query,
  read,
  readFirst,
  type RowOf,
  statement,
  type Template,
  template,
  writeTogether,
  parameter,
  selectValues,
} from '../../db/query.ts'
import { discordUser, referral } from '../../db/schema/index.ts'
import { iso, isoOrNull } from '../../lib/time.ts'
import { auditRows } from '../../web/audit.ts'
import type { Form } from '../../web/contract.ts'
import { paginate } from '../../web/pagination.ts'
import { conflict, notFound } from '../../web/refusal.ts'
import type { Referral, ReferralsProps } from '../contract.ts'
import type { DirectoryActor, Member } from '../viewer.ts'
import { expiryOf, readReferralForm, type ReferralChoice, type ReferralValues, type SentForm } from './referral-form.ts'
import { activeUses, isActiveReferral, MAX_ACTIVE_USES, referralState } from './referral-rules.ts'

const REFERRALS_PER_PAGE = 20

const d = alias(discordUser, 'd')

const findReferrals = prepared(() => {
  const isOwn = eq(referral.ownerId, parameter('owner'))
  const total = sql<number>`(SELECT count(*) FROM ${referral} WHERE ${isOwn})`
  const fields = {
    id: referral.id,
    code: referral.code,
    max_uses: referral.maxUses,
    num_uses: referral.numUses,
    expiry_timeframe: referral.expiryTimeframe,
    created_at: referral.createdAt,
    expires_at: referral.expiresAt,
    revoked_at: referral.revokedAt,
    total,
  }
  return template(
    fields,
    (
      columns,
    ) => sql`SELECT ${columns} FROM ${referral} WHERE ${isOwn} ORDER BY ${referral.createdAt} DESC, ${referral.id} DESC
      LIMIT ${REFERRALS_PER_PAGE} OFFSET ${pageOffset(REFERRALS_PER_PAGE, parameter('page'), total)}`,
  )
})

const addressOf = (env: Env, code: string): string => `${env.APP_URL}/classcords/referral/${code}/`

/** A page of the member's referrals, newest first. One round trip. */
export async function listReferrals(
  env: Env,
  ownerId: number,
  { page, form, now }: { page: number; form: Form; now: number },
): Promise<ReferralsProps> {
  const rows = await read(env.DB, findReferrals({ owner: ownerId, page }))
  return {
    referral_form: form,
    referrals: rows.map((row) => referralOf(env, row, now)),
    pagination: paginate({ page, size: REFERRALS_PER_PAGE, total: rows[0]?.total ?? 0 }),
  }
}

function referralOf(env: Env, row: RowOf<ReturnType<typeof findReferrals>>, now: number): Referral {
  const { id, max_uses, num_uses, expiry_timeframe } = row
  return {
    id,
    url: addressOf(env, row.code),
    num_uses,
    max_uses,
    ...referralState(row, now),
    datetime_created: iso(row.created_at),
    expiry_timeframe,
    datetime_expires: isoOrNull(row.expires_at),
  }
}

/** The address of the member's referral while it is active. One round trip. @throws notFound */
export async function ownReferralAddress(
  env: Env,
  ownerId: number,
  { referralId, now }: { referralId: number; now: number },
): Promise<string> {
  const isOwn = and(eq(referral.id, referralId), eq(referral.ownerId, ownerId), isActiveReferral(now))
  const found = await readFirst(env.DB, query.select({ code: referral.code }).from(referral).where(isOwn))
  if (!found) throw notFound('This referral does not exist or is no longer active.')
  return addressOf(env, found.code)
}

/** 32 hexadecimal digits with 122 random bits, so that no one can guess one. */
const newCode = (): string => crypto.randomUUID().replaceAll('-', '')

/** The admin's error message. */
export const tooManyActive = `This exceeds the limit: one person’s active referrals may total ${MAX_ACTIVE_USES} uses.`

/**
 * Only managers may create unlimited or permanent ones; a user's active referrals may total 100 uses, which the
 * statement checks, so that simultaneous forms cannot exceed it. @returns the form's errors; null when it was created
 */
export async function createReferral(
  db: Database,
  owner: Member,
  sent: ReferralValues,
  now: number,
): Promise<SentForm | null> {
  const { choice, errors } = readReferralForm(sent, owner.isManager)
  if (Object.keys(errors).length > 0) return { errors }
  const uses = activeUses(owner.discordUserId, now)
  const [added, active] = await writeTogether(db, [insertReferral(owner, choice, now), selectValues({ uses })])
  if (added.changes === 1) return null
  const left = Math.max(0, MAX_ACTIVE_USES - (active.rows[0]?.uses ?? 0))
  return { non_field_errors: [`Your active referrals may total ${MAX_ACTIVE_USES} uses; ${left} left.`] }
}

/** Adds a referral, unless the owner's active referrals would exceed the limit. */
export function insertReferral(
  owner: { discordUserId: number; isSuperuser: boolean },
  choice: ReferralChoice,
  now: number,
): Template<never> {
  const { code, ownerId, maxUses, expiryTimeframe, createdAt, expiresAt } = referral
  return statement(sql`INSERT INTO ${into(referral, code, ownerId, maxUses, expiryTimeframe, createdAt, expiresAt)}
    SELECT ${newCode()}, ${owner.discordUserId}, ${choice.maxUses}, ${choice.timeframe}, ${now}, ${expiryOf(choice.timeframe, now)}
    WHERE ${Number(owner.isSuperuser)} OR ${choice.maxUses} + ${activeUses(owner.discordUserId, now)} <= ${MAX_ACTIVE_USES}`)
}

/** Revokes the member's unused referral. @throws notFound, conflict */
export async function revokeReferral(db: D1Database, by: Member, referralId: number, now: number): Promise<void> {
  const { revoked, present } = await revokeReferrals(db, by, [referralId], now)
  if (revoked > 0) return
  throw present === 0 ? notFound() : conflict('This referral was used or has ended, so it cannot be revoked.')
}

/** The member's own unused ones; for a superuser anyone's, also used ones. @returns how many were revoked, and how many exist */
export async function revokeReferrals(
  db: D1Database,
  by: DirectoryActor,
  ids: readonly number[],
  now: number,
): Promise<{ revoked: number; present: number }> {
  const isSuperuser = by.role === 'superuser'
  const isOwned = isSuperuser ? sql`true` : sql`${referral.ownerId} = ${by.discordUserId}`
  const isRevocable = isSuperuser ? sql`true` : sql`${referral.numUses} = 0`
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
        sql`${isChosen} AND ${isRevocable} AND ${referral.revokedAt} IS NULL
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
