import { sql } from 'drizzle-orm'
import { contact, recipient } from '../../db/schema/index.ts'

/**
 * A `contact` of a `recipient` through which a message may go out: enabled, not opted out, not undeliverable, and no
 * phone when the recipient may not be contacted by phone.
 */
export const canBeMessaged = sql`${contact.isEnabled} AND ${contact.optedOutAt} IS NULL AND ${contact.undeliverableAt} IS NULL
  AND (${contact.kind} <> 'phone' OR ${recipient.isContactByPhone})`
