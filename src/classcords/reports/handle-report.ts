import { and, eq, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { names, query, statement, template, writeTogether } from '../../db/query.ts'
import { discordServer, serverReport } from '../../db/schema/index.ts'
import { auditRows } from '../../web/audit-rows.ts'
import { conflict, notThere } from '../../web/refusal.ts'
import { serverName } from '../notices/new-notices.ts'
import { type DirectoryActor, refuseUnlessReviewer } from '../viewer.ts'

const s = alias(discordServer, 's')

/**
 * `dismissed`: the server stays. `unlisted`: it leaves every list, and its other open reports are settled with this
 * one.
 */
export type Outcome = 'dismissed' | 'unlisted'

/** Settles a report, once. @returns the server's name @throws forbidden, notThere, conflict (settled before) */
export async function handleReport(
  db: D1Database,
  by: DirectoryActor,
  { reportId, outcome }: { reportId: number; outcome: Outcome },
  now: number,
): Promise<string> {
  refuseUnlessReviewer(by)
  const server = sql`(SELECT ${serverReport.serverId} FROM ${serverReport} WHERE ${serverReport.id} = ${reportId})`
  const { handledAt, handledBy, serverId } = serverReport
  const [found, handled] = await writeTogether(db, [
    template(
      { name: serverName },
      (columns) => sql`SELECT ${columns} FROM ${discordServer} ${s} WHERE ${s.id} = ${server}`,
    ),
    query
      .update(serverReport)
      .set({ handledAt: now, handledBy: by.chatId, outcome })
      .where(sql`${serverReport.id} = ${reportId} AND ${handledAt} IS NULL`)
      .returning({ id: serverReport.id }),
    auditRows(
      by.audit,
      { act: outcome, area: 'classcords', table: 'server_report' },
      sql`SELECT ${serverReport.id} AS row_key, ${serverName} AS title, NULL AS before,
            json_object('outcome', ${serverReport.outcome}, 'reason', ${serverReport.reason}) AS after
          FROM ${serverReport} JOIN ${discordServer} ${s} ON ${s.id} = ${serverId}
          WHERE changes() > 0 AND ${serverReport.id} = ${reportId}`,
      now,
    ),
    ...(outcome === 'unlisted'
      ? [
          // Each statement depends on the one before it, so that a report that was already settled has no consequences.
          query
            .update(discordServer)
            .set({ isActive: false })
            .where(and(eq(discordServer.id, server), sql`changes() > 0`)),
          statement(sql`UPDATE ${serverReport} SET ${names(handledAt)} = ${now}, ${names(handledBy)} = ${by.chatId},
            ${names(serverReport.outcome)} = ${outcome} WHERE ${serverId} = ${server} AND ${handledAt} IS NULL AND changes() > 0`),
        ]
      : []),
  ])
  const name = found.rows[0]?.name
  if (name === undefined) throw notThere('There is no such report.')
  if (handled.rows.length === 0) throw conflict('Somebody has already handled this report.')
  return name
}
