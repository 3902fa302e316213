import { bytesOf } from '../../lib/text.ts'
import { bytesOfBase64 } from '../../lib/bytes.ts'

/** The fields of the posted form, in any order. */
type FormFields = Iterable<readonly [name: string, value: string]>

/**
 * Whether a webhook call was signed by Twilio. `X-Twilio-Signature` is base64 of HMAC-SHA1, keyed with the account's auth
 * token, over the URL exactly as it was given to Twilio, including the query, followed by every posted field's name and
 * value, sorted by name. For a name sent several times, each distinct value counts once, sorted. (Twilio documentation,
 * "Secure webhooks"; its own libraries.) `crypto.subtle.verify` compares in constant time.
 */
export async function isSignedByTwilio(
  url: string,
  fields: FormFields,
  signature: string,
  authToken: string,
): Promise<boolean> {
  const bytes = bytesOfBase64(signature)
  if (bytes === null || authToken === '') return false
  return crypto.subtle.verify('HMAC', await keyOf(authToken), bytes, signedBytes(url, fields))
}

/** The account's key, kept because importing one takes longer than a signature. */
let known: { authToken: string; key: CryptoKey } | null = null

async function keyOf(authToken: string): Promise<CryptoKey> {
  if (known?.authToken === authToken) return known.key
  const algorithm = { name: 'HMAC', hash: 'SHA-1' }
  const key = await crypto.subtle.importKey('raw', bytesOf(authToken), algorithm, false, ['verify'])
  known = { authToken, key }
  return key
}

function signedBytes(url: string, fields: FormFields): Uint8Array {
  const byName = Map.groupBy(fields, ([name]) => name)
  const parts = [...byName.keys()].toSorted().flatMap((name) => {
    const values = new Set(byName.get(name)?.map(([, value]) => value))
    return [...values].toSorted().map((value) => name + value)
  })
  return bytesOf(url + parts.join(''))
}
