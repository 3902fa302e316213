import { sql, type SQL } from 'drizzle-orm'
import { delivery } from '../../db/schema/index.ts'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const LENGTH = 10

/** What a code in a message's link looks like. */
export const isLinkCode = (text: string): boolean => /^[0-9A-Za-z]{10}$/.test(text)

/** One of 62 letters. The sign is cut off, because the least whole number has no opposite. */
const letter = sql.raw(`substr('${ALPHABET}', 1 + (random() & 9223372036854775807) % ${ALPHABET.length}, 1)`)

/** The code a delivery has, else a new one: 10 letters of 62, 59 bits. */
export const linkCodeOrNew: SQL = sql`coalesce(${delivery.linkCode}, ${sql.join(
  Array.from({ length: LENGTH }, () => letter),
  sql.raw(' || '),
)})`
