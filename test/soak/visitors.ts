import { Visitor } from '../world/client.ts'
import { randomFrom } from '../world/random.ts'
import { SIGN_INS } from '../world/start/seed.ts'

/** The app lets one address try 30 times a minute. */
const signInMs = 3000
const mostAtOnce = 100
/** While the app starts a few knock: all of them would only keep it from starting. */
const mostWhileDown = 5
const patienceMs = 20_000
/** After each start for a minute so many times as many come: who was turned away, all at once. */
const rush = { times: 2.5, ms: 60_000 }

/** What visitors were answered. */
export interface Tally {
  asked: number
  /** Not asked, because too many waited for an answer: the machine is too slow. */
  shed: number
  signIns: number
  refusedConnections: number
  timedOut: number
  byStatus: Map<number, number>
  /** Answers of 500 and above while the app was up, the first few. */
  failures: string[]
  /** Milliseconds to the whole answer. */
  times: number[]
}

const publicPaths = [
  '/',
  '/classcords/',
  '/classcords/all/',
  '/classcords/all/?q=calculus',
  '/classcords/all/?page=2',
  '/classcords/school/1/',
  '/classcords/login/',
  '/accounts/login/',
  '/accounts/signup/',
  '/class_tracker/',
  '/classcords/ajax/subjects/',
  '/classcords/ajax/servers/1/invites/',
  '/no/such/page/',
]
const staffPaths = [
  '/class_tracker/',
  '/class_tracker/add_classes/',
  '/class_tracker/add_classes/?page=2',
  '/class_tracker/class_alerts/',
  '/class_tracker/class_alerts/?q=calculus',
  '/class_tracker/manage_course_list/',
  '/class_tracker/get_schools',
  '/class_tracker/get_subjects/0/1',
  '/class_tracker/get_recipient_form/1',
  '/scheduler/',
  '/scheduler/queues/',
]

/**
 * So many requests a second of mixed use, and more after a start, whatever the answers: a third of them signed in, now and then
 * somebody signs in.
 */
export class Visitors {
  readonly tally: Tally = {
    asked: 0,
    shed: 0,
    signIns: 0,
    refusedConnections: 0,
    timedOut: 0,
    byStatus: new Map(),
    failures: [],
    times: [],
  }
  readonly #origin: string
  readonly #aSecond: number
  readonly #isUp: () => boolean
  readonly #random = randomFrom('visitors')
  readonly #timers: NodeJS.Timeout[] = []
  #staff: Visitor | null = null
  #waiting = 0
  #rushEndsAt = 0

  /** @param isUp whether the app has answered since it was last ended */
  constructor(origin: string, aSecond: number, isUp: () => boolean) {
    this.#origin = origin
    this.#aSecond = aSecond
    this.#isUp = isUp
  }

  /** To be called when the app has just started for the first time. */
  start(): void {
    this.rush()
    let countedAt = performance.now()
    let due = 0
    this.#timers.push(
      setInterval(() => {
        const now = performance.now()
        due += ((now - countedAt) / 1000) * this.#aSecond * (now < this.#rushEndsAt ? rush.times : 1)
        countedAt = now
        for (; due >= 1; due -= 1) void this.#one()
      }, 20),
      setInterval(() => void this.#signIn(), signInMs),
    )
    void this.#signIn()
  }

  /** To be called when the app has started again. */
  rush(): void {
    this.#rushEndsAt = performance.now() + rush.ms
  }

  /** Resolves when nobody waits any more. */
  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer)
    while (this.#waiting > 0) await new Promise((resolve) => setTimeout(resolve, 50))
  }

  async #one(): Promise<void> {
    if (this.#waiting >= (this.#isUp() ? mostAtOnce : mostWhileDown)) {
      this.tally.shed += 1
      return
    }
    if (this.#staff && this.#random.chance(0.35)) await this.#ask(this.#staff, this.#random.pick(staffPaths))
    else await this.#ask(new Visitor(this.#origin), this.#random.pick(publicPaths))
  }

  /** The answer's text; null when there was none. */
  async #ask(visitor: Visitor, path: string, form?: Record<string, string>): Promise<Response | null> {
    const wasUp = this.#isUp()
    const startedAt = performance.now()
    const body = form && new URLSearchParams(form)
    this.tally.asked += 1
    this.#waiting += 1
    try {
      const response = await visitor.request(path, {
        headers: { accept: 'text/html', origin: this.#origin },
        signal: AbortSignal.timeout(patienceMs),
        ...(body && { method: 'POST', body }),
      })
      const text = await response.text()
      this.#count(path, response.status, text, wasUp && this.#isUp())
      this.tally.times.push(performance.now() - startedAt)
      return new Response(text === '' ? null : text, { status: Math.max(200, response.status) })
    } catch (error) {
      if (error instanceof Error && error.name === 'TimeoutError' && wasUp && this.#isUp()) this.tally.timedOut += 1
      else this.tally.refusedConnections += 1
      return null
    } finally {
      this.#waiting -= 1
    }
  }

  #count(path: string, status: number, text: string, isUp: boolean): void {
    const { byStatus, failures } = this.tally
    byStatus.set(status, (byStatus.get(status) ?? 0) + 1)
    if (status >= 500 && isUp && failures.length < 20) failures.push(`${status} ${path}: ${text.slice(0, 300)}`)
  }

  async #signIn(): Promise<void> {
    const [{ username, password }] = SIGN_INS
    const visitor = new Visitor(this.#origin)
    const path = '/class_tracker/login_view/'
    const page = await (await this.#ask(visitor, path))?.text()
    const token = /name="csrf_token" value="([^"]+)"/.exec(page ?? '')?.[1]
    if (token === undefined) return
    const answer = await this.#ask(visitor, path, { username, password, csrf_token: token })
    if (answer === null || !visitor.jar.get('session')) return
    this.tally.signIns += 1
    this.#staff = visitor
  }
}
