import { randomBytes, randomInt } from 'node:crypto'
import type { School, Section, Term } from '../schools/types.ts'

/** What was searched for last: the sections of every chosen college, with the criteria as the page repeats them. */
export interface CunyResults {
  echo: { subject: string; career: string; openOnly: boolean }
  colleges: { college: School; sections: Section[] }[]
}

/**
 * One visitor's state: first page seen (S1), institutions and term chosen (S2), results held (S3). A session holds one
 * choice at a time; two interleaved searches in it mix.
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

  /** The living session of that cookie, else a new one together with the cookie that names it. */
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
