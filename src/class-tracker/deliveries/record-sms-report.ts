import { type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { prepared, names, type Query, query, statement, writeTogether, parameter } from '../../db/query.ts'
import { contact, delivery } from '../../db/schema/index.ts'
import { markUndeliverable } from './opt-out.ts'
import { clearLastAlert } from '../watches/last-alert.ts'

/** Twilio's report about a message. `status` as in its "MessageStatus" parameter. */
export interface SmsReport {
  sid: string
  status: string
  error_code: string | null
  /** The message that the callback's URL names; null if it names none. */
  message: { id: number; first_tried_at: number } | null
}

const underWay = new Set(['accepted', 'scheduled', 'queued', 'sending', 'sent'])
const arrived = new Set(['delivered', 'read'])
const lost = new Set(['failed', 'undelivered', 'canceled'])

/** No such number, or one that cannot receive texts (Twilio, "Error and Warning Dictionary"): 30005, 30006. */
const unreachable = new Set(['30005', '30006'])
/** The message's `ValidityPeriod` expired before Twilio could deliver it. */
const tooOld = '30036'

/** Reports come late, twice and in any order: none moves a delivery back. "Delivered" verifies the contact. */
export async function recordSmsReports(db: D1Database, reports: readonly SmsReport[], now: number): Promise<void> {
  const withStatus = (statuses: ReadonlySet<string>) => reports.filter(({ status }) => statuses.has(status))
  const listOf = (some: readonly SmsReport[]) =>
    JSON.stringify(some.map(({ sid, message }) => [sid, message?.id, message?.first_tried_at]))
  const delivered = { reports: listOf(withStatus(arrived)), now }
  await writeTogether(db, [
    markAccepted({ reports: listOf(withStatus(underWay)), now }),
    markVerified(delivered),
    markDelivered(delivered),
    ...withStatus(lost).flatMap((report) => recordLost(report, now)),
  ])
}

const known = alias(delivery, 'known')

/**
 * Finds the message by the key in our callback's URL, even while it is unconfirmed; a report whose URL names no message
 * (`id` is null) is about the one with Twilio's id.
 */
const isTheMessage = (sid: unknown, id: unknown, firstTriedAt: unknown): SQL =>
  sql`${delivery.id} = coalesce(${id}, (SELECT ${known.id} FROM ${delivery} ${known}
      WHERE ${known.providerId} = ${sid} AND ${known.state} IN ('sent', 'opened')))
    AND (${id} IS NULL OR ${delivery.firstTriedAt} = ${firstTriedAt})`
const isReported = ({ sid, message }: SmsReport): SQL =>
  isTheMessage(sid, message?.id ?? null, message?.first_tried_at ?? null)
const isListed = isTheMessage(sql`j.value ->> 0`, sql`j.value ->> 1`, sql`j.value ->> 2`)

/** The contact, if it still has the address of the message. */
const sentTo = alias(contact, 'sent_to')

const listed = sql`json_each(${parameter('reports')}) j`
const at = parameter('now')
const { state, providerId, acceptedAt, deliveredAt, lastError, isRepeated } = delivery
const accepted = sql`${names(providerId)} = j.value ->> 0, ${names(acceptedAt)} = coalesce(${acceptedAt}, ${at}),
  ${names(lastError)} = NULL`

/** The provider has it, so an unconfirmed message need not be looked up. */
const markAccepted = prepared(() =>
  statement(sql`UPDATE ${delivery} SET ${names(state)} = 'sent', ${accepted} FROM ${listed}
    WHERE ${isListed} AND ${state} NOT IN ('sent', 'delivered', 'opened')`),
)

const markVerified = prepared(() =>
  statement(sql`UPDATE ${contact} SET ${names(contact.verifiedAt)} = ${at}
    WHERE ${contact.id} IN (
      SELECT ${sentTo.id} FROM ${listed} CROSS JOIN ${delivery}
      CROSS JOIN ${contact} ${sentTo} ON ${sentTo.id} = ${delivery.contactId} AND ${sentTo.address} = ${delivery.address}
      WHERE ${isListed} AND ${sentTo.verifiedAt} IS NULL)`),
)

const markDelivered = prepared(() =>
  statement(sql`UPDATE ${delivery}
    SET ${names(state)} = iif(${state} = 'opened', 'opened', 'delivered'), ${names(deliveredAt)} = ${at}, ${accepted} FROM ${listed}
    WHERE ${isListed} AND ${state} <> 'delivered' AND (${state} <> 'opened' OR ${deliveredAt} IS NULL)`),
)

/**
 * Marks the message as not delivered; a retry sends a new one. If it was sent twice, the report covers only one copy. A
 * carrier may have opened its link before it dropped it.
 */
function recordLost(report: SmsReport, now: number): Query[] {
  const isOnlyCopy = sql`(${state} IN ('sent', 'opened') AND ${providerId} = ${report.sid} AND ${deliveredAt} IS NULL AND ${delivery.seenAt} IS NULL
    OR ${state} IN ('sending', 'unconfirmed') AND NOT ${isRepeated})`
  const end = query
    .update(delivery)
    .set({ ...endOf(report), providerId: report.sid, body: null, firstTriedAt: null, openedAt: null })
    .where(sql`${isReported(report)} AND ${isOnlyCopy}`)
  const free = clearLastAlert(sql`SELECT ${delivery.id} AS id FROM ${delivery} WHERE ${providerId} = ${report.sid}`)
  if (report.error_code !== null && unreachable.has(report.error_code)) {
    return [
      markUndeliverable(isReported(report), 'The number does not exist or does not accept texts.', now),
      end,
      free,
    ]
  }
  // A report of an opt-out may be older than a START. STOP itself, or the refusal of the next text, opts out.
  return [end, free]
}

function endOf({ status, error_code }: SmsReport): { state: 'failed' | 'expired'; lastError: string } {
  if (error_code === tooOld) return { state: 'expired', lastError: 'Expired before it was sent.' }
  const code = error_code === null ? '' : ` (Twilio ${error_code})`
  return { state: 'failed', lastError: `The message was ${status}${code}.` }
}
