import { type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { kept, names, type Query, query, statement, writeTogether } from '../../db/query.ts'
import { contact, delivery } from '../../db/schema/index.ts'
import { markUndeliverable, recordOptOut } from './opt-out.ts'

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

const optedOut = '21610'
/** No such number, or one that cannot receive texts (Twilio, "Error and Warning Dictionary"): 30005, 30006. */
const unreachable = new Set(['30005', '30006'])
/** The message's `ValidityPeriod` expired before Twilio could deliver it. */
const tooOld = '30036'

/** Reports come late, twice and in any order: none moves a delivery back. "Delivered" verifies the contact. */
export async function recordSmsReports(db: D1Database, reports: readonly SmsReport[], now: number): Promise<void> {
  const withStatus = (statuses: ReadonlySet<string>) => reports.filter(({ status }) => statuses.has(status))
  await writeTogether(db, [
    ...statementsAbout(withStatus(underWay), now, (record) => [record.accepted]),
    ...statementsAbout(withStatus(arrived), now, (record) => [record.verified, record.delivered]),
    ...withStatus(lost).flatMap((report) => recordLost(report, now)),
  ])
}

/** Finds the message by the key in our callback's URL, even while it is unconfirmed. */
const hasKey = (id: unknown, firstTriedAt: unknown): SQL =>
  sql`${delivery.id} = ${id} AND ${delivery.firstTriedAt} = ${firstTriedAt}`
/** A report whose URL names no message is about the one with Twilio's id. */
const hasTwilioId = (sid: unknown): SQL =>
  sql`${delivery.providerId} = ${sid} AND ${delivery.state} IN ('sent', 'opened')`

const isReported = ({ message, sid }: SmsReport): SQL =>
  message === null ? hasTwilioId(sid) : hasKey(message.id, message.first_tried_at)

/** The contact, if it still has the address of the message. */
const sentTo = alias(contact, 'sent_to')

const byOwnKey = statementsFor(hasKey(sql`j.value ->> 1`, sql`j.value ->> 2`))
const byTwilioId = statementsFor(hasTwilioId(sql`j.value ->> 0`))

type Statements = typeof byOwnKey

/** The chosen statements for reports with our own key, and for those without. */
function statementsAbout(
  reports: readonly SmsReport[],
  now: number,
  choose: (record: Statements) => Statements[keyof Statements][],
): Query[] {
  const { own = [], foreign = [] } = Object.groupBy(reports, ({ message }) => (message === null ? 'foreign' : 'own'))
  return [[byOwnKey, own] as const, [byTwilioId, foreign] as const].flatMap(([record, some]) => {
    if (some.length === 0) return []
    const list = some.map(({ sid, message }) => [sid, message?.id, message?.first_tried_at])
    return choose(record).map((write) => write({ reports: JSON.stringify(list), now }))
  })
}

/** The statements for messages that are on their way or have arrived; most messages get one report of each. */
function statementsFor(isTheMessage: SQL) {
  const reports = sql`json_each(${sql.placeholder('reports')}) j`
  const at = sql`${sql.placeholder('now')}`
  const { state, providerId, acceptedAt, deliveredAt, lastError } = delivery
  const known = sql`${names(providerId)} = j.value ->> 0, ${names(acceptedAt)} = coalesce(${acceptedAt}, ${at}),
    ${names(lastError)} = NULL`
  return {
    /** The provider has it, so an unconfirmed message need not be looked up. */
    accepted: kept(() =>
      statement(sql`UPDATE ${delivery} SET ${names(state)} = 'sent', ${known} FROM ${reports}
        WHERE ${isTheMessage} AND ${state} NOT IN ('sent', 'delivered', 'opened')`),
    ),
    verified: kept(() =>
      statement(sql`UPDATE ${contact} SET ${names(contact.verifiedAt)} = ${at}
        WHERE ${contact.id} IN (
          SELECT ${sentTo.id} FROM ${reports} CROSS JOIN ${delivery}
          CROSS JOIN ${contact} ${sentTo} ON ${sentTo.id} = ${delivery.contactId} AND ${sentTo.address} = ${delivery.address}
          WHERE ${isTheMessage} AND ${sentTo.verifiedAt} IS NULL)`),
    ),
    delivered: kept(() =>
      statement(sql`UPDATE ${delivery}
        SET ${names(state)} = iif(${state} = 'opened', 'opened', 'delivered'), ${names(deliveredAt)} = ${at}, ${known} FROM ${reports}
        WHERE ${isTheMessage} AND ${state} <> 'delivered' AND (${state} <> 'opened' OR ${deliveredAt} IS NULL)`),
    ),
  }
}

/** It did not arrive: a retry sends a new message. One copy of a repeated message says nothing about the other. */
function recordLost(report: SmsReport, now: number): Query[] {
  const { state, isRepeated, providerId } = delivery
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
  const refused = sql`SELECT ${delivery.channel}, ${delivery.address} FROM ${delivery} WHERE ${isReported(report)}`
  return [...recordOptOut(refused, now), end]
}

/** How a lost message ends. */
function endOf({ status, error_code }: SmsReport): { state: 'failed' | 'expired'; lastError: string } {
  if (error_code === tooOld) return { state: 'expired', lastError: 'Too old to send.' }
  const code = error_code === null ? '' : ` (Twilio ${error_code})`
  return { state: 'failed', lastError: `The message was ${status}${code}.` }
}
