import { randomBytes } from 'node:crypto'
import type { BannerStyle } from '../schools/types.ts'
import type { Call } from '../http.ts'

const NODES = ['a', 'b'] as const

export interface BannerSession {
  node: string
  /** The term bound by term/search; earlier searches find nothing. */
  term: string | null
  /** The filters of the first search, which stay until resetDataForm. */
  criteria: URLSearchParams | null
  usedAt: number
}

/** The registration servers behind one school's load balancer. Each knows only the sessions it began itself. */
export class BannerSessions {
  readonly #sessions = new Map<string, BannerSession>()
  readonly #style: BannerStyle
  readonly #idleMs: number
  readonly #cookiePath: string
  #turn = 0

  constructor(style: BannerStyle, idleMs: number, cookiePath: string) {
    this.#style = style
    this.#idleMs = idleMs
    this.#cookiePath = cookiePath
  }

  endAll(): void {
    this.#sessions.clear()
  }

  /** The node that gets this call: the cookie's, otherwise any but the one with the session. */
  #nodeFor(call: Call): string {
    for (const name of this.#style.nodeCookies) {
      const node = NODES.find((candidate) => call.cookies.get(name)?.endsWith(`.${candidate}`))
      if (node) return node
    }
    const held = this.#sessions.get(call.cookies.get('JSESSIONID') ?? '')?.node
    const others = NODES.filter((node) => node !== held)
    return others[this.#turn++ % others.length] ?? 'a'
  }

  #nodeCookies(node: string): string[] {
    const mark = randomBytes(12).toString('hex')
    return this.#style.nodeCookies.map((name) => `${name}=${mark}.${node}; Path=/`)
  }

  /** The call's session, if it reached the node that has it, and the cookies of every answer. */
  find(call: Call, now: number): { session: BannerSession | null; node: string; cookies: string[] } {
    const node = this.#nodeFor(call)
    const session = this.#sessions.get(call.cookies.get('JSESSIONID') ?? '')
    const live = session && session.node === node && now - session.usedAt <= this.#idleMs ? session : null
    if (live) live.usedAt = now
    return { session: live, node, cookies: this.#nodeCookies(node) }
  }

  begin(node: string, now: number): { session: BannerSession; cookie: string } {
    const id = randomBytes(16).toString('hex').toUpperCase()
    const session: BannerSession = { node, term: null, criteria: null, usedAt: now }
    this.#sessions.set(id, session)
    for (const [key, old] of this.#sessions) if (now - old.usedAt > this.#idleMs) this.#sessions.delete(key)
    return { session, cookie: `JSESSIONID=${id}; Path=${this.#cookiePath}; HttpOnly` }
  }
}
