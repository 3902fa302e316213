import { and, eq, inArray, isNull, lt, type SQL, sql } from 'drizzle-orm'
import {
  into,
  prepared,
  type Query,
  query,
  read,
  readFirst,
  refusalIn,
  refuseUnless,
  type RowOf,
  statement,
  template,
  write,
  writeTogether,
  parameter,
} from '../../db/query.ts'
import { recoveryCode, twoFactor } from '../../db/schema/index.ts'
import { hasOldKey } from '../../web/security/encryption.ts'
import { type AccountOwner, refuseUnlessConfirmed } from '../owner.ts'
import { type Keys, newKeys, openKeys, recoveryHash, sealKeys } from './keys.ts'
import { RECOVERY_CODE_COUNT, isRecoveryCode, newRecoveryCodes, plainCode, isCodeOf, stepOf } from './totp.ts'

/** Stands for a user's set of recovery codes; '' for none. Hashes are keyed, so this one reveals no code. */
const codesOf = (userId: SQL | number) =>
  sql<string>`coalesce((SELECT min(${recoveryCode.codeHash}) FROM ${recoveryCode}
    WHERE ${recoveryCode.userId} = ${userId}), '')`

const stateOf = prepared(() =>
  template(
    {
      codesLeft: sql<number>`(SELECT count(*) FROM ${recoveryCode}
        WHERE ${recoveryCode.userId} = ${twoFactor.userId} AND ${recoveryCode.usedAt} IS NULL)`,
      codes: codesOf(parameter('userId')),
    },
    (columns) => sql`SELECT ${columns} FROM ${twoFactor} WHERE ${twoFactor.userId} = ${parameter('userId')}`,
  ),
)

/** `codesLeft`: recovery codes not used yet. `codes` stands for the set of them. */
export type TwoFactorState = RowOf<ReturnType<typeof stateOf>>

/** Null when the user has no second factor. */
export async function findTwoFactor(env: Env, userId: number): Promise<TwoFactorState | null> {
  return readFirst(env.DB, stateOf({ userId }))
}

/** No row if the user has no second factor. */
export const sealedKeysOf = prepared(() =>
  query
    .select({ sealed: twoFactor.sealedKeys })
    .from(twoFactor)
    .where(eq(twoFactor.userId, parameter('userId'))),
)

export async function hasTwoFactor(env: Env, userId: number): Promise<boolean> {
  return (await readFirst(env.DB, sealedKeysOf({ userId }))) !== null
}

/**
 * Returns the recovery codes; `active` when it is already on. The code cannot be used again to log in.
 * @param notice stores the notice of the change, here and below
 */
export async function activate(
  env: Env,
  by: AccountOwner,
  { secret, code }: { secret: Uint8Array; code: string },
  now: number,
  notice: readonly Query[],
): Promise<string[] | 'wrong' | 'active'> {
  const theirs = refuseUnlessConfirmed(by)
  const { userId } = by
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
    ...notice,
    // Only with the row added here: of two simultaneous requests, the codes of one are stored.
    insertCodes(userId, hashes, sealed),
    theirs,
  ])
  return added.changes === 1 ? codes : 'active'
}

/** Turns the second factor off and deletes its recovery codes. Returns whether there was one. */
export async function deactivate(env: Env, by: AccountOwner, notice: readonly Query[]): Promise<boolean> {
  const theirs = refuseUnlessConfirmed(by)
  const deleting = query.delete(twoFactor).where(eq(twoFactor.userId, by.userId))
  const [deleted] = await writeTogether(env.DB, [deleting, ...notice, theirs])
  return deleted.changes > 0
}

const replaced = 'The codes were replaced in the meantime.'

/**
 * Replaces all recovery codes. Null without a second factor; `renewed` when they are no longer those of the form, so
 * that the codes of two presses are not mixed up: the browser may show only one answer.
 * @param replaces the {@link TwoFactorState.codes} of the form
 */
export async function renewCodes(
  env: Env,
  by: AccountOwner,
  replaces: string,
  notice: readonly Query[],
): Promise<string[] | 'renewed' | null> {
  const theirs = refuseUnlessConfirmed(by)
  const { userId } = by
  const stored = await storedKeys(env, userId)
  if (!stored) return null
  const { codes, hashes } = await hashedCodes(stored.keys)
  try {
    const [, , added] = await writeTogether(env.DB, [
      refuseUnless(sql`${codesOf(userId)} = ${replaces}`, replaced),
      query.delete(recoveryCode).where(eq(recoveryCode.userId, userId)),
      insertCodes(userId, hashes, stored.sealed),
      ...notice,
      theirs,
    ])
    return added.changes > 0 ? codes : null
  } catch (error) {
    if (refusalIn(error) !== replaced) throw error
    return 'renewed'
  }
}

export async function areUnusedCodesOf(env: Env, userId: number, codes: readonly string[]): Promise<boolean> {
  const stored = await storedKeys(env, userId)
  if (!stored || codes.length !== RECOVERY_CODE_COUNT || !codes.every(isRecoveryCode)) return false
  const hashes = await Promise.all(codes.map((code) => recoveryHash(stored.keys, code)))
  const { id, usedAt, codeHash } = recoveryCode
  const isOne = and(eq(recoveryCode.userId, userId), isNull(usedAt), inArray(codeHash, hashes))
  const known = await read(env.DB, query.select({ id }).from(recoveryCode).where(isOne))
  return known.length === RECOVERY_CODE_COUNT
}

type CodeKind = 'totp' | 'recovery'

/**
 * Of two simultaneous requests with the same code one succeeds. Null when it is wrong or was used before.
 * @param also carried out in the same batch; when it is refused, the code is not used up
 */
export async function takeCode(
  env: Env,
  userId: number,
  typed: string,
  now: number,
  also: readonly Query[] = [],
): Promise<CodeKind | null> {
  const stored = await storedKeys(env, userId)
  const right = stored && (await findRightCode({ userId, keys: stored.keys, code: plainCode(typed) }, now))
  if (!right) return null
  try {
    await writeTogether(env.DB, [right.using, refuseUnless(sql`changes() = 1`, 'The code was used.'), ...also])
  } catch (error) {
    if (refusalIn(error) === null) throw error
    return null
  }
  if (await hasOldKey(env, stored.sealed)) await resealKeys(env, userId, stored)
  return right.kind
}

/** What a right code is. */
export const kindOfCode = (typed: string): CodeKind => (isRecoveryCode(plainCode(typed)) ? 'recovery' : 'totp')

interface TypedCode {
  userId: number
  keys: Keys
  code: string
}

/** `using` changes no row if the code was used before. */
async function findRightCode(typed: TypedCode, now: number): Promise<{ kind: CodeKind; using: Query } | null> {
  const { userId, keys, code } = typed
  const step = stepOf(now)
  if (await isCodeOf(keys.totp, step, code)) {
    const isUnused = and(eq(twoFactor.userId, userId), lt(twoFactor.lastStep, step))
    return { kind: 'totp', using: query.update(twoFactor).set({ lastStep: step }).where(isUnused) }
  }
  if (!isRecoveryCode(code)) return null
  const isMatch = and(
    eq(recoveryCode.userId, userId),
    eq(recoveryCode.codeHash, await recoveryHash(keys, code)),
    isNull(recoveryCode.usedAt),
  )
  return { kind: 'recovery', using: query.update(recoveryCode).set({ usedAt: now }).where(isMatch) }
}

interface Stored {
  keys: Keys
  sealed: string
}

async function storedKeys(env: Env, userId: number): Promise<Stored | null> {
  const row = await readFirst(env.DB, sealedKeysOf({ userId }))
  return row && { sealed: row.sealed, keys: await openKeys(env, userId, row.sealed) }
}

async function resealKeys(env: Env, userId: number, { keys, sealed }: Stored): Promise<void> {
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
