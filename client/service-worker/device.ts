/* What the page that adds a device shares with the device's service worker: which parts of a subscription are sent,
   and where the device's token and the key of its subscription are stored. */

const cacheName = 'device'
const tokenAddress = '/push/token'
const keyAddress = '/push/key'

/** Stores the token that identifies the device to the server, and the key to subscribe with again. */
async function keep(token: string, key: ArrayBuffer | null): Promise<void> {
  const cache = await caches.open(cacheName)
  await cache.put(tokenAddress, new Response(token))
  if (key) await cache.put(keyAddress, new Response(key))
}

async function kept(address: string): Promise<Response | undefined> {
  const cache = await caches.open(cacheName)
  return cache.match(address)
}

export const keptToken = async (): Promise<string | undefined> => (await kept(tokenAddress))?.text()
export const keptKey = async (): Promise<ArrayBuffer | undefined> => (await kept(keyAddress))?.arrayBuffer()

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
  if (typeof said === 'object' && said !== null && 'token' in said)
    await keep(String(said.token), subscription.options.applicationServerKey)
}
