import { type SQL, sql, type SQLWrapper } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { readFirst, condition, selectValues } from '../../db/query.ts'
import { emailAddress } from '../../db/schema/index.ts'

/* Conditions about email addresses, for statements. Each takes a column, an expression, or a value. */

type Id = SQLWrapper | number
type Address = SQLWrapper | string

const other = alias(emailAddress, 'other')

const exists = (condition: SQL): SQL => sql`EXISTS (SELECT 1 FROM ${emailAddress} ${other} WHERE ${condition})`
const isSame = (address: Address): SQL => sql`lower(${other.address}) = lower(${address})`

export const userHasVerified = (userId: Id): SQL =>
  exists(sql`${other.userId} = ${userId} AND ${other.verifiedAt} IS NOT NULL`)

export const userHasVerifiedAs = (userId: Id, address: Address): SQL =>
  exists(sql`${other.userId} = ${userId} AND ${isSame(address)} AND ${other.verifiedAt} IS NOT NULL`)

export const userHasUnverified = (userId: Id, address: Address): SQL =>
  exists(sql`${other.userId} = ${userId} AND ${isSame(address)} AND ${other.verifiedAt} IS NULL`)

export const isVerifiedByAny = (address: Address): SQL =>
  exists(sql`${isSame(address)} AND ${other.verifiedAt} IS NOT NULL`)

export const isVerifiedByOther = (userId: Id, address: Address): SQL =>
  exists(sql`${other.userId} <> ${userId} AND ${isSame(address)} AND ${other.verifiedAt} IS NOT NULL`)

/** No one has verified the address, and the account has no verified one, so the address's owner can claim it. */
export const isClaimable = (userId: Id, address: Address): SQL =>
  sql`(${userHasUnverified(userId, address)} AND NOT ${userHasVerified(userId)} AND NOT ${isVerifiedByAny(address)})`

/**
 * Email about an account may go to this row of `email_address`: it is verified, or no one has verified it and it is the
 * primary one of an account that never had any verified. An address that was merely added gives its owner no access to
 * the account.
 */
export const isMailable = sql`(${emailAddress.verifiedAt} IS NOT NULL
  OR (${emailAddress.isPrimary} AND NOT ${userHasVerified(emailAddress.userId)} AND NOT ${isVerifiedByAny(emailAddress.address)}))`

/** Whether one of these conditions, about values, is met now. */
export async function isMet(env: Env, holds: SQL): Promise<boolean> {
  const row = await readFirst(env.DB, selectValues({ is_met: condition(holds) }))
  return row?.is_met ?? false
}
