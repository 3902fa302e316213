import { sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { into, readFirst, statement, template, writeTogether } from '../../db/query.ts'
import { discordUser, newId, notice, serverReport } from '../../db/schema/index.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../lib/time.ts'
import { isActiveManager } from '../notices/new-notices.ts'
import { auditRows } from '../../web/audit.ts'
import { badRequest, notFound, unprocessable, tooMany } from '../../web/refusal.ts'
import { counted, typedLines } from '../../lib/text.ts'
import { MAX_REPORT_LENGTH } from '../invites/contract.ts'
import { findAccess, refuseWithoutAccess } from '../invites/server-invites.ts'
import { isListed, serverName } from '../servers/server-row.ts'
import type { Member } from '../viewer.ts'
import { theServer, serverTable } from '../aliases.ts'

const m = alias(discordUser, 'm')

/** Every report notifies every manager. */
const MAX_REPORTS_PER_HOUR = 10

export const reportReceived = 'Thank you. The managers will look at it.'

/**
 * Any member who may see the server, once per server in 24 hours and 10 times an hour.
 * @throws notFound, forbidden, badRequest, unprocessable (the reason), tooMany
 */
export async function reportServer(
  db: D1Database,
  member: Member,
  report: { serverId: number; reason: string },
  now: number,
): Promise<void> {
  refuseWithoutAccess(member, (await readFirst(db, findAccess({ server: report.serverId }))) ?? undefined)
  const reason = typedLines(report.reason)
  if (reason === '') throw badRequest('Reason is required')
  if (Array.from(reason).length > MAX_REPORT_LENGTH)
    throw unprocessable(`The reason may have at most ${MAX_REPORT_LENGTH} characters`)
  const { serverId, reporterId, createdAt } = serverReport
  const isOwnReport = sql`${serverId} = ${report.serverId} AND ${reporterId} = ${member.discordUserId}`
  const isRecentReport = sql`${reporterId} = ${member.discordUserId} AND ${createdAt} > ${now - HOUR_MS}`
  const [added] = await writeTogether(db, [
    template(
      { id: serverReport.id },
      (
        columns,
      ) => sql`INSERT INTO ${into(serverReport, serverReport.id, serverId, reporterId, serverReport.reason, createdAt)}
        SELECT ${newId('server_report')}, ${theServer.id}, ${member.discordUserId}, ${reason}, ${now}
          FROM ${serverTable} WHERE ${theServer.id} = ${report.serverId} AND ${isListed}
          AND NOT EXISTS (SELECT 1 FROM ${serverReport} WHERE ${isOwnReport} AND ${createdAt} > ${now - DAY_MS})
          AND (SELECT count(*) FROM ${serverReport} WHERE ${isRecentReport}) < ${MAX_REPORTS_PER_HOUR}
        RETURNING ${columns}`,
    ),
    auditRows(
      member.audit,
      { act: 'reported', area: 'classcords', table: 'discord_server' },
      sql`SELECT ${theServer.id} AS row_key, ${theServer.name} AS title, NULL AS before, json_object('reason', ${reason}) AS after
          FROM ${serverTable} WHERE ${theServer.id} = ${report.serverId} AND changes() > 0`,
      now,
    ),
    statement(sql`INSERT INTO ${into(notice, notice.discordUserId, notice.kind, notice.title, notice.body, notice.url, notice.createdAt)}
      SELECT ${m.id}, 'report', 'A server was reported', ${serverName} || ': ' || ${reason}, '/classcords/reports/', ${now}
      FROM ${serverTable} JOIN ${discordUser} ${m} ON ${isActiveManager}
      WHERE ${theServer.id} = ${report.serverId} AND changes() > 0`),
  ])
  if (added.rows.length === 1) return
  const last = await readFirst(
    db,
    template(
      {
        same_server_at: sql<number | null>`(SELECT max(${createdAt}) FROM ${serverReport} WHERE ${isOwnReport})`,
        /** The report whose hour has to pass before the next one. */
        tenth_at: sql<number | null>`(SELECT ${createdAt} FROM ${serverReport} WHERE ${isRecentReport}
          ORDER BY ${createdAt} DESC LIMIT 1 OFFSET ${MAX_REPORTS_PER_HOUR - 1})`,
      },
      (columns) =>
        sql`SELECT ${columns} FROM ${serverTable} WHERE ${theServer.id} = ${report.serverId} AND ${isListed}`,
    ),
  )
  if (!last) throw notFound('There is no such server.')
  const { same_server_at: sameServerAt, tenth_at: tenthAt } = last
  if (sameServerAt !== null && sameServerAt > now - DAY_MS)
    throw tooMany((sameServerAt + DAY_MS - now) / 1000, 'You have already reported this server today.')
  const wait = (tenthAt ?? now) + HOUR_MS - now
  const minutes = counted(Math.ceil(wait / MINUTE_MS), 'minute')
  throw tooMany(wait / 1000, `You can send ${MAX_REPORTS_PER_HOUR} reports an hour. Try again in ${minutes}.`)
}
