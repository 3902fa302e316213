import { type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { settingMs } from '../../db/read-setting.ts'
import { contact, recipient } from '../../db/schema/index.ts'

/** Whether the `recipient` has quiet hours at `now`, in ms. */
const isQuiet = (now: number | SQL): SQL =>
  sql`coalesce(${recipient.quietStartsAt} <= ${now} AND ${recipient.quietEndsAt} > ${now}, 0)`

const isSilentDevice = sql`(${contact.kind} = 'push' AND ${recipient.isPushSilent})`

/** Until when a message to the `contact` is held, in ms: the end of quiet hours or of a pause; 0 when it is not. */
export const heldUntil = (now: number | SQL): SQL =>
  sql`max(coalesce(${recipient.pausedUntil}, 0), iif(${isQuiet(now)} AND NOT ${isSilentDevice}, ${recipient.quietEndsAt}, 0))`

/** Whether a push message comes without sound: in quiet hours, if the recipient chose that. */
export const isSilentNow = (now: number | SQL): SQL => sql`iif(${isQuiet(now)} AND ${isSilentDevice}, 1, 0)`

/** How long a text waits for the push message to be seen, seconds: the setting `sms_after_seconds`; 0: not at all. */
export const smsAfter = { setting: 'sms_after_seconds', initial: 20, minimum: 0, maximum: 3600 } as const

/** How long a message about an opening is worth sending: the setting `alert_expires_minutes`. */
export const alertLife = { setting: 'alert_expires_minutes', initial: 120, minimum: 1, maximum: 24 * 60 } as const

/** The most seconds that a text may wait if messages live this long: it then has as long again to be sent. */
export const maxSmsAfter = (lifeMinutes: number): number => lifeMinutes * 30

/** At most half of a message's life, even if the settings were saved before that was a rule. */
export const smsAfterMs = sql`min(${settingMs(smsAfter)}, ${settingMs(alertLife, maxSmsAfter(1) * 1000)})`

const device = alias(contact, 'device')

/** Whether a message to the `contact` of a `recipient` is a text that is unnecessary once a push message is seen. */
export const waitsForPush: SQL = sql`(${contact.kind} = 'phone' AND NOT ${recipient.isSmsAtOnce} AND ${smsAfterMs} > 0
  AND EXISTS (SELECT 1 FROM ${contact} ${device} WHERE ${device.recipientId} = ${recipient.id} AND ${device.kind} = 'push'
    AND ${device.isEnabled} AND ${device.optedOutAt} IS NULL AND ${device.undeliverableAt} IS NULL))`
