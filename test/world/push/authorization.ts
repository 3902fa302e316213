import { createPublicKey, verify } from 'node:crypto'

/** The longest lifetime of a token that push services accept (RFC 8292 §2), in seconds. */
const MAX_TOKEN_SECONDS = 24 * 3600

/**
 * Why a request's `Authorization: vapid …` is invalid; null if it is valid.
 * @param applicationKey the only key the device knows; null for any
 * @param now ms since epoch
 */
export function faultOfVapid(
  header: string,
  audience: string,
  applicationKey: string | null,
  now: number,
): string | null {
  const [, token = '', key = ''] = /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(header) ?? []
  const [head = '', claims = '', signature = ''] = token.split('.')
  const point = Buffer.from(key, 'base64url')
  if (point.length !== 65) return 'the key is no point of P-256'
  if (applicationKey !== null && applicationKey !== key) return 'the device was subscribed with another key'
  const [x, y] = [point.toString('base64url', 1, 33), point.toString('base64url', 33)]
  const publicKey = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
  const isSigned = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  )
  if (!isSigned) return 'the signature is wrong'
  const { aud, exp, sub } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, unknown>
  if (aud !== audience) return `the audience is ${String(aud)}`
  if (typeof exp !== 'number' || exp * 1000 <= now || exp * 1000 > now + MAX_TOKEN_SECONDS * 1000)
    return 'it expires at no sound time'
  return typeof sub === 'string' && /^(mailto:|https:)/.test(sub) ? null : 'the subject is no address'
}
