import { hasOldKey } from '../../web/encryption.ts'
import { type Keys, newKeys, openKeys, recoveryHash, sealKeys } from './keys.ts'
import { codeCount, isRecoveryCode, newRecoveryCodes, plainCode } from './recovery-codes.ts'
import { isCodeOf, stepOf } from './totp.ts'

export interface TwoFactorState {
  activatedAt: number
  /** Recovery codes not used yet. */
  codesLeft: number
}

/** Null while somebody has no second factor. */
export async function findTwoFactor(env: Env, userId: number): Promise<TwoFactorState | null> {
  return env.DB.prepare(
    `SELECT activated_at AS activatedAt,
       (SELECT count(*) FROM recovery_code r WHERE r.user_id = t.user_id AND used_at IS NULL) AS codesLeft
     FROM two_factor t WHERE user_id = ?`,
  )
    .bind(userId)
    .first<TwoFactorState>()
}

export async function hasTwoFactor(env: Env, userId: number): Promise<boolean> {
  return (await env.DB.prepare('SELECT 1 FROM two_factor WHERE user_id = ?').bind(userId).first()) !== null
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
  const [added] = await env.DB.batch([
    env.DB.prepare(
      `INSERT INTO two_factor (user_id, sealed_keys, last_step, activated_at) VALUES (?, ?, ?, ?)
       ON CONFLICT (user_id) DO NOTHING`,
    ).bind(userId, sealed, step, now),
    // Only with this very row: of two browsers at once, the codes of one are true.
    insertCodes(env, userId, hashes, sealed),
  ])
  return added?.meta.changes === 1 ? codes : 'active'
}

/** Turns it off, recovery codes with it. Whether there was one. */
export async function deactivate(env: Env, userId: number): Promise<boolean> {
  const { meta } = await env.DB.prepare('DELETE FROM two_factor WHERE user_id = ?').bind(userId).run()
  return meta.changes > 0
}

/** New recovery codes in place of all there were; null without a second factor. */
export async function renewCodes(env: Env, userId: number): Promise<string[] | null> {
  const stored = await storedKeys(env, userId)
  if (!stored) return null
  const { codes, hashes } = await hashedCodes(stored.keys)
  const [, added] = await env.DB.batch([
    env.DB.prepare('DELETE FROM recovery_code WHERE user_id = ?').bind(userId),
    insertCodes(env, userId, hashes, stored.sealed),
  ])
  return added?.meta.changes ? codes : null
}

/** Whether all of them are unused recovery codes of the user. */
export async function areTheirCodes(env: Env, userId: number, codes: readonly string[]): Promise<boolean> {
  const stored = await storedKeys(env, userId)
  if (!stored || codes.length !== codeCount || !codes.every(isRecoveryCode)) return false
  const hashes = await Promise.all(codes.map((code) => recoveryHash(stored.keys, code)))
  const known = await env.DB.prepare(
    `SELECT count(*) AS n FROM recovery_code
     WHERE user_id = ? AND used_at IS NULL AND code_hash IN (SELECT value FROM json_each(?))`,
  )
    .bind(userId, JSON.stringify(hashes))
    .first<number>('n')
  return known === codeCount
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
  const { meta } = await env.DB.prepare('UPDATE two_factor SET last_step = ?1 WHERE user_id = ?2 AND last_step < ?1')
    .bind(step, userId)
    .run()
  return meta.changes === 1
}

async function takeRecovery(env: Env, userId: number, keys: Keys, code: string, now: number): Promise<boolean> {
  if (!isRecoveryCode(code)) return false
  const { meta } = await env.DB.prepare(
    'UPDATE recovery_code SET used_at = ? WHERE user_id = ? AND code_hash = ? AND used_at IS NULL',
  )
    .bind(now, userId, await recoveryHash(keys, code))
    .run()
  return meta.changes === 1
}

interface Stored {
  keys: Keys
  sealed: string
}

async function storedKeys(env: Env, userId: number): Promise<Stored | null> {
  const sealed = await env.DB.prepare('SELECT sealed_keys FROM two_factor WHERE user_id = ?')
    .bind(userId)
    .first<string>('sealed_keys')
  return sealed === null ? null : { sealed, keys: await openKeys(env, userId, sealed) }
}

async function sealAnew(env: Env, userId: number, { keys, sealed }: Stored): Promise<void> {
  await env.DB.prepare('UPDATE two_factor SET sealed_keys = ? WHERE user_id = ? AND sealed_keys = ?')
    .bind(await sealKeys(env, userId, keys), userId, sealed)
    .run()
}

async function hashedCodes(keys: Keys): Promise<{ codes: string[]; hashes: string[] }> {
  const codes = newRecoveryCodes()
  return { codes, hashes: await Promise.all(codes.map((code) => recoveryHash(keys, code))) }
}

function insertCodes(env: Env, userId: number, hashes: readonly string[], sealed: string): D1PreparedStatement {
  return env.DB.prepare(
    `INSERT INTO recovery_code (user_id, code_hash)
     SELECT t.user_id, j.value FROM two_factor t, json_each(?1) j WHERE t.user_id = ?2 AND t.sealed_keys = ?3`,
  ).bind(JSON.stringify(hashes), userId, sealed)
}
