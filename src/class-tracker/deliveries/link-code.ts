import { sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { contact, delivery } from '../../db/schema/index.ts'
import { DAY_MS } from '../../lib/time.ts'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
export const LINK_CODE_LENGTH = 10
const LINK_LIFE_MS = 30 * DAY_MS

/** The format of the code in a message's link. */
export const isLinkCode = (text: string): boolean => text.length === LINK_CODE_LENGTH && /^[0-9A-Za-z]+$/.test(text)

/** One of 62 characters. The sign bit is cleared because SQLite's smallest integer has no absolute value. */
const letter = sql.raw(`substr('${ALPHABET}', 1 + (random() & 9223372036854775807) % ${ALPHABET.length}, 1)`)

/** The delivery's code, or a new one: 10 of 62 characters, 59 bits. */
export const linkCodeOrNew: SQL = sql`coalesce(${delivery.linkCode}, ${sql.join(
  Array.from({ length: LINK_CODE_LENGTH }, () => letter),
  sql.raw(' || '),
)})`

/** The delivery's link works for 30 days after its message was written, or was last held or retried. */
export const isLinkAlive = (now: number): SQL =>
  sql`max(${delivery.createdAt}, coalesce(${delivery.restartedAt}, 0)) >= ${now - LINK_LIFE_MS}`

/** What tells an address apart: Discord serves a webhook under several hosts and versions. */
const essential = (address: SQLiteColumn): SQL => sql`lower(substr(${address}, instr(${address}, '/webhooks/')))`

/**
 * The contact still has the address that the message went to. Someone with a former address may not change anything. A
 * device's address changes by itself.
 */
export const isSentToContact: SQL = sql`${contact.id} = ${delivery.contactId} AND (${delivery.channel} = 'push'
  OR (${contact.kind} = ${delivery.channel} AND ${essential(contact.address)} = ${essential(delivery.address)}))`
