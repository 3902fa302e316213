import { sql } from 'drizzle-orm'
import { query, writeTogether } from '../../db/query.ts'
import { emailAddress, user } from '../../db/schema/index.ts'
import type { SiteContext } from '../../web/site.ts'
import { typedAddress, notAnAddress } from '../email/address.ts'
import { isUsernameTaken } from '../find-user.ts'
import { withHashingSlot } from '../hashing-slots.ts'
import type { Fault } from '../pages/form-page.tsx'
import type { ProvenAccount } from '../known-browser.ts'
import { newPasswordFaults } from '../password/new-password.ts'
import { hashPassword } from '../password-hash.ts'
import { isUsername, notAUsername } from '../username.ts'

interface AskedAccount {
  email: string
  username: string
  password1: string
  password2: string
}

type SignUpResult = { ok: true; account: ProvenAccount; address: string } | { ok: false; faults: Fault[] }

const takenName: Fault = { field: 'username', message: 'A user with that username already exists.' }

/**
 * Adds an account whose address is still to be confirmed. It does not matter whether somebody else has verified the
 * address: the new account can then never confirm it, and the answer does not reveal that the address has an account.
 */
export async function signUp(c: SiteContext, asked: AskedAccount, now: number): Promise<SignUpResult> {
  const address = typedAddress(asked.email)
  const username = asked.username.trim()
  const faults: Fault[] = []
  if (address === null) faults.push({ field: 'email', message: notAnAddress })
  if (!isUsername(username)) {
    faults.push({ field: 'username', message: notAUsername })
  }
  faults.push(...newPasswordFaults(asked, { username, email: address ?? '' }))
  if (faults.length > 0 || address === null) return { ok: false, faults }
  if (await isUsernameTaken(c.env, username)) return { ok: false, faults: [takenName] }
  const hash = await withHashingSlot(() => hashPassword(asked.password1, crypto.getRandomValues(new Uint8Array(16))))
  const userId = await insert(c.env, { username, address, hash }, now)
  if (userId === null) return { ok: false, faults: [takenName] }
  return { ok: true, account: { id: userId, password_hash: hash, created_at: now }, address }
}

/** The new user's id; null when the username was taken in the meantime. */
async function insert(
  env: Env,
  { username, address, hash }: { username: string; address: string; hash: string },
  now: number,
): Promise<number | null> {
  try {
    const [added] = await writeTogether(env.DB, [
      query
        .insert(user)
        .values({ username, email: address, passwordHash: hash, createdAt: now })
        .returning({ id: user.id }),
      query.insert(emailAddress).values({
        userId: sql`(SELECT ${user.id} FROM ${user} WHERE lower(${user.username}) = lower(${username}))`,
        address,
        isPrimary: true,
        createdAt: now,
      }),
    ])
    return added.rows[0]?.id ?? null
  } catch (error) {
    if (/UNIQUE constraint failed/.test(String(error))) return null
    throw error
  }
}
