import { and, eq, sql } from 'drizzle-orm'
import { pageOffset } from '../../db/page-offset.ts'
import { kept, query, read, readFirst, type RowOf, template } from '../../db/query.ts'
import { referral } from '../../db/schema/index.ts'
import type { Form } from '../../web/contract.ts'
import { iso, isoOrNull } from '../../lib/time.ts'
import { paginate } from '../../web/pagination.ts'
import { notThere } from '../../web/refusal.ts'
import type { Referral, ReferralsProps } from '../contract.ts'
import { isActiveReferral, referralState } from './referral-rules.ts'

const REFERRALS_PER_PAGE = 20

const findReferrals = kept(() => {
  const isOwn = eq(referral.ownerId, sql.placeholder('owner'))
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
      LIMIT ${REFERRALS_PER_PAGE} OFFSET ${pageOffset(REFERRALS_PER_PAGE, sql.placeholder('page'), total)}`,
  )
})

/** A page of one's own referrals, newest first. One round trip. */
export async function listReferrals(
  env: Env,
  ownerId: number,
  { page, form, now }: { page: number; form: Form; now: number },
): Promise<ReferralsProps> {
  const rows = await read(env.DB, findReferrals({ owner: ownerId, page }))
  return {
    referral_form: form,
    referrals: rows.map((row) => referralOf(row, env.APP_URL, now)),
    pagination: paginate({ page, size: REFERRALS_PER_PAGE, total: rows[0]?.total ?? 0 }).pagination,
  }
}

function referralOf(row: RowOf<ReturnType<typeof findReferrals>>, appUrl: string, now: number): Referral {
  return {
    id: row.id,
    url: `${appUrl}/classcords/referral/${row.code}/`,
    num_uses: row.num_uses,
    max_uses: row.max_uses,
    ...referralState(row, now),
    datetime_created: iso(row.created_at),
    expiry_timeframe: row.expiry_timeframe,
    datetime_expires: isoOrNull(row.expires_at),
  }
}

/** The address of one's own referral while it is active. One round trip. @throws notThere */
export async function ownReferralAddress(
  env: Env,
  ownerId: number,
  { referralId, now }: { referralId: number; now: number },
): Promise<string> {
  const isOwn = and(eq(referral.id, referralId), eq(referral.ownerId, ownerId), isActiveReferral(now))
  const found = await readFirst(env.DB, query.select({ code: referral.code }).from(referral).where(isOwn))
  if (!found) throw notThere('This referral does not exist or is no longer active.')
  return `${env.APP_URL}/classcords/referral/${found.code}/`
}
