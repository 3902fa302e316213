import { and, eq, gt, isNull, type SQL, sql } from 'drizzle-orm'
import {
  into,
  names,
  type Query,
  query,
  readFirst,
  type RowOf,
  statement,
  type Template,
  template,
} from '../../db/query.ts'
import { passwordReset, user } from '../../db/schema/index.ts'
import { DAY_MS } from '../../lib/time.ts'
import { hashOf, randomToken } from '../../web/security/signing.ts'
import { isClaimable, userHasVerifiedAs } from '../email/address-conditions.ts'
import { type MailedUser, loginUserFields, type LoginUser } from '../find-user.ts'
import { resetPath } from '../paths.ts'
import { SECOND_PRESS_MS } from '../durations.ts'

/** 3 days: django-allauth's (Django's PASSWORD_RESET_TIMEOUT). */
const LIFETIME_MS = 3 * DAY_MS

/** The link holds the key, the table its hash. `adding` belongs in a batch; it writes nothing for user 0. */
export async function makeResetKey(
  owner: Pick<MailedUser, 'id' | 'last_login_at' | 'address'>,
  now: number,
): Promise<{ path: string; adding: Query }> {
  const key = randomToken()
  const { keyHash, userId, address, loggedInAt, createdAt, expiresAt } = passwordReset
  const columns = into(passwordReset, keyHash, userId, address, loggedInAt, createdAt, expiresAt)
  return {
    path: `${resetPath}key/${owner.id.toString(36)}-${key}/`,
    adding: statement(sql`INSERT INTO ${columns}
      SELECT ${await hashOf(key)}, ${user.id}, ${owner.address}, ${owner.last_login_at}, ${now}, ${now + LIFETIME_MS}
      FROM ${user} WHERE ${user.id} = ${owner.id}`),
  }
}

/** The owner of the address a key was sent to can claim the account. */
const claims = isClaimable(passwordReset.userId, passwordReset.address)

export interface UserKey {
  userId: number
  key: string
}

/**
 * A key is live while it is unused and has not expired, its user is active and has not logged in since it was made, and
 * the address it was sent to is a verified one of the user, or can claim the account.
 */
const isLive = async ({ userId, key }: UserKey, now: number): Promise<SQL> =>
  sql`${passwordReset.keyHash} = ${await hashOf(key)} AND ${passwordReset.usedAt} IS NULL
    AND ${passwordReset.expiresAt} > ${now} AND ${passwordReset.userId} = ${userId}
    AND EXISTS (SELECT 1 FROM ${user} WHERE ${user.id} = ${passwordReset.userId} AND ${user.isActive}
      AND ${user.lastLoginAt} IS ${passwordReset.loggedInAt})
    AND (${userHasVerifiedAs(passwordReset.userId, passwordReset.address)} OR ${claims})`

const ownerWhere = (which: SQL) =>
  template(
    {
      id: user.id,
      username: user.username,
      email: user.email,
      password_hash: user.passwordHash,
      claims: sql<string | null>`iif(${claims}, ${passwordReset.address}, NULL)`,
    },
    (columns) => sql`SELECT ${columns} FROM ${passwordReset} JOIN ${user} ON ${user.id} = ${passwordReset.userId}
      WHERE ${which}`,
  )

/** `claims`: the address it was sent to, if using the key claims an account without a verified one. */
export type ResetOwner = RowOf<ReturnType<typeof ownerWhere>>

/** Looks up a key without using it; null when it is dead or belongs to another user. */
export async function findResetOwner(env: Env, key: UserKey, now: number): Promise<ResetOwner | null> {
  return readFirst(env.DB, ownerWhere(await isLive(key, now)))
}

/** The user whose password was set with the key within the last minute. */
export async function findJustReset(env: Env, { userId, key }: UserKey, now: number): Promise<LoginUser | null> {
  return readFirst(
    env.DB,
    query
      .select(loginUserFields)
      .from(passwordReset)
      .innerJoin(user, eq(user.id, passwordReset.userId))
      .where(
        and(
          eq(passwordReset.keyHash, await hashOf(key)),
          eq(passwordReset.userId, userId),
          gt(passwordReset.usedAt, now - SECOND_PRESS_MS),
          eq(user.isActive, true),
        ),
      ),
  )
}

/** For a batch that changes an account. A used key stays, so that a second press finds it. */
export const deleteUnusedResetKeys = (userId: number) =>
  query.delete(passwordReset).where(and(eq(passwordReset.userId, userId), isNull(passwordReset.usedAt)))

/** Of two simultaneous requests one changes a row. `claiming`: whether the key must claim the account, or must not. */
export async function useResetKey(
  key: UserKey,
  { claiming }: { claiming: boolean },
  now: number,
): Promise<Template<never>> {
  return statement(sql`UPDATE ${passwordReset} SET ${names(passwordReset.usedAt)} = ${now}
    WHERE ${await isLive(key, now)} AND ${claims} = ${Number(claiming)}`)
}
