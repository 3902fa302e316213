import { Visitor } from '../world/client.ts'
import { randomFrom } from '../world/random.ts'
import { SIGN_INS } from '../world/start/seed.ts'
import type { Clients } from './clients.ts'

/** The app allows one address 30 attempts a minute. */
const loginMs = 3000
const mostAtOnce = 100
/** While the app starts, a few clients try: all of them would only delay its start. */
const mostWhileDown = 5
const patienceMs = 20_000
const MAX_FAILURES = 20
/** For a minute after each start, this many times the usual load: everyone who was turned away returns. */
const rush = { times: 2.5, ms: 60_000 }

/** A form is posted; otherwise the default is GET. */
interface Sent {
  method?: string
  form?: Record<string, string>
  /** The one status that counts as success; default: 303 after a form, otherwise 200. */
  expected?: number
  headers?: Record<string, string>
}

/** The answers that visitors got. */
export interface Tally {
  asked: number
  /** Not sent, because too many waited for an answer: the machine is too slow. */
  shed: number
  logins: number
  refusedConnections: number
  timedOut: number
  byStatus: Map<number, number>
  /** How often legitimate users did not get what they requested: an error while the app was up, a refusal, a limit. */
  failed: number
  /** The first few of them. */
  failures: string[]
  /** Milliseconds to the whole answer. */
  times: number[]
}

/** Addresses that do not answer 200. */
const others = new Map([
  ['/no/such/page/', 404],
  ['/scheduler/', 302],
])
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
 * Mixed use at this many requests per second, and more after a start, whatever the answers: a third of the users are
 * logged in, and some log in.
 */
export class Visitors {
  readonly tally: Tally = {
    asked: 0,
    shed: 0,
    logins: 0,
    refusedConnections: 0,
    timedOut: 0,
    byStatus: new Map(),
    failed: 0,
    failures: [],
    times: [],
  }
  readonly #origin: string
  readonly #aSecond: number
  readonly #clients: Clients
  readonly #isUp: () => boolean
  readonly #random = randomFrom('visitors')
  readonly #timers: NodeJS.Timeout[] = []
  /** The staff's browser, known to the site from the first login on. */
  readonly #staff: Visitor
  #isLoggedIn = false
  #waiting = 0
  #rushEndsAt = 0

  /** @param isUp whether the app has answered since it was last ended */
  constructor(origin: string, { aSecond, clients, isUp }: { aSecond: number; clients: Clients; isUp: () => boolean }) {
    this.#origin = origin
    this.#aSecond = aSecond
    this.#clients = clients
    this.#isUp = isUp
    this.#staff = new Visitor(origin)
  }

  /** Call it when the app has started for the first time. Resolves when the staff are logged in. */
  async start(): Promise<void> {
    await this.#logIn()
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
      setInterval(() => void this.#logIn(), loginMs),
    )
  }

  /** The cookie of the staff's session; null before there is one. */
  get staffSession(): string | null {
    return this.#staff.jar.get('session') || null
  }

  /** The address of a random legitimate user. */
  anybody(): string {
    return this.#random.pick(this.#clients.honest)
  }

  /** Call it when the app has restarted. */
  rush(): void {
    this.#rushEndsAt = performance.now() + rush.ms
  }

  /** Resolves when no one waits anymore. */
  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer)
    while (this.#waiting > 0) await new Promise((resolve) => setTimeout(resolve, 50))
  }

  async #one(): Promise<void> {
    if (this.#waiting >= (this.#isUp() ? mostAtOnce : mostWhileDown)) {
      this.tally.shed += 1
      return
    }
    const isStaff = this.#isLoggedIn && this.#random.chance(0.35)
    const path = this.#random.pick(isStaff ? staffPaths : publicPaths)
    const visitor = new Visitor(this.#origin)
    if (isStaff) for (const [name, value] of this.#staff.jar) visitor.jar.set(name, value)
    const address = isStaff ? this.#clients.staff : this.anybody()
    await this.ask(visitor, address, path, { expected: others.get(path) ?? 200 })
  }

  /** Sends a request as a person does. Returns the answer; null if there was none. */
  async ask(
    visitor: Visitor,
    address: string,
    path: string,
    { method = 'GET', form, expected = form ? 303 : 200, headers }: Sent = {},
  ): Promise<{ status: number; text: string } | null> {
    // A start in between sets the end of the rush again.
    const life = this.#isUp() ? this.#rushEndsAt : null
    const startedAt = performance.now()
    this.tally.asked += 1
    this.#waiting += 1
    try {
      const response = await visitor.request(path, {
        method: form ? 'POST' : method,
        headers: { accept: 'text/html', origin: this.#origin, 'cf-connecting-ip': address, ...headers },
        signal: AbortSignal.timeout(patienceMs),
        ...(form && { body: new URLSearchParams(form) }),
      })
      const answer = { status: response.status, text: await response.text() }
      this.tally.times.push(performance.now() - startedAt)
      this.#count(path, answer, expected, life !== null && this.#isUp())
      return answer
    } catch (error) {
      const isLate = error instanceof Error && error.name === 'TimeoutError'
      if (isLate && life !== null && this.#isUp() && life === this.#rushEndsAt) this.tally.timedOut += 1
      else this.tally.refusedConnections += 1
      return null
    } finally {
      this.#waiting -= 1
    }
  }

  /** Records that a legitimate user did not get what they requested. */
  fail(what: string): void {
    this.tally.failed += 1
    if (this.tally.failures.length < MAX_FAILURES) this.tally.failures.push(what)
  }

  #count(path: string, { status, text }: { status: number; text: string }, expected: number, isUp: boolean): void {
    const { byStatus } = this.tally
    byStatus.set(status, (byStatus.get(status) ?? 0) + 1)
    if (status !== expected && (isUp || status < 500)) this.fail(`${status} ${path}: ${text.slice(0, 300)}`)
  }

  async #logIn(): Promise<void> {
    const [{ username, password }] = SIGN_INS
    const { staff: address } = this.#clients
    const path = '/class_tracker/login_view/'
    const arriving = new Visitor(this.#origin)
    for (const [name, value] of this.#staff.jar) if (name !== 'session') arriving.jar.set(name, value)
    const page = await this.ask(arriving, address, path)
    const token = /name="csrf_token" value="([^"]+)"/.exec(page?.text ?? '')?.[1]
    if (token === undefined) return
    const form = { username, password, csrf_token: token }
    const answer = await this.ask(arriving, address, path, { form })
    if (answer?.status !== 303) return
    this.tally.logins += 1
    this.#isLoggedIn = true
    for (const [name, value] of arriving.jar) this.#staff.jar.set(name, value)
  }
}
