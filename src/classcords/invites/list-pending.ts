import { sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { pageOffset } from '../../db/page-offset.ts'
import { kept, read, template } from '../../db/query.ts'
import { discordServer, discordUser, invite } from '../../db/schema/index.ts'
import { paginate } from '../../web/pagination.ts'
import type { UnapprovedInvitesProps } from '../contract.ts'
import type { Viewer } from '../viewer.ts'
import { pendingFields, pendingInviteOf } from './invite-lists.ts'

const INVITES_PER_PAGE = 20

const i = alias(invite, 'i')
const s = alias(discordServer, 's')
const d = alias(discordUser, 'd')

/** Names the index because SQLite may otherwise choose the one on all states. */
const pending = sql`${invite} INDEXED BY invite_pending WHERE ${invite.state} = 'pending'`
const pendingTotal = sql<number>`(SELECT count(*) FROM ${pending})`

const findPending = kept(() =>
  template(
    { total: pendingTotal, ...pendingFields },
    (columns) => sql`SELECT ${columns}
      FROM (SELECT * FROM ${pending} ORDER BY ${invite.createdAt}, ${invite.id}
            LIMIT ${INVITES_PER_PAGE} OFFSET ${pageOffset(INVITES_PER_PAGE, sql.placeholder('page'), pendingTotal)}) ${i}
      JOIN ${discordServer} ${s} ON ${s.id} = ${i.serverId} LEFT JOIN ${discordUser} ${d} ON ${d.id} = ${i.submitterId}
      ORDER BY ${i.createdAt}, ${i.id}`,
  ),
)

const countPending = kept(() => template({ pending: pendingTotal }, (columns) => sql`SELECT ${columns}`))
const countNone = kept(() => template({ pending: sql<number>`0` }, (columns) => sql`SELECT ${columns}`))

/** How many invites await review; 0 for those who may not review. */
export const pendingCount = ({ isManager }: Pick<Viewer, 'isManager'>) => (isManager ? countPending() : countNone())

/** A page of invites awaiting review, oldest first. One round trip. */
export async function listPending(env: Env, page: number): Promise<UnapprovedInvitesProps> {
  const rows = await read(env.DB, findPending({ page }))
  return {
    unapproved_invites: rows.map((row) => pendingInviteOf(row, env.DISCORD_CDN_URL)),
    pagination: paginate({ page, size: INVITES_PER_PAGE, total: rows[0]?.total ?? 0 }).pagination,
  }
}
