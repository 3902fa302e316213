import { and, eq, sql } from 'drizzle-orm'
import { query, readFirst, template, writeTogether } from '../../db/query.ts'
import { discordServer, serverReport } from '../../db/schema/index.ts'
import { auditRows } from '../../web/audit.ts'
import { conflict, notFound } from '../../web/refusal.ts'
import { isListed, serverName } from '../servers/server-row.ts'
import { type DirectoryActor, refuseUnlessReviewer } from '../viewer.ts'
import { theServer, serverTable } from '../aliases.ts'

/** `unlisted`: the server is removed from every list, and its other open reports are closed too. */
export type ReportOutcome = 'dismissed' | 'unlisted'

/** What a manager is asked about before the server is removed. @throws forbidden, notFound, conflict (nothing to do) */
export async function openReport(
  db: D1Database,
  by: DirectoryActor,
  reportId: number,
): Promise<{ server: string; reason: string }> {
  refuseUnlessReviewer(by)
  const fields = {
    server: serverName,
    reason: serverReport.reason,
    handled_at: serverReport.handledAt,
    is_active: theServer.isActive,
  }
  const found = await readFirst(
    db,
    template(
      fields,
      (
        columns,
      ) => sql`SELECT ${columns} FROM ${serverReport} JOIN ${serverTable} ON ${theServer.id} = ${serverReport.serverId}
        WHERE ${serverReport.id} = ${reportId}`,
    ),
  )
  if (!found) throw noSuchReport()
  if (found.handled_at !== null) throw alreadyHandled()
  if (!found.is_active) throw conflict('This server is not on the list.')
  return found
}

const noSuchReport = () => notFound('There is no such report.')
const alreadyHandled = () => conflict('This report has already been handled.')

/** Closes an open report. @returns the server, as it was before @throws forbidden, notFound, conflict (already closed) */
export async function handleReport(
  db: D1Database,
  by: DirectoryActor,
  { reportId, outcome }: { reportId: number; outcome: ReportOutcome },
  now: number,
): Promise<{ name: string; is_listed: boolean }> {
  refuseUnlessReviewer(by)
  const server = sql`(SELECT ${serverReport.serverId} FROM ${serverReport} WHERE ${serverReport.id} = ${reportId})`
  const { handledAt, serverId } = serverReport
  const closed = { handledAt: now, handledBy: by.discordUserId, outcome }
  const isReported = and(eq(discordServer.id, server), sql`changes() > 0`)
  const isAboutIt = sql`${serverId} = ${server} AND ${handledAt} IS NULL AND changes() > 0`
  const [found, handled] = await writeTogether(db, [
    template(
      { name: serverName, is_listed: isListed },
      (columns) => sql`SELECT ${columns} FROM ${serverTable} WHERE ${theServer.id} = ${server}`,
    ),
    query
      .update(serverReport)
      .set(closed)
      .where(sql`${serverReport.id} = ${reportId} AND ${handledAt} IS NULL`)
      .returning({ id: serverReport.id }),
    auditRows(
      by.audit,
      { act: outcome, area: 'classcords', table: 'server_report' },
      sql`SELECT ${serverReport.id} AS row_key, ${serverName} AS title, NULL AS before,
            json_object('outcome', ${serverReport.outcome}, 'reason', ${serverReport.reason}) AS after
          FROM ${serverReport} JOIN ${serverTable} ON ${theServer.id} = ${serverId}
          WHERE changes() > 0 AND ${serverReport.id} = ${reportId}`,
      now,
    ),
    ...(outcome === 'unlisted'
      ? [
          // Each statement depends on the changes of the one before, so that a report that was already closed does nothing.
          query.update(discordServer).set({ isActive: false, isRequiredForTrust: false }).where(isReported),
          query.update(serverReport).set(closed).where(isAboutIt),
        ]
      : []),
  ])
  const [before] = found.rows
  if (!before) throw noSuchReport()
  if (handled.rows.length === 0) throw alreadyHandled()
  return before
}
