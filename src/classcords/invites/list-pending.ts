import { offsetOf } from '../../db/page-offset.ts'
import { paginate } from '../../web/pagination.ts'
import type { UnapprovedInvitesProps } from '../contract.ts'
import { pendingColumns, pendingInviteOf, type PendingRow } from './invite-lists.ts'

const invitesAPage = 20

/** A page of what waits for a decision, newest first. One round trip. */
export async function listPending(env: Env, page: number): Promise<UnapprovedInvitesProps> {
  const total = "(SELECT count(*) FROM invite INDEXED BY invite_pending WHERE state = 'pending')"
  const { results } = await env.DB.prepare(
    `SELECT ${total} AS total, ${pendingColumns}
     FROM (SELECT * FROM invite INDEXED BY invite_pending WHERE state = 'pending' ORDER BY created_at DESC, id DESC
           LIMIT ${invitesAPage} OFFSET ${offsetOf(invitesAPage, '?1', total)}) i
     JOIN discord_server s ON s.id = i.server_id LEFT JOIN discord_user d ON d.id = i.submitter_id
     ORDER BY i.created_at DESC, i.id DESC`,
  )
    .bind(page)
    .all<PendingRow & { total: number }>()
  return {
    unapproved_invites: results.map((row) => pendingInviteOf(row, env.DISCORD_CDN_URL)),
    pagination: paginate({ page, size: invitesAPage, total: results[0]?.total ?? 0 }).pagination,
  }
}
