import { constantTimeEqual, HMAC, sha256 } from 'oslo/crypto'
import { base64url as encoding } from 'oslo/encoding'
import { base64url } from '../../lib/bytes.ts'
import { bytesOf } from '../../lib/text.ts'

const hmac = new HMAC('SHA-256')
/** @throws if the text is not base64url */
export const fromBase64url = (text: string): Uint8Array => encoding.decode(text, { strict: false })

/** 256 random bits in base64url. */
export function randomToken(): string {
  return base64url(crypto.getRandomValues(new Uint8Array(32)))
}

/** SHA-256 in base64url: how a secret is stored if it only has to be recognized. */
export async function hashOf(text: string): Promise<string> {
  return base64url(await sha256(bytesOf(text)))
}

/** Derived keys by secret and purpose, cached because every page signs a token. */
const keys = new Map<string, CryptoKey>()

/** A separate key for each purpose, so that a signature for one is useless for another. */
async function keyFor(secret: string, purpose: string): Promise<CryptoKey> {
  if (!secret) throw new Error('SECRET_KEY is not set.')
  const name = `${purpose}\n${secret}`
  const known = keys.get(name)
  if (known) return known
  const raw = await hmac.sign(bytesOf(secret), bytesOf(purpose))
  const key = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  keys.set(name, key)
  return key
}

/** HMAC-SHA-256, base64url. */
export function signatureOf(env: Env, purpose: string, text: string): Promise<string> {
  return signatureWith(env.SECRET_KEY, purpose, text)
}

async function signatureWith(secret: string, purpose: string, text: string): Promise<string> {
  return base64url(await crypto.subtle.sign('HMAC', await keyFor(secret, purpose), bytesOf(text)))
}

/** In constant time. */
export const isSameText = (one: string, other: string): boolean => constantTimeEqual(bytesOf(one), bytesOf(other))

/** In constant time. SECRET_KEY_PREVIOUS also counts, so that open forms survive a change of the key. */
export async function isSigned(env: Env, purpose: string, text: string, signature: string): Promise<boolean> {
  for (const secret of [env.SECRET_KEY, env.SECRET_KEY_PREVIOUS]) {
    if (secret === undefined) continue
    if (isSameText(await signatureWith(secret, purpose, text), signature)) return true
  }
  return false
}

/** `text` and its signature in one string that fits into a cookie or an address. */
export async function signText(env: Env, purpose: string, text: string): Promise<string> {
  return `${base64url(bytesOf(text))}.${await signatureOf(env, purpose, text)}`
}

/** The text of a sealed string; null if we did not seal it for this purpose. */
export async function verifyText(env: Env, purpose: string, sealed: string): Promise<string | null> {
  const [body, signature, ...more] = sealed.split('.')
  if (!body || !signature || more.length > 0) return null
  const text = textOf(body)
  return text !== null && (await isSigned(env, purpose, text, signature)) ? text : null
}

function textOf(body: string): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(fromBase64url(body))
  } catch {
    return null
  }
}
