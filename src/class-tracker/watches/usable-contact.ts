import { sql } from 'drizzle-orm'
import { contact, recipient } from '../../db/schema/index.ts'

/** A usable `contact` of a `recipient`: enabled, not opted out, reachable, and no phone if phones may not be used. */
export const canBeMessaged = sql`${contact.isEnabled} AND ${contact.optedOutAt} IS NULL AND ${contact.undeliverableAt} IS NULL
  AND (${contact.kind} <> 'phone' OR ${recipient.isContactByPhone})`
