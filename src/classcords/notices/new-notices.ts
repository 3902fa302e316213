import { type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { into, statement, type Template } from '../../db/query.ts'
import { discordUser, notice } from '../../db/schema/index.ts'
import { profilePath } from '../access.ts'
import { theServer, theInvite, serverTable, inviteTable } from '../aliases.ts'

export interface NewNotice {
  kind: 'approved' | 'rejected' | 'expired' | 'invalid' | 'quarantined' | 'restored'
  title: string
  body: string
}

const m = alias(discordUser, 'm')

/** Columns of a notice about an invite, in the order of the selects below. */
const noticeOfInvite = into(
  notice,
  notice.discordUserId,
  notice.kind,
  notice.title,
  notice.body,
  notice.url,
  notice.inviteId,
  notice.createdAt,
)

/** Whether `m` is a manager who can log in. */
export const isActiveManager: SQL = sql`${m.role} = 'manager' AND NOT ${m.isDisabled} AND ${m.unlinkedAt} IS NULL`

/**
 * Notifies the submitter of the invite with this decision key, unless they decided about it themselves. The body begins
 * with the server's name at Discord, because administrators' titles are for its own school. The link leads to their
 * profile, which lists their submissions.
 */
export function noticeToSubmitter(decisionKey: string, { kind, title, body }: NewNotice, now: number): Template<never> {
  const fullBody = sql`(SELECT ${theServer.name} FROM ${serverTable} WHERE ${theServer.id} = ${theInvite.serverId}) || ${body === '' ? '' : `: ${body}`}`
  const isOwnDecision =
    kind === 'approved' || kind === 'rejected' ? sql`${theInvite.submitterId} IS ${theInvite.decidedBy}` : sql`false`
  return statement(sql`INSERT INTO ${noticeOfInvite}
    SELECT ${theInvite.submitterId}, ${kind}, ${title}, ${fullBody}, ${profilePath}, ${theInvite.id}, ${now}
    FROM ${inviteTable} WHERE ${theInvite.decisionKey} = ${decisionKey} AND ${theInvite.submitterId} IS NOT NULL AND NOT (${isOwnDecision})`)
}

/** Notifies every manager but the submitter about the invite with this decision key, without a link. */
export function noticeToManagers(decisionKey: string, { kind, title, body }: NewNotice, now: number): Template<never> {
  return statement(sql`INSERT INTO ${noticeOfInvite}
    SELECT ${m.id}, ${kind}, ${title}, ${body}, '', ${theInvite.id}, ${now} FROM ${inviteTable}
    JOIN ${discordUser} ${m} ON ${isActiveManager}
    WHERE ${theInvite.decisionKey} = ${decisionKey} AND ${m.id} IS NOT ${theInvite.submitterId}`)
}
