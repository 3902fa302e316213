import { generateRandomString } from 'oslo/crypto'
import { timingSafeEqual } from 'node:crypto'
import { hashOf, randomToken, signatureOf } from '../../web/signing.ts'

/** Consonants cannot spell words, and none of these looks like a digit. 20^8 codes, 3 tries. */
const letters = 'BCDFGHJKLMNPQRSTVWXZ'
const codeLength = 8
const mostTries = 3
const mostResends = 2
/** django-allauth's ACCOUNT_LOGIN_BY_CODE_TIMEOUT. */
const lifetimeMs = 180_000
const purpose = 'sign-in-code'

/** XXXX-XXXX */
export function newCode(): string {
  const code = generateRandomString(codeLength, letters)
  return `${code.slice(0, 4)}-${code.slice(4)}`
}

/** How people may type a code: in any case, with any punctuation and spaces. */
export function plainCode(typed: string): string {
  return typed
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[^0-9A-Z]/g, '')
    .slice(0, 64)
}

/** Keyed, as a code is short enough to be guessed from a plain hash; bound to the browser that asked. */
const codeHashOf = (env: Env, idHash: string, code: string) => signatureOf(env, purpose, `${idHash}:${plainCode(code)}`)

interface AskedCode {
  userId: number | null
  address: string
  /** Where to go after signing in; '' for the usual place. */
  next: string
}

/** A code for an address, as a statement for a batch. `cookie` names it in the browser. One for nobody fits no code. */
export async function makeCode(
  env: Env,
  { userId, address, next }: AskedCode,
  now: number,
): Promise<{ cookie: string; code: string; statement: D1PreparedStatement }> {
  const cookie = randomToken()
  const idHash = await hashOf(cookie)
  const code = newCode()
  const statement = env.DB.prepare(
    `INSERT INTO sign_in_code (id_hash, user_id, address, code_hash, next, created_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  ).bind(idHash, userId, address, await codeHashOf(env, idHash, code), next, now, now + lifetimeMs)
  return { cookie, code, statement }
}

export interface PendingCode {
  user_id: number | null
  address: string
  next: string
  tries: number
  resends: number
}

const isPending = `id_hash = ? AND used_at IS NULL AND expires_at > ? AND tries < ${mostTries}`

/** The code this browser waits for; null when there is none any more. */
export async function findPendingCode(env: Env, cookie: string | undefined, now: number): Promise<PendingCode | null> {
  if (!cookie) return null
  return env.DB.prepare(`SELECT user_id, address, next, tries, resends FROM sign_in_code WHERE ${isPending}`)
    .bind(await hashOf(cookie), now)
    .first<PendingCode>()
}

/** `wrong`: `triesLeft` 0 ends the flow. `gone`: used, too late, or no tries left. */
type TryOutcome =
  | { kind: 'right'; userId: number; next: string }
  | { kind: 'wrong'; triesLeft: number; next: string }
  | { kind: 'gone' }

/**
 * Tries a code. The try is taken before anything is compared, so that any number of guesses at once are three; the comparison
 * takes the same time for every code; and of two right ones at once one gets in.
 */
export async function tryCode(env: Env, cookie: string | undefined, typed: string, now: number): Promise<TryOutcome> {
  if (!cookie) return { kind: 'gone' }
  const idHash = await hashOf(cookie)
  const row = await env.DB.prepare(
    `UPDATE sign_in_code SET tries = tries + 1 WHERE ${isPending} RETURNING user_id, next, code_hash, tries`,
  )
    .bind(idHash, now)
    .first<{ user_id: number | null; next: string; code_hash: string; tries: number }>()
  if (!row) return { kind: 'gone' }
  const isRight = isSame(await codeHashOf(env, idHash, typed), row.code_hash)
  if (!isRight || row.user_id === null) return { kind: 'wrong', triesLeft: mostTries - row.tries, next: row.next }
  const claimed = await env.DB.prepare('UPDATE sign_in_code SET used_at = ? WHERE id_hash = ? AND used_at IS NULL')
    .bind(now, idHash)
    .run()
  if (claimed.meta.changes !== 1) return { kind: 'gone' }
  return { kind: 'right', userId: row.user_id, next: row.next }
}

/**
 * A new code in place of the last, for the address's current owner, with new time but no new tries; null after two resends.
 */
export async function renewCode(
  env: Env,
  cookie: string,
  userId: number | null,
  now: number,
): Promise<{ code: string } | null> {
  const idHash = await hashOf(cookie)
  const code = newCode()
  const renewed = await env.DB.prepare(
    `UPDATE sign_in_code SET code_hash = ?, user_id = ?, resends = resends + 1, expires_at = ? WHERE ${isPending} AND resends < ${mostResends}`,
  )
    .bind(await codeHashOf(env, idHash, code), userId, now + lifetimeMs, idHash, now)
    .run()
  return renewed.meta.changes === 1 ? { code } : null
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => new TextEncoder().encode(text))
  return a !== undefined && b !== undefined && a.length === b.length && timingSafeEqual(a, b)
}
