/*
 * What the page that adds a device and the device's service worker have in common: what is sent of a subscription, and where the
 * device's token is kept.
 */

const cacheName = 'device'
const tokenAddress = '/push/token'

/** Keeps the token that the device proves itself with. */
async function keepToken(token: string): Promise<void> {
  const cache = await caches.open(cacheName)
  await cache.put(tokenAddress, new Response(token))
}

/** The device's token; null where it has none. */
export async function keptToken(): Promise<string | null> {
  const cache = await caches.open(cacheName)
  const kept = await cache.match(tokenAddress)
  return kept ? kept.text() : null
}

/**
 * Tells the server of a subscription and keeps the token that comes back.
 * @throws Error with the server's own words
 */
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
