import { randomBytes, randomInt } from 'node:crypto'
import type { School, Section, Term } from '../schools/types.ts'

/** The last search: the sections of every selected college, with the criteria as the page repeats them. */
export interface CunyResults {
  echo: { subject: string; career: string; openOnly: boolean }
  colleges: { college: School; sections: Section[] }[]
}

/**
 * One visitor's state: first page opened (S1), institutions and term selected (S2), results found (S3). A session holds
 * one selection at a time; two interleaved searches in it mix.
 */
export interface CunySession {
  id: string
  chosen: { colleges: School[]; term: Term } | null
  results: CunyResults | null
  usedAt: number
}

/** Sessions of the one search site, by JSESSIONID. */
export class CunySessions {
  readonly #sessions = new Map<string, CunySession>()
  readonly #idleMs: number

  constructor(idleMs: number) {
    this.#idleMs = idleMs
  }

  endAll(): void {
    this.#sessions.clear()
  }

  /** The cookie's session, otherwise a new one together with its cookie. */
  open(cookie: string | undefined, now: number): { session: CunySession; setCookie: string[] } {
    const known = this.#sessions.get(cookie ?? '')
    if (known && now - known.usedAt <= this.#idleMs) {
      known.usedAt = now
      return { session: known, setCookie: [] }
    }
    const id = `${randomBytes(39).toString('base64url')}!-${randomInt(1e9, 2e9)}`
    const session: CunySession = { id, chosen: null, results: null, usedAt: now }
    this.#sessions.set(id, session)
    for (const [key, old] of this.#sessions) if (now - old.usedAt > this.#idleMs) this.#sessions.delete(key)
    return { session, setCookie: [`JSESSIONID=${id}; path=/; HttpOnly`] }
  }
}
