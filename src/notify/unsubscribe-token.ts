import { base64url, bytesOfBase64url } from './base64.ts'

/** Keeps a signature made for anything else with the same secret from passing here. */
const PURPOSE = 'class-cords unsubscribe 1'

/**
 * The token of a contact's unsubscribe link: `{contact id}.{HMAC-SHA256, base64url}`. It has no expiry, because the
 * link in an old message must still work (RFC 8058 asks for links that keep working).
 */
export async function unsubscribeToken(contactId: number, secret: string): Promise<string> {
  const signature = await crypto.subtle.sign('HMAC', await keyOf(secret), signedBytes(contactId))
  return `${contactId}.${base64url(new Uint8Array(signature))}`
}

/** The contact whose token this is, or null. `crypto.subtle.verify` compares in constant time. */
export async function contactOfUnsubscribeToken(token: string, secret: string): Promise<number | null> {
  const [, id, mac] = /^([1-9]\d{0,14})\.([A-Za-z0-9_-]{43})$/.exec(token) ?? []
  if (id === undefined || mac === undefined) return null
  const signature = bytesOfBase64url(mac)
  if (signature === null) return null
  const contactId = Number(id)
  const isOurs = await crypto.subtle.verify('HMAC', await keyOf(secret), signature, signedBytes(contactId))
  return isOurs ? contactId : null
}

function keyOf(secret: string): Promise<CryptoKey> {
  const bytes = new TextEncoder().encode(secret)
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify'])
}

function signedBytes(contactId: number): Uint8Array {
  return new TextEncoder().encode(`${PURPOSE}\n${contactId}`)
}
