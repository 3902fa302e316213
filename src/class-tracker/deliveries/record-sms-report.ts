/** What Twilio tells of a message's way. `status` as in its "MessageStatus" parameter. */
interface SmsReport {
  sid: string
  status: string
  error_code: string | null
  /** The message as we named it in the callback's address; null when the address did not. */
  message: { id: number; first_tried_at: number } | null
}

/** The message in the report: by our own name for it, which also settles one in doubt, or by Twilio's. */
const isReported = `(id = ?1 AND first_tried_at = ?2 OR provider_id = ?3 AND state = 'sent')`

const underWay = new Set(['accepted', 'scheduled', 'queued', 'sending', 'sent'])
const arrived = new Set(['delivered', 'read'])
const lost = new Set(['failed', 'undelivered', 'canceled'])

const optedOut = '21610'
/** Its `ValidityPeriod` was over before Twilio could pass it on. */
const tooOld = '30036'

/**
 * Moves a delivery forward by a provider's report, never back: reports come late, twice and in any order. The first that
 * says delivered verifies the contact.
 */
export async function recordSmsReport(db: D1Database, report: SmsReport, now: number): Promise<void> {
  const which = [report.message?.id ?? null, report.message?.first_tried_at ?? null, report.sid]
  if (underWay.has(report.status)) await recordAccepted(db, which, now)
  else if (arrived.has(report.status)) await recordDelivered(db, which, now)
  else if (lost.has(report.status)) await recordLost(db, which, report, now)
}

type Which = readonly (string | number | null)[]

/** Nobody needs to be asked any more whether it was taken. */
async function recordAccepted(db: D1Database, which: Which, now: number): Promise<void> {
  await db
    .prepare(
      `UPDATE delivery SET state = 'sent', provider_id = ?3, accepted_at = coalesce(accepted_at, ?4), last_error = NULL
       WHERE ${isReported} AND state NOT IN ('sent', 'delivered')`,
    )
    .bind(...which, now)
    .run()
}

async function recordDelivered(db: D1Database, which: Which, now: number): Promise<void> {
  await db.batch([
    db
      .prepare(
        `UPDATE contact SET verified_at = ?4
         WHERE verified_at IS NULL AND (id, address) IN (SELECT contact_id, address FROM delivery WHERE ${isReported})`,
      )
      .bind(...which, now),
    db
      .prepare(
        `UPDATE delivery
         SET state = 'delivered', provider_id = ?3, accepted_at = coalesce(accepted_at, ?4), delivered_at = ?4, last_error = NULL
         WHERE ${isReported} AND state <> 'delivered'`,
      )
      .bind(...which, now),
  ])
}

/** Twilio took it and gave it up: certainly not arrived, so a person's retry starts with a new message. */
async function recordLost(db: D1Database, which: Which, report: SmsReport, now: number): Promise<void> {
  const statements = [
    db
      .prepare(
        `UPDATE delivery
         SET state = ?5, provider_id = ?3, last_error = ?4, body = NULL, first_tried_at = NULL
         WHERE ${isReported} AND state IN ('sending', 'unconfirmed', 'sent')`,
      )
      .bind(...which, ...endOf(report)),
  ]
  // The address that it was sent to, whoever has it by now.
  if (report.error_code === optedOut) {
    statements.unshift(
      db
        .prepare(
          `INSERT INTO opt_out (kind, address_key, at) SELECT channel, address, ?4 FROM delivery WHERE ${isReported}
           ON CONFLICT DO NOTHING`,
        )
        .bind(...which, now),
      db
        .prepare(
          `UPDATE contact SET opted_out_at = ?4
           WHERE opted_out_at IS NULL AND (kind, address_key) IN (SELECT channel, address FROM delivery WHERE ${isReported})`,
        )
        .bind(...which, now),
    )
  }
  await db.batch(statements)
}

/** What is stored as the last error, and the state. */
function endOf({ status, error_code }: SmsReport): [error: string, state: 'failed' | 'expired'] {
  if (error_code === tooOld) return ['Too old to send.', 'expired']
  return [`The message was ${status}${error_code === null ? '' : ` (Twilio ${error_code})`}.`, 'failed']
}
