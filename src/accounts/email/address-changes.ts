import { eq, type SQL, sql } from 'drizzle-orm'
import { query } from '../../db/query.ts'
import { emailAddress, emailConfirmation, loginCode, user } from '../../db/schema/index.ts'
import { deleteUnusedResetKeys } from '../password/password-resets.ts'

/* Statements for batches that change email addresses. */

/** Copies what `email_address` says into the columns of `user`. @param which a condition on `user` */
export function copyPrimary(which: SQL) {
  const primary = sql`FROM ${emailAddress} WHERE ${emailAddress.userId} = ${user.id} AND ${emailAddress.isPrimary}`
  return query
    .update(user)
    .set({
      email: sql`(SELECT ${emailAddress.address} ${primary})`,
      emailVerifiedAt: sql`(SELECT ${emailAddress.verifiedAt} ${primary})`,
    })
    .where(which)
}

/** Deletes links and codes that went to an address which is no longer the user's, or may not be theirs. */
export function deleteMailedLinks(userId: number) {
  const isStillTheirs = sql`EXISTS (SELECT 1 FROM ${emailAddress}
    WHERE ${emailAddress.userId} = ${userId} AND lower(${emailAddress.address}) = lower(${emailConfirmation.address}))`
  return [
    query.delete(emailConfirmation).where(sql`${emailConfirmation.userId} = ${userId} AND NOT ${isStillTheirs}`),
    deleteUnusedResetKeys(userId),
    query.delete(loginCode).where(eq(loginCode.userId, userId)),
  ] as const
}
