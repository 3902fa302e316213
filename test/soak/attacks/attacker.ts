import { setTimeout as pause } from 'node:timers/promises'
import { Visitor } from '../../world/client.ts'
import { randomFrom, type Random } from '../../world/random.ts'
import type { Known } from '../soak-accounts.ts'

/** What attackers tried and the results. */
export interface AttackTally {
  /** By kind of attack: how many answers of each status. */
  answers: Map<string, Map<number, number>>
  /** Answers that revealed or gave something to an attacker. */
  gained: string[]
  /** Answers of 500 and above while the app was up. */
  failures: string[]
}

/** The targets of attacks. */
export interface Target {
  origin: string
  known: Known
  isUp(): boolean
  isOver(): boolean
  /** The cookie of a logged-in staff member, for attacks that only staff can try; null if there is none. */
  staffSession(): string | null
  /** Called when a client has used a public invite. */
  used(invite: number, address: string): void
  tally: AttackTally
}

export interface Answer {
  status: number
  text: string
  location: string
}

/** How one request is sent, and which answers reveal nothing. */
interface Sent {
  harmless: readonly number[]
  method?: string
  headers?: Record<string, string>
  body?: BodyInit
  /** Logging in to an account of one's own. */
  isOwn?: boolean
}

const patienceMs = 20_000
const MAX_KEPT = 20
/** These never reveal anything. */
const refusals = [403, 429]

/** One attacker, from one address, with any number of browsers. */
export class Attacker {
  readonly number: number
  readonly address: string
  readonly target: Target
  readonly random: Random
  /** The current attack. */
  kind = ''

  constructor(target: Target, number: number, address: string) {
    this.target = target
    this.number = number
    this.address = address
    this.random = randomFrom(`attacker ${number} ${Date.now()}`)
  }

  /** A browser without cookies. */
  browser(): Visitor {
    return new Visitor(this.target.origin)
  }

  /** A word that was never used before. */
  word(): string {
    return Math.floor(this.random.next() * 2 ** 40).toString(36)
  }

  /** Sends one request and judges its answer. Null if there was none: the app is down, or takes too long. */
  async send(browser: Visitor, path: string, sent: Sent): Promise<Answer | null> {
    const { target } = this
    while (!target.isUp() && !target.isOver()) await pause(500)
    if (target.isOver()) return null
    const { harmless, method = 'GET', headers, body, isOwn = false } = sent
    const before = browser.jar.get('session')
    try {
      const response = await browser.request(path, {
        method,
        headers: { accept: 'text/html', origin: target.origin, 'cf-connecting-ip': this.address, ...headers },
        signal: AbortSignal.timeout(patienceMs),
        ...(body !== undefined && { body }),
      })
      const answer = {
        status: response.status,
        text: await response.text(),
        location: response.headers.get('location') ?? '',
      }
      const session = browser.jar.get('session')
      const isLoggedIn = !isOwn && session !== before && Boolean(session)
      this.#count(path, answer, isLoggedIn || ![...harmless, ...refusals].includes(answer.status))
      return answer
    } catch {
      return null
    }
  }

  /** Posts a form as a browser does, with its token. */
  async post(browser: Visitor, path: string, fields: Record<string, string>, sent: Sent): Promise<Answer | null> {
    const token = await this.token(browser)
    const body = new URLSearchParams({ ...fields, csrf_token: token })
    return this.send(browser, path, { ...sent, method: 'POST', body })
  }

  /** The token of this browser's forms; '' if it cannot get one. */
  async token(browser: Visitor): Promise<string> {
    const page = await this.send(browser, '/class_tracker/', { harmless: [200] })
    return /"csrf_token":"([^"]+)"/.exec(page?.text ?? '')?.[1] ?? ''
  }

  /** Records a success that no status shows. */
  gained(what: string): void {
    const { gained } = this.target.tally
    if (gained.length < MAX_KEPT) gained.push(`${this.kind}: ${what}`)
  }

  #count(path: string, { status, text }: Answer, isGain: boolean): void {
    const { answers, failures } = this.target.tally
    const ofKind = answers.get(this.kind) ?? new Map<number, number>()
    answers.set(this.kind, ofKind.set(status, (ofKind.get(status) ?? 0) + 1))
    const said = `${status} ${path.slice(0, 120)}: ${text.slice(0, 200)}`
    if (status >= 500) {
      if (this.target.isUp() && failures.length < MAX_KEPT) failures.push(`${this.kind}: ${said}`)
    } else if (isGain) this.gained(said)
  }
}

/** One kind of attack. */
export interface Attack {
  kind: string
  /** At most one attacker does it at a time, because it takes as much of the machine as it can get. */
  isFlood?: boolean
  run(attacker: Attacker): Promise<void>
}
