import { base64url, bytesOfBase64url } from './base64.ts'
import type { ChannelKind } from './channel.ts'

/** Keeps a signature made for anything else with the same secret from passing here. */
const PURPOSE = 'class-cords unsubscribe 2'

/** Whom a link is for: the stored contact, at the address that the message with the link went to. */
export interface UnsubscribeTarget {
  id: number
  kind: ChannelKind
  address: string
}

/**
 * The token of a contact's unsubscribe link: `{contact id}.{HMAC-SHA256, base64url}`. The signature covers id, kind and
 * address, because ids are given out again and addresses are edited: an old message must never act on somebody else. It has
 * no expiry, because the link in an old message must still work (RFC 8058 asks for links that keep working), and is always
 * the same for the same contact and address.
 */
export async function unsubscribeToken(target: UnsubscribeTarget, secret: string): Promise<string> {
  const signature = await crypto.subtle.sign('HMAC', await keyOf(secret), signedBytes(target))
  return `${target.id}.${base64url(new Uint8Array(signature))}`
}

/** The contact that a token names, or null for what is no token. Believe it only after {@link isUnsubscribeTokenOf}. */
export function contactNamedBy(token: string): number | null {
  const id = partsOf(token)?.id
  return id === undefined ? null : Number(id)
}

/** Whether the token was made for this contact at this address. `crypto.subtle.verify` compares in constant time. */
export async function isUnsubscribeTokenOf(token: string, target: UnsubscribeTarget, secret: string): Promise<boolean> {
  const parts = partsOf(token)
  if (parts === null || parts.id !== String(target.id)) return false
  const signature = bytesOfBase64url(parts.mac)
  if (signature === null) return false
  return crypto.subtle.verify('HMAC', await keyOf(secret), signature, signedBytes(target))
}

function partsOf(token: string): { id: string; mac: string } | null {
  const [, id, mac] = /^([1-9]\d{0,14})\.([A-Za-z0-9_-]{43})$/.exec(token) ?? []
  return id === undefined || mac === undefined ? null : { id, mac }
}

function keyOf(secret: string): Promise<CryptoKey> {
  const bytes = new TextEncoder().encode(secret)
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify'])
}

/** The address comes last: whatever is in it cannot be taken for another part. */
function signedBytes({ id, kind, address }: UnsubscribeTarget): Uint8Array {
  return new TextEncoder().encode(`${PURPOSE}\n${id}\n${kind}\n${address}`)
}
