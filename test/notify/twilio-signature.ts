type Field = readonly [name: string, value: string]

/** How Twilio signs a webhook call with these fields ("Secure webhooks"), written independently of the product. */
export async function twilioSignature(url: string, fields: Iterable<Field>, authToken: string): Promise<string> {
  const different: Field[] = []
  for (const [name, value] of fields)
    if (!different.some((other) => other[0] === name && other[1] === value)) different.push([name, value])
  const inOrder = different.toSorted((one, other) => order(one[0], other[0]) || order(one[1], other[1]))
  const algorithm = { name: 'HMAC', hash: 'SHA-1' }
  const key = await crypto.subtle.importKey('raw', encoder.encode(authToken), algorithm, false, ['sign'])
  const signed = await crypto.subtle.sign('HMAC', key, encoder.encode(url + inOrder.flat().join('')))
  return btoa(String.fromCharCode(...new Uint8Array(signed)))
}

const encoder = new TextEncoder()
const order = (one: string, other: string): number => (one === other ? 0 : one < other ? -1 : 1)
