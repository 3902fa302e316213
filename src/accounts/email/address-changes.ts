import { eq, type SQL, sql } from 'drizzle-orm'
import { query } from '../../db/query.ts'
import { emailAddress, loginCode, user } from '../../db/schema/index.ts'
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

/**
 * Deletes links and codes that give access and went to an address which is no longer the user's, or may not be theirs.
 * One that confirms an address works only while the user has it, so it is kept: they may add it again.
 */
export const deleteMailedLinks = (userId: number) =>
  [deleteUnusedResetKeys(userId), query.delete(loginCode).where(eq(loginCode.userId, userId))] as const
