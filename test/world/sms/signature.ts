import { createHmac } from 'node:crypto'

/** Twilio's request signature: HMAC-SHA1 of the address followed by every parameter's name and value, sorted by name. */
export function twilioSignature(authToken: string, url: string, params: URLSearchParams): string {
  const pairs = [...params].toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return createHmac('sha1', authToken)
    .update(url + pairs.map(([name, value]) => name + value).join(''))
    .digest('base64')
}

/** Posts a signed webhook. Throws as `fetch` does when nobody answers within ten seconds. */
export async function postSigned(authToken: string, url: string, params: URLSearchParams): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
      'x-twilio-signature': twilioSignature(authToken, url, params),
      'user-agent': 'TwilioProxy/1.1',
      'i-twilio-idempotency-token': crypto.randomUUID(),
    },
    body: params.toString(),
    redirect: 'manual',
    signal: AbortSignal.timeout(10_000),
  })
}
