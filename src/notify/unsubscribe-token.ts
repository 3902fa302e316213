import { bytesOf } from '../lib/text.ts'
import type { ContactKind } from '../lib/contract.ts'
import { addressKey } from './addresses.ts'
import { base64url, bytesOfBase64url, hkdf } from '../lib/bytes.ts'

/** Derives a key that signs nothing but these links (RFC 5869). */
const KEY_PURPOSE = 'class-cords unsubscribe links 3'
/** The prefix of links that were signed with the secret itself. They are in mailboxes and must keep working. */
const FORMER_PURPOSE = 'class-cords unsubscribe 2'

/** Who a link is for: the stored contact, at the address that the message with the link was sent to. */
interface UnsubscribeTarget {
  id: number
  kind: ContactKind
  address: string
}

/**
 * The token of a contact's unsubscribe link: `{contact id}.{HMAC-SHA256, base64url}`. The signature covers id, kind and
 * address, because ids are reused and addresses are edited: an old message must never affect another person. It does
 * not expire, because the link in an old message must still work (RFC 8058 asks for links that keep working), and is
 * always the same for the same contact and address.
 */
export async function unsubscribeToken(target: UnsubscribeTarget, secret: string): Promise<string> {
  const signature = await crypto.subtle.sign('HMAC', await linkKey(secret), signedBytes(target))
  return `${target.id}.${base64url(signature)}`
}

/** The contact that a token names, or null for what is no token. Believe it only after {@link isUnsubscribeTokenOf}. */
export function contactNamedBy(token: string): number | null {
  return partsOf(token)?.id ?? null
}

/** Whether it was made for this contact and address, with the current or the previous secret; in constant time. */
export async function isUnsubscribeTokenOf(
  token: string,
  target: UnsubscribeTarget,
  secrets: readonly string[],
): Promise<boolean> {
  const parts = partsOf(token)
  if (parts === null || parts.id !== target.id) return false
  const signature = bytesOfBase64url(parts.mac)
  if (signature === null) return false
  for (const secret of secrets) {
    if (await crypto.subtle.verify('HMAC', await linkKey(secret), signature, signedBytes(target))) return true
    if (await crypto.subtle.verify('HMAC', await formerKey(secret), signature, formerlySignedBytes(target))) return true
  }
  return false
}

function partsOf(token: string): { id: number; mac: string } | null {
  const [, id, mac] = /^([1-9]\d{0,14})\.([A-Za-z0-9_-]{43})$/.exec(token) ?? []
  return id === undefined || mac === undefined ? null : { id: Number(id), mac }
}

const hmac = { name: 'HMAC', hash: 'SHA-256' }

async function linkKey(secret: string): Promise<CryptoKey> {
  const key = await hkdf(bytesOf(secret), { info: bytesOf(KEY_PURPOSE), length: 32 })
  return crypto.subtle.importKey('raw', key, hmac, false, ['sign', 'verify'])
}

function formerKey(secret: string): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', bytesOf(secret), hmac, false, ['verify'])
}

/** The address's key comes last: nothing in it can pass for another part, and another spelling keeps links valid. */
function signedBytes({ id, kind, address }: UnsubscribeTarget): Uint8Array {
  return bytesOf(`${id}\n${kind}\n${addressKey(kind, address)}`)
}

function formerlySignedBytes({ id, kind, address }: UnsubscribeTarget): Uint8Array {
  return bytesOf(`${FORMER_PURPOSE}\n${id}\n${kind}\n${address}`)
}
