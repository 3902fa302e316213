import { HMAC } from 'oslo/crypto'
import * as z from 'zod/mini'
import { bytesOf } from '../../lib/text.ts'
import { decryptJson, encryptJson } from '../../web/security/encryption.ts'
import { base64url } from '../../lib/bytes.ts'
import { fromBase64url } from '../../web/security/signing.ts'

/** The secret shared with the authenticator app, and the key that recovery codes are hashed with. */
export interface Keys {
  totp: Uint8Array
  recovery: Uint8Array
}

const StoredKeys = z.object({ totp: z.string(), recovery: z.string() })

/** Bound to the user: copied into another row they cannot be read. */
const purposeOf = (userId: number): string => `two-factor:${userId}`

/** 160 bits, as RFC 4226 §4 recommends. */
export const newSecret = (): Uint8Array => crypto.getRandomValues(new Uint8Array(20))
export const newKeys = (totp: Uint8Array): Keys => ({ totp, recovery: crypto.getRandomValues(new Uint8Array(32)) })

export async function sealKeys(env: Env, userId: number, { totp, recovery }: Keys): Promise<string> {
  return encryptJson(env, purposeOf(userId), { totp: base64url(totp), recovery: base64url(recovery) })
}

/** @throws when SECRET_KEY was changed and the previous one was not kept */
export async function openKeys(env: Env, userId: number, sealed: string): Promise<Keys> {
  const keys = await decryptJson(env, purposeOf(userId), sealed, StoredKeys)
  if (keys === null) throw new Error(`The two-factor keys of user ${userId} cannot be read with this SECRET_KEY.`)
  return { totp: fromBase64url(keys.totp), recovery: fromBase64url(keys.recovery) }
}

/** Keyed, as eight digits could be guessed from a plain hash. */
export async function recoveryHash({ recovery }: Pick<Keys, 'recovery'>, code: string): Promise<string> {
  return base64url(await new HMAC('SHA-256').sign(recovery, bytesOf(code)))
}

/** A secret that travels through the form until its first code is correct: nothing is stored before that. */
const OfferedSecret = z.object({ totp: z.string(), until: z.number() })
const OFFER_MS = 30 * 60_000
const offerPurpose = (userId: number): string => `two-factor-offer:${userId}`

export async function offerSecret(env: Env, userId: number, totp: Uint8Array, now: number): Promise<string> {
  return encryptJson(env, offerPurpose(userId), { totp: base64url(totp), until: now + OFFER_MS })
}

/** Null when it was not offered to this user, or has expired. */
export async function offeredSecret(env: Env, userId: number, offer: string, now: number): Promise<Uint8Array | null> {
  const offered = await decryptJson(env, offerPurpose(userId), offer, OfferedSecret)
  return offered !== null && offered.until > now ? fromBase64url(offered.totp) : null
}
