import { and, eq, gt, isNull, lt, or, sql } from 'drizzle-orm'
import { generateRandomString } from 'oslo/crypto'
import { type Query, query, readFirst, readTogether, write } from '../../db/query.ts'
import { loginCode, user } from '../../db/schema/index.ts'
import { userHasVerifiedAs } from '../email/address-conditions.ts'
import { idUnlessDeleted, type LoginUser, loginUserFields } from '../find-user.ts'
import { SECOND_PRESS_MS } from '../durations.ts'
import { hashOf, isSameText, randomToken, signatureOf } from '../../web/security/signing.ts'

/** Consonants cannot spell words, and none of these looks like a digit. 20^8 codes, 3 tries. */
const letters = 'BCDFGHJKLMNPQRSTVWXZ'
const CODE_LENGTH = 8
const MAX_TRIES = 3
const MAX_RESENDS = 2
/** django-allauth's ACCOUNT_LOGIN_BY_CODE_TIMEOUT. */
export const CODE_LIFETIME_MS = 180_000
const purpose = 'sign-in-code'

/** XXXX-XXXX */
function newCode(): string {
  const code = generateRandomString(CODE_LENGTH, letters)
  return `${code.slice(0, 4)}-${code.slice(4)}`
}

/** A typed code without punctuation and spaces, in one letter case. */
function plainCode(typed: string): string {
  return typed
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[^0-9A-Z]/g, '')
    .slice(0, 64)
}

/** Keyed, as a short code could be guessed from a plain hash; bound to the browser that asked for it. */
const codeHashOf = (env: Env, idHash: string, code: string) => signatureOf(env, purpose, `${idHash}:${plainCode(code)}`)

interface AskedCode {
  userId: number | null
  /** As it was typed: the stored spelling would reveal that there is an account. */
  address: string
  /** Where to go after logging in; '' for the usual place. */
  next: string
}

/** `adding` belongs in a batch, `cookie` goes to the browser. Without a user, no code is ever right. */
export async function makeCode(
  env: Env,
  { userId, address, next }: AskedCode,
  now: number,
): Promise<{ cookie: string; code: string; adding: Query }> {
  const cookie = randomToken()
  const idHash = await hashOf(cookie)
  const code = newCode()
  const adding = query.insert(loginCode).values({
    idHash,
    userId: idUnlessDeleted(userId),
    address,
    codeHash: await codeHashOf(env, idHash, code),
    next,
    createdAt: now,
    expiresAt: now + CODE_LIFETIME_MS,
  })
  return { cookie, code, adding }
}

const isPending = (idHash: string, now: number) =>
  and(
    eq(loginCode.idHash, idHash),
    isNull(loginCode.usedAt),
    gt(loginCode.expiresAt, now),
    lt(loginCode.tries, MAX_TRIES),
  )

/** The address that this browser asked a code for; null when the code was used, has expired, or has no tries left. */
export async function findPendingAddress(env: Env, cookie: string | undefined, now: number): Promise<string | null> {
  if (!cookie) return null
  const pending = query
    .select({ address: loginCode.address })
    .from(loginCode)
    .where(isPending(await hashOf(cookie), now))
  return (await readFirst(env.DB, pending))?.address ?? null
}

/** False for a code that was stored just after its address was removed. */
const isStillTheirs = sql`(${loginCode.userId} IS NULL OR ${userHasVerifiedAs(loginCode.userId, loginCode.address)})`

/** A pending code, or one used just now: a second press also counts as a try, and one extra try is allowed for it. */
const canBeTried = (idHash: string, now: number) =>
  and(
    isStillTheirs,
    or(
      isPending(idHash, now),
      and(
        eq(loginCode.idHash, idHash),
        gt(loginCode.usedAt, now - SECOND_PRESS_MS),
        lt(loginCode.tries, MAX_TRIES + 1),
      ),
    ),
  )

/**
 * `right`: the user as they were at the try, so that a login does not complete if the password is changed or the address
 * removed meanwhile.
 * `wrong`: the flow ends when `triesLeft` is 0. `gone`: the code was used, has expired, or has no tries left.
 */
type TryOutcome =
  | { kind: 'right'; user: LoginUser; address: string; next: string }
  | { kind: 'wrong'; triesLeft: number; next: string }
  | { kind: 'gone' }

/**
 * Tries a code. The try is counted before the codes are compared, so that simultaneous guesses count too, and the
 * comparison takes the same time for every code. A second press in the same browser is answered like the first, because
 * the browser may show only its answer.
 */
export async function tryCode(env: Env, cookie: string | undefined, typed: string, now: number): Promise<TryOutcome> {
  if (!cookie) return { kind: 'gone' }
  const idHash = await hashOf(cookie)
  const { userId, address, next, codeHash, tries, usedAt } = loginCode
  const trying = query
    .update(loginCode)
    .set({ tries: sql`${tries} + 1` })
    .where(canBeTried(idHash, now))
    .returning({ address, next, code_hash: codeHash, tries, used_at: usedAt })
  const owner = query
    .select(loginUserFields)
    .from(loginCode)
    .innerJoin(user, eq(user.id, userId))
    .where(eq(loginCode.idHash, idHash))
  const [[row], [found]] = await readTogether(env.DB, trying, owner)
  if (!row) return { kind: 'gone' }
  const isRight = isSameText(await codeHashOf(env, idHash, typed), row.code_hash)
  if (isRight && found) {
    const isUnused = and(eq(loginCode.idHash, idHash), isNull(usedAt))
    await write(env.DB, query.update(loginCode).set({ usedAt: now }).where(isUnused))
    return { kind: 'right', user: found, address: row.address, next: row.next }
  }
  if (row.used_at !== null) return { kind: 'gone' }
  return { kind: 'wrong', triesLeft: MAX_TRIES - row.tries, next: row.next }
}

/**
 * A new code for the address's current owner, with new time but no new tries. `renewing` belongs in a batch; it changes
 * no row after two resends.
 */
export async function renewCode(
  env: Env,
  cookie: string,
  userId: number | null,
  now: number,
): Promise<{ code: string; renewing: Query }> {
  const idHash = await hashOf(cookie)
  const code = newCode()
  const renewing = query
    .update(loginCode)
    .set({
      codeHash: await codeHashOf(env, idHash, code),
      userId: idUnlessDeleted(userId),
      resends: sql`${loginCode.resends} + 1`,
      expiresAt: now + CODE_LIFETIME_MS,
    })
    .where(and(isPending(idHash, now), lt(loginCode.resends, MAX_RESENDS)))
  return { code, renewing }
}
