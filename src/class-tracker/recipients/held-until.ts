import { type SQL, sql } from 'drizzle-orm'
import { contact, recipient } from '../../db/schema/index.ts'

/** Whether the `recipient` has quiet hours at `now`, ms. */
const isQuiet = (now: number | SQL): SQL =>
  sql`coalesce(${recipient.quietStartsAt} <= ${now} AND ${recipient.quietEndsAt} > ${now}, 0)`

const isSilentDevice = sql`(${contact.kind} = 'push' AND ${recipient.isPushSilent})`

/**
 * Until when a message to the `contact` of a `recipient` is held, ms: the end of quiet hours or of a pause; 0 when it
 * is not held.
 */
export const heldUntil = (now: number | SQL): SQL =>
  sql`max(coalesce(${recipient.pausedUntil}, 0), iif(${isQuiet(now)} AND NOT ${isSilentDevice}, ${recipient.quietEndsAt}, 0))`

/** Whether a push message comes without sound: in quiet hours, if the recipient chose that. */
export const isSilentNow = (now: number | SQL): SQL => sql`iif(${isQuiet(now)} AND ${isSilentDevice}, 1, 0)`
