import { isLoopback } from './cookies.ts'

const LEADS_INSIDE = 'The address leads into a private network.'

/**
 * Why `url` is not the address of a system that answers under `ending`; null if it is. An address of this machine is
 * accepted here: {@link refuseLoopback} says where it may be used.
 */
export function refuseAddress(url: string, ending: string): string | null {
  const parsed = URL.parse(url)
  if (parsed === null || /[\s\\\p{Cc}]/u.test(url)) return 'The address is not a URL.'
  if (parsed.protocol !== 'https:' && parsed.protocol !== 'http:') return 'The address must begin with https://.'
  if (parsed.username !== '' || parsed.password !== '' || url.includes('@'))
    return 'The address must not contain a username or password.'
  if (/[?#]/.test(url)) return 'The address must end after its path.'
  if (!parsed.pathname.endsWith(ending)) return `The address must end in ${ending}.`
  if (isIpv4(parsed.hostname) && !isLoopback(parsed.hostname) && !url.includes(`//${parsed.hostname}`))
    return 'An IPv4 address is written as four decimal numbers.'
  return refuseTarget(parsed)
}

/**
 * Like {@link refuseAddress}, for a system under a path of the school's own, such as `example`.
 * @param pages the pages below that path, the first of which is `page`
 */
export function refuseApplication(url: string, example: string, pages: RegExp, page: string): string | null {
  const refusal = refuseAddress(url, '')
  if (refusal !== null) return refusal
  const { pathname } = new URL(url)
  if (pathname === '/') return `The address must end in the path of the application, such as ${example}.`
  return pages.test(pathname) ? `The address must end before ${page}.` : null
}

/**
 * Why no request may go to `url`, regardless of who supplied it: anything but https, and a host inside a network
 * instead of on the internet. Null if it may. `URL` has already normalized every notation of an IP address. What a name
 * resolves to cannot be seen from a Worker.
 */
export function refuseTarget({ protocol, hostname }: URL): string | null {
  if (isLoopback(hostname)) return null
  if (protocol !== 'https:') return 'The address must begin with https://.'
  if (hostname.startsWith('[')) return isPublicIpv6(groupsOf(hostname.slice(1, -1))) ? null : LEADS_INSIDE
  if (isIpv4(hostname)) return PRIVATE_IPV4.some((range) => covers(range, numberOf(hostname))) ? LEADS_INSIDE : null
  if (hostname.endsWith('.')) return 'The host name must not end in a dot.'
  const last = hostname.slice(hostname.lastIndexOf('.') + 1)
  return hostname.includes('.') && !INSIDE_NAMES.has(last) ? null : LEADS_INSIDE
}

/**
 * Why `url` may not be asked by the site at `appUrl`: an address of this machine is for a site that runs on it.
 * @param appUrl the `APP_URL` setting
 */
export function refuseLoopback(url: string, appUrl: string): string | null {
  const isLocal = (text: string) => isLoopback(URL.parse(text)?.hostname ?? '')
  return isLocal(url) && !isLocal(appUrl) ? 'An address of this machine is for development only.' : null
}

/** The key of a request budget, as in the database: the host, or the full address if it is on this machine. */
export function hostOf(url: string): string {
  const parsed = URL.parse(url)
  return parsed?.protocol === 'https:' ? parsed.hostname : url
}

/** Ends of names that only a network's own resolver knows (RFC 6761, RFC 6762, RFC 8375, and by convention). */
const INSIDE_NAMES = new Set(
  'arpa corp home internal intranet lan local localdomain localhost onion private'.split(' '),
)

/** As [first address, bits]. Source: the IANA IPv4 Special-Purpose Address Registry. */
const PRIVATE_IPV4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const

function isIpv4(hostname: string): boolean {
  return /^\d+\.\d+\.\d+\.\d+$/.test(hostname)
}

function numberOf(ipv4: string): number {
  return ipv4.split('.').reduce((number, part) => number * 256 + Number(part), 0)
}

function covers([first, bits]: (typeof PRIVATE_IPV4)[number], address: number): boolean {
  const size = 2 ** (32 - bits)
  return Math.floor(address / size) === Math.floor(numberOf(first) / size)
}

/** The eight groups of an IPv6 address as `URL` writes it. */
function groupsOf(ipv6: string): number[] {
  const [head = [], tail = []] = ipv6.split('::').map((half) => (half === '' ? [] : half.split(':')))
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0')
  return [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16))
}

/**
 * Global unicast is 2000::/3; everything outside it is local, multicast, or holds an IPv4 address. Inside it are the
 * IETF's own (2001::/23, Teredo among them), documentation (2001:db8::/32, 3fff::/20) and 6to4 (2002::/16). Source: the
 * IANA IPv6 Special-Purpose Address Registry.
 */
function isPublicIpv6([first = 0, second = 0]: readonly number[]): boolean {
  if (first < 0x2000 || first > 0x3fff || first === 0x2002) return false
  if (first === 0x2001) return second >= 0x200 && second !== 0xdb8
  return first !== 0x3fff || second >= 0x1000
}

/** The page one level above an address, with its slash. */
export function pageAbove({ url }: { url: string }): string {
  return url.slice(0, url.lastIndexOf('/') + 1)
}
