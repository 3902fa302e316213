import { hkdf, joinedBytes } from '../../lib/bytes.ts'
import { bytesOf } from '../../lib/text.ts'
import type { Subscription } from './push-address.ts'

/*
 * RFC 8291 ("Message Encryption for Web Push") over RFC 8188 ("aes128gcm"), with the runtime's own cryptography:
 * `web-push` would add 35 KB of Node's code for the same purpose, to be parsed at every start.
 */

/** The record is as long as a push service must accept (RFC 8030 §7.2), so that there is only one. */
const RECORD_BYTES = 4096
/** Salt, record size, length of the key, key; then the delimiter and the tag of AES-GCM. */
const OVERHEAD_BYTES = 16 + 4 + 1 + 65 + 1 + 16
/** The largest payload of a notification, in bytes. */
export const MAX_PAYLOAD_BYTES = RECORD_BYTES - OVERHEAD_BYTES

const curve = { name: 'ECDH', namedCurve: 'P-256' }

/** The values generated for each message. */
interface Fresh {
  keys: CryptoKeyPair
  salt: Uint8Array
}

async function makeFresh(): Promise<Fresh> {
  const keys = await crypto.subtle.generateKey(curve, true, ['deriveBits'])
  if (!('privateKey' in keys)) throw new Error('an ECDH key is a pair')
  return { keys, salt: crypto.getRandomValues(new Uint8Array(16)) }
}

/**
 * The body of a push request that only the device can read.
 * @param payload at most {@link MAX_PAYLOAD_BYTES}
 * @param fresh given only by a test, to compare with the RFC's example
 * @throws if the device's key is not a point of the curve
 */
export async function encryptFor(
  { p256dh, auth }: Pick<Subscription, 'p256dh' | 'auth'>,
  payload: Uint8Array,
  fresh?: Fresh,
): Promise<Uint8Array> {
  if (payload.length > MAX_PAYLOAD_BYTES) throw new RangeError('the payload is longer than one record')
  const { keys, salt } = fresh ?? (await makeFresh())
  const theirs = await crypto.subtle.importKey('raw', p256dh, curve, false, [])
  // The standard's name; the types of the Workers runtime use another one.
  const agreement = { name: 'ECDH', public: theirs }
  const [secret, exported] = await Promise.all([
    crypto.subtle.deriveBits(agreement, keys.privateKey, 256),
    crypto.subtle.exportKey('raw', keys.publicKey),
  ])
  if (!(exported instanceof ArrayBuffer)) throw new Error('a raw key is bytes')
  const ours = new Uint8Array(exported)
  const shared = await hkdf(secret, {
    salt: auth,
    info: joinedBytes([bytesOf('WebPush: info\0'), p256dh, ours]),
    length: 32,
  })
  const [key, nonce] = await Promise.all([
    hkdf(shared, { salt, info: bytesOf('Content-Encoding: aes128gcm\0'), length: 16 }),
    hkdf(shared, { salt, info: bytesOf('Content-Encoding: nonce\0'), length: 12 }),
  ])
  const cipher = await crypto.subtle.importKey('raw', key, 'AES-GCM', false, ['encrypt'])
  // 2 ends the last record (RFC 8188 §2).
  const record = joinedBytes([payload, Uint8Array.of(2)])
  const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv: nonce }, cipher, record)
  const size = new Uint8Array(4)
  new DataView(size.buffer).setUint32(0, RECORD_BYTES)
  return joinedBytes([salt, size, Uint8Array.of(ours.length), ours, new Uint8Array(sealed)])
}
