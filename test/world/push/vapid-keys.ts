import { generateKeyPairSync } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

export interface VapidVars {
  VAPID_PUBLIC_KEY: string
  VAPID_PRIVATE_KEY: string
  VAPID_SUBJECT: string
}

/** A pair of keys of our own, as the app's variables have it. */
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

/** The pair kept in the file, made where there is none: devices take notifications from no other. */
export function keepVapidVars(file: string): VapidVars {
  if (!existsSync(file)) writeFileSync(file, JSON.stringify(makeVapidVars()), { mode: 0o600 })
  return JSON.parse(readFileSync(file, 'utf8')) as VapidVars
}
