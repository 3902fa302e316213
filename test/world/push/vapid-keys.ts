import { generateKeyPairSync } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

export interface VapidVars {
  VAPID_PUBLIC_KEY: string
  VAPID_PRIVATE_KEY: string
  VAPID_SUBJECT: string
}

/** A key pair of our own, as the app's variables contain it. */
export function makeVapidVars(): VapidVars {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const point = Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')])
  return {
    VAPID_PUBLIC_KEY: point.toString('base64url'),
    VAPID_PRIVATE_KEY: privateKey.export({ format: 'jwk' }).d ?? '',
    VAPID_SUBJECT: 'mailto:alerts@example.com',
  }
}

/** The pair stored in the file, made if there is none: devices accept notifications from no other. */
export function keepVapidVars(file: string): VapidVars {
  if (!existsSync(file)) writeFileSync(file, JSON.stringify(makeVapidVars()), { mode: 0o600 })
  return JSON.parse(readFileSync(file, 'utf8')) as VapidVars
}
