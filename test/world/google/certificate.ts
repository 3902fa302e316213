import { createHash, generateKeyPairSync, sign } from 'node:crypto'

/** A self-signed certificate, in PEM, and the hash that makes a Chromium accept it. */
export interface Certificate {
  key: string
  cert: string
  /** SHA-256 of its public key, base64 (`--ignore-certificate-errors-spki-list`). */
  keyHash: string
}

/** One value of DER (X.690): its tag, its length and its content; at most 65,535 bytes. */
function value(tag: number, ...parts: readonly (Uint8Array | string)[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)))
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

const sequence = (...parts: readonly Uint8Array[]): Buffer => value(0x30, ...parts)
const objectId = (hex: string): Buffer => value(6, Buffer.from(hex, 'hex'))
const COMMON_NAME = objectId('550403')
const ECDSA_WITH_SHA256 = objectId('2a8648ce3d040302')

/** Makes a key and signs a certificate for it with itself (RFC 5280). */
export function makeCertificate(host: string): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const publicBytes = publicKey.export({ type: 'spki', format: 'der' })
  const algorithm = sequence(ECDSA_WITH_SHA256)
  const name = sequence(value(0x31, sequence(COMMON_NAME, value(0x0c, host))))
  const validity = sequence(value(0x17, '200101000000Z'), value(0x17, '491231235959Z'))
  const toSign = sequence(value(2, Buffer.from([1])), algorithm, name, validity, name, publicBytes)
  const signature = value(3, Buffer.from([0]), sign('sha256', toSign, privateKey))
  const certificate = sequence(toSign, algorithm, signature).toString('base64')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${certificate}\n-----END CERTIFICATE-----\n`,
    keyHash: createHash('sha256').update(publicBytes).digest('base64'),
  }
}
