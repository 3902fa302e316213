import { sql } from 'drizzle-orm'
import { contact, recipient } from '../../db/schema/index.ts'

/**
 * A `contact` of a `recipient` through which a message may go out: enabled, not opted out, and no phone when the recipient may
 * not be contacted by phone.
 */
export const canBeMessaged = sql`${contact.isEnabled} AND ${contact.optedOutAt} IS NULL
  AND (${contact.kind} <> 'phone' OR ${recipient.isContactByPhone})`

/** {@link canBeMessaged} over `contact n` and `recipient r`, for statements that are still text. */
export const isUsableContact = `n.is_enabled AND n.opted_out_at IS NULL AND (n.kind <> 'phone' OR r.is_contact_by_phone)`
