import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { into, kept, type Query, query, statement, write, writeTogether } from '../../db/query.ts'
import { contact, delivery, optOut } from '../../db/schema/index.ts'
import { endContacts } from './undeliverable.ts'

/** Twilio's report about a message. `status` as in its "MessageStatus" parameter. */
interface SmsReport {
  sid: string
  status: string
  error_code: string | null
  /** The message that the callback's address names; null when it names none. */
  message: { id: number; first_tried_at: number } | null
}

const underWay = new Set(['accepted', 'scheduled', 'queued', 'sending', 'sent'])
const arrived = new Set(['delivered', 'read'])
const lost = new Set(['failed', 'undelivered', 'canceled'])

const optedOut = '21610'
/** No such number, or one that cannot receive texts (Twilio, "Error and Warning Dictionary"): 30005, 30006. */
const unreachable = new Set(['30005', '30006'])
/** Its `ValidityPeriod` expired before Twilio could deliver it. */
const tooOld = '30036'

/**
 * Moves a delivery forward by a provider's report, never back: reports come late, twice and in any order. The first that
 * says delivered verifies the contact.
 */
export async function recordSmsReport(db: D1Database, report: SmsReport, now: number): Promise<void> {
  const { message, sid } = report
  const record = message === null ? byTwilioId : byOwnKey
  const values = { ...message, sid, now }
  if (underWay.has(report.status)) await write(db, record.accepted(values))
  else if (arrived.has(report.status)) await writeTogether(db, [record.verified(values), record.delivered(values)])
  else if (lost.has(report.status)) await writeTogether(db, recordLost(report, now))
}

/** Found by our own key, which also settles an unconfirmed message. */
const hasKey = (id: unknown, firstTriedAt: unknown): SQL =>
  sql`${delivery.id} = ${id} AND ${delivery.firstTriedAt} = ${firstTriedAt}`
/** Callback addresses of an earlier version name no message. */
const hasTwilioId = (sid: unknown): SQL =>
  sql`${delivery.providerId} = ${sid} AND ${delivery.state} IN ('sent', 'opened')`

const isReported = ({ message, sid }: SmsReport): SQL =>
  message === null ? hasTwilioId(sid) : hasKey(message.id, message.first_tried_at)

const byOwnKey = statementsFor(hasKey(sql.placeholder('id'), sql.placeholder('first_tried_at')))
const byTwilioId = statementsFor(hasTwilioId(sql.placeholder('sid')))

/** What is written when a message is on its way or has arrived: each message gets two reports. */
function statementsFor(isTheMessage: SQL) {
  const at = sql`${sql.placeholder('now')}`
  const known = { providerId: sql`${sql.placeholder('sid')}`, acceptedAt: sql`coalesce(${delivery.acceptedAt}, ${at})` }
  const ofMessage = (column: SQLiteColumn): SQL => sql`(SELECT ${column} FROM ${delivery} WHERE ${isTheMessage})`
  return {
    /** Its outcome is known, so no look-up is needed any more. */
    accepted: kept(() =>
      query
        .update(delivery)
        .set({ state: 'sent', ...known, lastError: null })
        .where(sql`${isTheMessage} AND ${delivery.state} NOT IN ('sent', 'delivered', 'opened')`),
    ),
    verified: kept(() =>
      query
        .update(contact)
        .set({ verifiedAt: at })
        .where(
          sql`${contact.id} = ${ofMessage(delivery.contactId)} AND ${contact.address} = ${ofMessage(delivery.address)}
            AND ${contact.verifiedAt} IS NULL`,
        ),
    ),
    delivered: kept(() =>
      query
        .update(delivery)
        .set({
          state: sql`iif(${delivery.state} = 'opened', 'opened', 'delivered')`,
          ...known,
          deliveredAt: at,
          lastError: null,
        })
        .where(
          sql`${isTheMessage} AND ${delivery.state} <> 'delivered'
            AND (${delivery.state} <> 'opened' OR ${delivery.deliveredAt} IS NULL)`,
        ),
    ),
  }
}

/** Twilio accepted it and gave up: it certainly did not arrive, so a retry starts with a new message. */
function recordLost(report: SmsReport, now: number): Query[] {
  const end = query
    .update(delivery)
    .set({ ...endOf(report), providerId: report.sid, body: null, firstTriedAt: null })
    .where(sql`${isReported(report)} AND ${delivery.state} IN ('sending', 'unconfirmed', 'sent')`)
  if (report.error_code !== null && unreachable.has(report.error_code)) {
    return [endContacts(isReported(report), 'The number does not exist or takes no texts.', now), end]
  }
  if (report.error_code !== optedOut) return [end]
  // The address it was sent to, even if another recipient has it by now.
  const sentTo = sql`SELECT ${delivery.channel}, ${delivery.address}`
  return [
    statement(sql`INSERT INTO ${into(optOut, optOut.kind, optOut.addressKey, optOut.at)}
      ${sentTo}, ${now} FROM ${delivery} WHERE ${isReported(report)} ON CONFLICT DO NOTHING`),
    query
      .update(contact)
      .set({ optedOutAt: now })
      .where(
        sql`${contact.optedOutAt} IS NULL AND (${contact.kind}, ${contact.addressKey}) IN (
          ${sentTo} FROM ${delivery} WHERE ${isReported(report)})`,
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
