import { sql } from 'drizzle-orm'
import { query, writeTogether } from '../../db/query.ts'
import { emailAddress, user } from '../../db/schema/index.ts'
import { isUsernameTaken } from '../find-user.ts'
import { hashNewPassword } from '../hashing-slots.ts'
import type { ProvenAccount } from '../known-browser.ts'

/**
 * Adds an account whose address is still to be confirmed; null when the username is taken. It does not matter whether
 * somebody else has verified the address: the new account can then never confirm it, and the answer does not reveal that
 * the address has an account.
 * @param now ms since epoch
 */
export async function addAccount(
  env: Env,
  { username, address, password }: { username: string; address: string; password: string },
  now: number,
): Promise<ProvenAccount | null> {
  if (await isUsernameTaken(env, username)) return null
  const hash = await hashNewPassword(password)
  try {
    const [added] = await writeTogether(env.DB, [
      query
        .insert(user)
        .values({ username, email: address, passwordHash: hash, createdAt: now })
        .returning({ id: user.id, password_hash: user.passwordHash, created_at: user.createdAt }),
      query.insert(emailAddress).values({
        userId: sql`(SELECT ${user.id} FROM ${user} WHERE lower(${user.username}) = lower(${username}))`,
        address,
        isPrimary: true,
        createdAt: now,
      }),
    ])
    return added.rows[0] ?? null
  } catch (error) {
    if (/UNIQUE constraint failed/.test(String(error))) return null
    throw error
  }
}
