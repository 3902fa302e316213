import { keptKey, keptToken, sendSubscription } from './device.ts'

/* Shows notifications and reports to the server that they were shown and opened. It serves no pages and caches none. */

/** A message that arrives later than this asks the server first, so that no one is woken for a seat that is taken. */
const LATE_MS = 60_000
/**
 * A message that arrives later than this comes without sound, because a text may have arrived before it. It counts as
 * seen only once it is opened, because the text may also still be waiting.
 */
const SILENT_AFTER_MS = 600_000
const MAX_ASK_MS = 4000

declare const self: ServiceWorkerGlobalScope

/** The content of a push message, as written by `src/notify/push/web-push.ts`. */
interface PushMessage {
  title: string
  body: string
  tag: string
  url: string
  is_silent: boolean
  /** ms since epoch, by the server's clock. */
  sent_at: number
  delivery: string
  token: string
}

/** Fired when the browser replaces a subscription (Push API). Not every browser and type library has its properties. */
interface SubscriptionChange extends ExtendableEvent {
  readonly oldSubscription?: PushSubscription | null
  readonly newSubscription?: PushSubscription | null
}

self.addEventListener('install', () => void self.skipWaiting())
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))
self.addEventListener('push', (event) => event.waitUntil(show(event.data)))
self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(open(event.notification.data))
})
self.addEventListener('pushsubscriptionchange', (event) => {
  const change = event as SubscriptionChange
  change.waitUntil(renew(change))
})

async function show(data: PushMessageData | null): Promise<void> {
  const message = messageOf(data)
  // A browser revokes the permission of a site that shows no notification.
  if (message === null) return self.registration.showNotification('Class Cords', { body: 'A seat may have opened.' })
  const { title, body, tag, is_silent } = message
  const age = Date.now() - message.sent_at
  const isSilenced = age > SILENT_AFTER_MS
  const isGone = age > LATE_MS && !(await isStillOpen(message.url))
  await self.registration.showNotification(isGone ? title.replace(/^[^:]*/, 'No longer open') : title, {
    body,
    tag,
    silent: is_silent || isGone || isSilenced,
    icon: '/icon-192.png',
    badge: '/badge-96.png',
    data: message,
  })
  if (!isSilenced) await report(message, 'shown')
}

/** Whether one of the message's seats may still be there; true if that cannot be found out in time. */
async function isStillOpen(url: string): Promise<boolean> {
  try {
    const init = { headers: { accept: 'application/json' }, signal: AbortSignal.timeout(MAX_ASK_MS) }
    const { props }: { props: { alerts: { now: { status: string } }[] } } = await (await fetch(url, init)).json()
    return props.alerts.some(({ now }) => now.status === 'open' || now.status === 'unknown')
  } catch {
    return true
  }
}

async function open(message: PushMessage | null): Promise<void> {
  if (!message?.url) return
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const known = windows.find(({ url }) => url === message.url)
  await Promise.all([report(message, 'opened'), known ? known.focus() : self.clients.openWindow(message.url)])
}

/** A lost report is not repeated: the message then counts as unseen, and the text is sent. */
async function report({ delivery, token }: PushMessage, event: 'shown' | 'opened'): Promise<void> {
  // A notice is not about a seat.
  if (delivery === '') return
  const request = { method: 'POST', headers: { 'x-device-token': token }, keepalive: true }
  await fetch('/push/seen', { ...request, body: new URLSearchParams({ delivery, event }) }).catch(() => null)
}

/** The subscription was replaced: the server must send to the new one. */
async function renew({ oldSubscription, newSubscription }: SubscriptionChange): Promise<void> {
  const token = await keptToken()
  if (token === undefined) return
  const applicationServerKey = oldSubscription?.options.applicationServerKey ?? (await keptKey()) ?? null
  const options = { userVisibleOnly: true, applicationServerKey }
  const given = newSubscription ?? (await self.registration.pushManager.subscribe(options))
  await sendSubscription(given, { 'x-device-token': token })
}

function messageOf(data: PushMessageData | null): PushMessage | null {
  try {
    return data?.json() ?? null
  } catch {
    return null
  }
}
