import { createMiddleware } from 'hono/factory'
import type { SiteContext, SiteEnv } from '../site.ts'
import { isTimeZone } from '../../lib/time.ts'

/** The client's address, as far as the edge knows it. */
export function placeOf(c: SiteContext): { ipAddress: string | null; country: string | null } {
  const country = c.req.raw.cf?.country
  return {
    ipAddress: c.req.header('cf-connecting-ip') ?? null,
    country: typeof country === 'string' ? country : null,
  }
}

/** The key for limits: the IPv4 address, or the /64 of an IPv6 address, because one home or phone owns all of it. */
export function limitedAddress(c: SiteContext): string {
  return networkOf(c.req.header('cf-connecting-ip') ?? '')
}

/** The network around {@link limitedAddress}, all of which a server may own: the /48 of an IPv6 address; else null. */
export function limitedNetwork(c: SiteContext): string | null {
  return widerNetworkOf(c.req.header('cf-connecting-ip') ?? '')
}

export function widerNetworkOf(address: string): string | null {
  const groups = networkOf(address).split(':')
  return groups.length === 4 ? groups.slice(0, 3).join(':') : null
}

/** The /64 of an IPv6 address as four groups; an IPv4 address (also one embedded in IPv6) unchanged. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped) return mapped
  const [head = '', tail] = address.toLowerCase().split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length)
  const groups = [...before, ...Array.from({ length: zeros }, () => '0'), ...after]
  return groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')
}

/** The time zone in which dates are shown: the request's location, or UTC. */
export const readTimeZone = createMiddleware<SiteEnv>(async function readTimeZone(c, next) {
  const zone = c.req.raw.cf?.timezone
  c.set('timeZone', typeof zone === 'string' && isTimeZone(zone) ? zone : 'UTC')
  await next()
})
