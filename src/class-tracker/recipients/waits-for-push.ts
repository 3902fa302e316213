import { type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { settingValue } from '../../db/read-setting.ts'
import { contact, recipient } from '../../db/schema/index.ts'

/** How long a text waits for the push message to be seen, seconds: the setting `sms_after_seconds`; 0: not at all. */
export const smsAfter = { setting: 'sms_after_seconds', initial: 20, minimum: 0, maximum: 3600 } as const

const device = alias(contact, 'device')

/** {@link smsAfter} in ms. */
export const smsAfterMs: SQL = sql`(1000 * coalesce(CAST(${settingValue(smsAfter.setting)} AS INTEGER), ${sql.raw(String(smsAfter.initial))}))`

/** Whether a message to the `contact` of a `recipient` is a text that is unnecessary once a push message is seen. */
export const waitsForPush: SQL = sql`(${contact.kind} = 'phone' AND NOT ${recipient.isSmsAtOnce} AND ${smsAfterMs} > 0
  AND EXISTS (SELECT 1 FROM ${contact} ${device} WHERE ${device.recipientId} = ${recipient.id} AND ${device.kind} = 'push'
    AND ${device.isEnabled} AND ${device.optedOutAt} IS NULL AND ${device.undeliverableAt} IS NULL))`
