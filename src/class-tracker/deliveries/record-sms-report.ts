import { type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { into, kept, names, type Query, query, statement, writeTogether } from '../../db/query.ts'
import { contact, delivery, optOut } from '../../db/schema/index.ts'
import { markUndeliverable } from './undeliverable.ts'

/** Twilio's report about a message. `status` as in its "MessageStatus" parameter. */
export interface SmsReport {
  sid: string
  status: string
  error_code: string | null
  /** The message that the callback's URL names. */
  message: { id: number; first_tried_at: number }
}

const underWay = new Set(['accepted', 'scheduled', 'queued', 'sending', 'sent'])
const arrived = new Set(['delivered', 'read'])
const lost = new Set(['failed', 'undelivered', 'canceled'])

const optedOut = '21610'
/** No such number, or one that cannot receive texts (Twilio, "Error and Warning Dictionary"): 30005, 30006. */
const unreachable = new Set(['30005', '30006'])
/** The message's `ValidityPeriod` expired before Twilio could deliver it. */
const tooOld = '30036'

/** Reports come late, twice and in any order: none moves a delivery back. "Delivered" verifies the contact. */
export async function recordSmsReports(db: D1Database, reports: readonly SmsReport[], now: number): Promise<void> {
  const withStatus = (statuses: ReadonlySet<string>) => reports.filter(({ status }) => statuses.has(status))
  await writeTogether(db, [
    ...statementsAbout(withStatus(underWay), now, [recordAccepted]),
    ...statementsAbout(withStatus(arrived), now, [recordVerified, recordDelivered]),
    ...withStatus(lost).flatMap((report) => recordLost(report, now)),
  ])
}

/** Finds the message by the key in our callback's URL, even while it is unconfirmed. */
const hasKey = (id: unknown, firstTriedAt: unknown): SQL =>
  sql`${delivery.id} = ${id} AND ${delivery.firstTriedAt} = ${firstTriedAt}`
const isReported = ({ message }: SmsReport): SQL => hasKey(message.id, message.first_tried_at)

/** The contact, if it still has the address of the message. */
const sentTo = alias(contact, 'sent_to')

const { state, providerId, acceptedAt, deliveredAt, lastError } = delivery
const at = sql`${sql.placeholder('now')}`
const reported = sql`json_each(${sql.placeholder('reports')}) j`
const isTheMessage = hasKey(sql`j.value ->> 1`, sql`j.value ->> 2`)
const known = sql`${names(providerId)} = j.value ->> 0, ${names(acceptedAt)} = coalesce(${acceptedAt}, ${at}),
    ${names(lastError)} = NULL`

/** The provider has it, so an unconfirmed message need not be looked up. */
const recordAccepted = kept(() =>
  statement(sql`UPDATE ${delivery} SET ${names(state)} = 'sent', ${known} FROM ${reported}
        WHERE ${isTheMessage} AND ${state} NOT IN ('sent', 'delivered', 'opened')`),
)
const recordVerified = kept(() =>
  statement(sql`UPDATE ${contact} SET ${names(contact.verifiedAt)} = ${at}
        WHERE ${contact.id} IN (
          SELECT ${sentTo.id} FROM ${reported} CROSS JOIN ${delivery}
          CROSS JOIN ${contact} ${sentTo} ON ${sentTo.id} = ${delivery.contactId} AND ${sentTo.address} = ${delivery.address}
          WHERE ${isTheMessage} AND ${sentTo.verifiedAt} IS NULL)`),
)
const recordDelivered = kept(() =>
  statement(sql`UPDATE ${delivery}
        SET ${names(state)} = iif(${state} = 'opened', 'opened', 'delivered'), ${names(deliveredAt)} = ${at}, ${known} FROM ${reported}
        WHERE ${isTheMessage} AND ${state} <> 'delivered' AND (${state} <> 'opened' OR ${deliveredAt} IS NULL)`),
)

/** The statements for messages that are on their way or have arrived; most messages get one report of each. */
function statementsAbout(
  reports: readonly SmsReport[],
  now: number,
  writes: readonly (typeof recordAccepted)[],
): Query[] {
  if (reports.length === 0) return []
  const list = JSON.stringify(reports.map(({ sid, message: { id, first_tried_at } }) => [sid, id, first_tried_at]))
  return writes.map((write) => write({ reports: list, now }))
}

/** It did not arrive: a retry sends a new message. One copy of a repeated message says nothing of the other. */
function recordLost(report: SmsReport, now: number): Query[] {
  const { isRepeated } = delivery
  const isOnlyCopy = sql`(${state} = 'sent' AND ${providerId} = ${report.sid} OR ${state} IN ('sending', 'unconfirmed') AND NOT ${isRepeated})`
  const end = query
    .update(delivery)
    .set({ ...endOf(report), providerId: report.sid, body: null, firstTriedAt: null })
    .where(sql`${isReported(report)} AND ${isOnlyCopy}`)
  if (report.error_code !== null && unreachable.has(report.error_code)) {
    return [markUndeliverable(isReported(report), 'The number does not exist or does not accept texts.', now), end]
  }
  if (report.error_code !== optedOut) return [end]
  // The address it was sent to, even if it now belongs to another recipient.
  const refused = sql`SELECT ${delivery.channel}, ${delivery.address}`
  return [
    statement(sql`INSERT INTO ${into(optOut, optOut.kind, optOut.addressKey, optOut.at)}
      ${refused}, ${now} FROM ${delivery} WHERE ${isReported(report)} ON CONFLICT DO NOTHING`),
    query
      .update(contact)
      .set({ optedOutAt: now })
      .where(
        sql`${contact.optedOutAt} IS NULL AND (${contact.kind}, ${contact.addressKey}) IN (
          ${refused} FROM ${delivery} WHERE ${isReported(report)})`,
      ),
    end,
  ]
}

/** How a lost message ends. */
function endOf({ status, error_code }: SmsReport): { state: 'failed' | 'expired'; lastError: string } {
  if (error_code === tooOld) return { state: 'expired', lastError: 'Too old to send.' }
  const code = error_code === null ? '' : ` (Twilio ${error_code})`
  return { state: 'failed', lastError: `The message was ${status}${code}.` }
}
