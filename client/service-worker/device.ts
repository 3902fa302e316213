/* What the page that adds a device shares with the device's service worker: which parts of a subscription are sent,
   and where the device's token is stored. */

const cacheName = 'device'
const tokenAddress = '/push/token'

/** Stores the token that identifies the device to the server. */
async function keepToken(token: string): Promise<void> {
  const cache = await caches.open(cacheName)
  await cache.put(tokenAddress, new Response(token))
}

export async function keptToken(): Promise<string | null> {
  const cache = await caches.open(cacheName)
  const kept = await cache.match(tokenAddress)
  return kept ? kept.text() : null
}

/** Sends a subscription and stores the token from the answer. Throws an Error with the server's own words. */
export async function sendSubscription(
  subscription: PushSubscription,
  headers: Record<string, string>,
  fields: Record<string, string> = {},
): Promise<void> {
  const { endpoint = '', keys = {} } = subscription.toJSON()
  const body = new URLSearchParams({ endpoint, p256dh: keys['p256dh'] ?? '', auth: keys['auth'] ?? '', ...fields })
  const answer = await fetch('/push/subscribe', { method: 'POST', headers, body })
  const said: unknown = await answer.json()
  if (!answer.ok) throw new Error(Array.isArray(said) ? said.join(' ') : `HTTP ${answer.status}`)
  if (typeof said === 'object' && said !== null && 'token' in said) await keepToken(String(said.token))
}
