import { type SQL, sql } from 'drizzle-orm'
import {
  prepared,
  names,
  type Query,
  query,
  readFirst,
  statement,
  type Template,
  template,
  writeTogether,
  parameter,
  condition,
} from '../../db/query.ts'
import { emailAddress, emailConfirmation, user } from '../../db/schema/index.ts'
import { hashOf } from '../../web/security/signing.ts'
import type { ProvenAccount } from '../known-browser.ts'
import { copyPrimary } from './address-changes.ts'
import {
  isClaimable,
  isVerifiedByAny,
  isVerifiedByOther,
  userHasUnverified,
  userHasVerifiedAs,
} from './address-conditions.ts'
import { SECOND_PRESS_MS } from '../durations.ts'

export interface PendingConfirmation {
  userId: number
  username: string
  address: string
  account: ProvenAccount
  /** It has no verified address, so the owner of this one can claim it. */
  isClaimable: boolean
}

/**
 * What a mailed key is for. `done`: it confirmed the address within the last minute. `dead`: it never existed or was used
 * before, its address was removed, or its user disabled.
 */
export type ConfirmationKey =
  | ({ kind: 'live' | 'expired' | 'done' } & PendingConfirmation)
  | { kind: 'taken'; address: string }
  | { kind: 'dead' }

const confirmations = prepared(() => {
  const { userId, address } = emailConfirmation
  return template(
    {
      user_id: userId,
      username: user.username,
      password_hash: user.passwordHash,
      user_created_at: user.createdAt,
      address,
      expires_at: emailConfirmation.expiresAt,
      used_at: emailConfirmation.usedAt,
      is_own: condition(userHasUnverified(userId, address)),
      is_confirmed: condition(userHasVerifiedAs(userId, address)),
      is_claimable: condition(isClaimable(userId, address)),
      is_taken: condition(isVerifiedByOther(userId, address)),
    },
    (columns) => sql`SELECT ${columns} FROM ${emailConfirmation}
      JOIN ${user} ON ${user.id} = ${userId} AND ${user.isActive}
      WHERE ${emailConfirmation.keyHash} = ${parameter('keyHash')}`,
  )
})

/** Looks a key up without using it: email apps open links before people do. @param now ms since epoch */
export async function findConfirmationKey(env: Env, key: string, now: number): Promise<ConfirmationKey> {
  const row = await readFirst(env.DB, confirmations({ keyHash: await hashOf(key) }))
  if (!row) return { kind: 'dead' }
  const { user_id: userId, username, address } = row
  const account = { id: userId, password_hash: row.password_hash, created_at: row.user_created_at }
  const pending = { userId, username, address, account, isClaimable: row.is_claimable }
  if (row.used_at !== null)
    return row.used_at > now - SECOND_PRESS_MS && row.is_confirmed ? { kind: 'done', ...pending } : { kind: 'dead' }
  if (row.is_taken && row.expires_at > now) return { kind: 'taken', address }
  if (!row.is_own) return { kind: 'dead' }
  return { kind: row.expires_at > now ? 'live' : 'expired', ...pending }
}

const isLive = (keyHash: string, now: number): SQL =>
  sql`${emailConfirmation.keyHash} = ${keyHash} AND ${emailConfirmation.usedAt} IS NULL
    AND ${emailConfirmation.expiresAt} > ${now}
    AND EXISTS (SELECT 1 FROM ${user} WHERE ${user.id} = ${emailConfirmation.userId} AND ${user.isActive})`

/**
 * Of two accounts with keys for one address, one succeeds. False for a dead key.
 * @param notice stores the notice of the change
 */
export async function confirmAddress(env: Env, key: string, now: number, notice: readonly Query[]): Promise<boolean> {
  const keyHash = await hashOf(key)
  const { userId, address, usedAt } = emailConfirmation
  const owner = sql`(SELECT ${userId} FROM ${emailConfirmation}
    WHERE ${emailConfirmation.keyHash} = ${keyHash} AND ${usedAt} = ${now})`
  const isMeant = sql`${emailAddress.verifiedAt} IS NULL AND ${emailAddress.userId} = ${owner}
    AND lower(${emailAddress.address}) =
      (SELECT lower(${address}) FROM ${emailConfirmation} WHERE ${emailConfirmation.keyHash} = ${keyHash})`
  const [claim] = await writeTogether(env.DB, [
    query
      .update(emailConfirmation)
      .set({ usedAt: now })
      .where(
        sql`${isLive(keyHash, now)} AND ${userHasUnverified(userId, address)} AND NOT ${isVerifiedByAny(address)}`,
      ),
    ...notice,
    query.update(emailAddress).set({ verifiedAt: now }).where(isMeant),
    copyPrimary(sql`${user.id} = ${owner}`),
  ])
  return claim.changes === 1
}

/** The first statement of {@link claimAccount}'s batch: uses the key up if it claims the account. */
export async function useClaimingKey(key: string, now: number): Promise<Template<never>> {
  const { userId, address, usedAt } = emailConfirmation
  return statement(sql`UPDATE ${emailConfirmation} SET ${names(usedAt)} = ${now}
    WHERE ${isLive(await hashOf(key), now)} AND ${isClaimable(userId, address)}`)
}
