import { sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { pageOffset, parameter, prepared, read, template } from '../../db/query.ts'
import { discordUser, serverReport } from '../../db/schema/index.ts'
import { iso } from '../../lib/time.ts'
import { paginate } from '../../web/pagination.ts'
import type { ReportsProps } from '../contract.ts'
import { isListed, serverName } from '../servers/server-row.ts'
import { type DirectoryActor, refuseUnlessReviewer } from '../viewer.ts'
import { theServer, serverTable } from '../aliases.ts'

const REPORTS_PER_PAGE = 50

const d = alias(discordUser, 'd')

const openTotal = sql<number>`(SELECT count(*) FROM ${serverReport} WHERE ${serverReport.handledAt} IS NULL)`

const findOpen = prepared(() =>
  template(
    {
      id: serverReport.id,
      reason: serverReport.reason,
      created_at: serverReport.createdAt,
      server_id: theServer.id,
      server_name: serverName,
      is_active: theServer.isActive,
      is_listed: isListed,
      reporter: d.displayName,
      total: openTotal,
    },
    (
      columns,
    ) => sql`SELECT ${columns} FROM ${serverReport} JOIN ${serverTable} ON ${theServer.id} = ${serverReport.serverId}
      JOIN ${discordUser} ${d} ON ${d.id} = ${serverReport.reporterId}
      WHERE ${serverReport.handledAt} IS NULL ORDER BY ${serverReport.createdAt}, ${serverReport.id}
      LIMIT ${REPORTS_PER_PAGE} OFFSET ${pageOffset(REPORTS_PER_PAGE, parameter('page'), openTotal)}`,
  ),
)

/** A page of open reports, oldest first. One round trip. @throws forbidden */
export async function listReports(env: Env, by: DirectoryActor, page: number): Promise<ReportsProps> {
  refuseUnlessReviewer(by)
  const rows = await read(env.DB, findOpen({ page }))
  const total = rows[0]?.total ?? 0
  return {
    reports: rows.map((row) => ({
      id: row.id,
      reason: row.reason,
      reporter: row.reporter,
      server: { id: row.server_id, display_name: row.server_name, is_active: row.is_active, is_listed: row.is_listed },
      datetime_created: iso(row.created_at),
    })),
    report_count: total,
    pagination: paginate({ page, size: REPORTS_PER_PAGE, total }),
  }
}
