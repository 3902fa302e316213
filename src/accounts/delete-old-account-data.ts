import { lte, type SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import * as z from 'zod/mini'
import { deleteSome, MAX_DELETED } from '../db/delete-some.ts'
import { write } from '../db/query.ts'
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
import { defineJob, runAgain, type Schedule } from '../jobs/job.ts'
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

/** Other rows are deleted with each. */
const MAX_DELETED_USERS = 500

const atMost = (most: number, table: SQLiteTable, which: SQL) => ({ most, deleting: deleteSome(table, which, most) })

const isUnconfirmed = (at: number) =>
  sql`${user.createdAt} <= ${at - KEEP_UNCONFIRMED_MS} AND ${user.lastLoginAt} IS NULL AND NOT ${user.isSuperuser}
    AND NOT ${userHasVerified(user.id)} AND NOT ${isDisabled} AND NOT ${hasOlderDiscordAccount} AND NOT ${isAddedByAdmin}
    AND EXISTS (SELECT 1 FROM ${emailAddress} WHERE ${emailAddress.userId} = ${user.id})`

/** The kinds of old rows; accounts come last, because finding them takes the longest. */
const oldData = (at: number) => [
  atMost(MAX_DELETED, session, lte(session.expiresAt, at)),
  atMost(MAX_DELETED, waitingForm, lte(waitingForm.expiresAt, at)),
  atMost(MAX_DELETED, loginCode, lte(loginCode.expiresAt, at - HOUR_MS)),
  atMost(MAX_DELETED, emailConfirmation, lte(emailConfirmation.expiresAt, at - KEEP_KEYS_MS)),
  atMost(MAX_DELETED, passwordReset, lte(passwordReset.expiresAt, at - KEEP_KEYS_MS)),
  atMost(MAX_DELETED, mail, lte(mail.createdAt, at - KEEP_MAILS_MS)),
  atMost(MAX_DELETED_USERS, user, isUnconfirmed(at)),
]

/**
 * Deletes what has expired, and accounts that were never confirmed, which frees their usernames; not those with an older
 * Discord account, or that a superuser added. Safe to repeat, and continued in another run when there is much.
 */
export const deleteOldAccountData = defineJob({
  name: 'delete-old-account-data',
  queue: 'maintenance',
  input: z.object({ forgotten: z._default(z.number(), 0) }),
  limit: { attempts: 3, run_seconds: 20, retry_seconds: [60] },
  async run({ env, now, deadline, checkpoint }, input) {
    let { forgotten } = input
    for (const { most, deleting } of oldData(now())) {
      for (let isOver = false; !isOver;) {
        await checkpoint()
        const { changes } = await write(env.DB, deleting)
        forgotten += changes
        isOver = changes < most
        if (!isOver && now() >= deadline - 5000) return runAgain(now(), { forgotten })
      }
    }
    return { forgotten }
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
