interface Cookie {
  name: string
  value: string
  path: string
  secure: boolean
  /** ms since epoch; null: as long as the jar */
  expiresAt: number | null
}

/**
 * The cookies of one conversation with one origin, by the rules of RFC 6265: the session's and the load balancer's
 * cookies must both be sent back, each only under its path, or the next node behind the balancer has no session.
 */
export class CookieJar {
  #cookies = new Map<string, Cookie>()

  /** Stores the cookie of a `Set-Cookie` line; refuses one for another host and removes an expired one. */
  store(line: string, url: URL, now: number): void {
    const [pair = '', ...attributes] = line.split(';')
    const equals = pair.indexOf('=')
    if (equals < 1) return
    const cookie: Cookie = {
      name: pair.slice(0, equals).trim(),
      value: pair.slice(equals + 1).trim(),
      path: defaultPath(url.pathname),
      secure: false,
      expiresAt: null,
    }
    let maxAge: number | null = null
    for (const attribute of attributes) {
      const [key = '', ...rest] = attribute.split('=')
      const value = rest.join('=').trim()
      const name = key.trim().toLowerCase()
      if (name === 'path' && value.startsWith('/')) cookie.path = value
      else if (name === 'secure') cookie.secure = true
      else if (name === 'max-age' && /^-?\d+$/.test(value)) maxAge = Number(value)
      else if (name === 'expires' && !Number.isNaN(Date.parse(value))) cookie.expiresAt = Date.parse(value)
      else if (name === 'domain' && !coversHost(value, url.hostname)) return
    }
    if (maxAge !== null) cookie.expiresAt = now + maxAge * 1000
    const key = `${cookie.name}\n${cookie.path}`
    if (cookie.expiresAt !== null && cookie.expiresAt <= now) this.#cookies.delete(key)
    else this.#cookies.set(key, cookie)
  }

  /** The `Cookie` header for a request, longest path first; null when no cookie applies. */
  header(url: URL, now: number): string | null {
    const chosen = [...this.#cookies.values()].filter(
      (cookie) =>
        coversPath(cookie.path, url.pathname) &&
        (!cookie.secure || url.protocol === 'https:' || isLoopback(url.hostname)) &&
        (cookie.expiresAt === null || cookie.expiresAt > now),
    )
    if (chosen.length === 0) return null
    chosen.sort((one, other) => other.path.length - one.path.length)
    return chosen.map((cookie) => `${cookie.name}=${cookie.value}`).join('; ')
  }

  clear(): void {
    this.#cookies.clear()
  }
}

function defaultPath(pathname: string): string {
  const end = pathname.lastIndexOf('/')
  return end <= 0 ? '/' : pathname.slice(0, end)
}

function coversPath(path: string, pathname: string): boolean {
  if (!pathname.startsWith(path)) return false
  return pathname.length === path.length || path.endsWith('/') || pathname[path.length] === '/'
}

function coversHost(domain: string, hostname: string): boolean {
  const bare = domain.replace(/^\./, '').toLowerCase()
  return bare === '' || hostname === bare || hostname.endsWith(`.${bare}`)
}

/** Browsers treat this machine as secure too, so a stand-in may mark its cookies `Secure`. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}
