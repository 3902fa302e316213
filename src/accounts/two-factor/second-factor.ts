import { and, eq, inArray, isNull, lt, sql } from 'drizzle-orm'
import {
  into,
  kept,
  type Query,
  query,
  read,
  readFirst,
  type RowOf,
  statement,
  template,
  write,
  writeTogether,
} from '../../db/query.ts'
import { recoveryCode, twoFactor } from '../../db/schema/index.ts'
import { hasOldKey } from '../../web/encryption.ts'
import { type Keys, newKeys, openKeys, recoveryHash, sealKeys } from './keys.ts'
import { codeCount, isRecoveryCode, newRecoveryCodes, plainCode } from './recovery-codes.ts'
import { isCodeOf, stepOf } from './totp.ts'

const stateOf = kept(() =>
  template(
    {
      activatedAt: twoFactor.activatedAt,
      codesLeft: sql<number>`(SELECT count(*) FROM ${recoveryCode}
        WHERE ${recoveryCode.userId} = ${twoFactor.userId} AND ${recoveryCode.usedAt} IS NULL)`,
    },
    (columns) => sql`SELECT ${columns} FROM ${twoFactor} WHERE ${twoFactor.userId} = ${sql.placeholder('userId')}`,
  ),
)

/** `codesLeft`: recovery codes not used yet. */
export type TwoFactorState = RowOf<ReturnType<typeof stateOf>>

/** Null while somebody has no second factor. */
export async function findTwoFactor(env: Env, userId: number): Promise<TwoFactorState | null> {
  return readFirst(env.DB, stateOf({ userId }))
}

const sealedKeysOf = kept(() =>
  query
    .select({ sealed: twoFactor.sealedKeys })
    .from(twoFactor)
    .where(eq(twoFactor.userId, sql.placeholder('userId'))),
)

export async function hasTwoFactor(env: Env, userId: number): Promise<boolean> {
  return (await readFirst(env.DB, sealedKeysOf({ userId }))) !== null
}

/**
 * Turns the second factor on once a first code is right. Answers the recovery codes; `wrong` for another code, `active` when there
 * is one already. The code cannot be used again to sign in. @param now ms since epoch
 */
export async function activate(
  env: Env,
  userId: number,
  { secret, code }: { secret: Uint8Array; code: string },
  now: number,
): Promise<string[] | 'wrong' | 'active'> {
  const step = stepOf(now)
  if (!(await isCodeOf(secret, step, plainCode(code)))) return 'wrong'
  const keys = newKeys(secret)
  const { codes, hashes } = await hashedCodes(keys)
  const sealed = await sealKeys(env, userId, keys)
  const [added] = await writeTogether(env.DB, [
    query
      .insert(twoFactor)
      .values({ userId, sealedKeys: sealed, lastStep: step, activatedAt: now })
      .onConflictDoNothing({ target: twoFactor.userId }),
    // Only with this very row: of two browsers at once, the codes of one are true.
    insertCodes(userId, hashes, sealed),
  ])
  return added.changes === 1 ? codes : 'active'
}

/** Turns it off, recovery codes with it. Whether there was one. */
export async function deactivate(env: Env, userId: number): Promise<boolean> {
  const { changes } = await write(env.DB, query.delete(twoFactor).where(eq(twoFactor.userId, userId)))
  return changes > 0
}

/** New recovery codes in place of all there were; null without a second factor. */
export async function renewCodes(env: Env, userId: number): Promise<string[] | null> {
  const stored = await storedKeys(env, userId)
  if (!stored) return null
  const { codes, hashes } = await hashedCodes(stored.keys)
  const [, added] = await writeTogether(env.DB, [
    query.delete(recoveryCode).where(eq(recoveryCode.userId, userId)),
    insertCodes(userId, hashes, stored.sealed),
  ])
  return added.changes > 0 ? codes : null
}

/** Whether all of them are unused recovery codes of the user. */
export async function areTheirCodes(env: Env, userId: number, codes: readonly string[]): Promise<boolean> {
  const stored = await storedKeys(env, userId)
  if (!stored || codes.length !== codeCount || !codes.every(isRecoveryCode)) return false
  const hashes = await Promise.all(codes.map((code) => recoveryHash(stored.keys, code)))
  const known = await read(
    env.DB,
    query
      .select({ id: recoveryCode.id })
      .from(recoveryCode)
      .where(and(eq(recoveryCode.userId, userId), isNull(recoveryCode.usedAt), inArray(recoveryCode.codeHash, hashes))),
  )
  return known.length === codeCount
}

/** What was shown: the app's code, or one of the recovery codes. */
export type Shown = 'totp' | 'recovery'

/**
 * Takes a code, which is worth nothing afterwards; of two requests with the same one, one is let on. Null when it is wrong or was
 * used before. @param now ms since epoch
 */
export async function takeCode(env: Env, userId: number, typed: string, now: number): Promise<Shown | null> {
  const stored = await storedKeys(env, userId)
  if (!stored) return null
  const code = plainCode(typed)
  const shown = (await takeTotp(env, userId, stored.keys, code, now))
    ? 'totp'
    : (await takeRecovery(env, userId, stored.keys, code, now))
      ? 'recovery'
      : null
  if (shown !== null && (await hasOldKey(env, stored.sealed))) await sealAnew(env, userId, stored)
  return shown
}

async function takeTotp(env: Env, userId: number, keys: Keys, code: string, now: number): Promise<boolean> {
  const step = stepOf(now)
  if (!(await isCodeOf(keys.totp, step, code))) return false
  const { changes } = await write(
    env.DB,
    query
      .update(twoFactor)
      .set({ lastStep: step })
      .where(and(eq(twoFactor.userId, userId), lt(twoFactor.lastStep, step))),
  )
  return changes === 1
}

async function takeRecovery(env: Env, userId: number, keys: Keys, code: string, now: number): Promise<boolean> {
  if (!isRecoveryCode(code)) return false
  const isIt = and(
    eq(recoveryCode.userId, userId),
    eq(recoveryCode.codeHash, await recoveryHash(keys, code)),
    isNull(recoveryCode.usedAt),
  )
  const { changes } = await write(env.DB, query.update(recoveryCode).set({ usedAt: now }).where(isIt))
  return changes === 1
}

interface Stored {
  keys: Keys
  sealed: string
}

async function storedKeys(env: Env, userId: number): Promise<Stored | null> {
  const row = await readFirst(env.DB, sealedKeysOf({ userId }))
  return row && { sealed: row.sealed, keys: await openKeys(env, userId, row.sealed) }
}

async function sealAnew(env: Env, userId: number, { keys, sealed }: Stored): Promise<void> {
  const sealedKeys = await sealKeys(env, userId, keys)
  await write(
    env.DB,
    query
      .update(twoFactor)
      .set({ sealedKeys })
      .where(and(eq(twoFactor.userId, userId), eq(twoFactor.sealedKeys, sealed))),
  )
}

async function hashedCodes(keys: Keys): Promise<{ codes: string[]; hashes: string[] }> {
  const codes = newRecoveryCodes()
  return { codes, hashes: await Promise.all(codes.map((code) => recoveryHash(keys, code))) }
}

function insertCodes(userId: number, hashes: readonly string[], sealed: string): Query {
  return statement(sql`INSERT INTO ${into(recoveryCode, recoveryCode.userId, recoveryCode.codeHash)}
    SELECT ${twoFactor.userId}, j.value FROM ${twoFactor}, json_each(${JSON.stringify(hashes)}) j
    WHERE ${twoFactor.userId} = ${userId} AND ${twoFactor.sealedKeys} = ${sealed}`)
}
