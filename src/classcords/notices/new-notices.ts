import { type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { into, statement, type Template } from '../../db/query.ts'
import { discordServer, discordUser, invite, notice } from '../../db/schema/index.ts'

/** A notification to write. `url` is a page of ours, or ''. */
export interface NewNotice {
  kind: 'approved' | 'rejected' | 'expired' | 'invalid' | 'quarantined' | 'restored' | 'report'
  title: string
  body: string
  url: string
}

const i = alias(invite, 'i')
const s = alias(discordServer, 's')
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

/** The displayed name of the server `s`. */
export const serverName: SQL<string> = sql`COALESCE(NULLIF(${s.customTitle}, ''), ${s.name})`

/** Whether `m` is a manager who can log in. */
export const isActiveManager: SQL = sql`${m.role} = 'manager' AND NOT ${m.isDisabled} AND ${m.unlinkedAt} IS NULL`

/**
 * Notifies the submitter of the invite with this decision key, unless they decided about it themselves. The body begins
 * with the server's name.
 */
export function noticeToSubmitter(
  decisionKey: string,
  { kind, title, body, url }: NewNotice,
  now: number,
): Template<never> {
  const fullBody = sql`(SELECT ${serverName} FROM ${discordServer} ${s} WHERE ${s.id} = ${i.serverId}) || ${body === '' ? '' : `: ${body}`}`
  const isOwnDecision =
    kind === 'approved' || kind === 'rejected' ? sql`${i.submitterId} IS ${i.decidedBy}` : sql`false`
  return statement(sql`INSERT INTO ${noticeOfInvite}
    SELECT ${i.submitterId}, ${kind}, ${title}, ${fullBody}, ${url}, ${i.id}, ${now}
    FROM ${invite} ${i} WHERE ${i.decisionKey} = ${decisionKey} AND ${i.submitterId} IS NOT NULL AND NOT (${isOwnDecision})`)
}

/** Notifies every manager but the submitter about the invite with this decision key. */
export function noticeToManagers(
  decisionKey: string,
  { kind, title, body, url }: NewNotice,
  now: number,
): Template<never> {
  return statement(sql`INSERT INTO ${noticeOfInvite}
    SELECT ${m.id}, ${kind}, ${title}, ${body}, ${url}, ${i.id}, ${now} FROM ${invite} ${i}
    JOIN ${discordUser} ${m} ON ${isActiveManager}
    WHERE ${i.decisionKey} = ${decisionKey} AND ${m.id} IS NOT ${i.submitterId}`)
}
