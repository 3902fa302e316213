import { offsetOf } from '../../db/page-offset.ts'
import type { Form } from '../../web/contract.ts'
import { iso, isoOrNull } from '../../web/moment.ts'
import { paginate } from '../../web/pagination.ts'
import { ExpiryTimeframe, type Referral, type ReferralsProps } from '../contract.ts'
import { referralState } from './referral-rules.ts'

const referralsAPage = 20

interface Row {
  id: number
  code: string
  max_uses: number
  num_uses: number
  expiry_timeframe: string
  created_at: number
  expires_at: number | null
  revoked_at: number | null
  total: number
}

/** A page of one's own referrals, newest first. One round trip. */
export async function listReferrals(
  env: Env,
  ownerId: number,
  asked: { page: number; form: Form; now: number },
): Promise<ReferralsProps> {
  const total = '(SELECT count(*) FROM referral WHERE owner_id = ?1)'
  const { results } = await env.DB.prepare(
    `SELECT *, ${total} AS total FROM referral WHERE owner_id = ?1 ORDER BY created_at DESC, id DESC
     LIMIT ${referralsAPage} OFFSET ${offsetOf(referralsAPage, '?2', total)}`,
  )
    .bind(ownerId, asked.page)
    .all<Row>()
  return {
    referral_form: asked.form,
    referrals: results.map((row) => referralOf(row, env.APP_URL, asked.now)),
    pagination: paginate({ page: asked.page, size: referralsAPage, total: results[0]?.total ?? 0 }).pagination,
  }
}

function referralOf(row: Row, appUrl: string, now: number): Referral {
  return {
    id: row.id,
    url: `${appUrl}/classcords/referral/${row.code}/`,
    num_uses: row.num_uses,
    max_uses: row.max_uses,
    ...referralState(row, now),
    datetime_created: iso(row.created_at),
    expiry_timeframe: ExpiryTimeframe.parse(row.expiry_timeframe),
    datetime_expires: isoOrNull(row.expires_at),
  }
}
