import { and, asc, desc, eq, isNotNull, not, or, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import {
  into,
  prepared,
  type Query,
  query,
  read,
  type RowOf,
  statement,
  writeTogether,
  parameter,
} from '../../db/query.ts'
import { emailAddress, passwordReset, user } from '../../db/schema/index.ts'
import { type AccountOwner, refuseUnlessConfirmed } from '../owner.ts'
import { copyPrimary, deleteMailedLinks } from './address-changes.ts'
import { userHasVerified } from './address-conditions.ts'

const addressesOf = prepared(() =>
  query
    .select({
      id: emailAddress.id,
      address: emailAddress.address,
      verified_at: emailAddress.verifiedAt,
      is_primary: emailAddress.isPrimary,
      created_at: emailAddress.createdAt,
    })
    .from(emailAddress)
    .where(eq(emailAddress.userId, parameter('userId')))
    .orderBy(desc(emailAddress.isPrimary), asc(emailAddress.id)),
)

export type Address = RowOf<ReturnType<typeof addressesOf>>

/** A user's addresses, the primary one first. */
export async function listAddresses(env: Env, userId: number): Promise<Address[]> {
  return read(env.DB, addressesOf({ userId }))
}

export const MAX_ADDRESSES = 20

/** The first one is primary. False when the user has it already, or has {@link MAX_ADDRESSES}. */
export async function addAddress(env: Env, by: AccountOwner, address: string, now: number): Promise<boolean> {
  const theirs = refuseUnlessConfirmed(by)
  const { userId } = by
  const { isPrimary, createdAt } = emailAddress
  const [, added] = await writeTogether(env.DB, [
    theirs,
    statement(sql`INSERT INTO ${into(emailAddress, emailAddress.userId, emailAddress.address, isPrimary, createdAt)}
      SELECT ${userId}, ${address}, coalesce(max(${isPrimary}), 0) = 0, ${now} FROM ${emailAddress}
      WHERE ${emailAddress.userId} = ${userId} HAVING count(*) < ${MAX_ADDRESSES} ON CONFLICT DO NOTHING`),
    copyPrimary(eq(user.id, userId)),
  ])
  return added.changes === 1
}

/**
 * Mailed reset links stop working. False when it is gone, or is unverified while another one is verified.
 * @param notice stores the notice of the change, here and below
 */
export async function makePrimary(env: Env, by: AccountOwner, id: number, notice: readonly Query[]): Promise<boolean> {
  const theirs = refuseUnlessConfirmed(by)
  const { userId } = by
  const isChosen = and(
    eq(emailAddress.id, id),
    eq(emailAddress.userId, userId),
    or(isNotNull(emailAddress.verifiedAt), not(userHasVerified(userId))),
  )
  const isOther = sql`${emailAddress.userId} = (SELECT ${emailAddress.userId} FROM ${emailAddress} WHERE ${isChosen})
    AND ${emailAddress.id} <> ${id}`
  const [, made] = await writeTogether(env.DB, [
    query.update(emailAddress).set({ isPrimary: false }).where(isOther),
    query.update(emailAddress).set({ isPrimary: true }).where(isChosen),
    ...notice,
    copyPrimary(eq(user.id, userId)),
    query.delete(passwordReset).where(eq(passwordReset.userId, userId)),
    theirs,
  ])
  return made.changes === 1
}

const another = alias(emailAddress, 'another')

/** Never the primary one, nor the only verified one, which would lock its owner out. False if none was removed. */
export async function removeAddress(
  env: Env,
  by: AccountOwner,
  id: number,
  notice: readonly Query[],
): Promise<boolean> {
  const theirs = refuseUnlessConfirmed(by)
  const { userId } = by
  const hasAnother = sql`EXISTS (SELECT 1 FROM ${emailAddress} ${another}
    WHERE ${another.userId} = ${userId} AND ${another.id} <> ${id} AND ${another.verifiedAt} IS NOT NULL)`
  const [removed] = await writeTogether(env.DB, [
    query.delete(emailAddress).where(
      sql`${emailAddress.id} = ${id} AND ${emailAddress.userId} = ${userId} AND NOT ${emailAddress.isPrimary}
          AND (${emailAddress.verifiedAt} IS NULL OR ${hasAnother})`,
    ),
    ...notice,
    ...deleteMailedLinks(userId),
    theirs,
  ])
  return removed.changes === 1
}
