import { eq, type SQL, sql } from 'drizzle-orm'
import {
  prepared,
  names,
  query,
  readFirst,
  type RowOf,
  type RowOfFields,
  template,
  parameter,
  condition,
} from '../db/query.ts'
import { emailAddress, user } from '../db/schema/index.ts'
import { isMailable } from './email/address-conditions.ts'

export const loginUserFields = {
  id: user.id,
  username: user.username,
  password_hash: user.passwordHash,
  is_active: user.isActive,
  created_at: user.createdAt,
}

/** A user who wants to log in, before we check whether they may. */
export type LoginUser = RowOfFields<typeof loginUserFields>

const [matchRank, addressId] = [sql.identifier('match_rank'), sql.identifier('address_id')]

const byLogin = prepared(() =>
  template(
    loginUserFields,
    (columns) => sql`SELECT ${names(user.id, user.username, user.passwordHash, user.isActive, user.createdAt)} FROM (
        SELECT ${columns}, 3 AS ${matchRank}, 0 AS ${addressId} FROM ${user}
        WHERE lower(${user.username}) = lower(${parameter('login')})
        UNION ALL
        SELECT ${columns}, iif(${emailAddress.verifiedAt} IS NULL, ${emailAddress.isPrimary}, 2), ${emailAddress.id}
        FROM ${emailAddress} JOIN ${user} ON ${user.id} = ${emailAddress.userId}
        WHERE lower(${emailAddress.address}) = lower(${parameter('login')}))
      ORDER BY ${matchRank} DESC, ${addressId} DESC LIMIT 1`,
  ),
)

/**
 * The user with this username, else with this email address; letter case of a–z is ignored. If several users have the
 * address: the one who has verified it, otherwise the one who added it last.
 */
export async function findUserByLogin(env: Env, login: string): Promise<LoginUser | null> {
  return readFirst(env.DB, byLogin({ login }))
}

export async function findUserById(env: Env, id: number): Promise<LoginUser | null> {
  return readFirst(env.DB, query.select(loginUserFields).from(user).where(eq(user.id, id)))
}

/** For a batch: the id of a user, or null if they have been deleted. */
export const idUnlessDeleted = (id: number | null): SQL<number | null> =>
  sql<number | null>`(SELECT ${user.id} FROM ${user} WHERE ${user.id} = ${id})`

export const usernameTaken = 'A user with that username already exists.'

export async function isUsernameTaken(env: Env, username: string): Promise<boolean> {
  const isMatch = sql`lower(${user.username}) = lower(${username})`
  return (await readFirst(env.DB, query.select({ id: user.id }).from(user).where(isMatch))) !== null
}

const byAddress = prepared(() =>
  template(
    {
      ...loginUserFields,
      address: emailAddress.address,
      is_verified: condition(sql`${emailAddress.verifiedAt} IS NOT NULL`),
      last_login_at: user.lastLoginAt,
    },
    (columns) => sql`SELECT ${columns}
      FROM ${emailAddress} JOIN ${user} ON ${user.id} = ${emailAddress.userId} AND ${user.isActive}
      WHERE lower(${emailAddress.address}) = lower(${parameter('address')}) AND ${isMailable}
      ORDER BY ${sql.identifier('is_verified')} DESC, ${emailAddress.id} DESC LIMIT 1`,
  ),
)

/**
 * The user an email goes to. `address` is as it is stored, never as it was typed. Unless `is_verified`, someone else
 * may have created the account, so only a link that confirms the address is mailed.
 */
export type MailedUser = RowOf<ReturnType<typeof byAddress>>

/** The active user with this address; of several who have it unverified, the one who added it last. */
export async function findUserByAddress(env: Env, address: string): Promise<MailedUser | null> {
  return readFirst(env.DB, byAddress({ address }))
}

/** ASCII only, so that no two usernames look the same. */
export function isUsername(username: string): boolean {
  return /^[\w.+-]{1,150}$/.test(username)
}

export const notAUsername = 'A username has 1 to 150 letters, digits and . + - _ characters.'
