import { bytesOf } from '../../lib/text.ts'
import { bytesOfBase64 } from '../../lib/bytes.ts'

/** Calls further from now are refused, seconds, against replays (Svix, "Verifying webhooks manually"). */
const MAX_AGE_SECONDS = 300

/**
 * Whether a webhook call was signed with the secret ("whsec_" and base64): HMAC-SHA256 over "id.timestamp.body".
 * Source: Svix, "Verifying webhooks manually", which Resend's webhooks follow. `crypto.subtle.verify` compares in
 * constant time.
 * @param signature "v1,BASE64 v1,BASE64 …"
 * @param now ms since epoch
 */
export async function isSignedBySvix(
  { id, timestamp, signature }: { id: string; timestamp: string; signature: string },
  body: string,
  secret: string,
  now: number,
): Promise<boolean> {
  const key = bytesOfBase64(secret.replace(/^whsec_/, ''))
  const age = Math.abs(now / 1000 - Number(timestamp))
  if (key === null || key.length === 0 || !/^\d{1,12}$/.test(timestamp) || age > MAX_AGE_SECONDS) return false
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const verifier = await crypto.subtle.importKey('raw', key, algorithm, false, ['verify'])
  const signed = bytesOf(`${id}.${timestamp}.${body}`)
  for (const one of signature.split(' ')) {
    const bytes = one.startsWith('v1,') ? bytesOfBase64(one.slice(3)) : null
    if (bytes !== null && (await crypto.subtle.verify('HMAC', verifier, bytes, signed))) return true
  }
  return false
}
