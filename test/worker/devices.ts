import { env } from 'cloudflare:workers'
import { getRecipientLink } from '../../src/class-tracker/recipients/own-link.ts'
import { makeRecipient } from './catalog.ts'
import { rows } from './rows.ts'
import { trackerStaff } from './tracker-staff.ts'
import { Visitor } from './visitor.ts'

/* Devices that get notifications, and the pages on which they are added. */

interface Subscribed {
  endpoint: string
  p256dh: string
  auth: string
}
interface Contact {
  id: number
  recipient_id: number
  address: string
  device: string
  is_enabled: number
  verified_at: number | null
}

/** What a browser sends once its device has subscribed to notifications. */
export async function subscription(): Promise<Subscribed> {
  const answer = await fetch(`${env.WORLD_URL}/_world/devices`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Chrome on Android', key: env.VAPID_PUBLIC_KEY }),
  })
  const { endpoint, keys } = await answer.json<{ endpoint: string; keys: { p256dh: string; auth: string } }>()
  return { endpoint, ...keys }
}

/** A recipient with their own page open. */
export async function scene() {
  const recipient = await makeRecipient()
  const { url } = await getRecipientLink(env, trackerStaff, recipient, { isNew: false, now: 0 })
  const path = url.slice(env.APP_URL.length)
  const visitor = new Visitor()
  await visitor.see(path)
  const token = path.slice('/r/'.length)
  const subscribe = (sent: Partial<Subscribed>, more: Record<string, string> = {}) =>
    visitor.call('POST', '/push/subscribe', { token, device: 'Chrome on Android', ...sent, ...more })
  const contacts = () =>
    rows<Contact>("SELECT * FROM contact WHERE recipient_id = ? AND kind = 'push' ORDER BY id", recipient)
  return { recipient, path, visitor, subscribe, contacts }
}

/** A call of a device's service worker, which has no page and no page token. */
export function deviceCall(path: string, token: string | null, fields: Record<string, string>): Promise<Response> {
  const headers = { origin: 'http://localhost:8787', ...(token !== null && { 'x-device-token': token }) }
  return new Visitor().fetch(path, { method: 'POST', headers, body: new URLSearchParams(fields) })
}
