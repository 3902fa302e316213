import { sql, type SQL } from 'drizzle-orm'
import { delivery } from '../../db/schema/index.ts'
import { DAY_MS } from '../../lib/time.ts'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
export const LINK_CODE_LENGTH = 10
/** How long a link works after its message was written. */
export const LINK_LIFE_MS = 30 * DAY_MS

/** The format of the code in a message's link. */
export const isLinkCode = (text: string): boolean => /^[0-9A-Za-z]{10}$/.test(text)

/** One of 62 characters. The sign bit is cleared because SQLite's smallest integer has no absolute value. */
const letter = sql.raw(`substr('${ALPHABET}', 1 + (random() & 9223372036854775807) % ${ALPHABET.length}, 1)`)

/** The delivery's code, or a new one: 10 of 62 characters, 59 bits. */
export const linkCodeOrNew: SQL = sql`coalesce(${delivery.linkCode}, ${sql.join(
  Array.from({ length: LINK_CODE_LENGTH }, () => letter),
  sql.raw(' || '),
)})`
