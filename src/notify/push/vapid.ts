import { bytesOf } from '../../lib/text.ts'
import { base64url, bytesOfBase64url } from '../../lib/bytes.ts'

/** Our identity for push services (RFC 8292): a key pair in base64url, and a contact (`mailto:` or https). */
export interface VapidKeys {
  publicKey: string
  privateKey: string
  subject: string
}

/** A push service may refuse a token that is valid for more than a day; a token is used for half of its lifetime. */
const TOKEN_SECONDS = 12 * 3600
/** There are only a handful of push services, but a subscription can name any of their hosts. */
const MAX_SERVICES = 100
const POINT_BYTES = 65
const COORDINATE_BYTES = 32

const ecdsa = { name: 'ECDSA', namedCurve: 'P-256' }

/** Signed headers by push service, subject and key: one serves every message to that service. */
const kept = new Map<string, { header: string; until: number }>()

/** The `Authorization` header of a request to the endpoint's service. @throws if the keys are not a P-256 pair */
export async function vapidHeader(keys: VapidKeys, endpoint: string, now: number): Promise<string> {
  const audience = new URL(endpoint).origin
  const name = `${audience} ${keys.subject} ${keys.publicKey}`
  const known = kept.get(name)
  if (known && known.until > now) return known.header
  const expires = Math.floor(now / 1000) + TOKEN_SECONDS
  const header = `vapid t=${await signedToken(keys, audience, expires)}, k=${keys.publicKey}`
  if (kept.size >= MAX_SERVICES) kept.clear()
  kept.set(name, { header, until: now + (TOKEN_SECONDS / 2) * 1000 })
  return header
}

export async function makeVapidKeys(): Promise<Pick<VapidKeys, 'publicKey' | 'privateKey'>> {
  const pair = await crypto.subtle.generateKey(ecdsa, true, ['sign', 'verify'])
  if (!('privateKey' in pair)) throw new Error('an ECDSA key is a pair')
  const raw = await crypto.subtle.exportKey('raw', pair.publicKey)
  const secret = await crypto.subtle.exportKey('jwk', pair.privateKey)
  if (!(raw instanceof ArrayBuffer) || !('d' in secret) || secret.d === undefined) throw new Error('not a P-256 key')
  return { publicKey: base64url(raw), privateKey: secret.d }
}

/** A JWT (RFC 7519) signed with ES256. */
async function signedToken(keys: VapidKeys, audience: string, expires: number): Promise<string> {
  const head = base64url(bytesOf(JSON.stringify({ typ: 'JWT', alg: 'ES256' })))
  const claims = base64url(bytesOf(JSON.stringify({ aud: audience, exp: expires, sub: keys.subject })))
  const key = await crypto.subtle.importKey('jwk', jwkOf(keys), ecdsa, false, ['sign'])
  const signature = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, key, bytesOf(`${head}.${claims}`))
  return `${head}.${claims}.${base64url(signature)}`
}

function jwkOf({ publicKey, privateKey }: VapidKeys): JsonWebKey {
  const point = bytesOfBase64url(publicKey)
  if (point?.length !== POINT_BYTES) throw new Error('VAPID_PUBLIC_KEY is not a P-256 key')
  const x = base64url(point.slice(1, 1 + COORDINATE_BYTES))
  const y = base64url(point.slice(1 + COORDINATE_BYTES))
  return { kty: 'EC', crv: 'P-256', x, y, d: privateKey }
}
