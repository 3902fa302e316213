import { base64url, bytesOfBase64url } from '../../lib/bytes.ts'

/**
 * Push services whose endpoints are accepted: Google (Chrome and most others; the second is used by Chromium builds
 * that are not Google's, as in Linux distributions), Mozilla, Apple and Microsoft. The address comes from the browser
 * that adds a device, so no other host is contacted.
 */
const HOSTS = [
  /^fcm\.googleapis\.com$/,
  /^jmt17\.google\.com$/,
  /^(?:[\w-]+\.)*push\.services\.mozilla\.com$/,
  /^(?:[\w-]+\.)*push\.apple\.com$/,
  /^(?:[\w-]+\.)*notify\.windows\.com$/,
]
const MAX_ENDPOINT = 1000
/** An uncompressed point of P-256 begins with this byte. */
const UNCOMPRESSED = 4
const POINT_BYTES = 65
const AUTH_BYTES = 16

/** A browser's subscription for a device that receives notifications (Push API, "PushSubscription"). */
export interface Subscription {
  endpoint: string
  /** The device's public key, an uncompressed point of P-256. */
  p256dh: Uint8Array
  auth: Uint8Array
}

/**
 * A subscription in the browser's format, with its keys in base64url; null for anything else, or for an unknown push
 * service.
 * @param serviceUrl the `PUSH_SERVICE_URL` setting: endpoints under it are accepted too; '' for none
 */
export function subscriptionOf(
  sent: { endpoint: string; p256dh: string; auth: string },
  serviceUrl: string,
): Subscription | null {
  const endpoint = endpointOf(sent.endpoint, serviceUrl)
  const p256dh = bytesOfBase64url(sent.p256dh.replace(/=+$/, ''))
  const auth = bytesOfBase64url(sent.auth.replace(/=+$/, ''))
  if (endpoint === null || p256dh === null || auth === null) return null
  const isValid = p256dh.length === POINT_BYTES && p256dh[0] === UNCOMPRESSED && auth.length === AUTH_BYTES
  return isValid ? { endpoint, p256dh, auth } : null
}

/** A subscription as the address of its contact: `{endpoint}#{key}.{auth}`. */
export function pushAddress({ endpoint, p256dh, auth }: Subscription): string {
  return `${endpoint}#${base64url(p256dh)}.${base64url(auth)}`
}

/** The subscription in a contact's address; null if it is no longer valid. */
export function parsePushAddress(address: string, serviceUrl: string): Subscription | null {
  const [, endpoint = '', p256dh = '', auth = ''] = /^([^#]*)#([^.]*)\.(.*)$/.exec(address) ?? []
  return subscriptionOf({ endpoint, p256dh, auth }, serviceUrl)
}

export function endpointIn(address: string): string {
  return address.split('#')[0] ?? address
}

/** The host of the push service, which limits us per host. */
export function pushHost(address: string): string {
  return URL.parse(endpointIn(address))?.host ?? 'unknown'
}

/** 'Device (Mozilla)', after the owner of its push service, named by the second-level domain of its host. */
export function maskedDevice(address: string): string {
  const owner = /([\w-]+)\.\w+$/.exec(URL.parse(address)?.hostname ?? '')?.[1]
  const names: Readonly<Record<string, string>> = {
    googleapis: 'Google',
    google: 'Google',
    mozilla: 'Mozilla',
    apple: 'Apple',
    windows: 'Microsoft',
  }
  const name = owner === undefined ? undefined : names[owner]
  return name === undefined ? 'Device' : `Device (${name})`
}

function endpointOf(text: string, serviceUrl: string): string | null {
  if (text.length > MAX_ENDPOINT || !/^[\x21-\x7E]+$/.test(text)) return null
  const url = URL.parse(text)
  if (url === null || url.username !== '' || url.password !== '' || url.hash !== '') return null
  const service = URL.parse(serviceUrl)
  if (service !== null && url.origin === service.origin) {
    return url.pathname.startsWith(`${service.pathname.replace(/\/$/, '')}/`) ? url.href : null
  }
  const isKnown = url.protocol === 'https:' && url.port === '' && HOSTS.some((host) => host.test(url.hostname))
  return isKnown ? url.href : null
}
