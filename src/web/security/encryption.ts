import type * as z from 'zod/mini'
import { bytesOf } from '../../lib/text.ts'
import { base64url, hkdf } from '../../lib/bytes.ts'
import { fromBase64url } from './signing.ts'

const version = 'v1'

/** AES-256-GCM. Every purpose has its own key, so that a key leaked in one place is useless in another. */
async function keyFor(secret: string, purpose: string): Promise<CryptoKey> {
  const key = await hkdf(bytesOf(secret), { info: bytesOf(`encrypt:${purpose}`), length: 32 })
  return crypto.subtle.importKey('raw', key, 'AES-GCM', false, ['encrypt', 'decrypt'])
}

/** Identifies the secret that something was encrypted with, without revealing anything about it. */
async function keyIdOf(secret: string): Promise<string> {
  return base64url(await hkdf(bytesOf(secret), { info: bytesOf('key id'), length: 6 }))
}

/** `v1.key id.nonce.ciphertext` in base64url, for {@link decrypt} with the same secret and purpose. */
export async function encrypt(env: Env, purpose: string, text: string): Promise<string> {
  if (!env.SECRET_KEY) throw new Error('SECRET_KEY is not set.')
  const iv = crypto.getRandomValues(new Uint8Array(12))
  const key = await keyFor(env.SECRET_KEY, purpose)
  const body = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, bytesOf(text))
  return [version, await keyIdOf(env.SECRET_KEY), base64url(iv), base64url(body)].join('.')
}

/** Null if we did not encrypt it for this purpose. Strings under SECRET_KEY_PREVIOUS stay readable. */
export async function decrypt(env: Env, purpose: string, encrypted: string): Promise<string | null> {
  const [head, keyId, nonce, body, ...more] = encrypted.split('.')
  if (head !== version || !keyId || !nonce || !body || more.length > 0) return null
  const secret = await secretOf(env, keyId)
  if (secret === null) return null
  try {
    const iv = fromBase64url(nonce)
    const key = await keyFor(secret, purpose)
    const text = await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, key, fromBase64url(body))
    return new TextDecoder().decode(text)
  } catch {
    return null
  }
}

/** A value as JSON, for {@link decryptJson}. */
export function encryptJson(env: Env, purpose: string, value: unknown): Promise<string> {
  return encrypt(env, purpose, JSON.stringify(value))
}

/** Null if we did not encrypt it for this purpose. Throws if it is something else than the schema says. */
export async function decryptJson<Value>(
  env: Env,
  purpose: string,
  encrypted: string,
  schema: z.ZodMiniType<Value>,
): Promise<Value | null> {
  const text = await decrypt(env, purpose, encrypted)
  return text === null ? null : schema.parse(JSON.parse(text))
}

/** Whether something must be encrypted again, because a previous secret was used. */
export async function hasOldKey(env: Env, encrypted: string): Promise<boolean> {
  return encrypted.split('.')[1] !== (await keyIdOf(env.SECRET_KEY))
}

async function secretOf(env: Env, keyId: string): Promise<string | null> {
  for (const secret of [env.SECRET_KEY, env.SECRET_KEY_PREVIOUS])
    if (secret && (await keyIdOf(secret)) === keyId) return secret
  return null
}
