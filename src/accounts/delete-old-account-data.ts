import { lte, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { query, writeTogether } from '../db/query.ts'
import {
  audit,
  discordUser,
  emailAddress,
  emailConfirmation,
  mail,
  passwordReset,
  session,
  loginCode,
  user,
  waitingForm,
} from '../db/schema/index.ts'
import { enqueue } from '../jobs/enqueue.ts'
import { defineJob, type Schedule } from '../jobs/job.ts'
import { dailyAt } from '../jobs/schedules.ts'
import { DAY_MS, HOUR_MS } from '../lib/time.ts'
import { userHasVerified } from './email/address-conditions.ts'

/** Used and expired keys are kept, so that their owners learn that a link has expired. */
const KEEP_KEYS_MS = 30 * DAY_MS
/** Sent emails are kept without their text, to answer questions about what was sent. */
const KEEP_MAILS_MS = 30 * DAY_MS
/** Accounts whose address was never confirmed, so that no one can have used them. */
const KEEP_UNCONFIRMED_MS = 30 * DAY_MS

/** A disabled account is kept: its owner could otherwise sign up again with the same Discord account. */
const isDisabled = sql`(NOT ${user.isActive} OR EXISTS (SELECT 1 FROM ${discordUser}
  WHERE ${discordUser.userId} = ${user.id} AND ${discordUser.isDisabled}))`

/** A Discord account that is older than its user was another user's before: deleting it would delete its role and history. */
const hasOlderDiscordAccount = sql`EXISTS (SELECT 1 FROM ${discordUser}
  WHERE ${discordUser.userId} = ${user.id} AND ${discordUser.firstLoginAt} < ${user.createdAt})`

/** A superuser may prepare an account long before its owner first logs in. */
const isAddedByAdmin = sql`EXISTS (SELECT 1 FROM ${audit} WHERE ${audit.tableName} = 'user'
  AND ${audit.rowKey} = CAST(${user.id} AS text) AND ${audit.act} = 'added')`

/**
 * Deletes what has expired, and accounts that were never confirmed, which frees their usernames; not those with an older
 * Discord account, or that a superuser added. Safe to repeat.
 */
export const deleteOldAccountData = defineJob({
  name: 'delete-old-account-data',
  queue: 'maintenance',
  input: z.object({}),
  limit: { attempts: 3, run_seconds: 20, retry_seconds: [60] },
  async run({ env, now }) {
    const at = now()
    const results = await writeTogether(env.DB, [
      query.delete(session).where(lte(session.expiresAt, at)),
      query.delete(waitingForm).where(lte(waitingForm.expiresAt, at)),
      query.delete(loginCode).where(lte(loginCode.expiresAt, at - HOUR_MS)),
      query.delete(emailConfirmation).where(lte(emailConfirmation.expiresAt, at - KEEP_KEYS_MS)),
      query.delete(passwordReset).where(lte(passwordReset.expiresAt, at - KEEP_KEYS_MS)),
      query.delete(mail).where(lte(mail.createdAt, at - KEEP_MAILS_MS)),
      query.delete(user).where(
        sql`${user.createdAt} <= ${at - KEEP_UNCONFIRMED_MS} AND ${user.lastLoginAt} IS NULL AND NOT ${user.isSuperuser}
          AND NOT ${userHasVerified(user.id)} AND NOT ${isDisabled} AND NOT ${hasOlderDiscordAccount} AND NOT ${isAddedByAdmin}
          AND EXISTS (SELECT 1 FROM ${emailAddress} WHERE ${emailAddress.userId} = ${user.id})`,
      ),
    ])
    return { forgotten: results.reduce((sum, { changes }) => sum + changes, 0) }
  },
})

export const scheduleDeleteOldAccountData: Schedule = {
  name: 'delete-old-account-data',
  every: 'daily at 3:17 AM UTC',
  deletes: true,
  nextAt: dailyAt(3, 17),
  async plan(env) {
    await enqueue(env, deleteOldAccountData, {}, { key: 'delete-old-account-data' })
  },
}
