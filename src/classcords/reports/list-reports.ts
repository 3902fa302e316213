import { sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { kept, orNull, read, template } from '../../db/query.ts'
import { discordServer, discordUser, serverReport } from '../../db/schema/index.ts'
import { iso } from '../../lib/time.ts'
import type { ReportsProps } from '../contract.ts'
import { serverName } from '../servers/server-row.ts'
import { type DirectoryActor, refuseUnlessReviewer } from '../viewer.ts'

const MAX_REPORTS = 50

const s = alias(discordServer, 's')
const d = alias(discordUser, 'd')

const findOpen = kept(() =>
  template(
    {
      id: serverReport.id,
      reason: serverReport.reason,
      created_at: serverReport.createdAt,
      server_id: s.id,
      server_name: serverName,
      is_active: s.isActive,
      reporter: orNull(d.displayName),
      total: sql<number>`(SELECT count(*) FROM ${serverReport} WHERE ${serverReport.handledAt} IS NULL)`,
    },
    (
      columns,
    ) => sql`SELECT ${columns} FROM ${serverReport} JOIN ${discordServer} ${s} ON ${s.id} = ${serverReport.serverId}
      LEFT JOIN ${discordUser} ${d} ON ${d.id} = ${serverReport.reporterId}
      WHERE ${serverReport.handledAt} IS NULL ORDER BY ${serverReport.createdAt}, ${serverReport.id} LIMIT ${MAX_REPORTS}`,
  ),
)

/** Open reports, oldest first. One round trip. @throws forbidden */
export async function listReports(env: Env, by: DirectoryActor): Promise<ReportsProps> {
  refuseUnlessReviewer(by)
  const rows = await read(env.DB, findOpen())
  return {
    reports: rows.map((row) => ({
      id: row.id,
      reason: row.reason,
      reporter: row.reporter ?? 'A deleted account',
      server: { id: row.server_id, display_name: row.server_name, is_active: row.is_active },
      datetime_created: iso(row.created_at),
    })),
    report_count: rows[0]?.total ?? 0,
  }
}
