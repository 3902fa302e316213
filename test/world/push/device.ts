import { createDecipheriv, createECDH, hkdfSync, randomBytes, randomUUID } from 'node:crypto'

/** A browser that receives notifications. Keys in base64url. */
export interface DeviceRecord {
  id: string
  name: string
  privateKey: string
  p256dh: string
  auth: string
  /** The only application that may send to it; null while any may. */
  applicationKey: string | null
  /** Shows what it receives and reports it, as a phone does; otherwise a real browser does. */
  isPhone: boolean
  /** Its owner turned notifications off. */
  isGone: boolean
}

const CURVE = 'prime256v1'

export function makeDevice(options: { name: string; applicationKey: string | null; isPhone: boolean }): DeviceRecord {
  const keys = createECDH(CURVE)
  keys.generateKeys()
  return {
    id: randomUUID(),
    ...options,
    privateKey: keys.getPrivateKey('base64url'),
    p256dh: keys.getPublicKey('base64url'),
    auth: randomBytes(16).toString('base64url'),
    isGone: false,
  }
}

function derive(material: Buffer, salt: Buffer, info: Buffer, length: number): Buffer {
  return Buffer.from(hkdfSync('sha256', material, salt, info, length))
}

/**
 * The content of a body in `aes128gcm` for this device (RFC 8188, RFC 8291). Throws if it is for another device, or
 * altered.
 */
export function decryptFor({ privateKey, p256dh, auth }: DeviceRecord, body: Buffer): string {
  const salt = body.subarray(0, 16)
  const keyLength = body.readUInt8(20)
  const theirs = body.subarray(21, 21 + keyLength)
  const sealed = body.subarray(21 + keyLength)
  if (body.readUInt32BE(16) < sealed.length) throw new Error('more than one record')
  const keys = createECDH(CURVE)
  keys.setPrivateKey(privateKey, 'base64url')
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), Buffer.from(p256dh, 'base64url'), theirs])
  const shared = derive(keys.computeSecret(theirs), Buffer.from(auth, 'base64url'), info, 32)
  const key = derive(shared, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16)
  const nonce = derive(shared, salt, Buffer.from('Content-Encoding: nonce\0'), 12)
  const decipher = createDecipheriv('aes-128-gcm', key, nonce)
  decipher.setAuthTag(sealed.subarray(-16))
  const plain = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()])
  const end = plain.lastIndexOf(2)
  if (end < 0 || plain.subarray(end + 1).some((byte) => byte !== 0)) throw new Error('no last record')
  return plain.subarray(0, end).toString('utf8')
}
