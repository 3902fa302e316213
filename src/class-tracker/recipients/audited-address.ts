import { sql } from 'drizzle-orm'
import { contact } from '../../db/schema/index.ts'

/** A contact's address as the audit keeps it: a webhook's address is its password, so it is not kept. */
export const auditedAddress = sql`CASE ${contact.kind} WHEN 'discord' THEN 'webhook' ELSE ${contact.address} END`
